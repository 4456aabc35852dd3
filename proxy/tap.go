package proxy

import (
	"bytes"
	"io"

	"acpshim/internal/wire"
)

// A Tap is shown what goes one direction, before it is written. Its methods are
// called in the order of the bytes, by one goroutine at a time. They must not
// keep or change the bytes. The direction waits for them.
type Tap interface {
	// Passed is given bytes that go on as they came, in pieces of any size.
	Passed(b []byte)

	// Rewritten is given a whole line that an Interceptor held, as it came and
	// as it goes on: the same, another line, none, or several. Line is empty if
	// out is not made of one, and a piece of one that is dropped for being too
	// long. By says what changed it or made it, as far as known.
	Rewritten(line, out []byte, by wire.Change)
}

// RelayTapped is [Relay], shown to a tap. A nil Interceptor lets all pass.
func RelayTapped(to io.Writer, from io.Reader, i wire.Interceptor, tap Tap, limit int) error {
	p := pump{from: from, to: to, look: look(i), tap: tap, limit: limit}
	return p.run()
}

// showPassed shows the tap bytes that go on as they came.
func (p *pump) showPassed(b []byte) {
	if p.tap != nil && len(b) > 0 {
		p.tap.Passed(b)
	}
}

// showRewritten shows the tap a line that was held.
func (p *pump) showRewritten(line, out []byte, by wire.Change) {
	if p.tap == nil {
		return
	}
	if bytes.Equal(line, out) {
		by.By = nil
	}
	p.tap.Rewritten(line, out, by)
}
