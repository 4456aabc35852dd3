package watch

import (
	"fmt"
	"strings"
	"time"

	"acpshim/internal/terminal"
)

const (
	reverse = "\x1b[7m"
	normal  = "\x1b[0m"
)

// line draws parts as a line of the screen.
func (m *model) line(parts ...terminal.Part) string {
	return strings.TrimSuffix(m.style().Line(parts...), "\n")
}

// selected draws a line that the cursor is at, and that has no colours.
func (m *model) selected(line string) string {
	return reverse + terminal.Pad(line, m.width) + normal
}

// rule draws the line below a title.
func (m *model) rule() string {
	return m.line(terminal.Part{Text: strings.Repeat("─", max(m.width, 1)), Colour: terminal.Dim})
}

func joined(lines []string) string { return strings.Join(lines, "\n") }

// split is a drawn text as lines.
func split(text string) []string {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// short limits lines to a number, of which the last one says how many are left out.
func short(lines []string, most int) []string {
	if most = max(most, 2); len(lines) <= most {
		return lines
	}
	rest := fmt.Sprintf("%21s… %d more lines", "", len(lines)-most+1)
	return append(lines[:most-1:most-1], rest)
}

// clock is a time that goes on.
func clock(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// A text is lines that are scrolled.
type text struct{ top int }

func (t *text) window(lines []string, height int) []string {
	t.top = max(min(t.top, len(lines)-height), 0)
	return lines[t.top:min(t.top+height, len(lines))]
}

// key scrolls, and reports whether the key is one for that.
func (t *text) key(key string, height int) bool {
	const all = 1 << 30
	c := cursor{at: t.top}
	if !c.key(key, all, max(height-4, 1)) {
		return false
	}
	t.top = c.at
	return true
}
