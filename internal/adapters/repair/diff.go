package repair

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Diffs is an adapter that adds a diff to tool calls that edit files, and keeps diffs. A later
// content of the call replaces the earlier one, so the diff is put in front of it until the turn or
// the load ends. A content with a diff stays as it is, and so does a failed call.
//
//   - Settles: You see JSON instead of a diff: the agent sends an edit only as the input of its
//     tool. Or you see the diff only for a moment: the result of the tool replaces it.
//   - For: Every client and agent.
//   - Keys: repair.diffs
//   - Seen: kimi-code 2.1.0, oh-my-pi 18.2.3, pi-acp 0.0.34
//   - Read: anomalyco/opencode#15517, tiann/hapi#575, mistralai/mistral-vibe#636
type Diffs struct {
	repair
	conversation *conversation.Conversation
	agentPath    func(path string) string
	sessions     *conversation.Slot[*conversation.Session, *edits]
}

// maxInput is the longest input that is shown as a diff, in bytes.
const maxInput = 4 << 20

// NewDiffs returns a Diffs adapter. AgentPath converts a path of the client to the agent's
// spelling, which diffs use.
func NewDiffs(c *conversation.Conversation, agentPath func(path string) string, isOn IsOn) *Diffs {
	return &Diffs{
		conversation: c, agentPath: agentPath, sessions: conversation.NewSlot[*conversation.Session, *edits](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Agent, Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Methods: []string{acp.SessionRequestPermission}, Sessions: true}),
	}
}

// Cares implements dispatch.Adapter: it needs only updates of edits.
func (a *Diffs) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || string(h.SessionUpdate) != acp.ToolCallUpdate || h.ToolCallID == nil {
		return dispatch.Yes
	}
	if s, _ := a.conversation.Find(string(h.SessionID)); a.find(s, string(h.ToolCallID)) != nil {
		return dispatch.Yes
	}
	return dispatch.No
}

// Observe implements dispatch.Observer. When a turn or a load ends, its completed edits are
// forgotten.
func (a *Diffs) Observe(e conversation.Event) {
	if e.Kind != conversation.RequestEnded || !e.Request.IsPrompt() && !e.Request.Opens() {
		return
	}
	s, _ := a.conversation.Find(e.Request.Session)
	if all, ok := a.sessions.Get(s); ok {
		all.list = slices.DeleteFunc(all.list, func(e *edit) bool { return e.isOver })
		a.sessions.Put(s, all, all.size())
	}
}

// find returns an edit of a session, or nil.
func (a *Diffs) find(s *conversation.Session, id string) *edit {
	all, _ := a.sessions.Get(s)
	return all.find(id)
}

// Handle implements dispatch.Adapter.
func (a *Diffs) Handle(m *dispatch.Message) {
	call := callOf(m)
	id, ok := call.Text("toolCallId")
	s, isKept := a.conversation.Find(m.Session)
	if !ok || !isKept || len(id) > maxID {
		return
	}
	all, hasEdits := a.sessions.Get(s)
	if kind, _ := call.Text("kind"); m.Update == acp.ToolCall { // it may reuse an id
		if all = all.without(id); kind == acp.KindEdit {
			all.list = append(all.list, &edit{id: id})
		}
	}
	e := all.find(id)
	if e != nil {
		content, why := e.next(call, a.diff(s, call.Raw("rawInput")))
		if content != nil {
			m.Because(why)
			m.Edit(call.Set(wire.Setting{Name: "content", Value: content})...)
		}
		all.trim()
	}
	if e != nil || hasEdits {
		a.sessions.Put(s, all, all.size())
	}
}

// diff returns the diff of an edit call as raw JSON, made from its input. A relative path is
// resolved in the session's first folder. An input may arrive in parts, each longer than the one
// before: each of them gets a diff.
//
// It returns nil if the input does not say what the file becomes, for example because the text may
// be appended to it. It also returns nil for inputs over maxInput.
func (a *Diffs) diff(s *conversation.Session, rawInput []byte) []byte {
	input, err := wire.Parse(rawInput)
	if err != nil || len(rawInput) > maxInput {
		return nil
	}
	file := first(input, "file_path", "filePath", "path", "filepath")
	before := first(input, "old_string", "oldString", "old_str", "oldText")
	var after []byte
	if before != nil {
		after = first(input, "new_string", "newString", "new_str", "newText")
	} else if isWhole(input) {
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
		file = wire.Quote(nil, path.Join(a.agentPath(s.Roots[0]), name))
	}
	b := fmt.Appendf(nil, `{"type":"diff","path":%s`, file)
	if before != nil {
		b = fmt.Appendf(b, `,"oldText":%s`, before)
	}
	return fmt.Appendf(b, `,"newText":%s}`, after)
}

// isWhole reports whether the content of an input certainly replaces the whole file.
func isWhole(input *wire.Object) bool {
	return !slices.ContainsFunc(input.Members, func(m wire.Member) bool {
		switch m.Name {
		case "file_path", "filePath", "path", "filepath", "content", "description":
			return false
		case "overwrite":
			return string(input.Raw(m.Name)) != "true"
		case "mode":
			return string(input.Raw(m.Name)) != `"overwrite"`
		}
		return true
	})
}

// first returns the raw value of the first member that is a string, or nil.
func first(o *wire.Object, names ...string) []byte {
	for _, name := range names {
		if raw := o.Raw(name); wire.IsString(raw) {
			return raw
		}
	}
	return nil
}

// isAbsolute reports whether a path is absolute on Unix or on Windows.
func isAbsolute(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\\`) || len(name) > 2 && name[1] == ':'
}
