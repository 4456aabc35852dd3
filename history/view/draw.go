package view

import (
	"fmt"
	"strings"

	"acpshim/record"
)

// A Style says how rows are drawn.
type Style struct {
	Width  int // of the terminal; 0 is no limit
	Colour bool
}

const (
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

const (
	below    = 21 // where further lines begin, in columns
	mostWhat = 26 // how wide what a row is stands there; less on a narrow terminal
)

// Draw writes a row as lines: number, seconds since the run began, who it goes to,
// what it is, the number of its session, and what it says.
func (s Style) Draw(r Row) string {
	arrow, colour := "  ", ""
	switch r.Dir {
	case record.Client:
		arrow, colour = "->", green
	case record.Agent:
		arrow, colour = "<-", cyan
	}
	session := ""
	if number := r.session(); number > 0 {
		session = fmt.Sprint(number)
	}
	head := fmt.Sprintf("%5d %9.3f ", r.Seq, r.At.Seconds())
	mark := string(rune(r.Mark))
	what, wide := r.What, mostWhat
	if s.Width > 0 && s.Width < 54+mostWhat {
		wide = max(s.Width-54, 12)
		what = shortened(what, wide)
	}
	rest := fmt.Sprintf("%-*s %3s %s", wide, what, session, r.Text)
	rest = strings.TrimRight(s.cut(rest, len(head)+len(arrow)+3), " ")
	switch {
	case !s.Colour:
	case r.Failed:
		rest = red + rest + plain
	case r.Mark != Passed:
		mark = yellow + mark + plain
	}
	if s.Colour {
		head, arrow = dim+head+plain, colour+arrow+plain
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(head+arrow+" "+mark+" "+rest, " ") + "\n")
	for _, line := range r.Below {
		line = s.cut(line, below)
		if c := map[byte]string{'+': green, '-': red, '~': yellow}[line[0]]; s.Colour && c != "" {
			line = c + line + plain
		}
		b.WriteString(strings.Repeat(" ", below) + line + "\n")
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

// cut shortens a text that begins in a column to what the line has room for.
func (s Style) cut(text string, column int) string {
	room := max(s.Width-column, 10)
	if s.Width == 0 || len(text) <= room {
		return text
	}
	return shortened(text, room)
}

// shortened is the beginning of a text with at most so many runes.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
