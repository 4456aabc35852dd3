// Package login has the adapter that logs in to an agent where a client does not.
package login

import (
	"bytes"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// Own are acpshim's own requests to the agent; authenticate is among them.
	Own *dispatch.OwnRequests

	// Method returns the id of the way to log in for two peers; "" for none.
	Method func(client, agent conversation.Implementation) string
}

// An Adapter logs in with the method that the configuration names when the agent refuses a request
// for want of a login, and sends that request once more. It never logs in unasked, and not again
// once that failed or did not help: some agents refuse with the same code what no login cures.
//
//   - Settles: An agent refuses a session or a prompt until somebody logs in; the client never
//     does, or knows no way to.
//   - For: Those for whom login.method is set.
//   - Keys: login.method
//   - Read: getpaseo/paseo#4775, nexu-io/open-design#4192, agentclientprotocol/codex-acp#244
type Adapter struct {
	dispatch.Base
	opts    Options
	sent    *conversation.Slot[*conversation.Request, sent]
	refused *conversation.Slot[*conversation.Request, *dispatch.Held] // refusals that wait for authenticate

	// The fields below are protected by the conversation's lock.
	method  string
	asking  bool // authenticate is pending
	useless bool // it failed or did not help
}

// A sent is a pending request as it is remembered.
type sent struct {
	line    []byte // as the agent got it; nil if it is not sent again
	isAgain bool   // it was sent again
}

// maxBytes bounds the requests that are remembered, in bytes. One over it is not sent again.
const maxBytes = 4 << 20

// authRequired is the code of the error that asks for a login.
const authRequired = "-32000"

const why = "the agent needs a login, so acpshim logs in first (login.method)"

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{
		opts:    o,
		sent:    conversation.NewSlot[*conversation.Request, sent](o.Conversation),
		refused: conversation.NewSlot[*conversation.Request, *dispatch.Held](o.Conversation),
	}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "login" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if a.method == "" {
		return nil
	}
	refusable := []string{"session/new", "session/load", "session/resume", conversation.Prompt}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: refusable},
		{From: dispatch.Agent, Responses: append(refusable, "authenticate"), Sessions: true},
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.method, a.useless = "", false
	if r.Agent.Version == 1 {
		a.method = a.opts.Method(r.Client.Implementation, r.Agent.Implementation)
	}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Request && m.From == dispatch.Client && m.Method != "initialize":
		a.remember(m)
	case m.From == dispatch.Client || m.Request == nil:
	case m.Code() == authRequired:
		a.refuse(m)
	case !m.IsRefusal() && m.Request.Method == "authenticate":
		a.opts.Conversation.Lock()
		defer a.opts.Conversation.Unlock()
		a.useless = false
	}
}

// remember keeps a request, to be sent again.
func (a *Adapter) remember(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	size := len(m.Line)
	for _, s := range a.sent.All() {
		size += len(s.line)
	}
	if !a.useless && size <= maxBytes {
		a.sent.Put(r, sent{line: wire.EndLine(bytes.Clone(m.Line))}, len(m.Line))
	}
}

// refuse holds a refusal for want of a login, until authenticate is answered.
func (a *Adapter) refuse(m *dispatch.Message) {
	c := a.opts.Conversation
	c.Lock()
	was, _ := a.sent.Get(m.Request)
	a.useless = a.useless || was.isAgain
	isOver := a.useless || was.line == nil
	c.Unlock()
	if isOver {
		return
	}
	m.Because("acpshim holds the request until the login is done (login.method)")
	h := m.Hold()
	if h == nil {
		return
	}
	c.Lock()
	a.refused.Put(h.Request, h, 0) // its bytes count as those of a held message
	isFirst, method := !a.asking, a.method
	a.asking = true
	c.Unlock()
	if isFirst {
		id := a.opts.Own.Begin(a.Name(), a.authenticated)
		line := wire.Quote([]byte(`{"jsonrpc":"2.0","id":`), id)
		line = wire.Quote(append(line, `,"method":"authenticate","params":{"methodId":`...), method)
		if !a.Send(dispatch.Agent, append(line, "}}\n"...), why) {
			a.opts.Own.Forget(id)
			a.authenticated(nil, nil) // the agent takes no more
		}
	}
}

// authenticated sends the refused requests again, or has the refusals go on. It is given the
// agent's response.
func (a *Adapter) authenticated(result, failure []byte) (lines []byte) {
	works := result != nil && wire.IsAbsent(failure)
	c := a.opts.Conversation
	var held []*dispatch.Held
	c.Lock()
	for r, h := range a.refused.All() {
		held = append(held, h)
		a.refused.Delete(r)
	}
	a.asking, a.useless = false, !works
	c.Unlock()
	for _, h := range held {
		a.goOn(h.Because(why), works)
	}
	return nil
}

// goOn sends a refused request again, or has the refusal go on.
func (a *Adapter) goOn(h *dispatch.Held, again bool) {
	c := a.opts.Conversation
	c.Lock()
	line, _ := a.sent.Get(h.Request)
	if again {
		a.sent.Put(h.Request, sent{isAgain: true}, 0)
	}
	c.Unlock()
	if again {
		h.Again(line.line)
	} else {
		h.Continue(nil)
	}
}
