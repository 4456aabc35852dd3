package repair

import (
	"fmt"
	"maps"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// AskedCalls is an adapter that announces the tool call of a permission request before the request.
// If the agent announces the call later, that becomes an update. If the agent never ends the call,
// the adapter ends it with the turn: as completed if the user gave permission, otherwise as failed.
//
//   - Settles: A permission request never appears, and the turn hangs: the client shows the request
//     inside of its tool call, and the agent never announced that call.
//   - For: Clients such as Zed.
//   - Keys: repair.asked_calls
//   - Seen: gemini-cli 0.61.0
//   - Read: zed-industries/zed#62788, zed-industries/zed#56535
type AskedCalls struct {
	repair
	announcements
	open *conversation.Slot[*conversation.Session, openCalls]
	asks *conversation.Slot[*conversation.Request, askedCall]
}

// openCalls are the calls that the adapter has announced and that have not ended. By id, they hold
// the status that a call ends with.
type openCalls map[string]string

// An askedCall is such a call while its permission request is pending.
type askedCall struct {
	id     string
	allows []string // the ids of the options that give permission
}

// maxOpen is the maximum of openCalls for a session.
const maxOpen = 64

// NewAskedCalls returns an AskedCalls adapter.
func NewAskedCalls(c *conversation.Conversation, isOn IsOn) *AskedCalls {
	return &AskedCalls{
		announcements: announcements{newIDs(c)},
		open:          conversation.NewSlot[*conversation.Session, openCalls](c),
		asks:          conversation.NewSlot[*conversation.Request, askedCall](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Client, Responses: []string{acp.SessionRequestPermission}},
			dispatch.Want{
				From: dispatch.Agent, Sessions: true, Methods: []string{acp.SessionRequestPermission},
				Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Responses: []string{acp.SessionPrompt},
			}),
	}
}

// Handle implements dispatch.Adapter.
func (a *AskedCalls) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client:
		a.answered(m)
	case m.Method == acp.SessionRequestPermission:
		a.ask(m)
	case m.Kind == dispatch.Response:
		a.end(m)
	case m.Update == acp.ToolCall || m.Update == acp.ToolCallUpdate:
		a.update(m)
	}
}

// ask announces the call of a permission request, unless the client may know the call.
func (a *AskedCalls) ask(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	call := callOf(m)
	id, ok := call.Text("toolCallId")
	s, isKept := a.conversation.Find(m.Session)
	if r == nil || !ok || !isKept || !a.add(m.Session, id, true) {
		return
	}
	of, _ := a.open.Get(s)
	if of == nil {
		of = openCalls{}
	}
	if len(of) == maxOpen {
		return
	}
	asked, weight := askedCall{id: id}, len(id)
	options, _ := wire.Elements(m.Params().Raw("options"))
	for _, raw := range options {
		o, _ := wire.Parse(raw)
		kind, _ := o.Text("kind")
		if option, ok := o.Text("optionId"); ok && (kind == acp.AllowOnce || kind == acp.AllowAlways) {
			asked.allows, weight = append(asked.allows, option), weight+16+len(option)
		}
	}
	if of[id] = acp.StatusFailed; !a.asks.Put(r, asked, weight) || !a.keep(s, of) {
		delete(of, id)
		return
	}
	a.announce(m.Session, id)
	raw := m.Line[call.Start:call.End]
	o, _ := wire.Parse(raw)
	settings := []wire.Setting{{Name: "sessionUpdate", Value: []byte(`"tool_call_update"`)}}
	if !wire.IsString(o.Raw("status")) {
		settings = append(settings, wire.Setting{Name: "status", Value: []byte(`"pending"`)})
	}
	m.Because(whyNotAnnounced)
	m.Before(announcement(wire.SessionUpdate(m.Session, wire.Splice(nil, raw, o.Set(settings...)...))))
}

func (a *AskedCalls) keep(s *conversation.Session, of openCalls) bool {
	size := 0
	for id := range of {
		size += 96 + len(id)
	}
	return a.open.Put(s, of, size)
}

// answered records that a call ends as completed if the user gave permission.
func (a *AskedCalls) answered(m *dispatch.Message) {
	if m.Request == nil {
		return
	}
	o, _ := wire.Parse(m.Line, "result", "result.outcome")
	option, _ := o.Open("result").Open("outcome").Text("optionId")
	s, _ := a.conversation.Find(m.Request.Session)
	of, _ := a.open.Get(s)
	if asked, ok := a.asks.Get(m.Request); ok && of[asked.id] == acp.StatusFailed && slices.Contains(asked.allows, option) {
		of[asked.id] = acp.StatusCompleted
	}
}

// update records that the agent announces or ends a call itself.
func (a *AskedCalls) update(m *dispatch.Message) {
	update := m.Params().Open("update")
	id, _ := update.Text("toolCallId")
	status, _ := update.Text("status")
	if a.repeats(m, id) {
		m.Because(whyAskedBefore)
		m.Edit(asUpdate(m)...)
	}
	a.add(m.Session, id, true)
	s, _ := a.conversation.Find(m.Session)
	of, _ := a.open.Get(s)
	if _, isOpen := of[id]; isOpen && (status == acp.StatusCompleted || status == acp.StatusFailed) {
		delete(of, id)
		a.keep(s, of)
	}
}

// end ends the calls that the agent did not end, when the last prompt of their session ends.
func (a *AskedCalls) end(m *dispatch.Message) {
	if m.Request == nil || !m.Request.IsPrompt() {
		return
	}
	s, _ := a.conversation.Find(m.Request.Session)
	of, _ := a.open.Get(s)
	if !a.conversation.IsLastPrompt(m.Request) {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		update := fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"status":"%s"}`, wire.Quote(nil, id), of[id])
		m.Because(whyNotEnded)
		m.Before(wire.SessionUpdate(m.Request.Session, update))
	}
	a.open.Delete(s)
}
