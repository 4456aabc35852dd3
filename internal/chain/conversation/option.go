package conversation

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// Decline is the id of codex-acp's option with which the turn goes on. Its other option of kind
// reject_once, "cancel", ends the turn.
// Read: openclaw/acpx#535
const Decline = "decline"

// RefusalOf returns the raw id of the option of a permission request that refuses only this call:
// the first one of kind reject_once, or [Decline]. It returns nil if no option is one, if another
// option has the same id, because the agent may then choose that one, or if an option cannot be
// read.
func RefusalOf(options []byte) (rawID []byte) {
	all, _ := wire.Elements(options)
	times, chosen := map[string]int{}, ""
	for _, raw := range all {
		o, err := wire.Parse(raw)
		id, isText := o.Text("optionId")
		if err != nil {
			return nil
		}
		if kind, _ := o.Text("kind"); kind == acp.RejectOnce && isText && (rawID == nil || id == Decline) {
			rawID, chosen = bytes.Clone(o.Raw("optionId")), id
		}
		times[id]++
	}
	if times[chosen] != 1 {
		return nil
	}
	return rawID
}
