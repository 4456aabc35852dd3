package dispatch

import (
	"bytes"
	"slices"

	"acpshim/internal/wire"
)

// Produce appends to dst the lines that adapter by makes without a message, for a reason, as the
// adapters after it leave them; made says what made them. Requests meet no adapter. An adapter that
// is switched off makes none. Produce is not called at the same time as the other methods.
func (d *Direction) Produce(dst []byte, by Adapter, why string, produce func() []byte) (out []byte, made wire.Change) {
	d.refresh()
	d.begin(dst)
	i := slices.Index(d.adapters, by)
	if !d.table.all.has(i) {
		return d.end()
	}
	causes := []wire.Cause{{Name: by.Name(), Why: why}}
	d.changed(causes...)
	for line := range bytes.Lines(asked(d, i, func(Adapter) []byte { return produce() })) {
		h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil })
		if string(h.Method) != "session/update" {
			d.out.bytes = append(d.out.bytes, line...)
			continue
		}
		d.putLines(line, causes, i+1, &d.out)
	}
	return d.endMade()
}
