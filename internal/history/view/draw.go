package view

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

const (
	below    = 21 // where further lines begin, in columns
	screen   = 80 // how wide a row with further lines is, where no terminal says it
	mostWhat = 26 // how wide what a row is stands there; less on a narrow terminal
)

// Draw writes a row as lines: number, seconds since the run began, who it goes to,
// what it is, the number of its session, and what it says. Where there are further lines, what
// does not fit goes on there.
func Draw(s terminal.Style, r Row) string {
	if r.Divider {
		return s.Line(terminal.Part{Text: "----- " + r.Text + " -----", Colour: terminal.Dim})
	}
	columns := cmp.Or(s.Width, screen)
	what, wide := r.What, mostWhat
	if s.Width > 0 && s.Width < 54+mostWhat {
		wide = max(s.Width-54, 12)
		what = terminal.Cut(what, wide)
	}
	session := ""
	if r.message != nil && r.message.SessionNumber > 0 {
		session = fmt.Sprint(r.message.SessionNumber)
	}
	mark, text := terminal.Part{Text: string(rune(r.Mark))}, terminal.None
	switch {
	case r.Failed:
		text = terminal.Red
	case r.Mark != Passed:
		mark.Colour = terminal.Yellow
	}
	said, rest := r.said(columns - below - wide - 5)
	drawn := s.Line(
		terminal.Part{Text: fmt.Sprintf("%5d %9.3f ", r.Seq, r.At.Seconds()), Colour: terminal.Dim}, arrow(r.Dir),
		terminal.Part{Text: " "}, mark, terminal.Part{Text: " "},
		terminal.Part{Text: fmt.Sprintf("%s %3s %s", terminal.Pad(what, wide), session, said), Colour: text})
	for _, text := range append(rest, r.Why...) {
		for _, line := range terminal.Wrap(text, columns-below) {
			drawn += s.Line(terminal.Part{Text: strings.Repeat(" ", below) + line})
		}
	}
	for _, line := range r.Below {
		colour := map[byte]terminal.Colour{'+': terminal.Green, '-': terminal.Red, '~': terminal.Yellow}[line[0]]
		drawn += s.Line(terminal.Part{Text: strings.Repeat(" ", below)}, terminal.Part{Text: line, Colour: colour})
	}
	return drawn
}

// said is what a row says, and if there are further lines what of it does not fit into so many
// columns.
func (r Row) said(columns int) (text string, rest []string) {
	if text = r.Text; len(r.By) > 0 {
		text = "[" + terminal.Cut(strings.Join(r.By, ", "), 60) + "] " + text
	}
	if len(r.Why)+len(r.Below) == 0 || terminal.Width(text) <= columns {
		return text, nil
	}
	lines := terminal.Wrap(text, columns)
	if terminal.Width(lines[0]) > columns {
		return "", []string{text}
	}
	return lines[0], []string{strings.Join(lines[1:], " ")}
}

// arrow points to who a message goes to: the agent is at the right.
func arrow(from record.Direction) terminal.Part {
	switch from {
	case record.Client:
		return terminal.Part{Text: "->", Colour: terminal.Green}
	case record.Agent:
		return terminal.Part{Text: "<-", Colour: terminal.Cyan}
	}
	return terminal.Part{Text: "  "}
}
