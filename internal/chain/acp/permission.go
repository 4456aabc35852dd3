package acp

// Kinds of options of a permission request.
// See https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// SubjectToolCall is the type of the subject of a permission request in version 2.
// See https://agentclientprotocol.com/protocol/v2/tool-calls#requesting-permission.
const SubjectToolCall = "tool_call"

// Outcomes of a permission request.
// See https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission.
const (
	OutcomeSelected  = "selected"
	OutcomeCancelled = "cancelled"
)
