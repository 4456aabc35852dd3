package repair

import (
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Diffs is an adapter that adds a diff to tool calls that edit files.
//
//   - Settles: You see JSON instead of a diff: the agent sends an edit only as the input of its
//     tool.
//   - For: Every client and agent.
//   - Keys: repair.diffs
//   - Read: anomalyco/opencode#15517, tiann/hapi#575, mistralai/mistral-vibe#636
type Diffs struct {
	repair
	conversation *conversation.Conversation
	agentPath    func(path string) string
	sessions     *conversation.Slot[*conversation.Session, edits]
}

// edits are the pending edit calls of a session that have no content of the agent. By id, they hold
// the checksum of the last diff that was added, or 0. The conversation's lock protects them.
type edits map[string]uint32

// maxInput is the longest input that is shown as a diff, in bytes.
const maxInput = 4 << 20

// NewDiffs returns a Diffs adapter. AgentPath converts a path of the client to the agent's
// spelling, which diffs use.
func NewDiffs(c *conversation.Conversation, agentPath func(path string) string, isOn IsOn) *Diffs {
	return &Diffs{
		conversation: c, agentPath: agentPath, sessions: conversation.NewSlot[*conversation.Session, edits](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Agent, Updates: []string{"tool_call", "tool_call_update"}, Sessions: true}),
	}
}

// Cares implements dispatch.Adapter: it needs only updates of edits without content.
func (a *Diffs) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || string(h.SessionUpdate) != "tool_call_update" || h.ToolCallID == nil {
		return dispatch.Yes
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, _ := a.conversation.Find(string(h.SessionID))
	open, _ := a.sessions.Get(s)
	if _, isOpen := open[string(h.ToolCallID)]; isOpen {
		return dispatch.Yes
	}
	return dispatch.No
}

// Handle implements dispatch.Adapter.
func (a *Diffs) Handle(m *dispatch.Message) {
	update := m.Params().Open("update")
	id, ok := update.Text("toolCallId")
	if !ok {
		return
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.Find(m.Session)
	open, _ := a.sessions.Get(s)
	shown, isOpen := open[id]
	if kind, _ := update.Text("kind"); kind == "edit" && m.Update == "tool_call" { // it may reuse an id
		shown, isOpen = 0, true
	}
	if !ok || !isOpen || len(id) > maxID {
		return
	}
	content, _ := wire.Elements(update.Raw("content"))
	diff := a.diff(s, update.Raw("rawInput"))
	if sum := crc32.ChecksumIEEE(diff); len(content) == 0 && diff != nil && shown != sum {
		shown = sum
		m.Because("the tool's input is an edit, so acpshim adds it as a diff (repair.diffs)")
		m.Edit(update.Set(wire.Setting{Name: "content", Value: diff})...)
	}
	if status, _ := update.Text("status"); len(content) > 0 || status == "completed" || status == "failed" {
		delete(open, id)
	} else if open == nil {
		open = edits{id: shown}
	} else {
		open[id] = shown
	}
	a.sessions.Put(s, open, len(open)*(80+maxID))
}

// diff returns the content of an edit call as raw JSON, made from its input. A relative path is
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
	b := fmt.Appendf(nil, `[{"type":"diff","path":%s`, file)
	if before != nil {
		b = fmt.Appendf(b, `,"oldText":%s`, before)
	}
	return fmt.Appendf(b, `,"newText":%s}]`, after)
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
