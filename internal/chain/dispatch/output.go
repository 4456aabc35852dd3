package dispatch

import (
	"bytes"

	"acpshim/internal/chain/wire"
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

// A heldLine says that the line at an offset is one that an adapter held.
type heldLine struct {
	at     int
	number int64 // of the line
}

// putLines passes lines of the adapter before the i-th to the adapters from the i-th on. It appends
// the result to to. Held has those that the adapter held, in order.
func (d *Direction) putLines(lines []byte, by causes, i int, to *output, held ...heldLine) {
	d.put(lines, false, by, i, to, held...)
}

// put is putLines, also for lines that acpshim sends itself.
func (d *Direction) put(lines []byte, isOwn bool, by causes, i int, to *output, held ...heldLine) {
	if len(lines) == 0 {
		return
	}
	to.bytes = wire.EndLine(to.bytes)
	outer, isOuter := d.by, !d.adding
	d.adding = true
	at := 0
	for line := range bytes.Lines(lines) {
		var origin wire.Origin
		if len(held) > 0 && held[0].at == at {
			origin = wire.Origin{From: d.from, Number: held[0].number}
			held = held[1:]
		}
		at += len(line)
		d.refresh() // the line before may have changed what adapters want
		from, known := len(to.bytes)-to.from, len(to.added)
		if isOuter {
			d.by = by.of(line)
		} else {
			d.changed(by.of(line)...)
		}
		m := &Message{From: d.from, Line: line, d: d, progress: settled, isOwn: isOwn, stale: true, to: all(to)}
		if d.pass(m, i); isOuter {
			to.added = append(to.added[:known], wire.Addition{Span: wire.Span{Start: from, End: len(to.bytes) - to.from}, By: d.by, From: origin, IsHeld: origin.Number > 0})
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
