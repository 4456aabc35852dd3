package repair

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// ToolCalls is an adapter that announces tool calls.
//
//   - Settles: An agent updates a tool call that it never announced; the client drops the update, or
//     shows an error in its place.
//   - For: Every client and agent.
//   - Keys: repair.tool_calls
//   - Read: zed-industries/zed#61667
type ToolCalls struct {
	repair
	conversation *conversation.Conversation
	known        map[*conversation.Session]map[string]bool // ids of calls; under the conversation's lock
}

// Bounds on the calls that are known. Updates of others pass as they are.
const (
	maxCalls  = 20_000 // of a session
	maxCallID = 256    // bytes
)

// NewToolCalls returns a ToolCalls adapter.
func NewToolCalls(c *conversation.Conversation, isOn IsOn) *ToolCalls {
	return &ToolCalls{
		conversation: c, known: map[*conversation.Session]map[string]bool{},
		repair: repair{isOn: isOn, wants: []dispatch.Want{
			{From: dispatch.Agent, Updates: []string{"tool_call", "tool_call_update"}, Sessions: true},
		}},
	}
}

// Observe implements dispatch.Adapter.
func (a *ToolCalls) Observe(e conversation.Event) {
	a.repair.Observe(e)
	if e.Kind == conversation.SessionRemoved {
		delete(a.known, e.Session)
	}
}

// Cares implements dispatch.Adapter. Updates of a call that is known are where the megabytes are.
func (a *ToolCalls) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || string(h.SessionUpdate) != "tool_call_update" || h.ToolCallID == nil {
		return dispatch.Yes
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.Find(string(h.SessionID))
	switch {
	case !ok:
		return dispatch.No
	case a.known[s][string(h.ToolCallID)]:
		return dispatch.Never
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter.
func (a *ToolCalls) Handle(m *dispatch.Message) {
	update := m.Params().Open("update")
	id, ok := update.Text("toolCallId")
	if !ok || m.Update != "tool_call" && m.Update != "tool_call_update" {
		return
	}
	if !a.note(m.Session, id) || m.Update == "tool_call" {
		return
	}
	settings := []wire.Setting{{Name: "sessionUpdate", Value: []byte(`"tool_call"`)}}
	if !wire.IsString(update.Raw("title")) { // the schema wants one
		title := update.Raw("kind")
		if !wire.IsString(title) {
			title = []byte(`"Tool call"`)
		}
		settings = append(settings, wire.Setting{Name: "title", Value: title})
	}
	m.Edit(update.Set(settings...)...)
}

// note notes a call, and reports whether it was not known.
func (a *ToolCalls) note(session, id string) (isNew bool) {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.Find(session)
	if !ok || a.known[s][id] || len(a.known[s]) == maxCalls || len(id) > maxCallID {
		return false
	}
	if a.known[s] == nil {
		a.known[s] = map[string]bool{}
	}
	a.known[s][id] = true
	a.conversation.Weigh(s, 64+len(id))
	return true
}
