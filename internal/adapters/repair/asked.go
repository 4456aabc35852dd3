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

// AskedCalls are the tool calls that ToolCalls has announced before their permission requests. If
// the agent announces such a call later, that becomes an update. If the agent never ends the call,
// it ends with the turn: as completed if the user gave permission, otherwise as failed.
//
//   - Settles: A permission request never appears, and the turn hangs: the client shows the request
//     inside of its tool call, and the agent never announced that call.
//   - For: Clients such as Zed.
//   - Keys: repair.asked_calls
//   - Seen: gemini-cli 0.61.0
//   - Read: zed-industries/zed#62788, zed-industries/zed#56535
type AskedCalls struct {
	conversation *conversation.Conversation
	open         *conversation.Slot[*conversation.Session, openCalls]
	asks         *conversation.Slot[*conversation.Request, askedCall]
}

// openCalls are these calls as long as they have not ended. By id, they hold the status that a call
// ends with.
type openCalls map[string]string

// An askedCall is such a call while its permission request is pending.
type askedCall struct {
	id     string
	allows []string // the ids of the options that give permission
}

// maxOpen is the maximum of openCalls for a session.
const maxOpen = 64

func newAskedCalls(c *conversation.Conversation) *AskedCalls {
	return &AskedCalls{
		conversation: c,
		open:         conversation.NewSlot[*conversation.Session, openCalls](c),
		asks:         conversation.NewSlot[*conversation.Request, askedCall](c),
	}
}

// ask notes the call of a permission request, which is to be announced. It reports false if there
// is no room.
func (a *AskedCalls) ask(m *dispatch.Message, id string) bool {
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	s, isKept := a.conversation.Find(m.Session)
	of, _ := a.open.Get(s)
	if of == nil {
		of = openCalls{}
	}
	if r == nil || !isKept || len(of) == maxOpen {
		return false
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
		return false
	}
	return true
}

// asPending returns the tool call of a permission request as an update, with a status.
func asPending(about []byte) []byte {
	o, _ := wire.Parse(about)
	settings := []wire.Setting{{Name: "sessionUpdate", Value: []byte(`"tool_call_update"`)}}
	if !wire.IsString(o.Raw("status")) {
		settings = append(settings, wire.Setting{Name: "status", Value: []byte(`"pending"`)})
	}
	return wire.Splice(nil, about, o.Set(settings...)...)
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

// isOpen reports whether a call has not ended.
func (a *AskedCalls) isOpen(session, id string) bool {
	s, _ := a.conversation.Find(session)
	of, _ := a.open.Get(s)
	_, isOpen := of[id]
	return isOpen
}

// ended notes that the agent ends a call itself.
func (a *AskedCalls) ended(session, id string) {
	if a.isOpen(session, id) {
		s, _ := a.conversation.Find(session)
		of, _ := a.open.Get(s)
		delete(of, id)
		a.keep(s, of)
	}
}

// end ends the calls that the agent did not end, when the last prompt of their session ends.
// Ended notes that a call ends, and returns the id under which the client knows it.
func (a *AskedCalls) end(m *dispatch.Message, ended func(session, id string) string) {
	if m.Request == nil || !m.Request.IsPrompt() {
		return
	}
	s, _ := a.conversation.Find(m.Request.Session)
	of, _ := a.open.Get(s)
	if !a.conversation.IsLastPrompt(m.Request) {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		update := fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"status":"%s"}`, wire.Quote(nil, ended(s.ID, id)), of[id])
		m.Because(whyNotEnded)
		m.Before(wire.SessionUpdate(m.Request.Session, update))
	}
	a.open.Delete(s)
}
