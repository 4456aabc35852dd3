package dispatch

import (
	"bytes"
	"slices"

	"acpshim/internal/wire"
)

// An output is the bytes that are written for a line, or for a part of it.
type output struct {
	bytes []byte
	from  int             // the offset of its beginning in bytes
	added []wire.Addition // the lines before or after the message
}

// A target has the outputs of a message: the lines before it, the message, and the lines after it.
type target struct{ before, self, after *output }

// all returns the target of a message that is not an element of a batch.
func all(to *output) target { return target{to, to, to} }

// begin starts the output in dst, with the late lines.
func (d *Direction) begin(dst []byte) {
	d.by, d.out = nil, output{append(dst, d.late.bytes...), len(dst), d.late.added}
	d.late = output{}
}

// end returns what was appended since begin, and its causes.
func (d *Direction) end() (out []byte, by wire.Change) {
	out, by = d.out.bytes, wire.Change{By: d.by, Added: d.out.added}
	d.out = output{}
	return out, by
}

// endMade is end for lines without a message. The causes of lines that were dropped again are
// returned with the next message.
func (d *Direction) endMade() (out []byte, by wire.Change) {
	out, by = d.end()
	for _, a := range by.Added {
		for _, c := range a.By {
			if a.Start == a.End {
				d.dropped = wire.AddCause(d.dropped, c)
			}
		}
	}
	return out, by
}

// join appends an output that begins on a new line.
func (o *output) join(next output) {
	if len(next.bytes) == 0 && len(next.added) == 0 {
		return
	}
	o.bytes = wire.EndLine(o.bytes)
	at := len(o.bytes) - o.from
	for _, a := range next.added {
		a.Start, a.End = a.Start+at, a.End+at
		o.added = append(o.added, a)
	}
	o.bytes = append(o.bytes, next.bytes...)
}

// putLines passes lines of the adapter before the i-th to the adapters from the i-th on. It appends
// the result to to.
func (d *Direction) putLines(lines []byte, by []wire.Cause, i int, to *output) {
	d.put(lines, false, by, i, to)
}

// put is putLines, also for lines that acpshim sends itself.
func (d *Direction) put(lines []byte, isOwn bool, by []wire.Cause, i int, to *output) {
	if len(lines) == 0 {
		return
	}
	to.bytes = wire.EndLine(to.bytes)
	outer, isOuter := d.by, !d.adding
	d.adding = true
	for line := range bytes.Lines(lines) {
		d.refresh() // the line before may have changed what adapters want
		from, known := len(to.bytes)-to.from, len(to.added)
		if isOuter {
			d.by = slices.Clone(by)
		} else {
			d.changed(by...)
		}
		m := &Message{From: d.from, Line: line, d: d, progress: settled, isOwn: isOwn, stale: true, to: all(to)}
		if d.pass(m, i); isOuter {
			to.added = append(to.added[:known], wire.Addition{Span: wire.Span{Start: from, End: len(to.bytes) - to.from}, By: d.by})
		}
	}
	if isOuter {
		d.by, d.adding = outer, false
	}
}

func (d *Direction) changed(by ...wire.Cause) {
	for _, c := range by {
		d.by = wire.AddCause(d.by, c)
	}
}

func (m *Message) causes(a Adapter) []wire.Cause {
	if len(m.by) == 0 {
		return []wire.Cause{{Name: a.Name(), Why: m.why}}
	}
	return m.by
}
