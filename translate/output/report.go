package output

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Report is an adapter for clients that draw what a command printed only as a terminal which the
// agent reports in _meta: terminal_info with the call, and terminal_output and terminal_exit with
// its updates. It makes these of the text of calls whose kind is execute. It tells no exit status,
// which the text does not say.
//
//   - Settles: An agent tells what a command printed as text; a client that reads terminals from
//     _meta shows the command and no output.
//   - For: Clients that announce _meta.terminal_output, for those who set output.report.
//   - Keys: output.report
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
			{From: dispatch.Agent, Updates: []string{"tool_call", "tool_call_update"}, Sessions: true},
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
	if !ok || len(id) > maxID || m.Update == "tool_call" && (kind != "execute" || strings.Contains(string(meta), `"terminal_`)) {
		return // the agent reports it itself, or it is no command
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, isKept := a.conversation.FindNew(m.Session)
	all, _ := a.calls.Get(s)
	if all == nil {
		all = &calls{}
	}
	if !isKept || m.Update != "tool_call" && !all.has(id) {
		return
	}
	if m.Update == "tool_call" {
		all.begin(id)
	}
	c := all.use(id)
	if c.isOver {
		return
	}
	terminal := wire.Quote(nil, id)
	told := c.report(terminal, update)
	var settings []wire.Setting
	if _, isText := printedText(update.Raw("content")); isText || m.Update == "tool_call" {
		settings = append(settings, wire.Setting{Name: "content", Value: fmt.Appendf(nil, `[{"type":"terminal","terminalId":%s}]`, terminal)})
	}
	var after []wire.Setting
	if m.Update == "tool_call" {
		after = told // clients read these of updates only
		told = []wire.Setting{{Name: "terminal_info", Value: fmt.Appendf(nil, `{"terminal_id":%s}`, terminal)}}
	}
	if told != nil {
		settings = append(settings, wire.Setting{Name: "_meta", Value: with(meta, told)})
	}
	if with(m.Line[update.Start:update.End], settings) == nil { // it has such members, in another case or shape
		c.isOver = true
		return
	}
	a.calls.Put(s, all, all.size())
	if settings == nil {
		return
	}
	if after != nil {
		m.After(wire.SessionUpdate(m.Session, fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"_meta":%s}`, terminal, with(nil, after))))
	}
	m.Because("the client reads a command's output only from _meta (output.report)")
	m.Edit(update.Set(settings...)...)
}

// report returns what the _meta of an update is to tell of a terminal: what is new of the text, and
// that the command has ended.
func (c *call) report(terminal []byte, update *wire.Object) (told []wire.Setting) {
	if text, isText := printedText(update.Raw("content")); isText {
		if data := c.news(text); data != "" {
			told = append(told, wire.Setting{Name: "terminal_output", Value: fmt.Appendf(nil, `{"terminal_id":%s,"data":%s}`, terminal, wire.Quote(nil, data))})
		}
	}
	if status, _ := update.Text("status"); status == "completed" || status == "failed" {
		c.isOver = true
		told = append(told, wire.Setting{Name: "terminal_exit", Value: fmt.Appendf(nil, `{"terminal_id":%s,"exit_code":null,"signal":null}`, terminal)})
	}
	return told
}

// with returns an object with these members; nil if that cannot be.
func with(object []byte, settings []wire.Setting) []byte {
	for _, s := range settings {
		if object = wire.With(object, []string{s.Name}, s.Value); object == nil {
			return nil
		}
	}
	return object
}

// has reports whether a call is known.
func (cs *calls) has(id string) bool {
	return slices.ContainsFunc(cs.list, func(c *call) bool { return c.id == id })
}

// news is what a text adds to the one before; where it is another one, the terminal begins anew.
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

// printedText is the text of a list of content in which there is nothing but text, without fences.
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
		if kind != "text" || !isString {
			return "", false
		}
		text += unfenced(part)
	}
	return text, true
}

// unfenced is a text without the fence around it, if there is one.
func unfenced(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	last := len(lines) - 1
	fence := lines[last]
	if last > 0 && len(fence) >= 3 && strings.Trim(fence, "`") == "" && strings.HasPrefix(lines[0], fence) {
		return strings.Join(lines[1:last], "\n") + "\n"
	}
	return text
}
