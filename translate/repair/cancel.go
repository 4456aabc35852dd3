package repair

import (
	"bytes"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Cancel is an adapter that ends a turn as the protocol wants it after session/cancel: the prompt's
// response says cancelled where the agent says end_turn, and the agent's open permission requests
// are answered, as some clients just close the question.
//
//   - Settles: An agent ends a turn that was cancelled as any other; a client leaves a permission
//     request open, and the agent waits.
//   - For: Every client and agent.
//   - Keys: repair.cancel
//   - Read: github/copilot-cli#4561, agentclientprotocol/claude-agent-acp#551, block/goose#11651
type Cancel struct {
	repair
	conversation *conversation.Conversation

	// The fields below are protected by the conversation's lock.
	prompts     []turn                           // pending, the first one begun first
	permissions map[*conversation.Request][]byte // pending, the raw id of each; empty once answered here

	// What is known of the request whose response is handled. Each is for one direction only.
	isCancelled bool // a prompt
	isAnswered  bool // a permission request
}

// A turn is what a prompt begins.
type turn struct {
	of          *conversation.Request
	isCancelled bool
}

// NewCancel returns a Cancel adapter.
func NewCancel(c *conversation.Conversation, isOn IsOn) *Cancel {
	return &Cancel{
		conversation: c, permissions: map[*conversation.Request][]byte{},
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Client, Methods: []string{"session/cancel"}, Responses: []string{permission}},
			dispatch.Want{From: dispatch.Agent, Methods: []string{permission}, Responses: []string{"session/prompt"}, Sessions: true}),
	}
}

const permission = "session/request_permission"

// Observe implements dispatch.Adapter.
func (a *Cancel) Observe(e conversation.Event) {
	a.repair.Observe(e)
	switch r := e.Request; e.Kind {
	case conversation.RequestBegan:
		if a.On && r.From == conversation.Client && r.Prompts() {
			a.prompts = append(a.prompts, turn{of: r})
		}
	case conversation.RequestEnded:
		a.prompts = slices.DeleteFunc(a.prompts, func(t turn) bool { return t.of == r })
		delete(a.permissions, r)
	}
}

// Answering implements dispatch.Adapter.
func (a *Cancel) Answering(m *dispatch.Message) {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	if m.From == dispatch.Agent {
		a.isCancelled = slices.Contains(a.prompts, turn{m.Request, true})
		return
	}
	id, isAsked := a.permissions[m.Request]
	a.isAnswered = isAsked && len(id) == 0
}

// Handle implements dispatch.Adapter.
func (a *Cancel) Handle(m *dispatch.Message) {
	switch {
	case m.Method == permission:
		a.ask(m)
	case m.Method == "session/cancel":
		a.cancel(m)
	case m.Request == nil:
	case m.Request.Method == permission && a.isAnswered:
		m.Because("it was answered when the turn was cancelled")
		m.Drop()
	case m.Request.Method == "session/prompt":
		a.end(m)
	}
}

// ask notes a permission request.
func (a *Cancel) ask(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	a.conversation.Lock()
	defer a.conversation.Unlock()
	if r != nil {
		a.permissions[r] = bytes.Clone(m.ID)
	}
}

// cancel answers the permission requests of the session, behind the notification. Of several
// prompts the first is the one that runs: an agent that queues prompts may carry out the others.
func (a *Cancel) cancel(m *dispatch.Message) {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	if i := slices.IndexFunc(a.prompts, func(t turn) bool { return t.of.Session == m.Session }); i >= 0 {
		a.prompts[i].isCancelled = true
	}
	for r, id := range a.permissions {
		if r.Session == m.Session && len(id) > 0 {
			m.Because("the turn was cancelled, and the client left this open")
			m.After(wire.Result(id, []byte(`{"outcome":{"outcome":"cancelled"}}`)))
			a.permissions[r] = []byte{} // answered
		}
	}
}

// end says of a prompt that was cancelled that it was.
func (a *Cancel) end(m *dispatch.Message) {
	if reason, _ := m.Result().Text("stopReason"); a.isCancelled && reason == "end_turn" {
		m.Because("the turn was cancelled, and ends as such")
		m.Edit(m.Result().Set(wire.Setting{Name: "stopReason", Value: []byte(`"cancelled"`)})...)
	}
}
