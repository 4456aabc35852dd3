package shape

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyKind      = wire.Reason{Code: "shape.option-kind", Text: "an option had a kind that clients do not know (repair.option_kinds)"}
	whyCompleted = wire.Reason{Code: "shape.members-added", Text: "the message lacked members that the protocol requires (repair.results)"}
	whyUsage     = wire.Reason{Code: "shape.usage-empty", Text: "the usage has neither tokens nor cost (repair.results)"}
	whyBlock     = wire.Reason{Code: "shape.chunk-content", Text: "the content of the piece was not a block of the protocol (repair.chunks)"}
	whyURI       = wire.Reason{Code: "shape.image-uri", Text: "only the client can read the image's URI, and the image has data (images.drop_uris)"}
)
