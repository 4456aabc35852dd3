package dispatch

import "acpshim/internal/chain/wire"

// Shim is the name in records of what no adapter, but acpshim itself decides.
const Shim = "acpshim"

// WhyEnded is the reason of an error that a request gets because the agent has ended.
var WhyEnded = wire.Reason{Code: "dispatch.agent-ended", Text: "the agent ended before it responded"}

// Reasons for records.
var (
	whyJunk          = wire.Reason{Code: "dispatch.junk", Text: "this line is not a message"}
	whyNotReceived   = wire.Reason{Code: "dispatch.cancelled-hold", Text: "acpshim held the cancelled request, so the other side never received it"}
	whySecond        = wire.Reason{Code: "dispatch.second-response", Text: "the request already has a response"}
	whyOfOwn         = wire.Reason{Code: "dispatch.own-response", Text: "it responds to a request that acpshim sent itself"}
	whyOfWithdrawn   = wire.Reason{Code: "dispatch.withdrawn-response", Text: "it responds to a request that acpshim withdrew"}
	whyLimit         = wire.Reason{Code: "dispatch.hold-limit", Text: "acpshim held it for %s, which is the limit"}
	whyAwaitsNothing = wire.Reason{Code: "dispatch.hold-agent-ended", Text: "the agent ended, so acpshim waits for nothing more"}
	whySenderEnded   = wire.Reason{Code: "dispatch.hold-sender-ended", Text: "its sender has ended"}
	whyCancelled     = wire.Reason{Code: "dispatch.hold-cancelled", Text: "it was cancelled while it waited"}
	whySessionEnded  = wire.Reason{Code: "dispatch.hold-session-ended", Text: "its session has ended"}
	whyOff           = wire.Reason{Code: "dispatch.hold-adapter-off", Text: "the adapter that held it is switched off"}
	whyNoRoom        = wire.Reason{Code: "dispatch.hold-no-room", Text: "acpshim held it, but then had no more room, or its id was used again"}
)
