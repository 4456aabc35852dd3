package record

import (
	"bytes"
	"crypto/sha256"
	"hash"
)

// A Tap records what one peer sends: a [acpshim/proxy.Tap].
type Tap struct {
	r      *Recorder
	stream stream
}

// Passed implements proxy.Tap.
func (t *Tap) Passed(b []byte) { t.r.queue.put(t.stream, b) }

// Rewritten implements proxy.Tap. What was not changed is recorded like what
// passed; otherwise the line and each line that takes its place are.
func (t *Tap) Rewritten(line, out []byte, by []string) {
	if bytes.Equal(line, out) {
		t.Passed(line)
		return
	}
	if len(line) > 0 {
		t.line(line, stageIn, by)
	}
	made := stageMade
	if len(line) > 0 {
		made = stageOut
	}
	for l := range bytes.Lines(out) {
		t.line(l, made, by)
	}
}

// line records a line that was held, which is hashed here if it is too long to be copied.
func (t *Tap) line(line []byte, s stage, by []string) {
	m := &rewritten{stage: s, by: by}
	if len(line) > t.r.opts.MaxLine {
		m.long = &long{}
		m.long.Write(line)
		line = nil
	}
	t.r.queue.putLine(t.stream, m, line)
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
