package dispatch

import (
	"bytes"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A Held is a held message: a request or a response that an adapter keeps in order to continue
// with it later. Its bytes count in the conversation's common budget. It ends once, by the first of
// these:
//
//   - The adapter continues with it, or another one responds to its request.
//   - Its limit has passed, or the adapter is switched off: it goes on as it is. A refusal whose
//     request was sent again goes on if no other response has come until then.
//   - Its sender has ended: it goes on, unless it is a request of the agent, which nobody needs
//     then, or of [Message.HoldThroughCancel].
//   - Its request ends, because the client cancels it, closes its session or sends initialize
//     again, or because there is no more room. Then the sender gets a response, and the adapter
//     gets RequestEnded.
//
// After the end, the methods return false and do nothing.
type Held struct {
	Request *conversation.Request

	d        *Direction // the direction of the message
	number   int64      // of its line
	at       int        // the index of the adapter in the direction
	why      wire.Reason
	kind     Kind
	id       []byte // raw
	line     []byte // with its line end
	limit    time.Duration
	ends     time.Time // when limit has passed
	isKept   bool
	isAgain  bool // its request was sent again after it
	outlives bool // a cancel does not end it
	progress progress
}

// Unlimited is the limit of a hold that ends with a turn, a command, or the decision of a person.
const Unlimited time.Duration = 0

// Hold stops the message, so that the adapter can continue with it later, at the next adapter of
// its direction: see [Held]. The sender waits, at most until limit has passed. Hold returns nil and
// leaves the message if it is neither a pending request nor a response to one, or if there is no
// room.
func (m *Message) Hold(limit time.Duration) *Held { return m.hold(limit, false) }

// HoldThroughCancel is Hold for an adapter that decides itself what to do when the client cancels
// the turn or the request, or ends, or when the session of a request ends.
func (m *Message) HoldThroughCancel(limit time.Duration) *Held { return m.hold(limit, true) }

func (m *Message) hold(limit time.Duration, outlives bool) *Held {
	d, r, step := m.d.d, m.Request, conversation.Keep
	if m.Kind == Request {
		r, step = d.conversation.Pending(m.From, m.ID), conversation.Hold
	}
	if r == nil || m.Kind != Request && m.Kind != Response {
		return nil
	}
	h := &Held{Request: r, d: m.d, number: m.Number, at: m.at, kind: m.Kind, limit: limit, outlives: outlives, id: bytes.Clone(m.ID), line: wire.EndLine(bytes.Clone(m.Line))}
	if _, isHeld := d.held.Get(r); isHeld || !d.held.Put(r, h, len(h.id)+len(h.line)) {
		return nil
	}
	if !d.conversation.Take(r, step) { // acpshim has responded to it
		d.held.Delete(r)
		return nil
	}
	h.isKept, h.progress = true, m.progress
	d.heldCount++
	m.remove()
	m.d.holdsResponse = m.d.holdsResponse || m.Kind == Response
	h.start()
	return h
}

func (h *Held) start() {
	d := h.d.d
	d.due.remove(h)
	if h.limit > 0 {
		h.ends = time.Now().Add(h.limit)
		d.due.add(h, d.endDue)
	}
}

// Extend gives the hold a new limit, from now on.
func (h *Held) Extend(limit time.Duration) {
	if h.limit = limit; h.isHeld() {
		h.start()
	}
}

// goOn forwards the message unchanged.
func (h *Held) goOn() {
	if h.kind == Request || h.Request.HasResponse() {
		h.Continue(nil)
	} else {
		h.respondLate(h.line)
	}
}

// respondLate responds to a request that was sent again and has no second response yet.
func (h *Held) respondLate(line []byte) bool {
	if !h.isHeld() || !h.d.d.conversation.RespondLate(h.Request) {
		return false
	}
	h.drop()
	return h.d.d.post(h.d.from, post{at: h.at + 1, line: wire.EndLine(line), by: h.by(), from: h.origin(), goesOn: true, of: h.Request})
}

// Because sets the reason for the next step, for records.
func (h *Held) Because(why wire.Reason) *Held {
	h.why = why
	return h
}

func (h *Held) origin() wire.Origin {
	return wire.Origin{From: h.d.from, Number: h.number}
}

func (h *Held) by() wire.Cause { return wire.Cause{Name: h.d.adapters[h.at].Name(), Why: h.why} }

// Line returns the message with its line end.
func (h *Held) Line() []byte { return h.line }

// Continue forwards line in place of the message; nil forwards the message unchanged.
func (h *Held) Continue(line []byte) bool {
	isOther := line != nil
	if !isOther {
		line = h.line
	}
	step := conversation.Forward
	if h.kind == Response {
		step = conversation.Deliver
	}
	if !h.end(step) {
		return false
	}
	if h.d.d.post(h.d.from, post{at: h.at + 1, line: wire.EndLine(line), by: h.by(), from: h.origin(), goesOn: true, of: h.Request, held: h, isOther: isOther}) {
		return true
	}
	if h.d.d.conversation.Take(h.Request, conversation.Respond) { // its receiver has closed
		h.d.d.respond(h.d.from, h.at, wire.Refusal(h.id, -32603, "the other side accepts no more requests"), h.by(), h.Request)
	}
	return false
}

// Answer responds to the request in place of its receiver, or replaces the held response.
func (h *Held) Answer(response []byte) bool {
	if h.kind == Response {
		return h.Continue(response)
	}
	return h.end(conversation.Respond) && h.d.d.respond(h.d.from, h.at, response, h.by(), h.Request)
}

// Again sends a request a second time, after the refusal that is held. It has the same id, so its
// response goes to the original sender. The adapters after this one, in the direction of the
// request, get line. Until the second response comes, the hold goes on, with a new limit.
func (h *Held) Again(line []byte) bool { return h.AgainAfter(h.d.adapters[h.at], line) }

// AgainAfter is Again for the adapters after a, which may be nearer to the sender.
func (h *Held) AgainAfter(a Adapter, line []byte) bool {
	if !h.isHeld() || !h.d.d.conversation.Take(h.Request, conversation.Repeat) {
		return false
	}
	h.isAgain = true
	if h.start(); h.repeat(a, line) {
		return true
	}
	h.goOn() // its receiver has closed
	return false
}

// Repeat sends a request of AgainAfter once more, for a peer that has lost it, unless it is still
// in the outbox. Line and a are as for AgainAfter. It reports false if the request has a response,
// or has ended.
func (h *Held) Repeat(a Adapter, line []byte) bool {
	r := h.Request
	isPending := h.d.d.conversation.Pending(r.From, h.id) == r && !r.HasResponse()
	return isPending && (h.d.d.outboxes[h.d.from.Other().Index()].has(r) || h.repeat(a, line))
}

// repeat sends a request to its receiver, for the adapters after a.
func (h *Held) repeat(a Adapter, line []byte) bool {
	back := h.d.from.Other()
	return h.d.d.post(back, post{at: h.d.d.indexOf(back, a) + 1, line: wire.EndLine(line), by: h.by(), of: h.Request})
}

// end ends the hold with a step of its request. It reports false if it has ended before.
func (h *Held) end(step conversation.Step) bool {
	if !h.isHeld() || !h.d.d.conversation.Take(h.Request, step) {
		return false
	}
	h.drop()
	return true
}

func (h *Held) isHeld() bool {
	now, ok := h.d.d.held.Get(h.Request)
	return ok && now == h
}

// drop forgets the hold.
func (h *Held) drop() {
	h.d.d.due.remove(h)
	h.d.d.held.Delete(h.Request)
	h.d.d.heldCount--
}
