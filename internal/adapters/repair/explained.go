package repair

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Explanations is an adapter that adds the title and the description in a permission request's
// _meta.permission to the content of its tool call, as text. A request replaces the content that
// the call had, so the text comes after that. If that is not known, the request stays as it is.
//
//   - Settles: You do not see why you are asked: the agent explains a permission request only in
//     _meta.permission, which few clients read.
//   - For: claude-agent-acp since 0.71, codex-acp since 1.7.
//   - Keys: repair.permission_reasons
//   - Read: mrmans0n/alas#1374, mrmans0n/alas#1365, agentclientprotocol/claude-agent-acp#1004,
//     agentclientprotocol/codex-acp#405
type Explanations struct {
	repair
	conversation *conversation.Conversation
	contents     *conversation.Slot[*conversation.Session, *callContents]
}

// callContents are the contents of the calls that have some and have not ended. A nil content is
// too long to be kept.
type callContents struct {
	kept map[string][]byte // by the id of the call
	size int               // about how many bytes they take
}

// put sets the content of a call.
func (c *callContents) put(id string, content []byte) {
	c.delete(id)
	c.kept[id] = content
	c.size += 96 + len(id) + len(content)
}

// delete removes the content of a call, if there is one.
func (c *callContents) delete(id string) {
	if c == nil {
		return
	}
	if content, isKept := c.kept[id]; isKept {
		delete(c.kept, id)
		c.size -= 96 + len(id) + len(content)
	}
}

// maxContents is the maximum of the contents of a session, in bytes.
const maxContents = 1 << 20

// NewExplanations returns an Explanations adapter.
func NewExplanations(c *conversation.Conversation, isOn IsOn) *Explanations {
	return &Explanations{
		conversation: c, contents: conversation.NewSlot[*conversation.Session, *callContents](c),
		repair: newRepair(isOn, dispatch.Want{
			From: dispatch.Agent, Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Methods: []string{acp.SessionRequestPermission}, Sessions: true}),
	}
}

// Handle implements dispatch.Adapter.
func (a *Explanations) Handle(m *dispatch.Message) {
	about := callOf(m)
	id, _ := about.Text("toolCallId")
	s, _ := a.conversation.Find(m.Session)
	of, _ := a.contents.Get(s)
	switch {
	case m.Method == acp.SessionRequestPermission && about != nil:
		a.explain(m, about, of, id)
	case m.Update != "" && s != nil && id != "":
		a.note(m, s, of, id)
	}
}

// note notes the content of a call.
func (a *Explanations) note(m *dispatch.Message, s *conversation.Session, of *callContents, id string) {
	update := m.Params().Open("update")
	status, _ := update.Text("status")
	content := update.Raw("content")
	list, isList := wire.Elements(content)
	switch {
	case acp.IsOver(status) || m.Update == acp.ToolCall && wire.IsAbsent(content) || isList && len(list) == 0:
		of.delete(id)
	case wire.IsAbsent(content):
		return
	default:
		if of == nil {
			of = &callContents{kept: map[string][]byte{}}
		}
		if of.put(id, bytes.Clone(content)); of.size > maxContents {
			of.put(id, nil)
		}
	}
	if of != nil && of.size > 0 {
		a.contents.Put(s, of, of.size)
	} else {
		a.contents.Delete(s)
	}
}

// explain adds the explanation of a permission request to its call.
func (a *Explanations) explain(m *dispatch.Message, about *wire.Object, of *callContents, id string) {
	meta, _ := wire.Parse(wire.Pointer{"params", "_meta", "permission"}.Raw(m.Line))
	content := about.Raw("content")
	if wire.IsAbsent(content) {
		content = []byte("[]")
		if of != nil {
			if kept, isKept := of.kept[id]; isKept {
				content = kept
			}
		}
	}
	list, isList := wire.Elements(content)
	if meta == nil || !isList {
		return
	}
	shown, _ := about.Text("title")
	for _, element := range list {
		o, _ := wire.Parse(element)
		shown += "\n" + textOf(o.Raw("content"))
	}
	var texts []string
	for _, name := range []string{"title", "description"} {
		if text, _ := meta.Text(name); strings.TrimSpace(text) != "" && !strings.Contains(shown, text) && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	text := wire.Quote(nil, strings.Join(texts, "\n\n"))
	if len(texts) == 0 || !a.Charge(dispatch.Agent, len(content)+len(text)) {
		return
	}
	m.Because(whyExplained)
	list = append(list, fmt.Appendf(nil, `{"type":"content","content":{"type":"text","text":%s}}`, text))
	m.Edit(about.Set(wire.Setting{Name: "content", Value: wire.List(list)})...)
}
