package repair

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// MessageBreaks is an adapter that puts a blank line between two messages of the agent, if nothing
// that clients show comes between them. It leaves the pieces of one message as they are, also if
// another message comes between them.
//
// Few agents use message ids, so it looks for them only at the beginning of a session. When an
// agent has sent one, the heads of all its messages are read up to the id.
//
//   - Settles: Two messages of the agent are shown as one, such as "All done.**Warning:** ...".
//     Only their ids tell them apart, and the client does not know ids.
//   - For: Clients that do not know message ids. All but Zed and agent-shell.
//   - Keys: repair.message_breaks
//   - Seen: claude-agent-acp 0.101.0, acpx 0.19.1, Jupyter AI 0.3.3
//   - Read: formulahendry/vscode-acp#56, mrmans0n/alas#612, zed-industries/zed#59927
type MessageBreaks struct {
	repair
	conversation *conversation.Conversation
	sessions     *conversation.Slot[*conversation.Session, *speech]
	usesIDs      bool // the agent has sent the id of a message
}

// A speech is what the agent has said last in a session.
type speech struct {
	kind, id string   // of the last piece; kind is "" if something else came after it. A long id is cut.
	newlines int      // at the end of the last message, as far as they are known
	ids      []string // of the turn's messages
	unnamed  int      // pieces without an id
}

const (
	maxUnnamed  = 64 // pieces of a session in which an id is looked for
	maxMessages = 64 // messages of a turn
)

// NewMessageBreaks returns a MessageBreaks adapter.
func NewMessageBreaks(c *conversation.Conversation, isOn IsOn) *MessageBreaks {
	return &MessageBreaks{repair: newRepair(isOn), conversation: c, sessions: conversation.NewSlot[*conversation.Session, *speech](c)}
}

// Wants implements dispatch.Adapter.
func (a *MessageBreaks) Wants() []dispatch.Want {
	if !a.On {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Agent, Updates: []string{acp.AgentMessageChunk, acp.AgentThoughtChunk}, Messages: a.usesIDs, Sessions: true},
		{From: dispatch.Agent, Updates: []string{acp.UserMessageChunk, acp.ToolCall, acp.Plan, acp.PlanUpdate, acp.PlanRemoved}},
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *MessageBreaks) Negotiated(r *conversation.Request) {
	a.repair.Negotiated(r)
	a.usesIDs = false
}

// Observe implements dispatch.Observer. A prompt comes between two messages.
func (a *MessageBreaks) Observe(e conversation.Event) {
	if e.Kind == conversation.RequestBegan && e.Request.IsPrompt() {
		s, _ := a.conversation.Find(e.Request.Session)
		if of, ok := a.sessions.Get(s); ok {
			of.kind, of.ids = "", nil
			if a.usesIDs {
				a.conversation.ChangeWants() // Cares is called again
			}
		}
	}
}

// Cares implements dispatch.Adapter. It needs the first piece of a message.
func (a *MessageBreaks) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if h.SessionUpdate == nil {
		return dispatch.Yes
	}
	s, ok := a.conversation.Find(string(h.SessionID))
	of, isKnown := a.sessions.Get(s)
	switch kind := string(h.SessionUpdate); {
	case h.SessionID == nil && !a.usesIDs:
		return dispatch.Never
	case !ok, !isPiece(kind) && (!isKnown || of.kind == ""):
		return dispatch.No
	case !isPiece(kind), !isKnown:
		return dispatch.Yes
	case !a.usesIDs && of.unnamed >= maxUnnamed:
		return dispatch.Never
	case !a.usesIDs || of.kind != kind || of.id != string(h.MessageID):
		return dispatch.Yes
	}
	of.newlines = 0
	if h.Content { // the head has the text, so no other line begins like it
		return dispatch.No
	}
	return dispatch.Never
}

// isPiece reports whether an update of a kind is a piece of a message of the agent.
func isPiece(kind string) bool { return kind == acp.AgentMessageChunk || kind == acp.AgentThoughtChunk }

// Handle implements dispatch.Adapter.
func (a *MessageBreaks) Handle(m *dispatch.Message) {
	if m.Update == "" {
		return
	}
	s, ok := a.conversation.Find(m.Session)
	of, isKnown := a.sessions.Get(s)
	switch {
	case !ok:
	case !isPiece(m.Update):
		if isKnown {
			of.kind = ""
			m.Forget()
		}
	default:
		if !isKnown {
			of = &speech{}
		}
		a.say(m, of)
		a.sessions.Put(s, of, of.size())
	}
}

// say separates a piece of a message from the message before it.
func (a *MessageBreaks) say(m *dispatch.Message, of *speech) {
	o, err := wire.Parse(m.Line, "params", "params.update", "params.update.content")
	update := o.Open("params").Open("update")
	text, isText := update.Open("content").Text("text")
	id, _ := update.Text("messageId")
	switch isOfAgent := m.Number > 0; {
	case err != nil:
		return
	case id == "" && isOfAgent && of.unnamed < maxUnnamed:
		of.unnamed++
	case id != "" && isOfAgent && !a.usesIDs:
		a.usesIDs = true
		a.conversation.ChangeWants()
	}
	if isText && text == "" {
		return
	}
	if of.begins(m, id[:min(len(id), maxID)]) && isText {
		if missing := 2 - of.newlines - newlines(text); missing > 0 {
			at := update.Open("content").Get("text").Value.Start + 1
			m.Because(whyBreak)
			m.Edit(wire.Edit{Span: wire.Span{Start: at, End: at}, With: []byte(strings.Repeat(`\n`, missing))})
		}
	}
	of.newlines = 2 // nobody joins an image with a text
	if isText {
		of.newlines = len(text) - len(strings.TrimRight(text, "\n"))
	}
}

// newlines returns the number of newlines that a text begins with.
func newlines(text string) int { return len(text) - len(strings.TrimLeft(text, "\n")) }

// begins records a piece of a message. It reports whether the piece is the first one of a message,
// and comes directly after another message of its kind.
func (of *speech) begins(m *dispatch.Message, id string) bool {
	if m.Update == of.kind && id == of.id {
		return false
	}
	m.Forget()
	isNext, isNew := m.Update == of.kind, id == "" || !slices.Contains(of.ids, id)
	of.kind, of.id = m.Update, id
	if isNew && id != "" {
		of.ids = append(of.ids[max(0, len(of.ids)+1-maxMessages):], id)
	}
	return isNext && isNew
}

// size returns about how many bytes it takes.
func (of *speech) size() int {
	size := 128
	for _, id := range of.ids {
		size += 16 + len(id)
	}
	return size
}
