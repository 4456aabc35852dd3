package dispatch

import (
	"bytes"
	"strings"

	"acpshim/internal/wire"
)

// OwnRequests describe the requests that acpshim itself sends to the client, past the adapters.
// Their responses never reach the agent. The zero value is for none.
type OwnRequests struct {
	// Prefix is what the ids of these requests, which are strings, begin with, and no others.
	Prefix string

	// Sent reports whether one was sent. From then on responses whose head has no id are held.
	Sent func() bool

	// Answered is called for each response, with its result or its error as raw JSON; the other is
	// nil. It is called by the client's direction, must not block and must not keep the bytes.
	Answered func(id string, result, failure []byte)
}

// have reports whether a raw id is that of one of these requests.
func (r OwnRequests) have(rawID []byte) bool {
	return r.Prefix != "" && wire.IsString(rawID) && strings.HasPrefix(wire.ID(rawID), `"`+r.Prefix)
}

// own decides by its head on a line that is, or may be, a response to a request of acpshim's own;
// ok is false for others.
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

// takeOwn reports whether a message is a response to a request of acpshim's own, and gives it to
// Answered.
func (d *Direction) takeOwn(m *Message) bool {
	if d.from == Agent || m.Object == nil || m.Object.Get("method") != nil || !d.d.opts.Own.have(m.ID) {
		return false
	}
	id, _ := m.Object.Text("id")
	d.d.opts.Own.Answered(id, m.Object.Raw("result"), m.Object.Raw("error"))
	return true
}

// isOwnUnread reports whether a line that cannot be read is a response to a request of acpshim's
// own.
func (d *Direction) isOwnUnread(line []byte) bool {
	if d.from == Agent || d.d.opts.Own.Prefix == "" {
		return false
	}
	h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil || h.Response && h.ID != nil })
	return h.Method == nil && d.d.opts.Own.have(h.ID)
}

// Junk decides what becomes of lines of the agent that are no messages.
type Junk interface {
	// Moves reports whether such lines are taken out, so that they are needed as a whole. If not,
	// no line is held to find out whether it is junk.
	Moves() bool
	// IsJunk reports whether a whole line is junk.
	IsJunk(line []byte) bool
	// Take is given a line of junk, or its beginning if Moves is false, and reports whether it
	// passes.
	Take(line []byte) (passes bool)
}

// junk decides by its head on a line that is, or may be, junk; ok is false for others.
func (d *Direction) junk(h wire.Head, reading wire.Reading, head []byte) (v wire.Verdict, ok bool) {
	j := d.d.opts.Junk
	switch {
	case d.from == Client || j == nil || h.Method != nil || h.Response || reading == wire.Array || len(bytes.TrimSpace(head)) == 0:
		return wire.Pass, false
	case j.Moves() && reading == wire.Incomplete:
		return wire.More, true
	case j.Moves():
		return wire.Hold, true
	case reading == wire.NotJSON || reading == wire.Decided && j.IsJunk(head):
		j.Take(head)
		return wire.Pass, true
	}
	return wire.Pass, false
}
