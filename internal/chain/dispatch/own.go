package dispatch

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// OwnRequests holds the requests that acpshim itself sends to one peer, in version 1, past all
// adapters except for a [Translator]. Their responses go to the code that sent them and never to
// the other peer. Any goroutine may call the methods. A nil OwnRequests is empty.
type OwnRequests struct {
	prefix string
	begun  atomic.Bool // Begin was called

	mu      sync.Mutex // protects the fields below
	last    int
	pending map[string]ownRequest // by id
}

// An ownRequest is a request of acpshim's own without a response yet.
type ownRequest struct {
	by      string
	take    Taker
	request *conversation.Request // for a Translator; it is never pending
}

// A Taker gets the response to a request of acpshim itself: its result or its error as raw JSON.
// The other one is nil; both are nil if the response cannot be read. It returns whole lines, or
// nothing, to forward instead of the response: to the agent for a response of the client, and to
// the adapters for a response of the agent. The direction of the response calls it at most once.
// It must not keep the bytes.
type Taker func(result, failure []byte) (lines []byte)

// NewOwnRequests returns an empty OwnRequests. Ids are strings that begin with the prefix. The
// prefix must be unique; by default it is 128 random bits.
func NewOwnRequests(prefix string) *OwnRequests {
	if prefix == "" {
		var random [16]byte
		rand.Read(random[:])
		prefix = "acpshim-" + hex.EncodeToString(random[:]) + "-"
	}
	return &OwnRequests{prefix: prefix, pending: map[string]ownRequest{}}
}

// Prefix returns the prefix of the ids.
func (r *OwnRequests) Prefix() string { return r.prefix }

// Begin returns an id for a new request, whose response take will get. by names the taker in
// records. After the first call, responses without an id in their head are held.
func (r *OwnRequests) Begin(by string, take Taker) (id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id = r.prefix + strconv.Itoa(r.last)
	r.pending[id] = ownRequest{by: by, take: take, request: &conversation.Request{}}
	r.begun.Store(true)
	return id
}

// Forget makes the response to a request be dropped when it comes.
func (r *OwnRequests) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, id)
}

// have reports whether a raw id belongs to one of these requests, pending or not.
func (r *OwnRequests) have(rawID []byte) bool {
	return r != nil && wire.IsString(rawID) && strings.HasPrefix(wire.ID(rawID), `"`+r.prefix)
}

// sent reports whether a request may be pending.
func (r *OwnRequests) sent() bool { return r != nil && r.begun.Load() }

// note notes the method and the session of a pending request that is sent.
func (r *OwnRequests) note(m *Message) {
	if of := r.find(m.ID); of != nil {
		*of = conversation.Request{From: m.From, Method: m.Method, Asked: m.Method, Session: conversation.KeptID(m.Session)}
	}
}

// find returns a pending request, or nil.
func (r *OwnRequests) find(rawID []byte) *conversation.Request {
	id, _ := wire.Text(rawID)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending[id].request
}

// take passes the response of a pending request to its Taker. It returns the lines to forward
// instead, and their cause.
func (r *OwnRequests) take(rawID, result, failure []byte) (by wire.Cause, lines []byte) {
	id, _ := wire.Text(rawID)
	r.mu.Lock()
	request, ok := r.pending[id]
	delete(r.pending, id)
	r.mu.Unlock()
	if !ok {
		return wire.Cause{Name: Shim, Why: whyOfWithdrawn}, nil
	}
	return wire.Cause{Name: request.by, Why: whyOfOwn}, request.take(result, failure)
}

// own returns the own requests to a side.
func (d *Dispatcher) own(to Side) *OwnRequests {
	if to == Agent {
		return d.opts.OwnToAgent
	}
	return d.opts.Own
}

// own returns the verdict on a line that is or may be a response to an own request; ok is false for
// other lines.
func (d *Direction) own(h wire.Head, reading wire.Reading, head []byte) (v wire.Verdict, ok bool) {
	own := d.d.own(d.from)
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

// takeOwn reports whether a message is a response to an own request. It passes the message to the
// Translators from the i-th adapter on, and then to the Taker.
func (d *Direction) takeOwn(m *Message, i int) bool {
	own := d.d.own(d.from)
	if !wire.IsAbsent(m.Object.Raw("method")) || !own.have(m.ID) {
		return false
	}
	if m.Request = own.find(m.ID); m.Request != nil && m.Request.Method != acp.Initialize && m.Kind == Response {
		var made output
		m.isOwn, m.progress, m.to.self = true, settled, &made
		if d.pass(m, i); m.stale {
			m.read()
		}
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
	own := d.d.own(d.from)
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

// giveOwn passes a response to its Taker and writes the lines that the Taker returns.
func (d *Direction) giveOwn(m *Message, rawID, result, failure []byte) {
	by, lines := d.d.own(d.from).take(rawID, result, failure)
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
