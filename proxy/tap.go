package proxy

import (
	"bytes"
	"io"

	"acpshim/internal/chain/wire"
)

// A Tap gets the bytes of one direction before they are written. One goroutine at a time calls its
// methods, in the order of the bytes. They must not keep or change the bytes, and have to be fast,
// because the direction waits for them.
type Tap interface {
	// Passed gets bytes that pass unchanged, in pieces of any size.
	Passed(b []byte)

	// Rewritten gets a complete line that an Interceptor held, and the lines that replace it, which
	// can be the same line or none. line is empty if out was added without a line. It is a part of
	// a line if that is dropped because it is too long. The Change says who changed the line, and
	// why.
	Rewritten(line, out []byte, by wire.Change)
}

// RelayTapped is [Relay] with a tap. A nil Interceptor passes every line.
func RelayTapped(to io.Writer, from io.Reader, i wire.Interceptor, tap Tap, limit int) error {
	p := pump{from: from, to: to, look: look(i), tap: tap, limit: limit}
	return p.run()
}

func (p *pump) showPassed(b []byte) {
	if p.tap != nil && len(b) > 0 {
		p.tap.Passed(b)
	}
}

func (p *pump) showRewritten(line, out []byte, by wire.Change) {
	if p.tap == nil {
		return
	}
	if bytes.Equal(line, out) {
		by.By = nil
	}
	p.tap.Rewritten(line, out, by)
}
