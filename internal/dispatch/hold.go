package dispatch

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Held is a held message: a request or a response that an adapter keeps in order to continue
// with it later. Its bytes count in the conversation's common budget. It ends when the adapter
// continues with it, or when its request ends: because it is evicted, or because the client
// cancels it, closes its session, or sends initialize again. In that case the sender gets a
// response, and the adapter gets RequestEnded. Only the first method that continues with it has an
// effect; the others return false.
type Held struct {
	Request *conversation.Request

	d         *Direction // the direction of the message
	at        int        // the index of the adapter in the direction
	why       atomic.Pointer[string]
	kind      Kind
	id        []byte // raw
	line      []byte // with its line end
	isKept    bool
	outlives  bool // a cancel does not end it
	isSettled bool // the Correctors have handled it
}

// Hold stops the message, so that the adapter can continue with it later, at the next adapter of
// its direction: see [Held]. The sender waits. Hold returns nil and leaves the message if it is
// neither a pending request nor a response to one, or if there is no room.
func (m *Message) Hold() *Held { return m.hold(false) }

// HoldThroughCancel is Hold for an adapter that decides itself what to do when the client cancels
// the turn or the request.
func (m *Message) HoldThroughCancel() *Held { return m.hold(true) }

func (m *Message) hold(outlives bool) *Held {
	r := m.Request
	if m.Kind == Request {
		r = m.d.d.conversation.Pending(m.From, m.ID)
	}
	if r == nil || m.Kind != Request && m.Kind != Response {
		return nil
	}
	h := &Held{Request: r, d: m.d, at: m.at, kind: m.Kind, outlives: outlives, id: bytes.Clone(m.ID), line: wire.EndLine(bytes.Clone(m.Line))}
	if _, isHeld := m.d.d.held.Get(r); isHeld || !m.d.d.held.Put(r, h, len(h.id)+len(h.line)) {
		return nil
	}
	h.isKept, h.isSettled = true, m.settled
	m.d.d.holds++
	m.remove()
	m.d.holds = m.d.holds || m.Kind == Response
	return h
}

// Because sets the reason for the next step, for records.
func (h *Held) Because(why string) *Held {
	h.why.Store(&why)
	return h
}

func (h *Held) by() (by wire.Cause) {
	by.Name = h.d.adapters[h.at].Name()
	if why := h.why.Load(); why != nil {
		by.Why = *why
	}
	return by
}

// Line returns the message with its line end.
func (h *Held) Line() []byte { return h.line }

// Continue forwards line in place of the message; nil forwards the message unchanged.
func (h *Held) Continue(line []byte) bool {
	isOther := line != nil
	if !isOther {
		line = h.line
	}
	if !h.take(false) {
		return false
	}
	if h.d.d.post(h.d.from, post{at: h.at + 1, line: wire.EndLine(line), by: h.by(), of: h.Request, held: h, isOther: isOther}) {
		return true
	}
	if h.kind == Request && h.d.d.conversation.Claim(h.Request) { // its receiver has closed
		h.d.d.respond(h.d.from, h.at, wire.Refusal(h.id, -32603, "the other side accepts no more requests"), h.by(), h.Request)
	}
	return false
}

// Answer responds to the request in place of its receiver.
func (h *Held) Answer(response []byte) bool {
	if h.kind == Response {
		return h.Continue(response)
	}
	return h.take(true) && h.d.d.respond(h.d.from, h.at, response, h.by(), h.Request)
}

// Again sends a request a second time, after the refusal that is held. It has the same id, so its
// response goes to the original sender. The adapters after this one, in the direction of the
// request, get line.
func (h *Held) Again(line []byte) bool { return h.AgainAfter(h.d.adapters[h.at], line) }

// AgainAfter is Again for the adapters after a, which may be nearer to the sender.
func (h *Held) AgainAfter(a Adapter, line []byte) bool {
	if !h.take(false) {
		return false
	}
	c := h.d.d.conversation
	c.Unclaim(h.Request)
	if h.repeat(a, line) {
		return true
	}
	c.Claim(h.Request) // its receiver has closed
	h.d.d.post(h.d.from, post{at: h.at + 1, line: h.line, by: h.by(), of: h.Request})
	return false
}

// Repeat sends a request of AgainAfter once more, for a peer that has lost it, unless it is still
// in the outbox. Line and a are as for AgainAfter. It reports false if the request has a response,
// or has ended.
func (h *Held) Repeat(a Adapter, line []byte) bool {
	c := h.d.d.conversation
	isPending := c.Pending(h.Request.From, h.id) == h.Request
	waits := h.d.d.outboxes[h.d.from.Other().Index()].has(h.Request)
	return isPending && !c.IsClaimed(h.Request) && (waits || h.repeat(a, line))
}

// repeat sends a request to its receiver, for the adapters after a.
func (h *Held) repeat(a Adapter, line []byte) bool {
	back := h.d.from.Other()
	return h.d.d.post(back, post{at: h.d.d.indexOf(back, a) + 1, line: wire.EndLine(line), by: h.by(), of: h.Request})
}

// take ends the hold, and reports whether it had not ended yet. With claims, it claims the request.
func (h *Held) take(claims bool) bool {
	d := h.d.d
	if now, ok := d.held.Get(h.Request); !ok || now != h {
		return false
	}
	d.held.Delete(h.Request)
	d.holds--
	if claims {
		return d.conversation.Claim(h.Request)
	}
	return h.kind == Response || !d.conversation.IsClaimed(h.Request)
}

// remove drops the message, even if the adapter panics later.
func (m *Message) remove() {
	m.Replace()
	m.isGone = true
}

// Answer responds to a request instead of its receiver, and drops the request. The adapters between
// this one and the sender get the response. Answer reports false if there already is a response.
func (m *Message) Answer(response []byte) bool { return m.answer(response, m.at) }

// Reply is Answer for a response that no adapter gets.
func (m *Message) Reply(response []byte) bool { return m.answer(response, 0) }

func (m *Message) answer(response []byte, at int) bool {
	m.remove()
	r := m.d.d.conversation.Pending(m.From, m.ID)
	if r != nil && !m.d.d.conversation.Claim(r) {
		return false
	}
	if !m.d.allowance().take(len(response)) {
		response = wire.Refusal(m.ID, -32603, "the response to this line is too large")
	}
	by := m.causes(m.d.adapters[m.at])
	return m.d.d.respond(m.From, at, response, by[len(by)-1], r)
}

// IsStalled reports whether the sender of the message has not read its waiting lines for seconds.
// Then an adapter should not add optional responses.
func (m *Message) IsStalled() bool { return m.d.d.outboxes[m.From.Other().Index()].isStalled() }

// respond sends a response to a side. The adapters after the i-th one get it, where i counts in the
// direction of the request. Of is nil if the request is unknown.
func (d *Dispatcher) respond(to Side, i int, response []byte, by wire.Cause, of *conversation.Request) bool {
	return d.post(to.Other(), post{at: len(d.opts.Adapters) - i, line: wire.EndLine(bytes.Clone(response)), by: by, of: of})
}

// cancelHeld responds to the held requests that a notification of their sender cancels. It reports
// whether the peer does not need the notification.
func (d *Direction) cancelHeld(m *Message) bool {
	var cancelled []*Held
	isRequest := m.Method == cancelRequest
	for r, h := range d.d.held.All() {
		switch {
		case r.From != d.from || h.outlives:
		case isRequest && wire.ID(h.id) == wire.ID(m.Params().Raw("requestId")),
			!isRequest && m.Method == cancelTurn && r.Prompts() && r.Session == m.Session:
			cancelled = append(cancelled, h)
		}
	}
	for _, h := range cancelled {
		response := wire.Result(h.id, []byte(`{"stopReason":"cancelled"}`))
		if isRequest {
			response = Cancelled(h.id)
		}
		h.Because("it was cancelled while it waited").Answer(response)
	}
	return isRequest && len(cancelled) > 0
}

// The notifications that cancel requests.
const (
	cancelTurn    = "session/cancel"
	cancelRequest = conversation.CancelRequest
)

// Cancelled returns the response to a request that its sender has cancelled.
func Cancelled(rawID []byte) []byte {
	return wire.Refusal(rawID, wire.RequestCancelled, "Request cancelled")
}

// dropHeld responds to a held request that ends before its adapter continues with it.
func (d *Dispatcher) dropHeld(r *conversation.Request) {
	h, ok := d.held.Get(r)
	if !ok || !h.isKept {
		return
	}
	d.holds--
	if h.kind == Request && d.conversation.IsClaimed(r) {
		return // it has a response
	}
	h.Because("acpshim held it, but then had no more room, or its id was used again")
	response := h.line
	if h.kind == Request {
		response = wire.Refusal(h.id, -32603, fmt.Sprintf("acpshim held this %s, but then had no more room, or its id was used again", r.Method))
	}
	d.respond(r.From, len(d.opts.Adapters), response, h.by(), r)
}

// sessionEnded responds to the held requests of a session that was closed.
func (d *Dispatcher) sessionEnded(s *conversation.Session) {
	for r, h := range d.held.All() {
		if r.From != Client || r.Session != s.ID || !s.IsOver {
			continue
		}
		response := wire.Refusal(h.id, -32603, "the session has ended")
		if r.Prompts() {
			response = wire.Result(h.id, []byte(`{"stopReason":"cancelled"}`))
		}
		h.Because("its session has ended").Answer(response)
	}
}

// releaseHeld continues with all held messages of an adapter that is switched off.
func (d *Dispatcher) releaseHeld(a Adapter) {
	for _, h := range d.held.All() {
		if h.d.adapters[h.at] == a {
			h.Because("the adapter that held it is switched off").Continue(nil)
		}
	}
}
