package peer

import (
	"bytes"
	"strings"
	"sync"
	"time"

	"acpshim/filters"
	"acpshim/internal/chain/wire"
)

// Bounds on what is kept of the lines of a process.
const (
	maxLine  = 4 << 20 // of a line; of a longer one only its size is kept
	maxBytes = 64 << 20
	maxLines = 100_000
)

// A transcript has what both sides wrote, in the order in which a record has it.
type transcript struct {
	closed chan struct{} // closed when the agent's output has ended
	framed chan struct{} // closed when there is a header of LSP's framing

	order sync.Mutex // held while a tap adds bytes, so that the record has the same order

	mu        sync.Mutex    // protects the fields below
	changed   chan struct{} // closed and replaced when a message was added
	messages  []*Message
	kept      int          // bytes in messages
	parts     [2][]byte    // the beginning of the current line of each side
	longer    [2]int       // how many bytes of it were dropped
	counts    [2]int       // how many lines each side wrote
	exchanges []*Exchange  // in the order in which they began
	collage   collage      // of the agent
	junk      filters.Junk // of the agent
	junkLines int
	firstJunk string
	read      int // how many messages the agent sent
}

func newTranscript() *transcript {
	return &transcript{closed: make(chan struct{}), framed: make(chan struct{}), changed: make(chan struct{})}
}

// add adds bytes that a side wrote.
func (t *transcript) add(from wire.Side, b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	part, longer := &t.parts[from.Index()], &t.longer[from.Index()]
	for len(b) > 0 {
		piece, rest, whole := bytes.Cut(b, []byte("\n"))
		fits := piece[:min(len(piece), maxLine-len(*part))]
		*part = append(*part, fits...)
		*longer += len(piece) - len(fits)
		if b = rest; whole {
			t.end(from, false)
		}
	}
}

// end ends the current line of a side, which may be cut. The lock is held.
func (t *transcript) end(from wire.Side, isCut bool) {
	line, longer := t.parts[from.Index()], t.longer[from.Index()]
	t.parts[from.Index()], t.longer[from.Index()] = line[:0], 0
	m := &Message{From: from, NoEnd: isCut, Size: len(line) + longer, At: time.Now(), ordinal: t.counts[from.Index()]}
	t.counts[from.Index()]++
	if longer == 0 && t.kept+len(line) <= maxBytes && len(t.messages) < maxLines {
		m.Line = bytes.Clone(line)
		t.kept += len(line)
	}
	whole := t.take(m, line, longer > 0)
	t.keep(m)
	if whole != nil {
		t.received(whole)
		t.keep(whole)
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// keep adds a message to those that are kept.
func (t *transcript) keep(m *Message) {
	if len(t.messages) < maxLines {
		t.messages = append(t.messages, m)
		m.Number = uint64(len(t.messages))
	}
}

// take reads a line, and gives a response to the request that it is for. It returns the message
// that was put together from it and lines before it, if there is one.
func (t *transcript) take(m *Message, line []byte, isCut bool) (whole *Message) {
	isMessage := !isCut && m.read(line)
	if m.From == wire.Client {
		t.sent(m)
		return nil
	}
	if m.IsJunk = t.junk.IsJunk(line); m.IsJunk {
		t.noteJunk(line)
	}
	switch {
	case isMessage:
		t.collage = collage{}
		t.read++
		t.received(m)
	case isHeader(line):
		closeOnce(t.framed)
	default:
		return t.collage.add(m)
	}
	return nil
}

func (t *transcript) noteJunk(line []byte) {
	if t.junkLines++; t.junkLines == 1 {
		t.firstJunk = strings.TrimSpace(string(line[:min(len(line), 1<<10)]))
	}
}

// isHeader reports whether a line is a header of LSP.
func isHeader(line []byte) bool {
	return bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(line)), []byte("content-length:"))
}

// close notes that the agent's output has ended. Its last line may have no end.
func (t *transcript) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, side := range []wire.Side{wire.Client, wire.Agent} {
		if len(t.parts[side.Index()]) > 0 {
			t.end(side, true)
		}
	}
	closeOnce(t.closed)
}

// closeOnce closes a channel unless it is closed. Two calls must not run at the same time.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// since returns the messages from the i-th on, and a channel that is closed when there are more.
func (t *transcript) since(i int) (messages []*Message, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.messages[min(i, len(t.messages)):len(t.messages):len(t.messages)], t.changed
}
