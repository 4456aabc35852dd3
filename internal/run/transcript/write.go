package transcript

import (
	"fmt"
	"io"

	"acpshim/internal/text/terminal"
)

// Write writes the difference for people; name is that of the transcript's file.
func (d Difference) Write(w io.Writer, name string) {
	fmt.Fprintf(w, "%s:%d: %s, line %d: ", terminal.Line(name), d.Line, d.Section, d.Number)
	switch {
	case d.Want == nil:
		fmt.Fprintf(w, "unexpected\n  got:  %s\n", Shorten(d.Got))
		return
	case d.Got == nil:
		fmt.Fprintf(w, "missing\n  want: %s\n", Shorten(d.Want))
		return
	}
	fmt.Fprintf(w, "different\n  want: %s\n  got:  %s\n", Shorten(d.Want), Shorten(d.Got))
	changes, ok := Changes(d.Want, d.Got)
	switch {
	case ok && len(changes) == 0:
		fmt.Fprintln(w, "  the same JSON in other bytes")
	case ok:
		for _, c := range changes {
			fmt.Fprintf(w, "  at %s: %s\n", terminal.Line(c.Where()), instead(c))
		}
	}
}

// instead says what was wanted at a place of a message, and what is there.
func instead(c Change) string {
	switch {
	case c.Before == "":
		return "want nothing, got " + Shorten([]byte(c.After))
	case c.After == "":
		return fmt.Sprintf("want %s, got nothing", Shorten([]byte(c.Before)))
	}
	return fmt.Sprintf("want %s, got %s", Shorten([]byte(c.Before)), Shorten([]byte(c.After)))
}

// Shorten returns a line for people, without the end of a very long one.
func Shorten(line []byte) string {
	const most = 2000
	text := terminal.Message(line)
	if runes := []rune(text); len(runes) > most {
		text = fmt.Sprintf("%s... (%d bytes)", string(runes[:most]), len(line))
	}
	return text
}
