package dispatch

import (
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// An EarlyHolder is an Adapter that holds responses that come before the end of what was asked. If
// the agent ends, the sender of such a request gets an error instead of the held response.
type EarlyHolder interface {
	IsEarly(h *Held) bool
}

// Owes reports whether the client has a pending request.
func (d *Dispatcher) Owes() (is bool) {
	d.Do(func() { all, _ := d.conversation.Waiting(Client); is = all > 0 })
	return is
}

// End ends the pending requests of the client after the last line of the agent, because there will
// be no more responses. Held responses are delivered. All other requests, also those that the agent
// has not received, get an error, which failure returns for a raw id. After End, nothing is sent to
// the agent.
func (d *Dispatcher) End(failure func(id []byte) []byte) {
	defer d.enter()()
	d.outboxes[Client.Index()].close()
	by := wire.Cause{Name: Shim, Why: WhyEnded}
	for _, r := range d.conversation.AllPending(Client) {
		h, isHeld := d.held.Get(r)
		switch {
		case isHeld && h.kind == Response && !h.isEarly():
			h.Because(whyAwaitsNothing).goOn()
		case r.ID == nil: // its id was too long to be kept
		case !isHeld && d.conversation.Take(r, conversation.Respond):
			d.post(Agent, post{line: failure(r.ID), by: by, of: r})
		case !isHeld: // its response is on its way
		case h.kind == Request && h.end(conversation.Respond):
			d.respond(Client, h.at, failure(r.ID), by, r)
		case h.kind == Response && h.end(conversation.Deliver):
			d.post(Agent, post{at: h.at + 1, line: failure(r.ID), by: by, from: h.origin(), of: r, held: h, isOther: true})
		}
	}
}

func (h *Held) isEarly() bool {
	a, ok := h.d.adapters[h.at].(EarlyHolder)
	return ok && a.IsEarly(h)
}

// CancelTurn cancels the turn of a session as if the client had sent session/cancel. All adapters
// get that notification.
func (p *Port) CancelTurn(session string, why wire.Reason) bool {
	p.dispatcher.conversation.Cancel(session)
	line := append(wire.Quote([]byte(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":`), session), "}}\n"...)
	return p.dispatcher.post(Client, post{line: line, by: p.cause(why)})
}

// Cancel notes that the client cancels the turn of a session, and responds to its held prompts, as
// for a session/cancel. It reports whether the client still waits for a prompt of the session.
func (p *Port) Cancel(session string) (isOpen bool) {
	p.dispatcher.cancelPrompts(session)
	p.dispatcher.conversation.Cancel(session)
	return p.dispatcher.conversation.HasTurn(session)
}
