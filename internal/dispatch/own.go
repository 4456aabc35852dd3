package dispatch

import (
	"bytes"
	"strings"

	"acpshim/internal/wire"
)

// OwnRequests are those that acpshim itself sends to the client, past the adapters. Their responses
// never reach the agent. The zero value is none.
type OwnRequests struct {
	// Prefix begins their ids, which are strings, and nobody else's.
	Prefix string

	// Sent reports whether there has been one. A response that gives its id late is held from then
	// on.
	Sent func() bool

	// Answered is told of each response: its result or its error, the other is nil, as raw JSON. It
	// is called by the client's direction, must not block and must not keep the bytes.
	Answered func(id string, result, failure []byte)
}

// have reports whether a raw id is one of these requests'.
func (r OwnRequests) have(rawID []byte) bool {
	return r.Prefix != "" && wire.IsString(rawID) && strings.HasPrefix(wire.ID(rawID), `"`+r.Prefix)
}

// own decides by its head a line that is a response to a request of ours, or may be one: it is
// claimed before anybody else sees it.
func (d *Direction) own(h wire.Head, reading wire.Reading, head []byte) (v wire.Verdict, ok bool) {
	own := &d.d.opts.Own
	switch {
	case d.from == Agent || own.Prefix == "" || h.Method != nil:
		return wire.Pass, false
	case own.have(h.ID):
		return wire.Consume, true
	case reading == wire.Decided || reading == wire.NotJSON || !own.Sent():
		return wire.Pass, false
	case reading == wire.Incomplete && len(head) < wire.HeadSize:
		return wire.More, true
	}
	return wire.Hold, true
}

// takeOwn takes a message if it is a response to a request of ours.
func (d *Direction) takeOwn(m *Message) bool {
	if d.from == Agent || m.Object == nil || m.Object.Get("method") != nil || !d.d.opts.Own.have(m.ID) {
		return false
	}
	id, _ := m.Object.Text("id")
	d.d.opts.Own.Answered(id, m.Object.Raw("result"), m.Object.Raw("error"))
	return true
}

// isOwnUnread reports whether a line that cannot be read is one to a request of ours.
func (d *Direction) isOwnUnread(line []byte) bool {
	if d.from == Agent || d.d.opts.Own.Prefix == "" {
		return false
	}
	h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil || h.Response && h.ID != nil })
	return h.Method == nil && d.d.opts.Own.have(h.ID)
}

// Junk decides what becomes of lines of the agent that are no messages.
type Junk interface {
	// Moves reports whether such lines are needed as a whole. None is held to be counted.
	Moves() bool
	// Take is given one, its beginning if it passes, and reports whether it does.
	Take(line []byte) (passes bool)
	// Has reports whether a whole line is none.
	Has(line []byte) bool
}

// junk decides by its head a line that is no message, or may be none.
func (d *Direction) junk(h wire.Head, reading wire.Reading, head []byte) (v wire.Verdict, ok bool) {
	j := d.d.opts.Junk
	switch {
	case d.from == Client || j == nil || h.Method != nil || h.Response || reading == wire.Array || len(bytes.TrimSpace(head)) == 0:
		return wire.Pass, false
	case j.Moves() && reading == wire.Incomplete:
		return wire.More, true
	case j.Moves():
		return wire.Hold, true
	case reading == wire.NotJSON || reading == wire.Decided:
		j.Take(head)
		return wire.Pass, true
	}
	return wire.Pass, false
}
