package dispatch

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"acpshim/internal/wire"
)

// OwnRequests are the requests that acpshim itself sends to one peer, past the adapters. Who sends
// one is given its response, which never reaches the other peer. Its methods may be called from any
// goroutine. A nil OwnRequests has none.
type OwnRequests struct {
	prefix string
	begun  atomic.Bool // one was, ever

	mu      sync.Mutex // protects the fields below
	last    int
	pending map[string]ownRequest // by id
}

// An ownRequest is one that has no response yet.
type ownRequest struct {
	by   string
	take Taker
}

// A Taker is given the response to a request of acpshim's own: its result or its error as raw JSON;
// the other is nil, and both are if the response cannot be read. What it returns, whole lines or
// nothing, stands in place of the response: of the client's it goes to the agent, of the agent's it
// is handled as lines of the agent are. It is called once at most, by the direction of the
// response. It must not keep the bytes, and may wait as an adapter may.
type Taker func(result, failure []byte) (lines []byte)

// NewOwnRequests returns the own requests of a connection. Their ids, which are strings, begin with
// the prefix, and no others do; without one it is 128 random bits.
func NewOwnRequests(prefix string) *OwnRequests {
	if prefix == "" {
		var random [16]byte
		rand.Read(random[:])
		prefix = "acpshim-" + hex.EncodeToString(random[:]) + "-"
	}
	return &OwnRequests{prefix: prefix, pending: map[string]ownRequest{}}
}

// Prefix is what the ids begin with.
func (r *OwnRequests) Prefix() string { return r.prefix }

// Begin returns the id of a request that is about to be sent, and has its response given to take.
// By is what records name as what takes it. From the first one on, responses whose head has
// no id are held.
func (r *OwnRequests) Begin(by string, take Taker) (id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id = r.prefix + strconv.Itoa(r.last)
	r.pending[id] = ownRequest{by, take}
	r.begun.Store(true)
	return id
}

// Forget has the response of a request dropped when it comes.
func (r *OwnRequests) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, id)
}

// have reports whether a raw id is that of one of these requests, pending or not.
func (r *OwnRequests) have(rawID []byte) bool {
	return r != nil && wire.IsString(rawID) && strings.HasPrefix(wire.ID(rawID), `"`+r.prefix)
}

// sent reports whether a request may be pending.
func (r *OwnRequests) sent() bool { return r != nil && r.begun.Load() }

// take gives a response to who waits for it, the first one only, and returns what stands in its
// place, by what.
func (r *OwnRequests) take(rawID, result, failure []byte) (by wire.Cause, lines []byte) {
	id, _ := wire.Text(rawID)
	r.mu.Lock()
	request, ok := r.pending[id]
	delete(r.pending, id)
	r.mu.Unlock()
	if !ok {
		return wire.Cause{Name: "acpshim", Why: "it answers a request that acpshim took back"}, nil
	}
	return wire.Cause{Name: request.by, Why: "it answers a request of acpshim's own"}, request.take(result, failure)
}

// ownRequests are those to the direction's side.
func (d *Direction) ownRequests() *OwnRequests { return d.d.own(d.from) }

// own are the requests to a side.
func (d *Dispatcher) own(to Side) *OwnRequests {
	if to == Agent {
		return d.opts.OwnToAgent
	}
	return d.opts.Own
}

// own decides by its head on a line that is, or may be, a response to a request of acpshim's own;
// ok is false for others.
func (d *Direction) own(h wire.Head, reading wire.Reading, head []byte) (v wire.Verdict, ok bool) {
	own := d.ownRequests()
	switch {
	case own == nil || h.Method != nil:
		return wire.Pass, false
	case own.have(h.ID):
		return wire.Consume, true
	case reading == wire.Decided || reading == wire.NotJSON || !own.sent():
		return wire.Pass, false
	case reading == wire.Incomplete && len(head) < wire.HeadSize:
		return wire.More, true
	}
	return wire.Hold, true
}

// takeOwn reports whether a message is a response to a request of acpshim's own, and gives it to
// who waits for it.
func (d *Direction) takeOwn(m *Message) bool {
	if !wire.IsAbsent(m.Object.Raw("method")) || !d.ownRequests().have(m.ID) {
		return false
	}
	result, failure := m.Object.Raw("result"), m.Object.Raw("error")
	if !wire.IsAbsent(result) && !wire.IsAbsent(failure) {
		result, failure = nil, nil // it cannot be both
	}
	d.giveOwn(m, m.ID, result, failure)
	return true
}

// takeOwnUnread is takeOwn for a line that cannot be read.
func (d *Direction) takeOwnUnread(m *Message) bool {
	own := d.ownRequests()
	if own == nil {
		return false
	}
	h, _ := wire.PeekHead(m.Line, func(h wire.Head) bool { return h.Method != nil || h.Response && h.ID != nil })
	if h.Method != nil || !own.have(h.ID) {
		return false
	}
	d.giveOwn(m, h.ID, nil, nil)
	return true
}

// giveOwn gives a response to who waits for it, and writes what stands in its place.
func (d *Direction) giveOwn(m *Message, rawID, result, failure []byte) {
	by, lines := d.ownRequests().take(rawID, result, failure)
	d.changed(by)
	if len(lines) == 0 {
		return
	}
	m.to.after.bytes = wire.EndLine(m.to.after.bytes)
	if d.from == Client {
		m.to.after.bytes = append(m.to.after.bytes, lines...)
		return
	}
	for line := range bytes.Lines(lines) {
		next := &Message{From: Agent, Line: line, d: d, to: all(m.to.after)}
		if next.read() == nil {
			d.take(next)
		}
	}
}

// Junk decides what becomes of lines of the agent that are no messages.
type Junk interface {
	// Moves reports whether such lines are taken out, so that they are needed as a whole. If not,
	// no line is held to find out whether it is junk.
	Moves() bool
	// IsJunk reports whether a whole line is junk.
	IsJunk(line []byte) bool
	// Take is given a line of junk, or its beginning if Moves is false: then it passes.
	Take(line []byte)
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
