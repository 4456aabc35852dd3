package acp

// Statuses of a tool call.
// See https://agentclientprotocol.com/protocol/v1/tool-calls#status.
const (
	StatusPending    = "pending"
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
	StatusFailed     = "failed"
	StatusCancelled  = "cancelled" // version 2
)

// IsOver reports whether a status ends a call in version 1.
func IsOver(status string) bool { return status == StatusCompleted || status == StatusFailed }

// Kinds of tool calls.
// See https://agentclientprotocol.com/protocol/v1/tool-calls#creating.
const (
	KindRead       = "read"
	KindEdit       = "edit"
	KindDelete     = "delete"
	KindMove       = "move"
	KindSearch     = "search"
	KindExecute    = "execute"
	KindThink      = "think"
	KindFetch      = "fetch"
	KindSwitchMode = "switch_mode" // asks for the approval of a plan
	KindOther      = "other"
)
