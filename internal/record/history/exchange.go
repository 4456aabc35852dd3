package history

import (
	"slices"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
)

// exchanges relate requests and responses. The two peers may see different ones: acpshim sends a
// request in another form, later or again, and responds in place of a peer. So a response that came
// belongs to the request that its sender got, and a response that was sent on belongs to the
// request that its receiver sent. The zero value is ready for use.
type exchanges struct {
	recent  recent
	asked   map[key]*Message // requests as peers sent them, until those got a response
	carried map[key]*Message // requests as peers got them, until those responded
	early   map[key]*Message // responses of acpshim that were recorded before their requests
}

// A key identifies a request: by its sender and its id.
type key struct {
	by wire.Side
	id string
}

// Acpshim is the sender of acpshim's own requests.
const Acpshim wire.Side = "acpshim"

// IsOwn reports whether a message is acpshim's own request, and not a peer's request in any form.
func (m *Message) IsOwn() bool {
	return m.Kind == Request && !m.Message.Received() && (m.Of == nil || m.Of.Kind != Request || m.Of.ID != m.ID)
}

// End is the response that ended a request for its sender. If acpshim changed the response, End is
// the original. If no response reached the sender, End is the one that the other peer sent.
func (m *Message) End() *Message {
	if m.Got == nil || m.Got.Of != nil && m.Got.Of == m.Response {
		return m.Response
	}
	return m.Got
}

// IsPending reports whether a message is a request, as a peer or acpshim itself sent it, that has
// no response.
func (m *Message) IsPending() bool {
	return m.Kind == Request && (m.Message.Received() || m.IsOwn()) && m.End() == nil
}

// Sender is who sent a message: the client, the agent or acpshim itself.
func (m *Message) Sender() wire.Side {
	if m.IsOwn() {
		return Acpshim
	}
	return m.Message.Dir
}

// asker is the peer's request that a request was made of; nil if acpshim asks for itself.
func (m *Message) asker() *Message {
	switch {
	case m.Message.Received():
		return m
	case m.IsOwn():
		return m.For
	}
	return m.Of
}

// ask takes in a request.
func (e *exchanges) ask(m *Message) {
	e.bound()
	k := key{m.Message.Dir, m.ID}
	switch {
	case m.Message.Received() && e.isEarly(k, m):
		return
	case m.Message.Received():
		e.asked[k] = m
	case m.Of == nil:
		m.Of = e.asked[k] // acpshim held it until now, or sends it again
	}
	if m.Message.Sent() {
		e.carried[k] = m
	}
	if m.IsOwn() {
		m.For = e.reason(m)
	}
}

// isEarly reports whether acpshim's response to a request that came was recorded before it.
func (e *exchanges) isEarly(k key, m *Message) bool {
	response := e.early[k]
	if response == nil || m.Message.Stage != "in" || !share(response, m) {
		return false
	}
	delete(e.early, k)
	response.Request, response.Method, m.Got = m, m.Method, response
	response.Session, response.SessionNumber = m.Session, m.SessionNumber
	return true
}

// settle forgets the early responses to a peer, if the next line of the peer is not one of their
// requests.
func (e *exchanges) settle(by wire.Side) {
	for k := range e.early {
		if k.by == by {
			delete(e.early, k)
		}
	}
}

// reason is the peer's request for which acpshim sent its own: the one that acpshim sent it instead
// of, or that of the line that acpshim handled as it made its own. It is nil if the record does not
// say it.
func (e *exchanges) reason(own *Message) *Message {
	if own.Of != nil && own.Of.Kind == Request && own.Of.Message.Received() {
		return own.Of
	}
	switch from := e.recent.of(own.Message.From); {
	case from == nil:
		return nil
	case from.Kind == Request && from.Message.Received():
		return from
	case from.Request != nil && from.Request.IsOwn():
		return from.Request.For // it asks once more
	default:
		return from.Request
	}
}

// share reports whether an adapter or a rule changed or made both messages.
func share(m, other *Message) bool {
	return slices.ContainsFunc(m.Message.By, func(by string) bool { return slices.Contains(other.Message.By, by) })
}

func (e *exchanges) respond(m *Message) {
	e.bound()
	k := key{record.Client, m.ID}
	if m.Message.Dir == record.Client {
		k.by = record.Agent
	}
	if request := e.carried[k]; request != nil && m.Message.Received() {
		e.came(m, k, request)
	}
	if m.Message.Sent() {
		e.went(m, k)
	}
}

// came takes in a response of the peer that got a request.
func (e *exchanges) came(m *Message, k key, request *Message) {
	m.Method, m.Request = request.Method, request
	if !request.IsOwn() {
		m.Request = request.asker()
	}
	m.Request.Response = m
	if m.Request.IsOwn() || m.Request.Got != nil {
		delete(e.carried, k)
	}
}

// went takes in a response that a peer gets.
func (e *exchanges) went(m *Message, k key) {
	request := e.asked[k]
	if request == nil && m.Of != nil && m.Of.ID == m.ID {
		request = m.Of.Request // its sender got another response before
	}
	switch {
	case request == nil && m.Of == nil && !m.Message.Received():
		e.early[k] = m
		return
	case request == nil || request.IsOwn():
		return
	case !m.Message.Received():
		m.Request, m.Method = request, request.Method
		if m.Of != nil && m.Of.Request != nil && m.Of.Request.IsOwn() && m.Of.Request.For == nil {
			m.Of.Request.For = request
		}
	}
	if request.Got == nil {
		request.Got = m
	}
	if request.Response != nil {
		delete(e.carried, k)
	}
	delete(e.asked, k)
}

// bound makes room by forgetting everything.
func (e *exchanges) bound() {
	for _, of := range []*map[key]*Message{&e.asked, &e.carried, &e.early} {
		if *of == nil || len(*of) > maxKnown {
			*of = map[key]*Message{}
		}
	}
}
