package output

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyShown    = wire.Reason{Code: "output.shown", Text: "the client does not read output in _meta (output.terminals)"}
	whyResult   = wire.Reason{Code: "output.result", Text: "the call ended without content, so acpshim adds its result (output.raw)"}
	whyUnknown  = wire.Reason{Code: "output.unknown-terminal", Text: "the agent runs this terminal, which the client does not know (output.terminals)"}
	whyReported = wire.Reason{Code: "output.reported", Text: "the client reads a command's output only from _meta (output.report)"}
)
