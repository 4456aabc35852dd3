// Package login has the adapter that logs in to an agent instead of the client.
package login

import (
	"bytes"
	"fmt"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter logs in when the agent refuses a request because a login is missing, and then sends
// the request again. It uses the configured method, never without such a refusal, and not again
// after it failed or did not help: some agents use the same code for errors that no login solves.
//
//   - Settles: The agent refuses a session or a prompt because a login is missing, and the client
//     never logs in or cannot.
//   - For: Clients that do not log in.
//   - Keys: login.method
//   - Seen: codex-acp 2.6.0
//   - Read: getpaseo/paseo#4775, nexu-io/open-design#4192, agentclientprotocol/codex-acp#244
type Adapter struct {
	dispatch.Base

	// Waits is called when a request begins to wait for the login, and when it is sent again. It
	// may be nil.
	Waits func(r *conversation.Request, isWaiting bool)

	conversation *conversation.Conversation
	own          *dispatch.OwnRequests
	methodFor    func(client, agent conversation.Implementation) string
	attempts     *conversation.Slot[*conversation.Request, attempt]
	refusals     *conversation.Slot[*conversation.Request, *dispatch.Held] // they wait for the response to authenticate

	method  string
	asking  bool // authenticate is pending
	useless bool // the login failed or did not help
}

// An attempt is a pending request that may have to be sent again.
type attempt struct {
	line    []byte // nil if it is not kept
	isAgain bool   // it was sent again
}

// maxBytes is the limit of all kept requests, in bytes. Requests beyond it are not sent again.
const maxBytes = 4 << 20

// authRequired is the error code for a missing login.
const authRequired = "-32000"

// Reasons for records.
var (
	whyHeld  = wire.Reason{Code: "login.held-until-login", Text: "acpshim holds the request until the login is done (login.method)"}
	whyLogin = wire.Reason{Code: "login.needed", Text: "the agent needs a login, so acpshim logs in first (login.method)"}
)

// New returns an Adapter. Own are the requests that acpshim itself sends to the agent. MethodFor
// returns the id of the login method for two peers, or "".
func New(c *conversation.Conversation, own *dispatch.OwnRequests, methodFor func(client, agent conversation.Implementation) string) *Adapter {
	return &Adapter{
		conversation: c, own: own, methodFor: methodFor,
		attempts: conversation.NewSlot[*conversation.Request, attempt](c),
		refusals: conversation.NewSlot[*conversation.Request, *dispatch.Held](c),
	}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "login" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if a.method == "" {
		return nil
	}
	refusable := []string{acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionPrompt}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: refusable},
		{From: dispatch.Agent, Responses: append(refusable, acp.Authenticate), Sessions: true},
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.method, a.useless = "", false
	if r.Agent.Version == 1 {
		a.method = a.methodFor(r.Client.Implementation, r.Agent.Implementation)
	}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Request && m.From == dispatch.Client && m.Method != acp.Initialize:
		a.remember(m)
	case m.From == dispatch.Client || m.Request == nil:
	case m.Code() == authRequired:
		a.refuse(m)
	case !m.IsRefusal() && m.Request.Method == acp.Authenticate:
		a.useless = false
	}
}

// remember keeps a request to be sent again.
func (a *Adapter) remember(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Client, m.ID)
	size := len(m.Line)
	for _, s := range a.attempts.All() {
		size += len(s.line)
	}
	if !a.useless && size <= maxBytes {
		a.attempts.Put(r, attempt{line: wire.EndLine(bytes.Clone(m.Line))}, len(m.Line))
	}
}

// maxLogin is the time that a person has to log in.
const maxLogin = 10 * time.Minute

// refuse holds a refusal until authenticate has ended.
func (a *Adapter) refuse(m *dispatch.Message) {
	was, _ := a.attempts.Get(m.Request)
	a.useless = a.useless || was.isAgain
	if a.useless || was.line == nil {
		return
	}
	m.Because(whyHeld)
	h := m.Hold(maxLogin)
	if h == nil {
		return
	}
	a.refusals.Put(h.Request, h, 0) // its bytes count as those of a held message
	a.wait(h.Request, true)
	isFirst, method := !a.asking, a.method
	a.asking = true
	if isFirst {
		id := a.own.Begin(a.Name(), a.authenticated)
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"authenticate","params":{"methodId":%s}}`+"\n", wire.Quote(nil, id), wire.Quote(nil, method))
		if !a.Send(dispatch.Client, line, whyLogin) {
			a.own.Forget(id)
			a.authenticated(nil, nil) // the agent reads no more
		}
	}
}

// authenticated takes the agent's response. It sends the refused requests again, or lets the
// refusals go on.
func (a *Adapter) authenticated(result, failure []byte) (lines []byte) {
	works := result != nil && wire.IsAbsent(failure)
	var held []*dispatch.Held
	for r, h := range a.refusals.All() {
		held = append(held, h)
		a.refusals.Delete(r)
	}
	a.asking, a.useless = false, !works
	for _, h := range held {
		a.goOn(h.Because(whyLogin), works)
	}
	return nil
}

// goOn sends a refused request again, or lets the refusal go on.
func (a *Adapter) goOn(h *dispatch.Held, again bool) {
	was, _ := a.attempts.Get(h.Request)
	if again {
		a.attempts.Put(h.Request, attempt{isAgain: true}, 0)
		a.wait(h.Request, false)
		h.Again(was.line)
	} else {
		h.Continue(nil)
	}
}

func (a *Adapter) wait(r *conversation.Request, isWaiting bool) {
	if a.Waits != nil {
		a.Waits(r, isWaiting)
	}
}
