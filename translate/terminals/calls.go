package terminals

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A callID names a tool call.
type callID struct{ session, call string }

// A call is a tool call that shows terminals.
type call struct {
	session *conversation.Session
	content []byte      // the list, with the terminals
	shows   []*terminal // those that are in it
	isStale bool        // there is more of one of them than the client was sent
}

// Bounds on what is shown. A call over them is shown as it was when it was updated.
const (
	maxCalls   = 256
	maxContent = 64 << 10 // bytes
	maxShown   = 32 << 10 // bytes of a terminal
	maxCommand = 1 << 10  // bytes of its command
)

// interval is the time between two updates for what a terminal prints.
const interval = 250 * time.Millisecond

// show has the client shown the terminals of a tool call. An update of a call without content gets
// what has been printed since the last one.
func (a *Adapter) show(m *dispatch.Message, update *wire.Object) {
	id, ok := update.Text("toolCallId")
	if !ok {
		return
	}
	if content := a.contentOf(m, callID{m.Session, id}, update.Raw("content")); content != nil {
		m.Because("the client has no terminals, and is shown what the command printed")
		m.Edit(update.Set(wire.Setting{Name: "content", Value: content})...)
	}
}

// showAsked is show for the tool call of a permission request.
func (a *Adapter) showAsked(m *dispatch.Message) {
	raw := m.Params().Raw("toolCall")
	update, err := wire.Parse(raw)
	id, ok := update.Text("toolCallId")
	if err != nil || !ok {
		return
	}
	if content := a.contentOf(m, callID{m.Session, id}, update.Raw("content")); content != nil {
		raw = wire.Splice(nil, raw, update.Set(wire.Setting{Name: "content", Value: content})...)
		m.Because("the client has no terminals, and is shown what the command printed")
		m.Edit(m.Params().Set(wire.Setting{Name: "toolCall", Value: raw})...)
	}
}

// contentOf returns the content that an update of a call gets, nil if it stays as it is, and notes
// which terminals it shows.
func (a *Adapter) contentOf(m *dispatch.Message, id callID, raw []byte) []byte {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	c := a.calls[id]
	if wire.IsAbsent(raw) && m.Update != "tool_call" {
		if c == nil || !c.isStale {
			return nil
		}
		return a.render(c)
	}
	if c != nil {
		delete(a.calls, id)
		a.opts.Conversation.Weigh(c.session, -c.size())
	}
	c = &call{content: raw}
	content := a.render(c)
	if content != nil {
		a.follow(id, c)
	}
	return content
}

// render returns the content of a call with what its terminals print; nil if there are none. The
// lock is held.
func (a *Adapter) render(c *call) []byte {
	c.isStale, c.shows = false, nil
	spans, err := wire.Batch(c.content)
	if err != nil {
		return nil
	}
	with, changed := make([][]byte, len(spans)), false
	for i, s := range spans {
		if !bytes.Contains(c.content[s.Start:s.End], []byte("terminal")) {
			continue
		}
		block, _ := wire.Parse(c.content[s.Start:s.End])
		kind, _ := block.Text("type")
		id, _ := block.Text("terminalId")
		if kind != "terminal" || !strings.HasPrefix(id, a.opts.Prefix) {
			continue
		}
		with[i], changed = textBlock(a.text(c, id), block.Raw("_meta")), true
	}
	if !changed {
		return nil
	}
	return wire.SpliceElements(nil, c.content, spans, with)
}

// text returns what stands in a call in place of a terminal: each is shown once.
func (a *Adapter) text(c *call, id string) string {
	switch t := a.terminals[id]; {
	case t == nil:
		return "The output of this terminal is not kept any more."
	case slices.Contains(c.shows, t):
		return "The output of this terminal is shown above."
	default:
		c.shows = append(c.shows, t)
		return t.render()
	}
}

func textBlock(text string, meta []byte) []byte {
	b := append(wire.Quote([]byte(`{"type":"content","content":{"type":"text","text":`), text), '}')
	if meta != nil {
		b = append(append(b, `,"_meta":`...), meta...)
	}
	return append(b, '}')
}

// follow keeps a call, to show what is printed from now on. The lock is held.
func (a *Adapter) follow(id callID, c *call) {
	if len(c.shows) == 0 || len(a.calls) == maxCalls || len(c.content) > maxContent || c.shows[0].session.ID != id.session {
		return
	}
	c.session = c.shows[0].session
	c.content = bytes.Clone(c.content)
	a.calls[id] = c
	a.opts.Conversation.Weigh(c.session, c.size())
}

// size is about what a call takes, in bytes.
func (c *call) size() int { return 128 + len(c.content) }

// grown has the client shown what a terminal has printed, in a moment.
func (a *Adapter) grown(t *terminal) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	isShown := false
	for _, c := range a.calls {
		if slices.Contains(c.shows, t) {
			c.isStale, isShown = true, true
		}
	}
	if isShown && t.due == nil {
		t.due = time.AfterFunc(interval, func() { a.refresh(t) })
	}
}

// refresh sends updates of the calls that show a terminal.
func (a *Adapter) refresh(t *terminal) {
	a.opts.Inject(func() []byte {
		a.opts.Conversation.Lock()
		defer a.opts.Conversation.Unlock()
		t.due = nil // what is printed from now on is shown by the next one
		return a.updates(t)
	})
}

// updates returns an update of each call that shows a terminal and is stale. The lock is held.
func (a *Adapter) updates(t *terminal) (lines []byte) {
	for id, c := range a.calls {
		if !c.isStale || !slices.Contains(c.shows, t) {
			continue
		}
		lines = wire.Quote(append(lines, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`...), id.session)
		lines = wire.Quote(append(lines, `,"update":{"sessionUpdate":"tool_call_update","toolCallId":`...), id.call)
		lines = append(append(append(lines, `,"content":`...), a.render(c)...), "}}}\n"...)
	}
	return lines
}

// render returns what is shown of a terminal: markdown, as clients take the text of a tool call for
// that. The lock is held.
func (t *terminal) render() string {
	if t.process == nil {
		return t.text
	}
	text, truncated := t.process.Output(maxShown)
	head := "$ " + commandLine(t.command) + "\n"
	if truncated {
		head += "[the beginning is left out]\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fence := strings.Repeat("`", max(3, longestRun(head+text)+1))
	shown := fence + "console\n" + head + text + fence
	switch e := t.exit; {
	case e == nil:
	case e.Signal != "":
		shown += "\n\nEnded by " + e.Signal
	case e.Code != 0:
		shown += fmt.Sprintf("\n\nExit status %d", e.Code)
	}
	return shown
}

// commandLine is the beginning of a command, on one line, as a person would write it.
func commandLine(c Command) string {
	words := append([]string{c.Name}, c.Args...)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'|&;<>$`\\*?()") {
			words[i] = "'" + strings.ReplaceAll(strings.ReplaceAll(w, "'", `'\''`), "\n", " ") + "'"
		}
	}
	line := strings.Join(words, " ")
	return line[:min(len(line), maxCommand)]
}

// longestRun is the length of the longest run of backticks in a text.
func longestRun(text string) (longest int) {
	run := 0
	for _, c := range []byte(text) {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
