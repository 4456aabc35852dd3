package conversation

import (
	"bytes"

	"acpshim/internal/chain/wire"
)

// OptionOf returns the raw id of the first option of a kind in a permission request. It returns nil
// if no option has the kind or if an option cannot be read. It also returns nil if another option
// has the same id, because the agent may then choose that one.
func OptionOf(options []byte, kind string) (rawID []byte) {
	all, _ := wire.Elements(options)
	times, chosen := map[string]int{}, ""
	for _, raw := range all {
		o, err := wire.Parse(raw)
		id, isText := o.Text("optionId")
		if err != nil {
			return nil
		}
		if k, _ := o.Text("kind"); k == kind && rawID == nil && isText {
			rawID, chosen = bytes.Clone(o.Raw("optionId")), id
		}
		times[id]++
	}
	if times[chosen] != 1 {
		return nil
	}
	return rawID
}
