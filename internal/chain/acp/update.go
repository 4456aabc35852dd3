package acp

// Kinds of session update that are messages, and pieces of messages.
// See https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output.
const (
	UserMessageChunk  = "user_message_chunk"
	AgentMessageChunk = "agent_message_chunk"
	AgentThoughtChunk = "agent_thought_chunk"
	UserMessage       = "user_message"  // version 2
	AgentMessage      = "agent_message" // version 2
	AgentThought      = "agent_thought" // version 2
)

// Kinds of session update about tool calls and their terminals. All kinds about tool calls begin
// with ToolCall.
// See https://agentclientprotocol.com/protocol/v1/tool-calls and
// https://agentclientprotocol.com/protocol/v2/tool-calls.
const (
	ToolCall             = "tool_call"
	ToolCallUpdate       = "tool_call_update"
	ToolCallContentChunk = "tool_call_content_chunk" // version 2
	TerminalUpdate       = "terminal_update"         // version 2
	TerminalOutputChunk  = "terminal_output_chunk"   // version 2
)

// Kinds of session update about plans. All of them begin with Plan.
// See https://agentclientprotocol.com/protocol/v1/agent-plan.
const (
	Plan        = "plan"
	PlanUpdate  = "plan_update"
	PlanRemoved = "plan_removed"
)

// Kinds of session update about the session.
// See https://agentclientprotocol.com/protocol/v1/session-setup and
// https://agentclientprotocol.com/protocol/v2/prompt-lifecycle.
const (
	AvailableCommandsUpdate = "available_commands_update"
	CurrentModeUpdate       = "current_mode_update"
	ConfigOptionUpdate      = "config_option_update"
	SessionInfoUpdate       = "session_info_update"
	UsageUpdate             = "usage_update"
	Notice                  = "notice"
	CompactionUpdate        = "compaction_update"
	CompactionSummaryChunk  = "compaction_summary_chunk"
	StateUpdate             = "state_update"              // version 2
	ReplayComplete          = "replay_complete"           // version 2
	PromptSuggestionsUpdate = "prompt_suggestions_update" // unstable
	CursorUpdate            = "cursor_update"             // unstable
)

// Kinds of session update about subagents.
// See https://agentclientprotocol.com/protocol/v1/subagents.
const (
	SubagentUpdate      = "subagent_update"
	SessionMessage      = "session_message"
	SessionMessageChunk = "session_message_chunk"
)
