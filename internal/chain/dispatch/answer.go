package dispatch

import (
	"bytes"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// remove drops the message, even if the adapter panics later.
func (m *Message) remove() {
	m.Replace()
	m.isRemoved = true
}

// Answer responds to a request instead of its receiver, and drops the request. The adapters between
// this one and the sender get the response. Answer reports false if there already is a response.
func (m *Message) Answer(response []byte) bool { return m.answer(response, m.at) }

// Reply is Answer for a response that no adapter gets.
func (m *Message) Reply(response []byte) bool { return m.answer(response, 0) }

func (m *Message) answer(response []byte, at int) bool {
	m.remove()
	r := m.d.d.conversation.Pending(m.From, m.ID)
	if r != nil && !m.d.d.takeResponse(r) {
		return false
	}
	if !m.d.allowance().take(len(response)) {
		response = wire.Refusal(m.ID, -32603, "the response to this line is too large")
	}
	by := m.causes(m.d.adapters[m.at]).by
	return m.d.d.respond(m.From, at, response, by[len(by)-1], r)
}

// takeResponse reports whether a response is the first one to a request. Then nothing is held of
// the request any more: not the request, and no refusal after which it was sent again.
func (d *Dispatcher) takeResponse(r *conversation.Request) bool {
	if !d.conversation.Take(r, conversation.Respond) {
		return false
	}
	if h, isHeld := d.held.Get(r); isHeld {
		h.drop()
	}
	return true
}

// IsStalled reports whether the sender of the message has not read its waiting lines for seconds.
// Then an adapter should not add optional responses.
func (m *Message) IsStalled() bool { return m.d.d.outboxes[m.From.Other().Index()].isStalled() }

// respond sends a response to a side. The adapters after the i-th one get it, where i counts in the
// direction of the request. Of is nil if the request is unknown.
func (d *Dispatcher) respond(to Side, i int, response []byte, by wire.Cause, of *conversation.Request) bool {
	return d.post(to.Other(), post{at: len(d.opts.Adapters) - i, line: wire.EndLine(bytes.Clone(response)), by: by, from: d.current, of: of})
}
