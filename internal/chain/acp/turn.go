package acp

// Reasons why a turn stops.
// See https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons.
const (
	StopEndTurn         = "end_turn"
	StopMaxTokens       = "max_tokens"
	StopMaxTurnRequests = "max_turn_requests"
	StopRefusal         = "refusal"
	StopCancelled       = "cancelled"
)

// States of a session, which version 2 sends as state_update.
// See https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-states.
const (
	StateIdle           = "idle"
	StateRunning        = "running"
	StateRequiresAction = "requires_action"
)
