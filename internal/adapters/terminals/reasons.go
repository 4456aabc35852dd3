package terminals

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyAnnounced = wire.Reason{Code: "terminals.announced", Text: "acpshim announces terminals in place of the client (services.terminal)"}
	whyServed    = wire.Reason{Code: "terminals.served", Text: "acpshim runs the agent's commands (services.terminal)"}
	whyShown     = wire.Reason{Code: "terminals.shown", Text: "the client has no terminals, so it gets the command's output as text"}
	whyGrown     = wire.Reason{Code: "terminals.output-grown", Text: "a command printed more"}
)
