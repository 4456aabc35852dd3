package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Style says how lines are drawn. The zero one is for what is no terminal.
type Style struct {
	Width  int // of the terminal; 0 is no limit
	Colour bool
}

// A Colour is one of those of a terminal.
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

// Line draws parts as one line, with its end: no wider than the terminal, and without
// space at its end.
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

// Table writes rows below their heads, in columns. Those of right have what is in them
// at their right side. It writes nothing if there are no rows.
func Table(w io.Writer, heads []string, right map[string]bool, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	return Aligned(w, append([][]string{heads}, rows...), func(column int) bool { return right[heads[column]] })
}

// Aligned writes rows in columns, with two spaces between them. Right may be nil.
func Aligned(w io.Writer, rows [][]string, right func(column int) bool) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(oneLine(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = oneLine(cell)
			if right != nil && right(i) {
				cell = strings.Repeat(" ", widths[i]-Width(cell)) + cell
			}
			b.WriteString(Pad(cell, widths[i]) + "  ")
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// Beside puts a text beside another, each on one line of a column of that width.
func Beside(left, right string, columns int) string {
	line := "  " + Pad(Cut(oneLine(left), columns), columns) + "  " + Cut(oneLine(right), columns)
	return strings.TrimRight(Cut(line, 2*columns+4), " ") + "\n"
}

// oneLine is a text without what takes more columns, or fewer, than one knows.
func oneLine(text string) string { return strings.ReplaceAll(Line(text), "\t", " ") }

// A Writer passes text on for people to read, as [Text] does. It is for one goroutine.
type Writer struct {
	to   io.Writer
	held []byte // the beginning of a rune
}

// NewWriter returns a Writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements [io.Writer]. A rune that is not whole is kept for the next write.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.held, p...)
	end := len(text)
	for i := end - 1; i >= max(end-utf8.UTFMax, 0); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				end = i
			}
			break
		}
	}
	_, err := io.WriteString(w.to, Text(string(text[:end])))
	w.held = append([]byte(nil), text[end:]...)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}
