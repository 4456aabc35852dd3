package questions

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyAnnounced = wire.Reason{Code: "questions.announced", Text: "acpshim announces questions in place of the client (questions.ask)"}
	whyAsked     = wire.Reason{Code: "questions.asked", Text: "the client does not know questions, so permission requests ask them (questions.ask)"}
	whyChosen    = wire.Reason{Code: "questions.chosen", Text: "the reader has chosen"}
	whyCancelled = wire.Reason{Code: "questions.cancelled", Text: "its turn was cancelled"}
	whyWithdrawn = wire.Reason{Code: "questions.withdrawn", Text: "the agent withdrew its question, or acpshim had no more room for it"}
)
