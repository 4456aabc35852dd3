package watch

import (
	"fmt"
	"slices"

	"acpshim/internal/log/view"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

// mostOfMessage is how many lines of a message are shown.
const mostOfMessage = 2000

// A messagePage shows a message with its changes and their reasons.
type messagePage struct {
	text
	seq   uint64
	row   view.Row // that was opened
	lines []string
	as    string // identifies what the lines were drawn for
}

func (p *messagePage) draw(m *model) layout {
	title := fmt.Sprintf("#%d", p.seq)
	if at := m.run.kept.message(p.seq); at != nil {
		if title += " " + terminal.Name(at.Name()); at.IsPending() && !m.run.last.over {
			title += ", pending " + clock(m.now.Sub(at.Time))
		}
	}
	return layout{
		[]string{m.head(title)},
		func(height int) []string { return p.window(p.drawn(m), height) },
		"x response or request  left right other messages  esc back  ? keys  q quit",
	}
}

// drawn returns the lines of the message. It draws them if something has changed.
func (p *messagePage) drawn(m *model) []string {
	line := m.run.kept.line(p.seq)
	as := fmt.Sprint(p.seq, m.width)
	for _, one := range line {
		as += fmt.Sprint(" ", one.Seq, one.Request != nil, one.Response != nil, one.Got != nil)
	}
	switch {
	case as == p.as:
	case line != nil:
		p.lines = linesOf(view.DrawMessages(m.style(), line, mostOfMessage, m.run.name(), func(uint64) bool { return true }))
	case p.row.Seq == p.seq: // it is not a message, or it was dropped
		whole := p.row
		whole.Text, whole.Reasons = "", append(slices.Clone(whole.Reasons), whole.Text)
		p.lines = linesOf(whole.Draw(m.style()))
	}
	p.as = as
	return p.lines
}

func (p *messagePage) key(m *model, key string) tea.Cmd {
	switch key {
	case "x":
		if other := m.partner(m.run.kept.message(p.seq)); other != nil {
			p.seq, p.top = other.Seq, 0
		}
	case "left", "h":
		p.step(m, -1)
	case "right", "l":
		p.step(m, 1)
	default:
		return p.text.key(m, key)
	}
	return nil
}

// step goes to the message before or after.
func (p *messagePage) step(m *model, by int) {
	all := m.run.kept.messages
	i, found := m.run.kept.place(p.seq)
	if !found && by > 0 {
		i--
	}
	for i += by; i >= 0 && i < len(all); i += by {
		if all[i].Seq != p.seq {
			p.seq, p.top = all[i].Seq, 0
			return
		}
	}
	m.note = "there is no other message"
}

// partner returns the response to a request, or the request of a response. Without one, partner
// notes that and returns nil.
func (m *model) partner(of *history.Message) (other *history.Message) {
	switch {
	case of == nil:
	case of.Kind == history.Response:
		other = of.Request
	case of.Kind == history.Request && (of.Message.Received() || of.IsOwn()):
		other = of.End()
	case of.Kind == history.Request:
		other = of.Of.End()
	}
	switch {
	case other != nil:
	case of != nil && of.Kind == history.Response:
		m.note = "no request has the id of this response"
	case of == nil || of.Kind != history.Request:
		m.note = "this is neither a request nor a response"
	case m.run.last.over:
		m.note = "this request got no response"
	default:
		m.note = "this request is pending: it has no response yet"
	}
	return other
}
