package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// ToolCalls is an adapter that turns the first update of an unknown tool call into its
// announcement. If the agent announces the call later, that becomes an update.
//
//   - Settles: A tool call is missing, or an error appears instead: the agent updates a call before
//     it announces it, or never announces it.
//   - For: Every client and agent.
//   - Keys: repair.tool_calls
//   - Seen: cline 3.0.65
//   - Read: zed-industries/zed#61667
type ToolCalls struct {
	repair
	announcements
}

// NewToolCalls returns a ToolCalls adapter.
func NewToolCalls(c *conversation.Conversation, isOn IsOn) *ToolCalls {
	return &ToolCalls{
		announcements: announcements{newIDs(c)},
		repair: newRepair(isOn, dispatch.Want{
			From: dispatch.Agent, Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Methods: []string{acp.SessionRequestPermission}, Sessions: true}),
	}
}

// Cares implements dispatch.Adapter. Updates of known calls can be large and are not needed.
// Announced calls are recorded by their head, because the line may turn out to be too long to read.
func (a *ToolCalls) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || h.ToolCallID == nil || h.SessionID == nil {
		return dispatch.Yes
	}
	session, id := string(h.SessionID), string(h.ToolCallID)
	switch string(h.SessionUpdate) {
	case acp.ToolCall:
		if a.isOurs(session, id) {
			return dispatch.Yes
		}
		a.add(session, id, true)
		return dispatch.No
	case acp.ToolCallUpdate:
		if s, all := a.of(session, false); s == nil || all.has(id) {
			return dispatch.No
		}
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter.
func (a *ToolCalls) Handle(m *dispatch.Message) {
	id, ok := callOf(m).Text("toolCallId")
	if !ok {
		return
	}
	switch {
	case a.repeats(m, id):
		m.Because(whyCallBefore)
		m.Edit(asUpdate(m)...)
	case m.Update == acp.ToolCall || m.Method == acp.SessionRequestPermission:
		a.add(m.Session, id, true)
	case m.Update == acp.ToolCallUpdate && a.add(m.Session, id, false):
		a.announce(m.Session, id)
		m.Because(whyCall)
		m.Replace(announcement(m.Line))
	}
}

// callOf returns the tool call of an update or of a permission request, or nil.
func callOf(m *dispatch.Message) *wire.Object {
	if m.Method != acp.SessionRequestPermission { // many clients show the call because of the request
		return m.Params().Open("update")
	}
	o, _ := wire.Parse(m.Line, "params", "params.toolCall")
	return o.Open("params").Open("toolCall")
}

// announcement returns an update of a tool call as its announcement. It removes members that are
// null: in an update they mean no change, but the schema does not allow them in an announcement.
func announcement(line []byte) []byte {
	for _, name := range []string{"kind", "status", "content", "locations"} {
		if string(wire.Pointer{"params", "update", name}.Raw(line)) == "null" {
			line = wire.Without(line, "params", "update", name)
		}
	}
	o, _ := wire.Parse(line, "params", "params.update")
	update := o.Open("params").Open("update")
	settings := []wire.Setting{{Name: "sessionUpdate", Value: []byte(`"tool_call"`)}}
	if !wire.IsString(update.Raw("title")) { // the schema requires one
		title := update.Raw("kind")
		if !wire.IsString(title) {
			title = []byte(`"Tool call"`)
		}
		settings = append(settings, wire.Setting{Name: "title", Value: title})
	}
	return wire.Splice(nil, line, update.Set(settings...)...)
}

// asUpdate returns the edit that turns the announcement of a tool call into an update, which has
// the same members.
func asUpdate(m *dispatch.Message) []wire.Edit {
	return callOf(m).Set(wire.Setting{Name: "sessionUpdate", Value: []byte(`"tool_call_update"`)})
}
