package dispatch

import (
	"bytes"
	"slices"

	"acpshim/internal/wire"
)

// An output is what becomes of a line, or of a part of it.
type output struct {
	bytes []byte
	from  int          // where it begins in bytes
	added []wire.Added // which lines of it were put before or behind the message
}

// A target is where a message is written: the lines before it, itself, and the lines after it.
type target struct{ before, self, after *output }

// all is the target of a message that is no element of a batch.
func all(to *output) target { return target{to, to, to} }

// begin begins what is appended to dst, with the late lines.
func (d *Direction) begin(dst []byte) {
	d.by, d.out = nil, output{append(dst, d.late.bytes...), len(dst), d.late.added}
	d.late = output{}
}

// end returns what was appended since begin, and what changed it.
func (d *Direction) end() (out []byte, by wire.Change) {
	out, by = d.out.bytes, wire.Change{By: d.by, Added: d.out.added}
	d.out = output{}
	return out, by
}

// endMade is end for what was made without a message. What made lines that were dropped again is
// told with the next message.
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

// join appends what begins with a line of its own.
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

// putLines appends to to what the adapters from the i-th on make of lines that the one before them
// made, by what is named.
func (d *Direction) putLines(lines []byte, by []wire.Cause, i int, to *output) {
	if len(lines) == 0 {
		return
	}
	to.bytes = wire.EndLine(to.bytes)
	outer, isOuter := d.by, !d.adding
	d.adding = true
	for line := range bytes.Lines(lines) {
		from, known := len(to.bytes)-to.from, len(to.added)
		if isOuter {
			d.by = slices.Clone(by)
		} else {
			d.changed(by...)
		}
		m := &Message{From: d.from, Line: line, d: d, settled: true, stale: true, to: all(to)}
		if d.pass(m, i); isOuter {
			to.added = append(to.added[:known], wire.Added{Span: wire.Span{Start: from, End: len(to.bytes) - to.from}, By: d.by})
		}
	}
	if isOuter {
		d.by, d.adding = outer, false
	}
}

// changed adds to by what changed the line.
func (d *Direction) changed(by ...wire.Cause) {
	for _, c := range by {
		d.by = wire.AddCause(d.by, c)
	}
}

// causes are what changed the message, if adapter a did.
func (m *Message) causes(a Adapter) []wire.Cause {
	if len(m.by) == 0 {
		return []wire.Cause{{Name: a.Name(), Why: m.why}}
	}
	return m.by
}
