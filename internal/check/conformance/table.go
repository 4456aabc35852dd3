package conformance

import "acpshim/internal/chain/wire"

// Sources of rules that are not pages of the protocol.
const (
	schema = "schema"
	rpc    = "JSON-RPC 2.0"
)

// table lists all rules: first those for agents, then those for clients.
var table = []Rule{
	{"stdout-json", Must, "each line on standard output is one JSON-RPC message", "transports", wire.Agent},
	{"one-line", Must, "a message has no line break in it", "transports", wire.Agent},
	{"utf8", Must, "standard output is UTF-8", "transports", wire.Agent},
	{"envelope", MustPlus, `jsonrpc is "2.0", and a message has a method, a result or an error`, rpc, wire.Agent},
	{"response-id", MustPlus, "a response has the id of its request, with the same type", rpc, wire.Agent},
	{"one-response", MustPlus, "each request gets one response, and nothing else gets one", rpc, wire.Agent},
	{"notification-silent", Must, "a notification gets no response, not even an error", "overview", wire.Agent},
	{"unknown-method", Must, "an unknown request gets error -32601", "extensibility", wire.Agent},
	{"bad-line", MustPlus, "the agent serves requests after a line that is not JSON", rpc, wire.Agent},
	{"alive", MustPlus, "the agent runs until its input is closed", rpc, wire.Agent},
	{"extension-names", ShouldPlus, "methods outside of the protocol begin with _", "extensibility", wire.Agent},
	{"initialize", Must, "initialize returns an object with an integer protocolVersion", "initialization", wire.Agent},
	{"version", Must, "the agent does not accept a version that it does not have", "initialization", wire.Agent},
	{"capabilities", MustPlus, "capabilities have the schema's types, and announced methods work", schema, wire.Agent},
	{"agent-info", Should, "agentInfo has a name and a version", "initialization", wire.Agent},
	{"auth", Must, "an agent that needs a login offers one, and no terminal unless announced", "authentication", wire.Agent},
	{"root-fields", ShouldPlus, "fields of one's own are in _meta", "extensibility", wire.Agent},
	{"session-new", Must, "session/new returns a new sessionId, and needs a cwd", "session-setup", wire.Agent},
	{"session-order", ShouldPlus, "updates for a session come after the response that names it", "session-setup", wire.Agent},
	{"session-load", Must, "session/load replays the conversation before its response", "session-setup", wire.Agent},
	{"session-load-unknown", MustPlus, "session/load refuses an unknown session", "session-setup", wire.Agent},
	{"session-resume", Must, "session/resume does not replay messages", "session-setup", wire.Agent},
	{"session-list", Must, "session/list returns sessions with their ids and cwds, and filters by cwd", "session-list", wire.Agent},
	{"session-close", Must, "session/close cancels the session's prompt", "session-setup", wire.Agent},
	{"session-delete", MustPlus, "a deleted session is not listed, and can be deleted again", "session-delete", wire.Agent},
	{"modes", MustPlus, "the current mode is one of availableModes, and modes can be set", "session-modes", wire.Agent},
	{"config-options", Must, "options have a valid value, and setting one returns the complete list", "session-config-options", wire.Agent},
	{"boolean-option", Must, "boolean options are only for clients that announce them", "session-config-options", wire.Agent},
	{"prompt", Must, "session/prompt returns one of the five stop reasons", "prompt-turn", wire.Agent},
	{"baseline-content", Must, "prompts may have text and resource links", "initialization", wire.Agent},
	{"updates", MustPlus, "updates match the schema, for a session of this connection", schema, wire.Agent},
	{"gated-updates", Must, "new kinds of update are only for clients that announce them", "initialization", wire.Agent},
	{"plan", MustPlus, "each plan is complete, with known priorities and statuses", "agent-plan", wire.Agent},
	{"tool-calls", MustPlus, "a tool call is announced before updates, and stays completed or failed", "tool-calls", wire.Agent},
	{"absolute-paths", Must, "all paths are absolute", "overview", wire.Agent},
	{"permission", MustPlus, "permission requests have options of known kinds and a tool call with an id", "tool-calls", wire.Agent},
	{"client-capabilities", Must, "the agent only sends requests that the client announced", "initialization", wire.Agent},
	{"late-updates", ShouldPlus, "no message, plan or tool update comes after the turn's response", "prompt-turn", wire.Agent},
	{"cancel", Must, `a cancelled turn ends with the stop reason "cancelled"`, "prompt-turn", wire.Agent},
	{"cancel-order", Must, "updates of a cancelled turn come before its response", "prompt-turn", wire.Agent},
	{"cancel-usable", MustPlus, "a session accepts prompts after a cancelled one", "prompt-turn", wire.Agent},
	{"exit-on-eof", ShouldPlus, "the agent ends within 5 s after its input is closed", "transports", wire.Agent},
	{"no-children", ShouldPlus, "no process of the agent is left 5 s after its end", "transports", wire.Agent},

	{"client-stdin-json", Must, "each line to the agent is one JSON-RPC message", "transports", wire.Client},
	{"client-envelope", MustPlus, `jsonrpc is "2.0", and pending requests have different ids`, rpc, wire.Client},
	{"client-initialize", Must, "initialize is the first request, once, with an integer protocolVersion", "initialization", wire.Client},
	{"client-info", Should, "clientInfo has a name and a version", "initialization", wire.Client},
	{"client-session-new", Must, "session/new has an absolute cwd, and mcpServers", "session-setup", wire.Client},
	{"client-session-first", Must, "requests only name sessions that the agent returned", "session-setup", wire.Client},
	{"client-announced-methods", Must, "the client only sends requests that the agent announced", "initialization", wire.Client},
	{"client-content", Must, "prompts have only content that the agent announced", "prompt-turn", wire.Client},
	{"client-mcp", Must, "MCP servers have only transports that the agent announced", "session-setup", wire.Client},
	{"client-responds", MustPlus, "each request gets one response with its id", rpc, wire.Client},
	{"client-unknown-method", Must, "an unknown request gets error -32601", "extensibility", wire.Client},
	{"client-notification-silent", Must, "a notification gets no response, not even an error", "overview", wire.Client},
	{"client-permission", MustPlus, "a permission response selects an offered option, or is cancelled", "tool-calls", wire.Client},
	{"client-cancel", Must, "session/cancel is a notification", "prompt-turn", wire.Client},
	{"client-cancel-permission", Must, "pending permission requests get cancelled with their turn", "prompt-turn", wire.Client},
	{"client-unknown-update", MustPlus, "unknown updates do not end the connection", "initialization", wire.Client},
	{"client-fs", MustPlus, "announced requests for files and terminals work", "file-system", wire.Client},
}
