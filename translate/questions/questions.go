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
	opts      Options
	dialogues *conversation.Slot[*conversation.Request, *dialogue] // by the agent's request
	lines     *conversation.Slot[*conversation.Request, []byte]    // of Cursor's requests that the client has

	// The conversation's lock protects the fields below.
	forms   bool            // forms were announced for the client
	on      bool            // Cursor's methods are handled for the client
	unknown map[string]bool // Cursor's methods that the client refused
}

// Bounds on what is asked.
const (
	maxOpen = 16       // dialogues: nobody reads more
	maxForm = 64 << 10 // bytes of a request; a longer one is declined
)

// Methods.
const (
	create      = "elicitation/create"
	askQuestion = "cursor/ask_question"
	createPlan  = "cursor/create_plan"
	task        = "cursor/task"
)

var cursors = []string{askQuestion, createPlan, task}

// What records say.
const (
	whyAsked     = "the client does not know questions, so permission requests ask them (questions.ask)"
	whyCancelled = "its turn was cancelled"
	whyWithdrawn = "the agent withdrew its question, or acpshim had no more room for it"
)

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{
		opts:      o,
		dialogues: conversation.NewSlot[*conversation.Request, *dialogue](o.Conversation),
		lines:     conversation.NewSlot[*conversation.Request, []byte](o.Conversation),
		unknown:   map[string]bool{},
	}
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
		{From: dispatch.Agent, Methods: methods, Sessions: true},
	}
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	if d, ok := a.dialogues.Get(e.Request); ok && e.Kind == conversation.RequestEnded {
		a.withdraw(d)
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.forms = r.Agent.Version == 1 && a.announces(r.Client)
	a.on = r.Agent.Version == 1 && a.opts.IsOn(r.Client.Implementation, r.Agent.Implementation)
	clear(a.unknown)
}

// announces reports whether forms are announced for a client: it announces no elicitation of any
// kind. The lock may be held.
func (a *Adapter) announces(client *conversation.Peer) bool {
	return client.Version == 1 && a.opts.IsOn(client.Implementation, conversation.Implementation{}) &&
		(wire.IsObject(client.Capabilities) || wire.IsAbsent(client.Capabilities)) && wire.IsAbsent(client.Capability("elicitation"))
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(whyAsked)
	switch {
	case m.Kind == dispatch.Request && m.Method == "initialize":
		a.announce(m)
	case m.Kind == dispatch.Response && m.From == dispatch.Client:
		a.refusal(m)
	case m.Method == "session/cancel":
		a.cancel(m.Session)
	case m.Kind == dispatch.Request:
		a.request(m)
	}
}

// announce announces forms to the agent for a client that does not.
func (a *Adapter) announce(m *dispatch.Message) {
	if wire.ID(m.ID) != "" && a.announces(conversation.ReadClient(m.Params())) {
		m.Because("acpshim announces questions in place of the client (questions.ask)")
		m.Offer(wire.Setting{Name: "elicitation", Value: []byte(`{"form":{}}`)})
	}
}

// request has the reader asked in place of the client. A request of Cursor's goes to the client if
// that may know its method.
func (a *Adapter) request(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Agent, m.ID)
	if r == nil || m.Method != create && !a.isUnknown(r, m) {
		return
	}
	if q, ok := read(m.Method, m.Params()); ok {
		a.begin(m, m.Params(), q)
	}
}

// isUnknown reports whether the client is known not to know the method of a request of Cursor's. If
// it is not, the line is kept until the client responds.
func (a *Adapter) isUnknown(r *conversation.Request, m *dispatch.Message) bool {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if !a.unknown[m.Method] && len(m.Line) <= maxForm {
		a.lines.Put(r, bytes.Clone(m.Line), len(m.Line))
	}
	return a.unknown[m.Method]
}

// refusal has the reader asked where the client does not know a method of Cursor's.
func (a *Adapter) refusal(m *dispatch.Message) {
	c, method := a.opts.Conversation, m.Request.Method
	c.Lock()
	line, ok := a.lines.Take(m.Request)
	isRefusal := ok && m.Code() == wire.MethodNotFound
	if isRefusal {
		a.unknown[method] = true
	}
	c.Unlock()
	if !isRefusal {
		return
	}
	request, _ := wire.Parse(line, "params") // it was handled, so it can be read
	if q, ok := read(method, request.Open("params")); ok {
		a.begin(m, request.Open("params"), q)
	}
}
