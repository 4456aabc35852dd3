package view

import (
	"strings"

	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// event draws a line of acpshim's log: its level, its words, and what it has besides;
// and reports whether it is about an error.
func event(line []byte) (text string, failed bool) {
	e, err := wire.Parse(line)
	if err != nil {
		return terminal.Plain(string(line[:min(len(line), 4*maxText)]), maxText), false
	}
	level, _ := e.Text("level")
	words, _ := e.Text("message")
	parts := []string{joined(": ", level, words)}
	for _, m := range e.Members {
		switch m.Name {
		case "level", "message", "time":
			continue
		}
		value := line[m.Value.Start:m.Value.End]
		said := string(value[:min(len(value), 4*maxText)])
		if s, ok := wire.Text(value); ok && s != "" && !strings.ContainsAny(s, " =\"\n") {
			said = s
		}
		parts = append(parts, m.Name+"="+said)
	}
	return terminal.Plain(joined(" ", parts...), maxText), level == "error" || level == "fatal"
}
