package peer

import (
	"acpshim/internal/chain/wire"
	"acpshim/proxy"
)

// A tap adds what a side writes to the transcript and to the record, in the same order.
type tap struct {
	*transcript
	from wire.Side
	next proxy.Tap // of the record; may be nil
}

// Passed implements proxy.Tap.
func (t tap) Passed(b []byte) {
	t.order.Lock()
	defer t.order.Unlock()
	if t.next != nil {
		t.next.Passed(b)
	}
	t.add(t.from, b)
}

// Rewritten implements proxy.Tap. It is not called, because no interceptor holds a line.
func (t tap) Rewritten([]byte, []byte, wire.Change) {}

// A sink drops what the agent writes: its tap has it.
type sink struct{ *transcript }

// Write implements io.Writer.
func (sink) Write(p []byte) (int, error) { return len(p), nil }

// Close implements io.Closer.
func (s sink) Close() error {
	s.close()
	return nil
}
