package terminals

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/console"
)

// A call is a tool call that shows terminals.
type call struct {
	content []byte      // the list, with the terminals
	shows   []*terminal // those that are in it
	isStale bool        // there is more of one of them than the client was sent
}

// Bounds on what is shown.
const (
	maxContent = 64 << 10 // bytes; a longer list is shown as it was when it came
	maxShown   = 32 << 10 // bytes of a terminal
	maxCommand = 1 << 10  // bytes of its command
)

// interval is the time between two updates for what the terminals of a session print.
const interval = 250 * time.Millisecond

// show has the client shown the terminals of a tool call. An update of a call without content gets
// what has been printed since the last one.
func (a *Adapter) show(m *dispatch.Message, update *wire.Object) {
	id, ok := update.Text("toolCallId")
	if !ok {
		return
	}
	if content := a.contentOf(m, id, update.Raw("content")); content != nil {
		m.Because("the client has no terminals, so it gets the command's output as text")
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
	if content := a.contentOf(m, id, update.Raw("content")); content != nil {
		raw = wire.Splice(nil, raw, update.Set(wire.Setting{Name: "content", Value: content})...)
		m.Because("the client has no terminals, so it gets the command's output as text")
		m.Edit(m.Params().Set(wire.Setting{Name: "toolCall", Value: raw})...)
	}
}

// contentOf returns the content that an update of a call gets, nil if it stays as it is, and notes
// which terminals it shows.
func (a *Adapter) contentOf(m *dispatch.Message, id string, raw []byte) []byte {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	s := a.find(m.Session)
	if s == nil {
		return nil
	}
	c := s.calls[id]
	if isSame := wire.IsAbsent(raw) && m.Update != "tool_call"; !isSame {
		a.drop(s, id)
		c = &call{content: raw}
	} else if c == nil || !c.isStale {
		return nil
	}
	content, isAll := s.render(c, a.opts.Prefix, a.room(m))
	if !isAll {
		a.schedule(s)
	}
	c.isStale = !isAll
	a.follow(s, id, c)
	s.relax()
	return content
}

// render returns the content of a call with what its terminals print, nil if there are none, and
// whether there was room for all of that.
func (s *session) render(c *call, prefix string, room int) (content []byte, isAll bool) {
	c.shows, isAll = nil, true
	spans, err := wire.Batch(c.content)
	if err != nil {
		return nil, true
	}
	with, changed := make([][]byte, len(spans)), false
	for i, span := range spans {
		if !bytes.Contains(c.content[span.Start:span.End], []byte("terminal")) {
			continue
		}
		block, _ := wire.Parse(c.content[span.Start:span.End])
		kind, _ := block.Text("type")
		id, _ := block.Text("terminalId")
		if kind != "terminal" || !strings.HasPrefix(id, prefix) {
			continue
		}
		changed = true
		text := "The output of this terminal is not kept any more."
		switch t := s.terminal(id); {
		case t == nil:
		case slices.Contains(c.shows, t): // once is enough
			text = "The output of this terminal is shown above."
		default:
			c.shows = append(c.shows, t)
			if isAll {
				text = t.render()
			}
			if isAll = isAll && len(textBlock(text, nil)) <= room; !isAll {
				text = "There is no room for the output of this terminal."
			}
		}
		with[i] = textBlock(text, block.Raw("_meta"))
		room -= len(with[i])
	}
	if !changed {
		return nil, true
	}
	return wire.SpliceElements(nil, c.content, spans, with), isAll
}

func textBlock(text string, meta []byte) []byte {
	b := append(wire.Quote([]byte(`{"type":"content","content":{"type":"text","text":`), text), '}')
	if meta != nil {
		b = append(append(b, `,"_meta":`...), meta...)
	}
	return append(b, '}')
}

// follow keeps a call of which there is, or will be, more to show than was shown now, and drops
// any other one. The lock is held.
func (a *Adapter) follow(s *session, id string, c *call) {
	runs := slices.ContainsFunc(c.shows, func(t *terminal) bool { return t.exit == nil })
	switch kept := s.calls[id] == c; {
	case !runs && !c.isStale || len(c.content) > maxContent:
		a.drop(s, id)
	case !kept:
		c.content = bytes.Clone(c.content)
		s.calls[id] = c
		a.keep(s, c.size(id))
	}
}

// drop shows no more of a call. The lock is held.
func (a *Adapter) drop(s *session, id string) {
	if c := s.calls[id]; c != nil {
		delete(s.calls, id)
		a.keep(s, -c.size(id))
	}
}

// size is about what a call takes, in bytes.
func (c *call) size(id string) int { return 128 + len(id) + len(c.content) }

// grown has the client shown what a terminal has printed, in a moment.
func (a *Adapter) grown(t *terminal) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.grow(t)
}

// grow is grown with the lock held.
func (a *Adapter) grow(t *terminal) {
	s, ok := a.sessions.Get(t.session)
	if !ok {
		return
	}
	for _, c := range s.calls {
		if slices.Contains(c.shows, t) {
			c.isStale = true
			a.schedule(s)
		}
	}
}

// schedule has the stale calls of a session shown in a moment. The lock is held.
func (a *Adapter) schedule(s *session) {
	if s.due == nil {
		s.due = time.AfterFunc(interval, func() {
			a.Make("a command printed more", func() []byte { return a.updates(s) })
		})
	}
}

// relax undoes schedule if no call is stale any more. The lock is held.
func (s *session) relax() {
	if s.due == nil {
		return
	}
	for _, c := range s.calls {
		if c.isStale {
			return
		}
	}
	if s.due.Stop() {
		s.due = nil
	}
}

// updates returns updates of the stale calls of a session, as many as there is room for: the others
// follow.
func (a *Adapter) updates(s *session) (lines []byte) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	s.due = nil // what is printed from now on is shown by the next ones
	if s.of.Evicted {
		return nil
	}
	for id, c := range s.calls {
		if !c.isStale {
			continue
		}
		content, isAll := s.render(c, a.opts.Prefix, maxMade-len(lines))
		if !isAll && len(lines) > 0 {
			a.schedule(s)
			break
		}
		update := wire.Quote([]byte(`{"sessionUpdate":"tool_call_update","toolCallId":`), id)
		update = append(append(append(update, `,"content":`...), content...), '}')
		lines = append(lines, wire.SessionUpdate(s.of.ID, update)...)
		c.isStale = false
		a.follow(s, id, c)
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
	head := "$ " + t.command + "\n"
	if truncated {
		head += "[the beginning is left out]\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fence := console.Fence(head, text)
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
	return strings.Clone(line[:min(len(line), maxCommand)])
}
