package choices

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyBoth      = wire.Reason{Code: "choices.both-forms", Text: "acpshim offers modes and models in both forms (choices.bridge)"}
	whyConverted = wire.Reason{Code: "choices.converted", Text: "the agent offers this choice in another form (choices.bridge)"}
	whyTried     = wire.Reason{Code: "choices.other-form-tried", Text: "the agent does not know the request, so acpshim tries the other form (choices.bridge)"}
	whyRepeated  = wire.Reason{Code: "choices.repeated", Text: "the client already got this with the response"}

	whySet    = wire.Reason{Code: "choices.set", Text: "the agent does not announce that it reads configOptions of this request, so acpshim sets them (choices.bridge)"}
	whyWaits  = wire.Reason{Code: "choices.held-until-set", Text: "acpshim holds the prompt until the session has the options that the client wants (choices.bridge)"}
	whyReady  = wire.Reason{Code: "choices.all-set", Text: "acpshim has set the options that the client wants and the agent allows (choices.bridge)"}
	whyEnd    = wire.Reason{Code: "choices.set-no-more", Text: "acpshim cannot set the options of the session any more (choices.bridge)"}
	whyTaken  = wire.Reason{Code: "choices.told-when-all-set", Text: "the client gets the options when acpshim has set all of them (choices.bridge)"}
	whyResult = wire.Reason{Code: "choices.told-after-set", Text: "acpshim has set the options that the client wants (choices.bridge)"}
)
