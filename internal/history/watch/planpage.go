package watch

import (
	"fmt"

	"acpshim/internal/terminal"

	tea "charm.land/bubbletea/v2"
)

// A planPage shows the plans of a session: what the agent sent, and what the client has.
type planPage struct {
	text
	session int // of the row where it was opened
}

func (p *planPage) title(m *model) []string {
	words := "plans"
	if session := m.run.plans.latest(p.session); session > 0 {
		words += fmt.Sprintf(" of session %d", session)
	}
	return []string{m.head(words), m.columns("the agent sent", "the client has now"), m.rule()}
}

// columns draws two texts next to each other.
func (m *model) columns(left, right string) string {
	half := max((m.width-3)/2, 1)
	return m.line(terminal.Part{Text: terminal.Pad(terminal.Cut(left, half), half) + " │ " + right})
}

func (p *planPage) body(m *model, height int) (lines []string) {
	half := max((m.width-3)/2, 1)
	sent, got := m.run.plans.sides(m.run.plans.latest(p.session))
	if len(sent)+len(got) == 0 {
		return []string{"", "There is no plan yet."}
	}
	sent, got = wrapped(sent, half), wrapped(got, half)
	for i := range max(len(sent), len(got)) {
		lines = append(lines, m.columns(lineOf(sent, i), lineOf(got, i)))
	}
	return p.window(lines, height)
}

// wrapped breaks lines that are too long.
func wrapped(lines []string, columns int) (all []string) {
	for _, line := range lines {
		for i, piece := range terminal.Wrap(line, columns-6) {
			if i > 0 {
				piece = "    " + piece
			}
			all = append(all, "  "+piece)
		}
	}
	return all
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func (*planPage) hint() string { return "p pause   esc back   ? keys   q quit" }

func (p *planPage) key(m *model, key string) tea.Cmd {
	if key == "p" {
		return m.pause()
	}
	p.text.key(key, m.height)
	return nil
}
