package repair

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Cancel is an adapter that ends a cancelled turn as the protocol requires. It changes the prompt's
// stop reason from end_turn to cancelled. It also responds to pending permission requests, because
// some clients only close the question.
//
//   - Settles: A cancelled turn looks finished, or the agent waits after a cancel: the agent
//     reports end_turn, or the client leaves a permission request open.
//   - For: Every client and agent.
//   - Keys: repair.cancel
//   - Seen: cline 3.0.65
//   - Read: github/copilot-cli#4561, agentclientprotocol/claude-agent-acp#551, block/goose#11651
type Cancel struct {
	repair
	conversation *conversation.Conversation
	permissions  *conversation.Slot[*conversation.Request, []byte] // raw ids
}

// NewCancel returns a Cancel adapter.
func NewCancel(c *conversation.Conversation, isOn IsOn) *Cancel {
	return &Cancel{
		conversation: c,
		permissions:  conversation.NewSlot[*conversation.Request, []byte](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Client, Methods: []string{acp.SessionCancel}, Responses: []string{acp.SessionRequestPermission}},
			dispatch.Want{From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission}, Responses: []string{acp.SessionPrompt}, Sessions: true}),
	}
}

// Handle implements dispatch.Adapter.
func (a *Cancel) Handle(m *dispatch.Message) {
	if m.Method == acp.SessionRequestPermission {
		a.ask(m)
		return
	}
	switch {
	case m.Method == acp.SessionCancel && m.Kind == dispatch.Notification: // nobody knows what a request does
		a.cancel(m)
	case m.Request == nil:
	case m.Request.Method == acp.SessionPrompt:
		a.end(m)
	}
}

// ask records a permission request. If its turn is cancelled already, the request has a response at
// once: nobody looks at it any more.
func (a *Cancel) ask(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	isOver := a.conversation.IsTurnCancelled(m.Session)
	if !isOver {
		a.permissions.Put(r, bytes.Clone(m.ID), len(m.ID))
	}
	if isOver && r != nil {
		m.Because(whyAskedCancelled)
		m.Answer(wire.Result(m.ID, cancelled))
	}
}

var cancelled = []byte(`{"outcome":{"outcome":"cancelled"}}`)

// cancel responds to the permission requests of the session, after the notification and in order.
func (a *Cancel) cancel(m *dispatch.Message) {
	for r, id := range a.permissions.All() {
		if r.Session == m.Session {
			a.Respond(r, wire.Result(id, cancelled), whyLeftOpen)
		}
	}
}

// end corrects the stop reason of a cancelled prompt.
func (a *Cancel) end(m *dispatch.Message) {
	if reason, _ := m.Result().Text("stopReason"); m.Request.IsCancelled && reason == acp.StopEndTurn {
		m.Because(whyTurnCancelled)
		m.Edit(m.Result().Set(wire.Setting{Name: "stopReason", Value: []byte(`"cancelled"`)})...)
	}
}
