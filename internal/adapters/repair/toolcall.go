package repair

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// CallSettings say how tool calls are announced. The zero value changes nothing.
type CallSettings struct {
	Announce bool // once: the first message about a call announces it, and later ones update it
	Asked    bool // before a permission request
	NewIDs   bool // with a new id if the agent uses that of a call that has ended
}

// ToolCalls is an adapter that lets a client get exactly one announcement of each tool call, before
// its updates. The first update of an unknown call becomes its announcement. If only a permission
// request has described the call, the announcement has what the request said. A second announcement
// of a call that has not ended becomes an update.
//
//   - Settles: A tool call is missing, appears twice, or an error appears instead: the agent
//     updates a call before it announces it, never announces it, or announces it twice.
//   - For: Every client and agent.
//   - Keys: repair.tool_calls
//   - Seen: cline 3.0.65, gemini-cli 0.61.0
//   - Read: zed-industries/zed#61667, google-gemini/gemini-cli#21783,
//     agentclientprotocol/claude-agent-acp#122
type ToolCalls struct {
	dispatch.Switched[CallSettings]
	announcements
	asked *AskedCalls
}

// NewToolCalls returns a ToolCalls adapter.
func NewToolCalls(c *conversation.Conversation, settings func(client, agent conversation.Implementation) CallSettings) *ToolCalls {
	return &ToolCalls{
		Switched:      dispatch.Switched[CallSettings]{For: settings},
		announcements: announcements{newIDs[call](c)},
		asked:         newAskedCalls(c),
	}
}

// Name implements dispatch.Adapter.
func (*ToolCalls) Name() string { return "repair" }

// Wants implements dispatch.Adapter.
func (a *ToolCalls) Wants() []dispatch.Want {
	if a.On == (CallSettings{}) {
		return nil
	}
	wants := []dispatch.Want{
		{From: dispatch.Agent, Updates: []string{acp.ToolCall}, Methods: []string{acp.SessionRequestPermission}, Sessions: true},
		{From: dispatch.Agent, Updates: []string{acp.ToolCallUpdate}, Statuses: true},
	}
	if a.On.Asked {
		wants = append(wants,
			dispatch.Want{From: dispatch.Client, Responses: []string{acp.SessionRequestPermission}},
			dispatch.Want{From: dispatch.Agent, Responses: []string{acp.SessionPrompt}})
	}
	if a.On.NewIDs {
		wants = append(wants,
			dispatch.Want{From: dispatch.Agent, Methods: []string{"*"}},
			dispatch.Want{From: dispatch.Agent, Updates: []string{acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.UserMessageChunk}, Text: `"parentTool`})
	}
	return wants
}

// Cares implements dispatch.Adapter. Updates of known calls can be large and are not needed: their
// status is usually in the head.
func (a *ToolCalls) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || h.ToolCallID == nil || h.SessionID == nil || string(h.SessionUpdate) != acp.ToolCallUpdate {
		return a.caresForOther(h, r)
	}
	session, id := string(h.SessionID), string(h.ToolCallID)
	s, all := a.of(session, false)
	if s == nil {
		return dispatch.No
	}
	is, isKnown := all.known[id]
	isRead := h.Status != nil || h.IsWhole
	if !isKnown || is.isAsked || !isRead && a.asked.isOpen(session, id) || a.On.NewIDs && (all.renamed > 0 || !isRead) {
		return dispatch.Yes
	}
	if is.note(string(h.Status), isRead); acp.IsOver(string(h.Status)) {
		a.asked.ended(session, id)
	}
	return dispatch.No
}

// caresForOther is Cares for what is not an update of a call.
func (a *ToolCalls) caresForOther(h wire.Head, r *conversation.Request) dispatch.Care {
	if r == nil && h.SessionUpdate == nil && isOfClient(string(h.Method)) {
		return dispatch.No
	}
	return dispatch.Yes
}

// isOfClient reports whether a method is about the files or the terminals of the client, and so
// names no call.
func isOfClient(method string) bool {
	return slices.Contains([]string{acp.FSReadTextFile, acp.FSWriteTextFile, acp.TerminalCreate, acp.TerminalOutput,
		acp.TerminalWaitForExit, acp.TerminalKill, acp.TerminalRelease}, method)
}

// Handle implements dispatch.Adapter.
func (a *ToolCalls) Handle(m *dispatch.Message) {
	m.Because(whyNewID)
	switch {
	case m.From == dispatch.Client:
		a.asked.answered(m)
	case m.Kind == dispatch.Response:
		a.asked.end(m, a.ended)
	case m.Method == acp.SessionRequestPermission:
		a.ask(m)
	case m.Update == acp.ToolCall:
		a.announced(m)
	case m.Update == acp.ToolCallUpdate:
		a.updated(m)
	default:
		m.Edit(a.newIDs(m, m.Line)...)
	}
}

// Unread implements dispatch.UnreadHandler: the client knows the call of an announcement that
// acpshim cannot read. The status of the call is unknown.
func (a *ToolCalls) Unread(m *dispatch.Message, _ error) {
	if m.From != dispatch.Agent || a.On == (CallSettings{}) {
		return
	}
	h, _ := wire.PeekHead(m.Line[:min(len(m.Line), wire.HeadSize)], func(h wire.Head) bool {
		return h.SessionID != nil && h.ToolCallID != nil && h.SessionUpdate != nil
	})
	session, id := string(h.SessionID), string(h.ToolCallID)
	is := a.find(session, id, true)
	if string(h.SessionUpdate) == acp.ToolCall && id != "" {
		if is == nil {
			is = a.add(session, id, true)
		}
		a.begin(session, is, 0)
	}
	is.note("", false)
}

// announced handles a tool_call.
func (a *ToolCalls) announced(m *dispatch.Message) {
	update := callOf(m)
	id, ok := update.Text("toolCallId")
	if !ok {
		return
	}
	is := a.find(m.Session, id, true)
	var edits []wire.Edit
	switch {
	case is == nil:
		is = a.add(m.Session, id, true)
		a.begin(m.Session, is, 0)
	case a.On.NewIDs && a.isOver(m.Session, is):
		a.begin(m.Session, is, a.unused(m.Session, id, is))
	case is.by.Code != "":
		m.Because(is.by)
		edits, is.by = asUpdate(update), wire.Reason{}
	case a.On.Announce && a.isOpen(m.Session, is):
		m.Because(whyCallAgain)
		edits = asUpdate(update)
	default:
		a.begin(m.Session, is, is.number())
	}
	a.noteStatus(m, id, is)
	m.Edit(append(edits, a.newIDs(m, m.Line)...)...)
}

// updated handles a tool_call_update.
func (a *ToolCalls) updated(m *dispatch.Message) {
	id, ok := callOf(m).Text("toolCallId")
	if !ok {
		return
	}
	is := a.find(m.Session, id, false)
	isAnnounced := is != nil && !is.isAsked
	if is == nil {
		is = a.add(m.Session, id, false)
		a.begin(m.Session, is, 0)
	}
	if is == nil || isAnnounced || !a.On.Announce {
		a.noteStatus(m, id, is)
		m.Edit(a.newIDs(m, m.Line)...)
		return
	}
	asked := is.asked
	m.Because(whyCall)
	if is.by = whyCallBefore; asked != nil {
		m.Because(whyAskedCall)
	}
	if !a.Charge(dispatch.Agent, len(asked)) {
		asked = nil
	}
	line := announcement(m.Line, asked)
	m.Replace(wire.Splice(nil, line, a.newIDs(m, line)...))
	a.noteStatus(m, id, is)
}

// noteStatus notes the status of a call in an update, and that the call is announced.
func (a *ToolCalls) noteStatus(m *dispatch.Message, id string, is *call) {
	status, _ := callOf(m).Text("status")
	is.note(status, true)
	if acp.IsOver(status) {
		a.asked.ended(m.Session, id)
	}
	a.forgetAsked(m.Session, is)
}

// ask handles a permission request. Many clients show a call because of its request, others only
// because of an announcement. So the call is announced now, or with its first update.
func (a *ToolCalls) ask(m *dispatch.Message) {
	about := callOf(m)
	id, ok := about.Text("toolCallId")
	if !ok {
		return
	}
	is := a.find(m.Session, id, true)
	isNew := is == nil
	switch {
	case isNew:
		is = a.add(m.Session, id, true)
		a.begin(m.Session, is, 0)
	case a.On.NewIDs && !a.goesOn(m.Session, is) && a.isOver(m.Session, is):
		isNew = true
		a.begin(m.Session, is, a.unused(m.Session, id, is))
	}
	if isNew && is != nil && a.On.Asked && a.asked.ask(m, id) {
		is.by = whyAskedBefore
		m.Because(whyNotAnnounced)
		line := announcement(wire.SessionUpdate(m.Session, asPending(m.Line[about.Start:about.End])), nil)
		m.Before(wire.Splice(nil, line, a.newIDs(m, line)...))
	} else if is != nil && a.On.Announce && (isNew || is.isAsked) {
		a.keepAsked(m.Session, is, m.Line[about.Start:about.End])
	}
	m.Edit(a.newIDs(m, m.Line)...)
}

// callOf returns the tool call of an update or of a permission request, or nil.
func callOf(m *dispatch.Message) *wire.Object {
	if m.Method != acp.SessionRequestPermission {
		return m.Params().Open("update")
	}
	o, _ := wire.Parse(m.Line, "params", "params.toolCall")
	return o.Open("params").Open("toolCall")
}

// announcement returns an update of a tool call as its announcement, with what a permission request
// has said of the call. It removes members that are null: in an update they mean no change, but the
// schema does not allow them in an announcement.
func announcement(line, asked []byte) []byte {
	for _, name := range []string{"kind", "status", "content", "locations"} {
		if string(wire.Pointer{"params", "update", name}.Raw(line)) == "null" {
			line = wire.Without(line, "params", "update", name)
		}
	}
	o, _ := wire.Parse(line, "params", "params.update")
	update := o.Open("params").Open("update")
	settings := []wire.Setting{{Name: "sessionUpdate", Value: []byte(`"tool_call"`)}}
	title, kind := update.Raw("title"), update.Raw("kind")
	for _, member := range members(asked) {
		switch {
		case !wire.IsAbsent(update.Raw(member.Name)):
			continue
		case member.Name == "kind":
			kind = member.Value
		case member.Name == "title":
			title = member.Value
			continue
		}
		settings = append(settings, member)
	}
	switch { // the schema requires a title
	case wire.IsString(title):
	case wire.IsString(kind):
		title = kind
	default:
		title = []byte(`"Tool call"`)
	}
	if !wire.IsString(update.Raw("title")) {
		settings = append(settings, wire.Setting{Name: "title", Value: title})
	}
	return wire.Splice(nil, line, update.Set(settings...)...)
}

// asUpdate returns the edit that turns the announcement of a tool call into an update, which has
// the same members.
func asUpdate(update *wire.Object) []wire.Edit {
	return update.Set(wire.Setting{Name: "sessionUpdate", Value: []byte(`"tool_call_update"`)})
}
