package turns

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyQueued     = wire.Reason{Code: "turns.queued", Text: "acpshim holds the prompt until the turn before it ends (turns.queue)"}
	whyFull       = wire.Reason{Code: "turns.queue-full", Text: "too many prompts wait already (turns.queue)"}
	whyNext       = wire.Reason{Code: "turns.next-prompt", Text: "the turn before it ended (turns.queue)"}
	whyAbandoned  = wire.Reason{Code: "turns.cancelled-turn-ended", Text: "a cancelled turn did not end (turns.cancel_grace)"}
	whyAsked      = wire.Reason{Code: "turns.late-call-asked", Text: "a permission request is forwarded at once, with its tool call (turns.late)"}
	whyDropped    = wire.Reason{Code: "turns.late-dropped", Text: "the turn is over, so the update is dropped (turns.late)"}
	whyHeldCall   = wire.Reason{Code: "turns.late-call-held", Text: "the turn is over, so acpshim holds the call in case of a permission request (turns.late)"}
	whyHeld       = wire.Reason{Code: "turns.late-held", Text: "the turn is over, so acpshim holds the update until the next one (turns.late)"}
	whyNextTurn   = wire.Reason{Code: "turns.late-next-turn", Text: "held until the next turn (turns.late)"}
	whyRemoved    = wire.Reason{Code: "turns.late-session-removed", Text: "nothing is kept of the session any more"}
	whyNoRoom     = wire.Reason{Code: "turns.late-no-room", Text: "there is no room for more that waits for the next turn (turns.late)"}
	whyAgentEnded = wire.Reason{Code: "turns.late-agent-ended", Text: "the agent has ended (turns.late)"}
)
