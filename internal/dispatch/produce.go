package dispatch

import (
	"bytes"
	"slices"

	"acpshim/internal/wire"
)

// Produce appends to dst the lines that adapter by makes without a message, as the adapters after
// it leave them; names are what made them. Requests meet no adapter. An adapter that is switched
// off makes none. Produce is not called at the same time as the other methods.
func (d *Direction) Produce(dst []byte, by Adapter, produce func() []byte) (out []byte, names []string) {
	d.refresh()
	d.by = nil
	dst = d.takeLate(dst)
	i := slices.Index(d.adapters, by)
	if !d.table.all.has(d.place(i)) {
		return dst, d.by
	}
	d.changed(by.Name())
	for line := range bytes.Lines(d.producedBy(i, produce)) {
		h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil })
		if string(h.Method) != "session/update" {
			dst = append(dst, line...)
			continue
		}
		d.putLines(line, i+1, &dst)
	}
	return dst, d.by
}

// producedBy calls produce, which calls the i-th adapter. It returns nil if that panics.
func (d *Direction) producedBy(i int, produce func() []byte) (lines []byte) {
	defer func() {
		if d.caught(i, recover()) {
			lines = nil
		}
	}()
	return produce()
}
