package view

import (
	"fmt"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

const (
	below    = 21 // where further lines begin, in columns
	mostWhat = 26 // how wide what a row is stands there; less on a narrow terminal
)

// Draw writes a row as lines: number, seconds since the run began, who it goes to,
// what it is, the number of its session, and what it says.
func Draw(s terminal.Style, r Row) string {
	arrow, colour := terminal.Part{Text: "  "}, terminal.None
	switch r.Dir {
	case record.Client:
		arrow = terminal.Part{Text: "->", Colour: terminal.Green}
	case record.Agent:
		arrow = terminal.Part{Text: "<-", Colour: terminal.Cyan}
	}
	session := ""
	if number := r.session(); number > 0 {
		session = fmt.Sprint(number)
	}
	what, wide := r.What, mostWhat
	if s.Width > 0 && s.Width < 54+mostWhat {
		wide = max(s.Width-54, 12)
		what = terminal.Cut(what, wide)
	}
	mark := terminal.Part{Text: string(rune(r.Mark))}
	switch {
	case r.Failed:
		colour = terminal.Red
	case r.Mark != Passed:
		mark.Colour = terminal.Yellow
	}
	var b strings.Builder
	b.WriteString(s.Line(
		terminal.Part{Text: fmt.Sprintf("%5d %9.3f ", r.Seq, r.At.Seconds()), Colour: terminal.Dim}, arrow,
		terminal.Part{Text: " "}, mark, terminal.Part{Text: " "},
		terminal.Part{Text: fmt.Sprintf("%s %3s %s", terminal.Pad(what, wide), session, r.Text), Colour: colour}))
	for _, line := range r.Below {
		colour := map[byte]terminal.Colour{'+': terminal.Green, '-': terminal.Red, '~': terminal.Yellow}[line[0]]
		b.WriteString(s.Line(terminal.Part{Text: strings.Repeat(" ", below)}, terminal.Part{Text: line, Colour: colour}))
	}
	return b.String()
}

// session is the number of a row's session, which may have become known since.
func (r Row) session() int {
	if r.message != nil {
		return r.message.SessionNumber
	}
	return r.Session
}
