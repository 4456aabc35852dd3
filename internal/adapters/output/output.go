// Package output has the adapters that show the output of tools where clients read it.
package output

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Settings say where output is taken from, for two peers. The zero value does nothing.
type Settings struct {
	Terminals bool // _meta.terminal_output, for clients that do not announce it
	Raw       bool // rawOutput of calls that end without content
}

// An Adapter adds output as the content of tool calls, also if it comes after their end. At the end
// of a turn or a load the client has all output. A call with content of the agent's own stays as it
// is.
//
//   - Settles: You see a command without its output: the agent sends the output only in _meta or
//     only in rawOutput.
//   - For: codex-acp 2 and pi-acp with clients that do not announce _meta.terminal_output.
//     output.raw: clients that do not show rawOutput, such as Toad.
//   - Keys: output.terminals, output.raw
//   - Seen: codex-acp 2.6.0, pi-acp 0.0.34
//   - Read: pandazki/letta-acp#37, microsoft/intelligent-terminal#600
type Adapter struct {
	dispatch.Switched[Settings]
	conversation *conversation.Conversation
	calls        *conversation.Slot[*conversation.Session, *calls]
	isSeen       bool // the agent has sent output in _meta
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

// reports are the members of _meta with output. Clients announce them in their own _meta.
var reports = []string{"terminal_output", "terminal_output_delta"}

// Wants implements dispatch.Adapter. Until the agent has sent output in _meta, it wants only
// updates with such output.
func (a *Adapter) Wants() []dispatch.Want {
	if a.On == (Settings{}) {
		return nil
	}
	calls := dispatch.Want{From: dispatch.Agent, Updates: []string{acp.ToolCall}, Sessions: true}
	updates := dispatch.Want{From: dispatch.Agent, Updates: []string{acp.ToolCallUpdate}, Sessions: true}
	if !a.On.Raw && !a.isSeen {
		updates.Text = `"terminal_`
	}
	wants := []dispatch.Want{calls, updates}
	if a.isSeen {
		wants = append(wants, dispatch.Want{From: dispatch.Agent, Responses: []string{acp.SessionPrompt, acp.SessionLoad, acp.SessionResume}})
	}
	return wants
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.Kind == dispatch.Response {
		a.end(m)
		return
	}
	update := m.Params().Open("update")
	id, ok := update.Text("toolCallId")
	if m.Update != acp.ToolCall && m.Update != acp.ToolCallUpdate || !ok {
		return
	}
	meta, _ := wire.Parse(update.Raw("_meta"), "terminal_info", reports[0], reports[1])
	runs := meta.Get("terminal_info") != nil
	if !a.isSeen && (runs || meta.Open(reports[0]) != nil || meta.Open(reports[1]) != nil) {
		a.isSeen = true
		a.conversation.ChangeWants()
	}
	s, all, c := find(a.conversation, a.calls, m, id)
	if c == nil {
		return
	}
	if a.On.Terminals {
		if runs {
			c.begin(meta.Open("terminal_info"))
		}
		c.print(meta)
	}
	text, why := c.next(update, meta, a.On.Raw)
	all.forget(maxEnded)
	a.calls.Put(s, all, all.size())
	content := c.withoutTerminal(update.Raw("content"))
	switch {
	case text != "":
		content = contentOf(text)
	case content != nil:
		why = whyUnknown
	default:
		return
	}
	m.Because(why)
	m.Edit(update.Set(wire.Setting{Name: "content", Value: content})...)
}

// end shows the output that the client lacks before the response that ends a turn or a load.
func (a *Adapter) end(m *dispatch.Message) {
	if m.Request == nil || !m.Request.IsPrompt() && !m.Request.Opens() {
		return
	}
	s, _ := a.conversation.Find(m.Request.Session)
	all, ok := a.calls.Get(s)
	if !ok {
		return
	}
	for _, c := range all.list {
		if a.On.Terminals && c.isHidden() {
			update := fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"content":%s}`, wire.Quote(nil, c.id), contentOf(c.show()))
			m.Because(whyShown)
			m.Before(wire.SessionUpdate(s.ID, update))
		}
	}
	all.forget(0)
	a.calls.Put(s, all, all.size())
}

func contentOf(text string) []byte {
	return append(wire.Quote([]byte(`[{"type":"content","content":{"type":"text","text":`), text), `}}]`...)
}
