package terminal

import (
	"strings"
	"unicode/utf8"
)

// A Style says how lines are drawn. The zero Style is for output that is not a terminal.
type Style struct {
	Width  int // of the terminal; 0 means no limit
	Colour bool
}

// A Colour is a colour of a terminal.
type Colour string

const (
	None   Colour = ""
	Dim    Colour = "\x1b[2m"
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"
	Cyan   Colour = "\x1b[36m"
	plain         = "\x1b[0m"
)

// A Part is a piece of a line.
type Part struct {
	Text   string
	Colour Colour
}

// Line draws parts as one line with a line end. It cuts the line at the width of the terminal, and
// removes space at its end.
func (s Style) Line(parts ...Part) string {
	whole := ""
	for _, p := range parts {
		whole += oneLine(p.Text)
	}
	rest := strings.TrimRight(Cut(whole, s.Width), " ")
	var b strings.Builder
	for i, p := range parts {
		end := min(len(oneLine(p.Text)), len(rest))
		for end < len(rest) && (i == len(parts)-1 || !utf8.RuneStart(rest[end])) { // … took the place of what was there
			end++
		}
		text := rest[:end]
		if rest = rest[end:]; s.Colour && p.Colour != None && text != "" {
			text = string(p.Colour) + text + plain
		}
		b.WriteString(text)
	}
	return b.String() + "\n"
}
