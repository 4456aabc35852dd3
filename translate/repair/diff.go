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

// Diffs is an adapter that shows edits as diffs.
//
//   - Settles: An agent sends an edit only as the JSON of its tool's input, without a diff; the
//     client shows that JSON.
//   - For: Every client and agent.
//   - Keys: repair.diffs
//   - Read: anomalyco/opencode#15517, tiann/hapi#575, mistralai/mistral-vibe#636
type Diffs struct {
	repair
	conversation *conversation.Conversation
	agentPath    func(path string) string
	sessions     *conversation.Slot[*conversation.Session, edits]
}

// Edits are the tool calls of a session that edit files, have not ended, and have no content of the
// agent: by their ids, the checksums of the diffs that were added last. The conversation's lock
// protects them.
type edits map[string]uint32

// maxInput bounds the input of an edit that is shown, in bytes.
const maxInput = 4 << 20

// NewDiffs returns a Diffs adapter. AgentPath spells a path of the client as the agent does: its
// diffs have paths as the agent's own have.
func NewDiffs(c *conversation.Conversation, agentPath func(path string) string, isOn IsOn) *Diffs {
	return &Diffs{
		conversation: c, agentPath: agentPath, sessions: conversation.NewSlot[*conversation.Session, edits](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Agent, Updates: []string{"tool_call", "tool_call_update"}, Sessions: true}),
	}
}

// Cares implements dispatch.Adapter: of updates only those of edits without content are needed.
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
	if kind, _ := update.Text("kind"); kind == "edit" && m.Update == "tool_call" { // it may use an id again
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

// diff returns the content of an edit's tool call, made of its input. It is nil if the input does
// not say what the file becomes, as where a text may be meant to be appended, or is too long to be
// sent twice. A relative path is taken as one in the session's first folder. An input may arrive in
// parts, each longer: each is shown.
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

// isWhole reports whether an input has nothing but a path and a text, or says that this replaces
// all of the file.
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
