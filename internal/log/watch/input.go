package watch

import (
	"strings"
	"unicode/utf8"

	"acpshim/internal/log/query"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

// An input is the line in which a filter is typed. The cursor is at its end.
type input struct {
	text     string
	isOfRuns bool  // it filters the list of runs
	err      error // of the text, if enter was pressed
}

// maxInput is how long a filter is, in bytes.
const maxInput = 4 << 10

func (i *input) write(text string) {
	if text = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text); len(i.text)+len(text) <= maxInput {
		i.text += text
	}
}

// key handles a key. Enter applies the filter if it is valid; otherwise the last filter stays.
func (i *input) key(m *model, key tea.KeyPressMsg) tea.Cmd {
	err := i.err
	i.err = nil
	switch key.String() {
	case "enter":
		if i.isOfRuns {
			m.input = nil
			m.choose(i.text)
			return nil
		}
		var q query.Query
		if q, i.err = query.Parse(i.text); i.err == nil {
			m.input = nil
			return m.filter(q)
		}
	case "esc", "ctrl+c":
		m.input = nil
	case "ctrl+u":
		i.text = ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(i.text)
		i.text = i.text[:len(i.text)-size]
	default:
		if i.write(key.Text); key.Text == "" {
			i.err = err
		}
	}
	return nil
}

// draw draws the line. Above it is the error, or how to write a filter.
func (i *input) draw(m *model) (lines []string) {
	if i.isOfRuns {
		lines = append(lines, m.line(terminal.Dim, `a part of a row, such as  problem  codex  running   enter use  esc cancel`))
	} else if i.err == nil {
		lines = append(lines, m.line(terminal.Dim, `such as  update:plan*  -dir:client  failed:yes  "a text"   enter use  esc cancel`))
	} else {
		for _, line := range linesOf(i.err.Error()) {
			lines = append(lines, m.line(terminal.Red, line))
		}
	}
	return append(lines, m.line(terminal.None, "filter: "+terminal.CutFront(terminal.Line(i.text), max(m.width-10, 1))+"▏"))
}
