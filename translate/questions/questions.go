// Package questions asks the reader what an agent wants to know where the client knows no
// questions: each becomes a permission request, with the answers as its options.
//
// Many clients answer permission requests by themselves, or let a person say yes or no to them.
// They choose the first option of a kind, the only one, the first of all, or the last of a kind.
// Some bind a key to the first option of a kind, which is easily hit. So the first and the last
// option of each request answer nothing, the answers stand between them, and all options are of the
// same kind: what a client chooses by itself is never an answer. The first option asks the question
// once more, so that a key declines nothing by accident; the second time it declines, so that a
// client that always chooses it comes to an end.
package questions

import (
	"bytes"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// Own are acpshim's own requests to the client; the permission requests are among them.
	Own *dispatch.OwnRequests

	// IsOn reports whether the reader is asked for two peers. Of the agent nothing is known before
	// it has answered initialize.
	IsOn func(client, agent conversation.Implementation) bool

	Send dispatch.Send
}

// An Adapter turns questions of the agent into permission requests.
//
//   - Settles: Agents ask by forms (elicitation/create), or by Cursor's own methods, and the client
//     knows neither: question tools vanish, and turns hang or go on without an answer.
//   - For: Clients that show permission requests and announce no elicitation.
//   - Keys: questions.ask
//   - Seen: claude-agent-acp 0.100.0
//   - Read: agentclientprotocol/claude-agent-acp#641, get-bb/bb#3849, xenodium/agent-shell#792,
//     tiann/hapi#1044, xintaofei/codeg#785, and codex-acp 2.6.0 and acpx 0.19.1 (npm)
type Adapter struct {
	dispatch.Base
	opts Options

	// The fields below are protected by the conversation's lock.
	forms   bool                             // forms were announced for the client
	on      bool                             // Cursor's methods are answered for the client
	open    []*dialogue                      // in the order in which they began
	kept    map[*conversation.Request][]byte // the lines of Cursor's requests that the client has
	unknown map[string]bool                  // Cursor's methods that the client refused

	// The line of Cursor's request whose response is about to be handled. Only the goroutine of the
	// client's direction uses it.
	refused []byte
}

// Bounds of what is kept.
const (
	maxOpen = 16       // dialogues, and requests of Cursor's that the client has
	maxForm = 64 << 10 // bytes of a request; a longer one is declined
)

// Methods.
const (
	create        = "elicitation/create"
	askQuestion   = "cursor/ask_question"
	createPlan    = "cursor/create_plan"
	task          = "cursor/task"
	cancelRequest = "$/cancel_request"
)

var cursors = []string{askQuestion, createPlan, task}

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, kept: map[*conversation.Request][]byte{}, unknown: map[string]bool{}}
}

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "questions" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	var methods []string
	if a.on {
		methods = slices.Clone(cursors)
	}
	if a.forms {
		methods = append(methods, create)
	}
	if len(methods) == 0 {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: []string{"session/cancel"}, Responses: methods},
		{From: dispatch.Agent, Methods: append(methods, cancelRequest), Sessions: true},
	}
}

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	switch e.Kind {
	case conversation.Negotiated:
		client, agent := e.Request.Client, e.Request.Agent
		a.forms = agent.Version == 1 && a.announces(client)
		a.on = agent.Version == 1 && a.opts.IsOn(client.Implementation, agent.Implementation)
		clear(a.unknown)
	case conversation.RequestEnded:
		delete(a.kept, e.Request)
		for _, d := range a.open {
			if d.request == e.Request {
				a.close(d)
				return
			}
		}
	}
}

// announces reports whether forms are announced for a client: it announces no elicitation of any
// kind. The lock may be held.
func (a *Adapter) announces(client *conversation.Peer) bool {
	return client.Version == 1 && a.opts.IsOn(client.Implementation, conversation.Implementation{}) &&
		(wire.IsObject(client.Capabilities) || wire.IsAbsent(client.Capabilities)) && wire.IsAbsent(client.Capability("elicitation"))
}

// Answering implements dispatch.Adapter: it takes the request whose response comes next.
func (a *Adapter) Answering(m *dispatch.Message) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.refused = a.kept[m.Request]
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because("the client knows no questions: permission requests ask them")
	switch {
	case m.Kind == dispatch.Request && m.Method == "initialize":
		a.announce(m)
	case m.Kind == dispatch.Response && m.From == dispatch.Client:
		a.refusal(m)
	case m.Method == "session/cancel":
		a.cancel(m)
	case m.Method == cancelRequest:
		a.withdraw(m)
	case m.Kind == dispatch.Request:
		a.request(m)
	}
}

// announce announces forms to the agent for a client that does not.
func (a *Adapter) announce(m *dispatch.Message) {
	params := m.Params()
	if wire.ID(m.ID) == "" || !a.announces(conversation.ReadClient(params)) {
		return
	}
	m.Because("questions are announced for a client that knows none (questions.ask)")
	if capabilities := params.Open("clientCapabilities"); capabilities != nil {
		m.Edit(capabilities.Set(wire.Setting{Name: "elicitation", Value: []byte(`{"form":{}}`)})...)
		return
	}
	m.Edit(params.Set(wire.Setting{Name: "clientCapabilities", Value: []byte(`{"elicitation":{"form":{}}}`)})...)
}

// request has the reader asked in place of the client, or keeps a request of Cursor's until it is
// known whether the client knows its method.
func (a *Adapter) request(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Agent, m.ID)
	if r == nil {
		return
	}
	if m.Method != create && !a.keep(r, m) {
		return
	}
	p, ok := read(m.Method, m.Params())
	if !ok {
		return
	}
	toClient, toAgent := a.begin(&dialogue{request: r, id: bytes.Clone(m.ID), session: a.sessionOf(m.Params()), prepared: p})
	if toAgent != nil {
		if !a.opts.Send(dispatch.Agent, toAgent) {
			return
		}
		a.opts.Conversation.Forget(dispatch.Agent, m.ID)
	}
	m.Replace(linesLike(m.Line, toClient)...)
}

// keep reports whether the client is known not to know the method of a request of Cursor's. If it
// is not, the request goes to the client, and is kept until that responds.
func (a *Adapter) keep(r *conversation.Request, m *dispatch.Message) (unknown bool) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if !a.unknown[m.Method] && len(a.kept) < maxOpen && len(m.Line) <= maxForm {
		a.kept[r] = bytes.Clone(m.Line)
	}
	return a.unknown[m.Method]
}

// refusal has the reader asked where the client does not know a method of Cursor's.
func (a *Adapter) refusal(m *dispatch.Message) {
	line := a.refused
	a.refused = nil
	if line == nil || m.Code() != wire.MethodNotFound {
		return
	}
	c, method := a.opts.Conversation, m.Request.Method
	c.Lock()
	a.unknown[method] = true
	c.Unlock()
	request, err := wire.Parse(line, "params")
	p, ok := read(method, request.Open("params"))
	if err != nil || !ok {
		return
	}
	c.Note(m.ID, conversation.Request{From: dispatch.Agent, Method: method, Session: m.Request.Session})
	toClient, toAgent := a.begin(&dialogue{request: c.Pending(dispatch.Agent, m.ID), id: bytes.Clone(m.ID), session: a.sessionOf(request.Open("params")), prepared: p})
	if toAgent != nil {
		c.Forget(dispatch.Agent, m.ID)
		m.Replace(linesLike(m.Line, toAgent)...)
	} else {
		m.Drop()
	}
	a.send(toClient)
}

// sessionOf returns the session that a request is about. Cursor's name none: then it is that of the
// only prompt. It is empty if that is not known.
func (a *Adapter) sessionOf(params *wire.Object) string {
	if id, ok := params.Text("sessionId"); ok {
		return id
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	id, _ := a.opts.Conversation.OnlyPrompt()
	return id
}

// send sends lines to the client, and reports whether all will be written.
func (a *Adapter) send(lines []byte) bool {
	for line := range bytes.Lines(lines) {
		if !a.opts.Send(dispatch.Client, line) {
			return false
		}
	}
	return true
}

// linesLike splits lines to replace a message, which has a line's end or, in a batch, none.
func linesLike(message, lines []byte) (split [][]byte) {
	for line := range bytes.Lines(lines) {
		if !bytes.HasSuffix(message, []byte("\n")) {
			line = bytes.TrimSuffix(line, []byte("\n"))
		}
		split = append(split, line)
	}
	return split
}
