package repair

import (
	"path"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Diffs is an adapter that shows edits as diffs.
//
//   - Settles: An agent sends an edit only as the JSON of its tool's input, without a diff; the client
//     shows that JSON.
//   - For: Every client and agent.
//   - Keys: repair.diffs
//   - Read: anomalyco/opencode#15517, tiann/hapi#575, mistralai/mistral-vibe#636
type Diffs struct {
	repair
	conversation *conversation.Conversation
	open         map[*conversation.Session]map[string]bool // ids of edits: true without a diff; under the conversation's lock
}

// NewDiffs returns a Diffs adapter.
func NewDiffs(c *conversation.Conversation, isOn IsOn) *Diffs {
	return &Diffs{
		conversation: c, open: map[*conversation.Session]map[string]bool{},
		repair: repair{isOn: isOn, wants: []dispatch.Want{
			{From: dispatch.Agent, Updates: []string{"tool_call", "tool_call_update"}, Sessions: true},
		}},
	}
}

// Observe implements dispatch.Adapter.
func (a *Diffs) Observe(e conversation.Event) {
	a.repair.Observe(e)
	if e.Kind == conversation.SessionRemoved {
		delete(a.open, e.Session)
	}
}

// Cares implements dispatch.Adapter: of updates only those of edits without a diff are needed.
func (a *Diffs) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || string(h.SessionUpdate) != "tool_call_update" || h.ToolCallID == nil {
		return dispatch.Yes
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.Find(string(h.SessionID))
	isOpen, isKnown := a.open[s][string(h.ToolCallID)]
	switch {
	case ok && isOpen:
		return dispatch.Yes
	case ok && isKnown:
		return dispatch.Never
	}
	return dispatch.No
}

// Handle implements dispatch.Adapter.
func (a *Diffs) Handle(m *dispatch.Message) {
	update := m.Params().Open("update")
	id, ok := update.Text("toolCallId")
	if !ok || m.Update != "tool_call" && m.Update != "tool_call_update" {
		return
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.Find(m.Session)
	isOpen := a.open[s][id]
	if kind, _ := update.Text("kind"); kind == "edit" && m.Update == "tool_call" {
		isOpen = true
	}
	if !ok || !isOpen || len(id) > maxCallID || len(a.open[s]) == maxCalls {
		return
	}
	content, _ := wire.Elements(update.Raw("content"))
	diff := a.diff(s, update.Raw("rawInput"))
	if a.open[s] == nil {
		a.open[s] = map[string]bool{}
	}
	if _, isKnown := a.open[s][id]; !isKnown {
		a.conversation.Weigh(s, 64+len(id))
	}
	if a.open[s] != nil { // the session is still kept
		a.open[s][id] = len(content) == 0 && diff == nil
	}
	if len(content) == 0 && diff != nil {
		m.Edit(update.Set(wire.Setting{Name: "content", Value: diff})...)
	}
}

// diff returns the content of an edit's tool call by its input; nil if that does not tell it. A
// path is taken as of the session's first folder if it is of none.
func (a *Diffs) diff(s *conversation.Session, rawInput []byte) []byte {
	input, err := wire.Parse(rawInput)
	if err != nil {
		return nil
	}
	file := first(input, "file_path", "filePath", "path", "filepath")
	before := first(input, "old_string", "oldString", "old_str", "oldText")
	after := first(input, "new_string", "newString", "new_str", "newText")
	if before == nil {
		after = first(input, "content")
	}
	name, _ := wire.Text(file)
	if name == "" || after == nil {
		return nil
	}
	if !isAbsolute(name) {
		if len(s.Roots) == 0 {
			return nil
		}
		file = wire.Quote(nil, path.Join(s.Roots[0], name))
	}
	b := append([]byte(`[{"type":"diff","path":`), file...)
	if before != nil {
		b = append(append(b, `,"oldText":`...), before...)
	}
	return append(append(append(b, `,"newText":`...), after...), "}]"...)
}

// first returns the first of some members that is a string, as it stands there; nil if none is.
func first(o *wire.Object, names ...string) []byte {
	for _, name := range names {
		if raw := o.Raw(name); wire.IsString(raw) {
			return raw
		}
	}
	return nil
}

// isAbsolute reports whether a path is one on Unix or on Windows.
func isAbsolute(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\\`) || len(name) > 2 && name[1] == ':'
}
