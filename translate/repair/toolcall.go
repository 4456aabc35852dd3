package repair

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// ToolCalls is an adapter that turns the first update of an unknown tool call into its
// announcement.
//
//   - Settles: A tool call is missing, or an error appears instead: the agent updates a call that
//     it never announced.
//   - For: Every client and agent.
//   - Keys: repair.tool_calls
//   - Read: zed-industries/zed#61667
type ToolCalls struct {
	repair
	ids // of calls
}

// NewToolCalls returns a ToolCalls adapter.
func NewToolCalls(c *conversation.Conversation, isOn IsOn) *ToolCalls {
	return &ToolCalls{
		ids: newIDs(c),
		repair: newRepair(isOn, dispatch.Want{
			From: dispatch.Agent, Updates: []string{"tool_call", "tool_call_update"}, Methods: []string{permission}, Sessions: true}),
	}
}

// Cares implements dispatch.Adapter. Updates of known calls can be large and are not needed.
// Announced calls are recorded by their head, because the line may turn out to be too long to read.
func (a *ToolCalls) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || h.ToolCallID == nil || h.SessionID == nil {
		return dispatch.Yes
	}
	session, id := string(h.SessionID), string(h.ToolCallID)
	a.conversation.Lock()
	defer a.conversation.Unlock()
	switch string(h.SessionUpdate) {
	case "tool_call":
		a.add(session, id, true)
		return dispatch.No
	case "tool_call_update":
		switch s, all := a.of(session, false); {
		case s == nil:
			return dispatch.No
		case all.known[id]:
			return dispatch.Never
		}
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter.
func (a *ToolCalls) Handle(m *dispatch.Message) {
	announces := m.Method == permission || m.Update == "tool_call"
	id, ok := callOf(m).Text("toolCallId")
	if !ok || !announces && m.Update != "tool_call_update" {
		return
	}
	a.conversation.Lock()
	isNew := a.add(m.Session, id, announces)
	a.conversation.Unlock()
	if isNew && !announces {
		m.Because("the agent did not announce this tool call (repair.tool_calls)")
		m.Replace(announce(m.Line))
	}
}

// callOf returns the tool call of an update or of a permission request, or nil.
func callOf(m *dispatch.Message) *wire.Object {
	if m.Method != permission { // many clients show the call because of the request
		return m.Params().Open("update")
	}
	o, _ := wire.Parse(m.Line, "params", "params.toolCall")
	return o.Open("params").Open("toolCall")
}

// announce returns an update of a tool call as its announcement. It removes members that are null:
// in an update they mean no change, but the schema does not allow them in an announcement.
func announce(line []byte) []byte {
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
