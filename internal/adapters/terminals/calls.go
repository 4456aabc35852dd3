package terminals

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/adapters/console"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A call is a tool call that shows terminals.
type call struct {
	content []byte      // the list that the agent sent
	shows   []*terminal // the terminals in content
	isStale bool        // the client does not have all of their output
}

// Limits.
const (
	maxContent = 64 << 10 // bytes of content; a call with more gets the output only once
	maxShown   = 32 << 10 // bytes of a terminal
	maxCommand = 1 << 10  // bytes of its command
	maxAtOnce  = 1 << 20  // bytes of updates, after which the others wait for interval
	blockSize  = 128      // about how many bytes a block takes, without output
)

// interval is the shortest time between two updates for a session's output.
const interval = 250 * time.Millisecond

// show replaces the terminals in a tool call by their output. An update without content gets the
// output, too, if there is more than the client has.
func (a *Adapter) show(m *dispatch.Message, update *wire.Object) {
	id, ok := update.Text("toolCallId")
	if !ok {
		return
	}
	if content := a.contentOf(m, id, update.Raw("content")); content != nil {
		m.Because(whyShown)
		m.Edit(update.Set(wire.Setting{Name: "content", Value: content})...)
	}
}

// contentOf returns the new content of a call, or nil if it stays as it is. It records which
// terminals the call shows.
func (a *Adapter) contentOf(m *dispatch.Message, id string, raw []byte) []byte {
	s := a.find(m.Session)
	if s == nil {
		return nil
	}
	c := s.calls[id]
	if isSame := wire.IsAbsent(raw) && m.Update != acp.ToolCall; !isSame {
		a.drop(s, id)
		c = &call{content: raw}
	} else if c == nil || !c.isStale {
		return nil
	}
	content, isAll := a.render(s, c, func(bytes int) bool { return a.chargeUnasked(m, bytes) })
	if !isAll {
		a.schedule(s)
	}
	c.isStale = !isAll
	a.follow(s, id, c)
	s.unschedule()
	return content
}

// charge counts bytes that are made of a line of the agent, or of updates: see [dispatch.Port].
func (a *Adapter) charge(bytes int) bool { return a.Charge(dispatch.Agent, bytes) }

// chargeUnasked is charge for output that a message shows again: the agent's lines pay for it. Some
// of that is left for the short texts in the rest of the line.
func (a *Adapter) chargeUnasked(m *dispatch.Message, bytes int) bool {
	const rest = 8 // bytes for each byte of the line
	if !a.Affords(dispatch.Agent, bytes+rest*m.Size) || !a.charge(bytes) {
		return false
	}
	a.Spend(dispatch.Agent, bytes)
	return true
}

// render returns the content of a call with the output of its terminals, or nil if there are none.
// It charges what it adds. Output that cannot be charged is left out, and then isAll is false.
func (a *Adapter) render(s *session, c *call, charge func(bytes int) bool) (content []byte, isAll bool) {
	c.shows, isAll = nil, true
	spans, err := wire.Batch(c.content)
	if err != nil {
		return nil, true
	}
	with, changed := make([][]byte, len(spans)), false
	for i, span := range spans {
		if !bytes.Contains(c.content[span.Start:span.End], []byte(acp.ContentTerminal)) {
			continue
		}
		block, _ := wire.Parse(c.content[span.Start:span.End])
		kind, _ := block.Text("type")
		id, _ := block.Text("terminalId")
		if kind != acp.ContentTerminal || !strings.HasPrefix(id, a.opts.Prefix) {
			continue
		}
		changed = true
		if !a.charge(blockSize) {
			with[i], isAll = []byte{}, false
			continue
		}
		text := "The output of this terminal is not kept any more."
		switch t := s.terminal(id); {
		case t == nil:
		case slices.Contains(c.shows, t):
			text = "The output of this terminal is shown above."
		default:
			c.shows = append(c.shows, t)
			if isAll {
				text = t.render()
				isAll = charge(wire.QuotedLen(text))
			}
			if !isAll {
				text = "There is no room for the output of this terminal."
			}
		}
		with[i] = textBlock(text, block.Raw("_meta"))
	}
	if !changed {
		return nil, true
	}
	if content = wire.SpliceElements(nil, c.content, spans, with); content == nil {
		content = []byte("[]")
	}
	return content, isAll
}

func textBlock(text string, meta []byte) []byte {
	b := append(wire.Quote([]byte(`{"type":"content","content":{"type":"text","text":`), text), '}')
	if meta != nil {
		b = append(append(b, `,"_meta":`...), meta...)
	}
	return append(b, '}')
}

// follow keeps a call that has, or may get, output that the client does not have. It drops any
// other call.
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

// drop stops following a call.
func (a *Adapter) drop(s *session, id string) {
	if c := s.calls[id]; c != nil {
		delete(s.calls, id)
		a.keep(s, -c.size(id))
	}
}

// size returns about how many bytes a call takes.
func (c *call) size(id string) int { return 128 + len(id) + len(c.content) }

// grow marks the calls that show a terminal as stale, because it has printed more.
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

// schedule sends the stale calls of a session after interval.
func (a *Adapter) schedule(s *session) {
	if s.due == nil {
		s.due = a.After(interval, func() {
			a.Make(whyGrown, func() []byte { return a.updates(s) })
		})
	}
}

// unschedule stops the timer if no call is stale any more.
func (s *session) unschedule() {
	if s.due == nil {
		return
	}
	for _, c := range s.calls {
		if c.isStale {
			return
		}
	}
	s.due.Stop()
	s.due = nil
}

// updates returns updates of a session's stale calls. If there is no room for all, the others
// follow later.
func (a *Adapter) updates(s *session) (lines []byte) {
	s.due = nil // later output starts a new timer
	if s.of.Evicted {
		return nil
	}
	for id, c := range s.calls {
		if !c.isStale {
			continue
		}
		var content []byte
		isAll := false
		if len(lines) < maxAtOnce && a.charge(c.size(id)) {
			content, isAll = a.render(s, c, a.charge)
		}
		if !isAll {
			a.schedule(s)
			break
		}
		update := fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"content":%s}`, wire.Quote(nil, id), content)
		lines = append(lines, wire.SessionUpdate(s.of.ID, update)...)
		c.isStale = false
		a.follow(s, id, c)
	}
	return lines
}

// render returns the text of a terminal, in markdown.
func (t *terminal) render() string {
	if t.process == nil {
		return t.text
	}
	text, truncated := t.process.Output(maxShown)
	head := "$ " + t.command + "\n"
	if truncated {
		head += "[the beginning is left out]\n"
	}
	shown := console.Block("console", head+text)
	switch e := t.exit; {
	case e == nil:
	case e.Signal != "":
		shown += "\n\nEnded by " + e.Signal
	case e.Code != 0:
		shown += fmt.Sprintf("\n\nExit status %d", e.Code)
	}
	return shown
}

// commandLine returns the beginning of a command as one shell line.
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
