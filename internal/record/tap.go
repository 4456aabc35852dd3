package record

import (
	"bytes"
	"crypto/sha256"
	"hash"

	"acpshim/internal/wire"
)

// A Tap records what one peer sends: a [acpshim/proxy.Tap].
type Tap struct {
	r      *Recorder
	stream stream
}

// Passed implements proxy.Tap.
func (t *Tap) Passed(b []byte) { t.r.queue.put(t.stream, b) }

// Rewritten implements proxy.Tap. What was not changed is recorded like what
// passed; otherwise the line and each line that takes its place are. Those that were put beside it
// are recorded before and behind it. One that was put there and dropped again is told with it.
func (t *Tap) Rewritten(line, out []byte, by wire.Change) {
	if len(by.Added) == 0 && bytes.Equal(line, out) {
		t.Passed(line)
		return
	}
	before, self, behind, dropped := split(out, by.Added)
	for _, a := range before {
		t.lines(out[a.Start:a.End], rewritten{stage: stageBefore, by: a.By}, line)
	}
	switch {
	case len(line) == 0:
		t.lines(self, rewritten{stage: stageMade, by: by.By}, nil)
	case bytes.Equal(line, self) && len(dropped) == 0:
		t.Passed(line)
	case bytes.Equal(line, self):
		t.line(line, rewritten{by: dropped})
	default:
		for _, c := range dropped {
			by.By = wire.AddCause(by.By, c)
		}
		t.line(line, rewritten{stage: stageIn, by: by.By})
		t.lines(self, rewritten{stage: stageOut, by: by.By}, nil)
	}
	for _, a := range behind {
		t.lines(out[a.Start:a.End], rewritten{stage: stageBehind, by: a.By}, line)
	}
}

// split returns what of out takes the place of the line, and what was put before and behind that,
// or was dropped.
func split(out []byte, added []wire.Added) (before []wire.Added, self []byte, behind []wire.Added, dropped []wire.Cause) {
	end := 0 // of what is in one of them
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
			behind = append(behind, a)
		}
	}
	if end == 0 {
		return before, out, behind, dropped
	}
	return before, append(self, out[end:]...), behind, dropped
}

// lines records lines, each as m says. If there is none that they could be beside, they were made.
func (t *Tap) lines(lines []byte, m rewritten, beside []byte) {
	if len(beside) == 0 && m.stage >= stageMade {
		m.stage = stageMade
	}
	for l := range bytes.Lines(lines) {
		t.line(l, m)
	}
}

// line records a line that was held, which is hashed here if it is too long to be copied.
func (t *Tap) line(line []byte, m rewritten) {
	if len(line) > t.r.opts.MaxLine {
		m.long = &long{}
		m.long.Write(line)
		line = nil
	}
	t.r.queue.putLine(t.stream, &m, line)
}

// long is what is kept of a line that is too long.
type long struct {
	length int64
	head   []byte
	hash   hash.Hash
	ended  bool // its last byte is a newline
}

// headSize is how much of the beginning of a long line is kept, in bytes.
const headSize = 4 << 10

// Write adds bytes to the line.
func (l *long) Write(b []byte) {
	if l.hash == nil {
		l.hash = sha256.New()
	}
	l.length += int64(len(b))
	l.head = append(l.head, b[:min(len(b), headSize-len(l.head))]...)
	l.hash.Write(b)
	l.ended = bytes.HasSuffix(b, []byte{'\n'})
}
