package acp

// Methods that both sides may send, and requests of the client about the connection.
// See https://agentclientprotocol.com/protocol/v1/initialization and
// https://agentclientprotocol.com/protocol/v1/cancellation.
const (
	Initialize    = "initialize"
	Authenticate  = "authenticate"
	Logout        = "logout"
	CancelRequest = "$/cancel_request"

	AuthLogin        = "auth/login"         // version 2
	AuthLogout       = "auth/logout"        // version 2
	AuthStatus       = "auth/status"        // unstable
	AuthStatusUpdate = "auth/status_update" // unstable
	ProvidersList    = "providers/list"     // unstable
	ProvidersSet     = "providers/set"      // unstable
	ProvidersDisable = "providers/disable"  // unstable
)

// Methods that open and close sessions, and read the list of sessions.
// See https://agentclientprotocol.com/protocol/v1/session-setup.
const (
	SessionNew    = "session/new"
	SessionLoad   = "session/load"
	SessionResume = "session/resume"
	SessionList   = "session/list"
	SessionClose  = "session/close"
	SessionDelete = "session/delete"

	SessionFork      = "session/fork"      // unstable
	SessionOptions   = "session/options"   // unstable
	SessionStatus    = "session/status"    // unstable
	SessionArchive   = "session/archive"   // unstable
	SessionUnarchive = "session/unarchive" // unstable
	SessionSetTitle  = "session/set_title" // unstable
)

// Methods that choose a mode, a model, or the value of an option.
// See https://agentclientprotocol.com/protocol/v1/session-modes and
// https://agentclientprotocol.com/protocol/v2/session-config-options.
const (
	SessionSetMode         = "session/set_mode"
	SessionSetModel        = "session/set_model" // was unstable, and is gone
	SessionSetConfigOption = "session/set_config_option"
)

// Methods of a turn.
// See https://agentclientprotocol.com/protocol/v1/prompt-turn and
// https://agentclientprotocol.com/protocol/v1/tool-calls.
const (
	SessionPrompt            = "session/prompt"
	SessionCancel            = "session/cancel"
	SessionUpdate            = "session/update"
	SessionRequestPermission = "session/request_permission"
	ElicitationCreate        = "elicitation/create"
	ElicitationComplete      = "elicitation/complete"
	ToolCallCancel           = "tool_call/cancel" // version 2
	TerminalCancel           = "terminal/cancel"  // version 2
)

// Methods with which an agent uses the files and the terminals of a client.
// See https://agentclientprotocol.com/protocol/v1/initialization#filesystem and
// https://agentclientprotocol.com/protocol/v1/terminals.
const (
	FSReadTextFile      = "fs/read_text_file"
	FSWriteTextFile     = "fs/write_text_file"
	TerminalCreate      = "terminal/create"
	TerminalOutput      = "terminal/output"
	TerminalWaitForExit = "terminal/wait_for_exit"
	TerminalKill        = "terminal/kill"
	TerminalRelease     = "terminal/release"
)

// Unstable methods for MCP servers and proxies.
// See https://agentclientprotocol.com/rfds/proxy-chains.
const (
	MCPConnect      = "mcp/connect" // is gone from the schemas
	MCPMessage      = "mcp/message"
	MCPDisconnect   = "mcp/disconnect" // is gone from the schemas
	ProxyInitialize = "proxy/initialize"
	ProxySuccessor  = "proxy/successor"
)
