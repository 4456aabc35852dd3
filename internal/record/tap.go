package record

import (
	"bytes"
	"crypto/sha256"
	"hash"

	"acpshim/internal/chain/wire"
)

// A Tap records what one peer sends. It is a [acpshim/proxy.Tap].
type Tap struct {
	r      *Recorder
	stream stream
}

// Passed implements proxy.Tap.
func (t *Tap) Passed(b []byte) { t.r.queue.put(t.stream, b) }

// Rewritten implements proxy.Tap. An unchanged line is recorded like one that passed. Otherwise
// both the line and the lines in its place are recorded. Added lines are recorded before and after
// it. If added lines were dropped again, the record of the line names who added and dropped them.
func (t *Tap) Rewritten(line, out []byte, by wire.Change) {
	if len(by.Added) == 0 && bytes.Equal(line, out) {
		t.line(line, change{number: by.Number})
		return
	}
	before, self, after, dropped := split(out, by.Added)
	for _, a := range before {
		t.lines(out[a.Start:a.End], change{stage: stageBefore, by: a.By, from: a.From, isHeld: a.IsHeld, of: a.For}, line)
	}
	switch {
	case len(line) == 0:
		t.lines(self, change{stage: stageMade, by: by.By}, nil)
	case bytes.Equal(line, self):
		t.line(line, change{number: by.Number, by: dropped})
	default:
		for _, c := range dropped {
			by.By = wire.AddCause(by.By, c)
		}
		t.line(line, change{stage: stageIn, number: by.Number, by: by.By})
		t.lines(self, change{stage: stageOut, by: by.By}, nil)
	}
	for _, a := range after {
		t.lines(out[a.Start:a.End], change{stage: stageAfter, by: a.By, from: a.From, isHeld: a.IsHeld, of: a.For}, line)
	}
}

// split returns the part of out that is in place of the line, what was added before and after it,
// and the causes of lines that were added and dropped again.
func split(out []byte, added []wire.Addition) (before []wire.Addition, self []byte, after []wire.Addition, dropped []wire.Cause) {
	end := 0 // of what was split
	for _, a := range added {
		if a.Start > end {
			self = append(self, out[end:a.Start]...)
		}
		end = a.End
		switch {
		case a.Start == a.End:
			for _, c := range a.By {
				dropped = wire.AddCause(dropped, c)
			}
		case len(self) == 0:
			before = append(before, a)
		default:
			after = append(after, a)
		}
	}
	if end == 0 {
		return before, out, after, dropped
	}
	return before, append(self, out[end:]...), after, dropped
}

// lines records lines with a change. Without a line next to them, they are in no place.
func (t *Tap) lines(lines []byte, c change, next []byte) {
	if len(next) == 0 && c.stage >= stageMade {
		c.stage = stageMade
	}
	for l := range bytes.Lines(lines) {
		t.line(l, c)
	}
}

// line records a line that was held. It hashes a line that is too long to be copied.
func (t *Tap) line(line []byte, c change) {
	if len(line) > t.r.opts.MaxLine {
		c.long = &longLine{}
		c.long.Write(line)
		line = nil
	}
	t.r.queue.putLine(t.stream, &c, line)
}

// A longLine is what the record keeps of a line that is too long.
type longLine struct {
	length int64
	head   []byte
	hash   hash.Hash
	ended  bool // its last byte is a newline
}

// headSize is the size of the beginning of a long line that is kept, in bytes.
const headSize = 4 << 10

// Write adds bytes to the line.
func (l *longLine) Write(b []byte) {
	if l.hash == nil {
		l.hash = sha256.New()
	}
	l.length += int64(len(b))
	l.head = append(l.head, b[:min(len(b), headSize-len(l.head))]...)
	l.hash.Write(b)
	l.ended = bytes.HasSuffix(b, []byte{'\n'})
}
