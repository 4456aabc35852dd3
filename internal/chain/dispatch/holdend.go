package dispatch

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// cancelHeld responds to the held requests that a notification of their sender cancels. It reports
// whether the peer does not need the notification.
func (d *Direction) cancelHeld(m *Message) (isDone bool) {
	if m.Method == acp.SessionCancel && d.from == Client {
		d.d.cancelPrompts(m.Session)
		return false
	}
	for r, h := range d.d.held.All() {
		if r.From == d.from && !h.outlives && wire.ID(h.id) == wire.ID(m.Params().Raw("requestId")) {
			isDone = true
			h.Because(whyCancelled).Answer(Cancelled(h.id))
		}
	}
	return isDone
}

// cancelPrompts responds to the held prompts of a session.
func (d *Dispatcher) cancelPrompts(session string) {
	for r, h := range d.held.All() {
		if r.From == Client && !h.outlives && r.IsPrompt() && r.Session == session {
			h.Because(whyCancelled).Answer(wire.Result(h.id, []byte(`{"stopReason":"cancelled"}`)))
		}
	}
}

// Cancelled returns the response to a request that its sender has cancelled.
func Cancelled(rawID []byte) []byte {
	return wire.Refusal(rawID, wire.RequestCancelled, "Request cancelled")
}

// dropHeld responds to a request that ends while an adapter holds it or its response.
func (d *Dispatcher) dropHeld(r *conversation.Request) {
	h, ok := d.held.Get(r)
	if !ok || !h.isKept {
		return
	}
	h.drop()
	h.Because(whyNoRoom)
	if h.isAgain {
		d.conversation.AwaitLate(r)
	}
	response := h.line
	if h.kind == Request {
		response = wire.Refusal(h.id, -32603, fmt.Sprintf("acpshim held this %s, but then had no more room, or its id was used again", r.Method))
	}
	d.respond(r.From, len(d.opts.Adapters), response, h.by(), r)
}

// sessionEnded responds to the held requests of a session that was closed, except for those of
// which an adapter decides itself.
func (d *Dispatcher) sessionEnded(s *conversation.Session) {
	for r, h := range d.held.All() {
		if r.From != Client || r.Session != s.ID || !s.IsOver || h.kind == Request && h.outlives {
			continue
		}
		response := wire.Refusal(h.id, -32603, "the session has ended")
		if r.IsPrompt() {
			response = wire.Result(h.id, []byte(`{"stopReason":"cancelled"}`))
		}
		h.Because(whySessionEnded).Answer(response)
	}
}

// endHolds ends the holds of the lines of a side that has ended.
func (d *Direction) endHolds() {
	for r, h := range d.d.held.All() {
		switch {
		case h.d != d, h.isEarly(): // see Dispatcher.End
		case h.kind == Request && h.outlives: // the adapter has decided in Flush
		case h.kind == Request && d.from == Agent:
			h.drop() // nobody needs the response
			d.d.conversation.End(r)
		default:
			h.Because(whySenderEnded).goOn()
		}
	}
}

// releaseHeld continues with all held messages of an adapter that is switched off.
func (d *Dispatcher) releaseHeld(a Adapter) {
	for _, h := range d.held.All() {
		if h.d.adapters[h.at] == a {
			h.Because(whyOff).goOn()
		}
	}
}
