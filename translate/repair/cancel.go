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
	prompts     map[*conversation.Request]turn       // pending
	permissions map[*conversation.Request]permitting // pending
	begun       int                                  // prompts and permission requests so far

	// What is known of the request whose response is handled. Each is for one direction only.
	isCancelled bool // a prompt
	isAnswered  bool // a permission request
}

// A turn is what a prompt begins.
type turn struct {
	number      int
	isCancelled bool
}

// A permitting is a permission request.
type permitting struct {
	number int
	id     []byte // raw; empty once it is answered here
}

// NewCancel returns a Cancel adapter.
func NewCancel(c *conversation.Conversation, isOn IsOn) *Cancel {
	return &Cancel{
		conversation: c, prompts: map[*conversation.Request]turn{}, permissions: map[*conversation.Request]permitting{},
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
			a.begun++
			a.prompts[r] = turn{number: a.begun}
		}
	case conversation.RequestEnded:
		delete(a.prompts, r)
		delete(a.permissions, r)
	}
}

// Answering implements dispatch.Adapter.
func (a *Cancel) Answering(m *dispatch.Message) {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	if m.From == dispatch.Agent {
		a.isCancelled = a.prompts[m.Request].isCancelled
		return
	}
	p, isAsked := a.permissions[m.Request]
	a.isAnswered = isAsked && len(p.id) == 0
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
		a.begun++
		a.permissions[r] = permitting{a.begun, bytes.Clone(m.ID)}
	}
}

// cancel answers the permission requests of the session behind the notification, in their order. Of
// several prompts the first is the one that runs: an agent that queues prompts may carry out the
// others.
func (a *Cancel) cancel(m *dispatch.Message) {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	var running *conversation.Request
	for r, t := range a.prompts {
		if r.Session == m.Session && (running == nil || t.number < a.prompts[running].number) {
			running = r
		}
	}
	if running != nil {
		a.prompts[running] = turn{number: a.prompts[running].number, isCancelled: true}
	}
	for _, p := range a.answered(m.Session) {
		m.Because("the turn was cancelled, and the client left this open")
		m.After(wire.Result(p.id, []byte(`{"outcome":{"outcome":"cancelled"}}`)))
	}
}

// answered returns the permission requests of a session that are open, in their order, and notes
// that they are answered. The lock is held.
func (a *Cancel) answered(session string) (open []permitting) {
	for r, p := range a.permissions {
		if r.Session == session && len(p.id) > 0 && !r.IsClaimed {
			r.IsClaimed = true
			open = append(open, p)
			a.permissions[r] = permitting{number: p.number}
		}
	}
	slices.SortFunc(open, func(p, q permitting) int { return p.number - q.number })
	return open
}

// end says of a prompt that was cancelled that it was.
func (a *Cancel) end(m *dispatch.Message) {
	if reason, _ := m.Result().Text("stopReason"); a.isCancelled && reason == "end_turn" {
		m.Because("the turn was cancelled, and ends as such")
		m.Edit(m.Result().Set(wire.Setting{Name: "stopReason", Value: []byte(`"cancelled"`)})...)
	}
}
