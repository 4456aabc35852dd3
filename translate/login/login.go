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

	Send dispatch.Send
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
	opts Options
	last kept // the request whose response is handled; only the agent's direction uses it

	// The fields below are protected by the conversation's lock.
	method  string
	kept    map[*conversation.Request]kept // pending
	size    int                            // of the lines in kept
	refused []refusal                      // they wait for the response to authenticate
	asking  bool                           // authenticate is pending
	useless bool                           // it failed or did not help
}

// A kept is what is remembered of a pending request.
type kept struct {
	line  []byte // as it is sent to the agent; nil if it is not sent again
	again bool   // it was sent again
}

// A refusal is a request that was refused, and is pending for the client.
type refusal struct {
	request  *conversation.Request
	line     []byte // the request
	id       []byte // raw
	response []byte // the agent's, with its end
	ended    bool   // it is pending no longer, as when it was evicted
}

// Bounds on what is kept. A request over them is not sent again.
const (
	maxKept  = 64
	maxBytes = 4 << 20
)

// authRequired is the code of the error that asks for a login.
const authRequired = "-32000"

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, kept: map[*conversation.Request]kept{}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "login" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if a.method == "" {
		return nil
	}
	refusable := []string{"session/new", "session/load", "session/resume", "session/prompt"}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: append(refusable, "session/cancel")},
		{From: dispatch.Agent, Responses: append(refusable, "authenticate"), Sessions: true},
	}
}

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	switch e.Kind {
	case conversation.Negotiated:
		client, agent := e.Request.Client, e.Request.Agent
		a.method, a.useless = "", false
		if agent.Version == 1 {
			a.method = a.opts.Method(client.Implementation, agent.Implementation)
		}
	case conversation.RequestEnded:
		a.size -= len(a.kept[e.Request].line)
		delete(a.kept, e.Request)
		for i := range a.refused {
			a.refused[i].ended = a.refused[i].ended || a.refused[i].request == e.Request
		}
	}
}

// Answering implements dispatch.Adapter.
func (a *Adapter) Answering(m *dispatch.Message) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.last = a.kept[m.Request]
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Method == "session/cancel":
		a.cancel(m.Session)
	case m.From == dispatch.Client && m.Method != "initialize":
		a.keep(m)
	case m.Request == nil:
	case !m.IsRefusal():
		if m.Request.Method == "authenticate" {
			a.setUseless(false)
		}
	default:
		a.refuse(m)
	}
}

// keep notes a request, to be sent again.
func (a *Adapter) keep(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if r == nil || a.useless || len(a.kept) == maxKept || a.size+len(m.Line) > maxBytes {
		return
	}
	a.kept[r] = kept{line: wire.EndLine(bytes.Clone(m.Line))}
	a.size += len(a.kept[r].line)
}

func (a *Adapter) setUseless(is bool) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.useless = is
}

// refuse keeps a refusal for want of a login from the client, until authenticate is answered.
func (a *Adapter) refuse(m *dispatch.Message) {
	e, err := wire.Parse(m.Object.Raw("error"))
	was := a.last
	a.last = kept{}
	switch {
	case err != nil || wire.ID(e.Raw("code")) != authRequired:
		return
	case was.again:
		a.setUseless(true)
		return
	case was.line == nil:
		return
	}
	r := refusal{line: was.line, id: bytes.Clone(m.ID), response: wire.EndLine(bytes.Clone(m.Line))}
	a.opts.Conversation.Note(r.id, *m.Request)
	r.request = a.opts.Conversation.Pending(dispatch.Client, r.id)
	if a.wait(r) {
		m.Because("held until the login is answered (login.method)")
		m.Drop()
		return
	}
	a.opts.Conversation.Forget(dispatch.Client, r.id)
}

// wait has a refused request wait for authenticate, which is sent unless it is pending. It reports
// whether it does.
func (a *Adapter) wait(r refusal) bool {
	a.opts.Conversation.Lock()
	if a.useless || r.request == nil || len(a.refused) == maxKept {
		a.opts.Conversation.Unlock()
		return false
	}
	isFirst := !a.asking
	a.refused, a.asking = append(a.refused, r), true
	method := a.method
	a.opts.Conversation.Unlock()
	if !isFirst {
		return true
	}
	id := a.opts.Own.Begin("login", a.authenticated)
	line := wire.Quote([]byte(`{"jsonrpc":"2.0","id":`), id)
	line = wire.Quote(append(line, `,"method":"authenticate","params":{"methodId":`...), method)
	if a.opts.Send(dispatch.Agent, append(line, "}}\n"...)) {
		return true
	}
	a.opts.Own.Forget(id)
	return !a.giveUp()
}

// giveUp forgets the request that authenticate could not be sent for, and reports whether it still
// waited: the client may have cancelled it.
func (a *Adapter) giveUp() (waited bool) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	waited = len(a.refused) > 0
	a.refused, a.asking = nil, false
	return waited
}

// authenticated sends the refused requests again, or returns the agent's responses to them. It is
// given what the agent answered.
func (a *Adapter) authenticated(result, failure []byte) (lines []byte) {
	ok := result != nil && wire.IsAbsent(failure)
	a.opts.Conversation.Lock()
	refused := a.refused
	a.refused, a.asking = nil, false
	a.useless = !ok
	for _, r := range refused {
		if ok && !r.ended {
			a.kept[r.request] = kept{again: true}
		}
	}
	a.opts.Conversation.Unlock()
	for _, r := range refused {
		if !ok || !a.opts.Send(dispatch.Agent, r.line) {
			lines = append(lines, r.response...)
		}
	}
	return lines
}

// cancel answers the prompts of a session that wait.
func (a *Adapter) cancel(session string) {
	a.opts.Conversation.Lock()
	var cancelled, left []refusal
	for _, r := range a.refused {
		if r.request.Prompts() && r.request.Session == session {
			cancelled = append(cancelled, r)
		} else {
			left = append(left, r)
		}
	}
	a.refused = left
	a.opts.Conversation.Unlock()
	for _, r := range cancelled {
		a.opts.Conversation.Forget(dispatch.Client, r.id)
		line := append([]byte(`{"jsonrpc":"2.0","id":`), r.id...)
		a.opts.Send(dispatch.Client, append(line, `,"result":{"stopReason":"cancelled"}}`+"\n"...))
	}
}
