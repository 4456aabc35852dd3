package history

import (
	"slices"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
)

// exchanges relates requests and responses. The two peers may see different ones: acpshim changes
// requests, sends them later or again, and responds for a peer. So a response that a peer sent
// belongs to the request that this peer got. A response that a peer got belongs to the request that
// this peer sent. The zero value is ready for use.
type exchanges struct {
	recent    recent
	sent      map[key]*Message // requests as peers sent them, until they get a response
	delivered map[key]*Message // requests as peers got them, until they respond
	early     map[key]*Message // acpshim's responses that the record has before their requests
}

// A key identifies a request by its sender and its id.
type key struct {
	by wire.Side
	id string
}

// Acpshim is the sender of acpshim's own requests.
const Acpshim wire.Side = "acpshim"

// IsOwn reports whether the message is acpshim's own request, not a changed request of a peer.
func (m *Message) IsOwn() bool {
	return m.Kind == Request && !m.Message.Received() && (m.Of == nil || m.Of.Kind != Request || m.Of.ID != m.ID)
}

// End returns the response that ended a request for its sender. It is the original if acpshim
// changed it. If the sender got no response, it is the one that the other peer sent, or nil.
func (m *Message) End() *Message {
	if m.Got == nil || m.Got.Of != nil && m.Got.Of == m.Response {
		return m.Response
	}
	return m.Got
}

// IsPending reports whether the message is a request without a response, as a peer or acpshim sent
// it.
func (m *Message) IsPending() bool {
	return m.Kind == Request && (m.Message.Received() || m.IsOwn()) && m.End() == nil
}

// Sender returns the sender of a message: the client, the agent or acpshim itself.
func (m *Message) Sender() wire.Side {
	if m.IsOwn() {
		return Acpshim
	}
	return m.Message.Dir
}

// asker returns the peer's request that became this request. It is nil if acpshim asks for itself.
func (m *Message) asker() *Message {
	switch {
	case m.Message.Received():
		return m
	case m.IsOwn():
		return m.For
	}
	return m.Of
}

// addRequest adds a request and relates it.
func (e *exchanges) addRequest(m *Message) {
	e.makeRoom()
	k := key{m.Message.Dir, m.ID}
	switch {
	case m.Message.Received() && e.pairEarly(k, m):
		return
	case m.Message.Received():
		e.sent[k] = m
	case m.Of == nil:
		m.Of = e.sent[k] // acpshim sends it late or again
	}
	if m.Message.Sent() {
		e.delivered[k] = m
	}
	if m.IsOwn() {
		m.For = e.cause(m)
	}
}

// pairEarly relates a request to acpshim's response if the record has the response first. It
// reports whether it does.
func (e *exchanges) pairEarly(k key, m *Message) bool {
	response := e.early[k]
	if response == nil || m.Message.Stage != "in" || !shareAdapter(response, m) {
		return false
	}
	delete(e.early, k)
	response.Request, response.Method, m.Got = m, m.Method, response
	response.Session, response.SessionNumber = m.Session, m.SessionNumber
	return true
}

// dropEarly forgets the early responses to a peer. Their requests are not in the peer's next line,
// so they will not come.
func (e *exchanges) dropEarly(by wire.Side) {
	for k := range e.early {
		if k.by == by {
			delete(e.early, k)
		}
	}
}

// cause returns the peer's request because of which acpshim sent its own. It is the request that
// acpshim's request replaced, or that of the line that acpshim handled meanwhile. It is nil if the
// record does not say it.
func (e *exchanges) cause(own *Message) *Message {
	if own.Of != nil && own.Of.Kind == Request && own.Of.Message.Received() {
		return own.Of
	}
	switch from := e.recent.find(own.Message.From); {
	case from == nil:
		return nil
	case from.Kind == Request && from.Message.Received():
		return from
	case from.Request != nil && from.Request.IsOwn():
		return from.Request.For // acpshim asks again
	default:
		return from.Request
	}
}

// shareAdapter reports whether the same adapter or rule changed or made both messages.
func shareAdapter(m, other *Message) bool {
	return slices.ContainsFunc(m.Message.By, func(by string) bool { return slices.Contains(other.Message.By, by) })
}

// addResponse adds a response and relates it.
func (e *exchanges) addResponse(m *Message) {
	e.makeRoom()
	k := key{record.Client, m.ID}
	if m.Message.Dir == record.Client {
		k.by = record.Agent
	}
	if request := e.delivered[k]; request != nil && m.Message.Received() {
		e.addReceived(m, k, request)
	}
	if m.Message.Sent() {
		e.addDelivered(m, k)
	}
}

// addReceived relates a response to the request that its sender got.
func (e *exchanges) addReceived(m *Message, k key, request *Message) {
	m.Method, m.Request = request.Method, request
	if !request.IsOwn() {
		m.Request = request.asker()
	}
	m.Request.Response = m
	if m.Request.IsOwn() || m.Request.Got != nil {
		delete(e.delivered, k)
	}
}

// addDelivered relates a response to the request that its receiver sent.
func (e *exchanges) addDelivered(m *Message, k key) {
	request := e.sent[k]
	if request == nil && m.Of != nil && m.Of.ID == m.ID {
		request = m.Of.Request // the sender of the request got another response before
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
		delete(e.delivered, k)
	}
	delete(e.sent, k)
}

// makeRoom forgets everything if there is too much.
func (e *exchanges) makeRoom() {
	for _, of := range []*map[key]*Message{&e.sent, &e.delivered, &e.early} {
		if *of == nil || len(*of) > maxKnown {
			*of = map[key]*Message{}
		}
	}
}
