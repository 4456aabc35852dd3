// Package instructions has the adapter that gives every agent a text of the user.
package instructions

import (
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter gives a text to the agent once in each new session: as systemPrompt if the agent
// announces that, otherwise as the first block of the session's first prompt. A slash command
// waits for no text, because its name has to be first: the next prompt has the text. Sessions that
// are loaded, resumed or forked have it already.
//
// A client's own systemPrompt stays, with its mode, and the text is added to it.
//
//   - Settles: You want your own instructions in every agent, and the client cannot send them.
//   - For: Every client and agent.
//   - Keys: prompt.instructions
//   - Seen: cline 3.0.65, kimi-code 2.1.0, pi-acp 0.0.34
//   - Read: olimorris/codecompanion.nvim#3348, xenodium/agent-shell#783
type Adapter struct {
	dispatch.Switched[string] // the text, or ""
	conversation              *conversation.Conversation
	isSystem                  bool // the agent announces systemPrompt

	// The text is due in these sessions. It is given by a prompt, once that has a result.
	due     *conversation.Slot[*conversation.Session, bool] // true while a prompt that has it is pending
	carries *conversation.Slot[*conversation.Request, bool] // such a prompt
}

// Reasons for records.
var (
	whySystem = wire.Reason{Code: "instructions.system-prompt", Text: "acpshim adds your text to the system prompt (prompt.instructions)"}
	whyFirst  = wire.Reason{Code: "instructions.first-prompt", Text: "acpshim adds your text to the first prompt of the session (prompt.instructions)"}
)

// New returns an Adapter. Text returns the text for two peers.
func New(c *conversation.Conversation, text func(client, agent conversation.Implementation) string) *Adapter {
	a := &Adapter{
		conversation: c,
		due:          conversation.NewSlot[*conversation.Session, bool](c),
		carries:      conversation.NewSlot[*conversation.Request, bool](c),
	}
	a.For = text
	a.Wanted = []dispatch.Want{
		{From: dispatch.Client, Methods: []string{acp.SessionNew, acp.SessionPrompt}, Sessions: true},
		{From: dispatch.Agent, Responses: []string{acp.SessionNew, acp.SessionPrompt}},
	}
	return a
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "instructions" }

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.On = a.For(r.Client.Implementation, r.Agent.Implementation)
	at := []string{acp.SessionCapabilities, "systemPrompt"}
	if r.Agent.Version == 2 {
		at[0] = "session"
	}
	a.isSystem = wire.IsObject(r.Agent.Capability(at...))
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	r := a.conversation.Pending(m.From, m.ID)
	switch {
	case m.Kind == dispatch.Response && m.Request != nil:
		a.ended(m)
	case m.Kind != dispatch.Request || r == nil:
	case m.Method == acp.SessionNew && a.isSystem:
		a.toSystem(m)
	case m.Method == acp.SessionPrompt && !a.isSystem:
		a.toPrompt(m, r)
	}
}

// toSystem adds the text to the system prompt of a new session.
func (a *Adapter) toSystem(m *dispatch.Message) {
	own := m.Params().Raw("systemPrompt")
	prompt := append(append([]byte(`{"mode":"append","content":[`), textBlock(a.On)...), "]}"...)
	if o, err := wire.Parse(own); err == nil && wire.IsObject(own) {
		content, ok := wire.Elements(o.Raw("content"))
		if !ok {
			return // the agent refuses it, whatever it says
		}
		prompt = wire.With(own, []string{"content"}, wire.List(append(content, textBlock(a.On))))
	}
	m.Because(whySystem)
	m.Edit(m.Params().Set(wire.Setting{Name: "systemPrompt", Value: prompt})...)
}

// toPrompt adds the text to a prompt of a session in which it is due.
func (a *Adapter) toPrompt(m *dispatch.Message, r *conversation.Request) {
	s, _ := a.conversation.Find(r.Session)
	isGiven, isDue := a.due.Get(s)
	blocks, ok := wire.Elements(m.Params().Raw("prompt"))
	if !isDue || isGiven || !ok || isCommand(blocks) || !a.carries.Put(r, true, 0) {
		return
	}
	a.due.Put(s, true, 0)
	m.Because(whyFirst)
	text := strings.TrimRight(a.On, "\n") + "\n\n" // some agents join the blocks of a prompt without a break
	m.Edit(m.Params().Set(wire.Setting{Name: "prompt", Value: wire.List(append([][]byte{textBlock(text)}, blocks...))})...)
}

// isCommand reports whether a prompt begins with a slash command.
func isCommand(blocks [][]byte) bool {
	if len(blocks) == 0 {
		return false
	}
	first, _ := wire.Parse(blocks[0])
	text, _ := first.Text("text")
	return strings.HasPrefix(strings.TrimSpace(text), "/")
}

// ended handles the response to a request. The text stays due if the agent has refused the prompt
// with it, such as for a missing login.
func (a *Adapter) ended(m *dispatch.Message) {
	id := m.Opened()
	s, _ := a.conversation.Find(id)
	if m.Request.Method == acp.SessionNew && !a.isSystem && !m.IsRefusal() {
		a.due.Put(s, false, 0)
	}
	if _, carries := a.carries.Take(m.Request); !carries {
		return
	}
	if m.IsRefusal() {
		a.due.Put(s, false, 0)
	} else {
		a.due.Delete(s)
	}
}

// textBlock returns a text as a content block.
func textBlock(text string) []byte {
	return append(wire.Quote([]byte(`{"type":"text","text":`), text), '}')
}
