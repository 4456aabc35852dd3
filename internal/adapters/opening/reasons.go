package opening

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyHeld        = wire.Reason{Code: "opening.held-until-open", Text: "acpshim holds it until the response that opens its session (opening.hold)"}
	whyFull        = wire.Reason{Code: "opening.no-room", Text: "there is no room for more updates that wait for the response that opens their session"}
	whyNamed       = wire.Reason{Code: "opening.client-named-session", Text: "the client names the session, so it knows it"}
	whyNobodyOpens = wire.Reason{Code: "opening.no-pending-request", Text: "no request that might open its session is pending any more"}
	whyAgentEnded  = wire.Reason{Code: "opening.agent-ended", Text: "the agent ended before it opened the session"}
	whyLate        = wire.Reason{Code: "opening.time-limit", Text: "the response that opens its session has not come for five seconds"}
	whyNext        = wire.Reason{Code: "opening.before-next-message", Text: "another message about the session is forwarded, with the updates before it (opening.hold)"}
	whyOpened      = wire.Reason{Code: "opening.after-response", Text: "acpshim held updates until this response (opening.hold)"}
	whyRepeated    = wire.Reason{Code: "opening.repeated-with-prompt", Text: "sent once more with the first prompt: the client may not have known the session before (opening.repeat)"}
)
