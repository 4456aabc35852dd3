// Package output has the adapter that shows what a tool printed as the content of its call, where
// an agent tells it in another place.
package output

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Settings are what is done for two peers. The zero value does nothing.
type Settings struct {
	Terminals bool // what is in _meta.terminal_output, for clients that do not announce that
	Raw       bool // what is in rawOutput of a call that ends without content
}

// An Adapter gives tool calls the content that the agent tells elsewhere. A call that has content
// of the agent's own stays as it is.
//
//   - Settles: An agent tells what a command printed only in _meta, or only in rawOutput; a client
//     shows the command and no output.
//   - For: Every client that does not announce _meta.terminal_output, with codex-acp 2. Output in
//     rawOutput: those who set output.raw.
//   - Keys: output.terminals, output.raw
//   - Seen: codex-acp 2.6.0
//   - Read: pandazki/letta-acp#37, microsoft/intelligent-terminal#600
type Adapter struct {
	dispatch.Switched[Settings]
	conversation *conversation.Conversation
	calls        *conversation.Slot[*conversation.Session, *calls]
	isSeen       bool // the agent tells output in _meta; under the lock
}

// New returns an Adapter. Settings returns those for two peers.
func New(c *conversation.Conversation, settings func(client, agent conversation.Implementation) Settings) *Adapter {
	a := &Adapter{conversation: c, calls: conversation.NewSlot[*conversation.Session, *calls](c)}
	a.For = settings
	return a
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "output" }

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.Switched.Negotiated(r)
	a.isSeen = false
	for _, name := range reports {
		if string(r.Client.Capability("_meta", name)) == "true" {
			a.On.Terminals = false
		}
	}
}

// reports are the members of _meta that tell output, and of the client's _meta that announce it.
var reports = []string{"terminal_output", "terminal_output_delta"}

// Wants implements dispatch.Adapter. Until the agent tells output in _meta, updates that tell none
// pass without being read.
func (a *Adapter) Wants() []dispatch.Want {
	if a.On == (Settings{}) {
		return nil
	}
	calls := dispatch.Want{From: dispatch.Agent, Updates: []string{"tool_call"}, Sessions: true}
	updates := dispatch.Want{From: dispatch.Agent, Updates: []string{"tool_call_update"}, Sessions: true}
	if !a.On.Raw && !a.isSeen {
		updates.Text = `"terminal_`
	}
	return []dispatch.Want{calls, updates}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	update := m.Params().Open("update")
	id, ok := update.Text("toolCallId")
	if m.Update != "tool_call" && m.Update != "tool_call_update" || !ok {
		return
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	meta, _ := wire.Parse(update.Raw("_meta"), reports...)
	runs := meta.Get("terminal_info") != nil
	if !a.isSeen && (runs || meta.Open(reports[0]) != nil || meta.Open(reports[1]) != nil) {
		a.isSeen = true
		a.conversation.ChangeWants()
	}
	s, ok := a.conversation.FindNew(m.Session)
	if !ok {
		return
	}
	all, _ := a.calls.Get(s)
	if all == nil {
		all = &calls{}
	}
	if m.Update == "tool_call" {
		all.begin(id)
	} else if !all.has(id) {
		return // it may have content of its own
	}
	c := all.use(id)
	if a.On.Terminals {
		c.print(meta)
	}
	text, why := c.next(update, a.On.Raw)
	a.calls.Put(s, all, all.size())
	content := []byte("[]")
	switch isShown := len(update.Raw("content")) > len(content) && !hasContent(update.Raw("content")); {
	case text != "":
		content = append(wire.Quote([]byte(`[{"type":"content","content":{"type":"text","text":`), text), `}}]`...)
	case runs && isShown && a.On.Terminals:
		why = "the agent runs this terminal, which the client does not know (output.terminals)"
	default:
		return
	}
	m.Because(why)
	m.Edit(update.Set(wire.Setting{Name: "content", Value: content})...)
}
