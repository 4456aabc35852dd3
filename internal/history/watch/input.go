package watch

import (
	"strings"
	"unicode/utf8"

	"acpshim/internal/history/query"
	"acpshim/internal/terminal"

	tea "charm.land/bubbletea/v2"
)

// An input is the line in which a filter is typed, at its end.
type input struct {
	text string
	err  error // of the text as it was when enter was pressed last
}

// maxInput is how long a filter is, in bytes.
const maxInput = 4 << 10

func (i *input) write(text string) {
	if i.err = nil; len(i.text)+len(text) <= maxInput {
		i.text += terminal.Plain("x"+text+"x", 0)[1:]
		i.text = i.text[:len(i.text)-1]
	}
}

// key takes a key. The filter takes effect with enter if it is right; else the one before stays.
func (i *input) key(m *model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "enter":
		q, err := query.Parse(i.text)
		if i.err = err; err != nil {
			return nil
		}
		m.input = nil
		return m.filter(q)
	case "esc", "ctrl+c":
		m.input = nil
	case "ctrl+u":
		i.text, i.err = "", nil
	case "ctrl+w":
		i.text, i.err = strings.TrimRight(i.text, " "), nil
		i.text = i.text[:strings.LastIndexByte(i.text, ' ')+1]
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(i.text)
		i.text, i.err = i.text[:len(i.text)-size], nil
	default:
		i.write(key.Text)
	}
	return nil
}

// draw is the line, below what is wrong with it or how it is written.
func (i *input) draw(m *model) (lines []string) {
	lines = append(lines, m.rule())
	if i.err == nil {
		lines = append(lines, m.line(terminal.Part{Text: `as in  update:plan*  -dir:client  failed:yes  "a text"    enter uses it, esc does not`, Colour: terminal.Dim}))
	} else {
		for _, line := range strings.Split(i.err.Error(), "\n") {
			lines = append(lines, m.line(terminal.Part{Text: line, Colour: terminal.Red}))
		}
	}
	shown := terminal.CutFront(i.text, max(m.width-10, 1))
	return append(lines, m.line(terminal.Part{Text: "filter: " + shown + "▏"}))
}
