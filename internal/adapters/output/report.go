package output

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Report is an adapter for clients that show output only as a terminal that the agent reports in
// _meta. A call has terminal_info there, and its updates have terminal_output and terminal_exit.
// The adapter makes these from the text of calls of kind execute. It leaves the exit status open,
// because the text does not have it.
//
//   - Settles: You see a command without its output: the agent sends the output as text, and the
//     client reads it only from terminals in _meta.
//   - For: Clients that announce _meta.terminal_output.
//   - Keys: output.report
//   - Seen: cline 3.0.65, gemini-cli 0.61.0, opencode 1.18.33
//   - Read: shindgew/agy-acp#21, shindgew/agy-acp#43, can1357/oh-my-pi#7078,
//     agentclientprotocol/claude-agent-acp#651
type Report struct {
	dispatch.Switched[bool]
	conversation *conversation.Conversation
	calls        *conversation.Slot[*conversation.Session, *calls]
}

// NewReport returns a Report adapter.
func NewReport(c *conversation.Conversation, isOn func(client, agent conversation.Implementation) bool) *Report {
	return &Report{
		conversation: c, calls: conversation.NewSlot[*conversation.Session, *calls](c),
		Switched: dispatch.Switched[bool]{For: isOn, Wanted: []dispatch.Want{
			{From: dispatch.Agent, Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Sessions: true},
		}},
	}
}

// Name implements dispatch.Adapter.
func (*Report) Name() string { return "output" }

// Negotiated implements dispatch.Negotiator.
func (a *Report) Negotiated(r *conversation.Request) {
	a.Switched.Negotiated(r)
	a.On = a.On && string(r.Client.Capability("_meta", "terminal_output")) == "true"
}

// Handle implements dispatch.Adapter.
func (a *Report) Handle(m *dispatch.Message) {
	update := m.Params().Open("update")
	id, ok := update.Text("toolCallId")
	meta := update.Raw("_meta")
	kind, _ := update.Text("kind")
	if !ok || m.Update == acp.ToolCall && (kind != acp.KindExecute || strings.Contains(string(meta), `"terminal_`)) {
		return // the agent reports a terminal itself, or this is not a command
	}
	s, all, c := find(a.conversation, a.calls, m, id)
	if c == nil || c.isOwn {
		return
	}
	if c.isOwn = showsTerminal(update.Raw("content")); c.isOwn {
		a.calls.Put(s, all, all.size())
		return // a terminal of the client, with the output
	}
	terminal := wire.Quote(nil, id)
	report := c.report(terminal, update)
	var settings []wire.Setting
	if _, isText := printedText(update.Raw("content")); isText || m.Update == acp.ToolCall {
		settings = append(settings, wire.Setting{Name: "content", Value: fmt.Appendf(nil, `[{"type":"terminal","terminalId":%s}]`, terminal)})
	}
	var after []wire.Setting
	if m.Update == acp.ToolCall {
		after = report // clients read these members only in updates
		report = []wire.Setting{{Name: "terminal_info", Value: fmt.Appendf(nil, `{"terminal_id":%s}`, terminal)}}
	}
	if report != nil {
		settings = append(settings, wire.Setting{Name: "_meta", Value: with(meta, report)})
	}
	if with(m.Line[update.Start:update.End], settings) == nil { // such members exist with another case or type
		c.isOwn = true
		return
	}
	all.forget(maxEnded)
	a.calls.Put(s, all, all.size())
	if settings == nil {
		return
	}
	if after != nil {
		m.After(wire.SessionUpdate(m.Session, fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"_meta":%s}`, terminal, with(nil, after))))
	}
	m.Because(whyReported)
	m.Edit(update.Set(settings...)...)
}

// report returns the members for an update's _meta: the new output, and the end of the command.
func (c *call) report(terminal []byte, update *wire.Object) (report []wire.Setting) {
	if text, isText := printedText(update.Raw("content")); isText {
		if data := c.news(text); data != "" {
			report = append(report, wire.Setting{Name: "terminal_output", Value: fmt.Appendf(nil, `{"terminal_id":%s,"data":%s}`, terminal, wire.Quote(nil, data))})
		}
	}
	if status, _ := update.Text("status"); !c.isOver && acp.IsOver(status) {
		c.isOver = true
		report = append(report, wire.Setting{Name: "terminal_exit", Value: fmt.Appendf(nil, `{"terminal_id":%s,"exit_code":null,"signal":null}`, terminal)})
	}
	return report
}

// with returns an object with these members, or nil if they cannot be set.
func with(object []byte, settings []wire.Setting) []byte {
	for _, s := range settings {
		if object = wire.With(object, []string{s.Name}, s.Value); object == nil {
			return nil
		}
	}
	return object
}

// news returns what a text adds to the one before. If it does not continue that, the terminal is
// cleared.
func (c *call) news(text string) string {
	data, goesOn := strings.CutPrefix(text, c.text)
	if !goesOn || c.isCut {
		data = "\x1bc" + text
	}
	if c.isCut = len(text) > maxText; !c.isCut {
		c.text = strings.Clone(text)
	} else {
		c.text = ""
	}
	return strings.ReplaceAll(data, "\n", "\r\n")
}

// printedText returns the text of content without fences. It returns false if the content has
// anything else.
func printedText(content []byte) (text string, isText bool) {
	elements, ok := wire.Elements(content)
	if !ok || len(elements) == 0 {
		return "", false
	}
	for _, raw := range elements {
		o, _ := wire.Parse(raw, "content")
		block := o.Open("content")
		kind, _ := block.Text("type")
		part, isString := block.Text("text")
		if kind != acp.ContentText || !isString {
			return "", false
		}
		text += unfenced(part)
	}
	return text, true
}

// unfenced returns a text without the fence around it.
func unfenced(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	last := len(lines) - 1
	fence := lines[last]
	if last > 0 && len(fence) >= 3 && strings.Trim(fence, "`") == "" && strings.HasPrefix(lines[0], fence) {
		return strings.Join(lines[1:last], "\n") + "\n"
	}
	return text
}
