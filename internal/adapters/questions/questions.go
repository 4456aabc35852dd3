// Package questions shows an agent's questions as permission requests, for clients that cannot show
// questions. The options of a permission request are the answers.
//
// Many clients respond to permission requests on their own. They choose the first option of a kind,
// the last one, the only one, or the first of all. Some bind a key to the first option of a kind,
// and people hit it by accident. So:
//
//   - All options have the same kind, and the first and the last one are neutral. What a client
//     chooses on its own is never an answer.
//   - The first option asks the question again, so that a key pressed by accident declines nothing.
//   - When a question is asked again, the first option declines it. So a client that always chooses
//     the first option does not loop.
package questions

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter turns questions of the agent into permission requests.
//
//   - Settles: The agent's question never appears, and the turn hangs or goes on without an answer:
//     the agent asks with a form (elicitation/create) or with a method of Cursor, and the client
//     shows neither.
//   - For: Clients that show permission requests and do not announce elicitation.form.
//   - Keys: questions.ask
//   - Seen: claude-agent-acp 0.100.0
//   - Read: agentclientprotocol/claude-agent-acp#641, get-bb/bb#3849, xenodium/agent-shell#792,
//     tiann/hapi#1044, xintaofei/codeg#785, and codex-acp 2.6.0 and acpx 0.19.1 (npm)
type Adapter struct {
	dispatch.Base
	conversation *conversation.Conversation
	own          *dispatch.OwnRequests
	isOn         func(client, agent conversation.Implementation) bool
	dialogues    *conversation.Slot[*conversation.Request, *dialogue] // by the agent's request
	lines        *conversation.Slot[*conversation.Request, []byte]    // requests of Cursor that wait for the client's response
	calls        *conversation.Slot[*conversation.Session, []string]  // the ids of the latest calls that the client has

	forms   bool            // elicitation/create is handled for the client
	cursor  bool            // Cursor's methods are handled for the client
	unknown map[string]bool // Cursor's methods that the client has rejected as unknown
}

// Limits.
const (
	maxOpen  = 16       // dialogues
	maxForm  = 64 << 10 // bytes of a request; a longer one is declined
	maxCalls = 64       // calls of a session that a question may be about
	maxID    = 256      // bytes of a call's id
)

const (
	askQuestion = "cursor/ask_question"
	createPlan  = "cursor/create_plan"
	task        = "cursor/task"
)

var cursors = []string{askQuestion, createPlan, task}

// New returns an Adapter. Own are the requests that acpshim itself sends to the client. IsOn
// reports whether questions become permission requests for two peers. The agent is empty until it
// has responded to initialize.
func New(c *conversation.Conversation, own *dispatch.OwnRequests, isOn func(client, agent conversation.Implementation) bool) *Adapter {
	return &Adapter{
		conversation: c, own: own, isOn: isOn,
		dialogues: conversation.NewSlot[*conversation.Request, *dialogue](c),
		lines:     conversation.NewSlot[*conversation.Request, []byte](c),
		calls:     conversation.NewSlot[*conversation.Session, []string](c),
		unknown:   map[string]bool{},
	}
}

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "questions" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	var methods []string
	if a.cursor {
		methods = slices.Clone(cursors)
	}
	if a.forms {
		methods = append(methods, acp.ElicitationCreate)
	}
	if len(methods) == 0 {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: []string{acp.SessionCancel}, Responses: methods},
		{From: dispatch.Agent, Methods: methods, Updates: []string{acp.ToolCall}, Sessions: true},
	}
}

// Cares implements dispatch.Adapter. The head of a call is enough.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if h.SessionUpdate == nil || h.SessionID == nil || h.ToolCallID == nil {
		return dispatch.Yes
	}
	a.keepCall(string(h.SessionID), string(h.ToolCallID))
	return dispatch.No
}

// keepCall records a call that the client gets.
func (a *Adapter) keepCall(session, id string) {
	s, ok := a.conversation.FindNew(session)
	ids, _ := a.calls.Get(s)
	if !ok || len(id) > maxID || slices.Contains(ids, id) {
		return
	}
	ids = append(ids[max(0, len(ids)+1-maxCalls):], id)
	a.calls.Put(s, ids, len(ids)*(16+maxID))
}

// hasCall reports whether the client has a call.
func (a *Adapter) hasCall(session, id string) bool {
	s, _ := a.conversation.Find(session)
	ids, _ := a.calls.Get(s)
	return slices.Contains(ids, id)
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	if d, ok := a.dialogues.Get(e.Request); ok && e.Kind == conversation.RequestEnded {
		a.withdraw(d)
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.forms = r.Agent.Version == 1 && a.asksForms(r.Client)
	a.cursor = r.Agent.Version == 1 && a.isOn(r.Client.Implementation, r.Agent.Implementation)
	clear(a.unknown)
}

// asksForms reports whether forms become permission requests for a client: it does not announce
// elicitation.form. An elicitation without form, such as one with url or an empty one, does not
// announce forms.
func (a *Adapter) asksForms(client *conversation.Peer) bool {
	return client.Version == 1 && a.isOn(client.Implementation, conversation.Implementation{}) &&
		isObjectOrAbsent(client.Capabilities) && isObjectOrAbsent(client.Capability("elicitation")) &&
		!wire.IsObject(client.Capability("elicitation", "form"))
}

func isObjectOrAbsent(raw []byte) bool { return wire.IsObject(raw) || wire.IsAbsent(raw) }

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(whyAsked)
	switch {
	case m.Kind == dispatch.Request && m.Method == acp.Initialize:
		a.announce(m)
	case m.Kind == dispatch.Response && m.From == dispatch.Client:
		a.refusal(m)
	case m.Method == acp.SessionCancel && m.Kind == dispatch.Notification:
		a.cancel(m.Session)
	case m.Update == acp.ToolCall:
		if id, ok := m.Params().Open("update").Text("toolCallId"); ok {
			a.keepCall(m.Session, id)
		}
	case m.Kind == dispatch.Request:
		a.request(m)
	}
}

// announce announces forms to the agent for a client that does not announce them itself.
func (a *Adapter) announce(m *dispatch.Message) {
	if wire.ID(m.ID) != "" && a.asksForms(conversation.ReadClient(m.Params())) {
		m.Because(whyAnnounced)
		m.Offer(wire.Setting{Name: "elicitation/form", Value: []byte("{}")})
	}
}

// request starts a dialogue for a request of the agent. A request with a method of Cursor goes to
// the client first, until the client has rejected that method as unknown.
func (a *Adapter) request(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	if r == nil || m.Method != acp.ElicitationCreate && !a.isUnknown(r, m) {
		return
	}
	if q, ok := read(m.Method, m.Params()); ok {
		a.begin(m, m.Params(), q)
	}
}

// isUnknown reports whether the client has rejected the method of a request of Cursor. If it has
// not, isUnknown keeps the line until the client responds.
func (a *Adapter) isUnknown(r *conversation.Request, m *dispatch.Message) bool {
	if !a.unknown[m.Method] && len(m.Line) <= maxForm {
		a.lines.Put(r, bytes.Clone(m.Line), len(m.Line))
	}
	return a.unknown[m.Method]
}

// refusal starts a dialogue if the client rejects a method of Cursor as unknown.
func (a *Adapter) refusal(m *dispatch.Message) {
	line, ok := a.lines.Take(m.Request)
	if !ok || m.Code() != wire.MethodNotFound {
		return
	}
	a.unknown[m.Request.Method] = true
	request, _ := wire.Parse(line, "params") // it was parsed before
	if q, ok := read(m.Request.Method, request.Open("params")); ok {
		a.begin(m, request.Open("params"), q)
	}
}
