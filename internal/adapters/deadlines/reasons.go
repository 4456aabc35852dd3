package deadlines

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyStart  = wire.Reason{Code: "deadlines.no-initialize", Text: "the agent did not respond to initialize (deadline.start)"}
	whyOpen   = wire.Reason{Code: "deadlines.session-not-opened", Text: "the agent did not open the session (deadline.open)"}
	whyVendor = wire.Reason{Code: "deadlines.vendor-method", Text: "the client did not respond to a method that the protocol does not have (deadline.vendor)"}
	whySilent = wire.Reason{Code: "deadlines.silent-turn", Text: "the agent was silent in the turn (deadline.silence, deadline.cancel)"}
)
