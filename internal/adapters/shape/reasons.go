package shape

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyKind      = wire.Reason{Code: "shape.option-kind", Text: "an option had a kind that clients do not know (repair.option_kinds)"}
	whyCompleted = wire.Reason{Code: "shape.members-added", Text: "the message lacked members that the protocol requires (repair.results)"}
	whyUsage     = wire.Reason{Code: "shape.usage-empty", Text: "the usage has neither tokens nor cost (repair.results)"}
)
