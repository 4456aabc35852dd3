package watch

import (
	"fmt"

	"acpshim/internal/history/show"
	"acpshim/internal/history/view"

	tea "charm.land/bubbletea/v2"
)

// mostOfMessage is how many lines of a message are shown.
const mostOfMessage = 2000

// A messagePage is a message with its changes, and the reasons.
type messagePage struct {
	text
	seq   uint64
	row   view.Row // that was opened
	drawn []string
	as    string // of what drawn was made
}

func (p *messagePage) title(m *model) []string {
	words := fmt.Sprintf("#%d", p.seq)
	if at := m.run.kept.message(p.seq); at != nil {
		words += " " + view.Name(at.Name())
		if isUnanswered(at) && !m.run.isOver() {
			words += ", pending " + clock(m.now.Sub(at.Time))
		}
	}
	return []string{m.head(words), m.rule()}
}

func (p *messagePage) body(m *model, height int) []string {
	p.draw(m)
	return p.window(p.drawn, height)
}

// draw draws the message, unless nothing has changed since it was drawn.
func (p *messagePage) draw(m *model) {
	line := m.run.kept.line(p.seq)
	as := fmt.Sprint(p.seq, m.width, len(line))
	for _, one := range line {
		as += fmt.Sprint(" ", one.Response != nil, one.Got != nil, one.Arrived != nil, one.Request != nil)
	}
	if as == p.as {
		return
	}
	p.as, p.drawn = as, nil
	switch {
	case line != nil:
		p.drawn = split(show.Messages(m.style(), line, mostOfMessage, func(uint64) bool { return true }))
	case p.row.Seq == p.seq:
		whole := p.row
		whole.Text, whole.Why = "", append(whole.Why, whole.Text)
		p.drawn = split(view.Draw(m.style(), whole))
	}
}

func (*messagePage) hint() string {
	return "x response or request  left right other messages  esc back  ? keys  q quit"
}

func (p *messagePage) key(m *model, key string) tea.Cmd {
	switch key {
	case "x":
		if other, why := m.partner(p.seq); other != nil {
			p.to(other.Seq)
		} else {
			m.note = why
		}
	case "left", "h":
		p.step(m, -1)
	case "right", "l":
		p.step(m, 1)
	case "p":
		return m.pause()
	default:
		p.text.key(key, m.height)
	}
	return nil
}

func (p *messagePage) to(seq uint64) { p.seq, p.top = seq, 0 }

// step goes to the message before, or after.
func (p *messagePage) step(m *model, by int) {
	all := m.run.kept.messages
	i, found := m.run.kept.at(p.seq)
	if !found && by > 0 {
		i--
	}
	for i += by; i >= 0 && i < len(all); i += by {
		if all[i].Seq != p.seq {
			p.to(all[i].Seq)
			return
		}
	}
	m.note = "there is no other message"
}
