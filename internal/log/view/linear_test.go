package view

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/dev/growth"
	"acpshim/internal/text/terminal"
)

// The time to draw a record grows with its length, however many sessions are in it.
func TestManySessions(t *testing.T) {
	growth.Linear(t, "sessions", 1000, func(size int) func() {
		var lines []string
		for i := range size {
			lines = append(lines, "agent "+strings.Replace(chunk("agent_message_chunk", "", "x"), `"s"`, fmt.Sprintf(`"s%d"`, i), 1))
		}
		h := readHistory(t, messages(lines...))
		return func() {
			v := View{}
			for _, m := range h.Messages {
				v.Add(m, m.Record, true)
			}
		}
	})
}

// The time to draw a plan grows with the number of its entries.
func TestManyEntries(t *testing.T) {
	growth.Linear(t, "entries", 4000, func(size int) func() {
		row := Row{Seq: 1, Text: "plan"}
		for i := range size {
			row.Below = append(row.Below, fmt.Sprintf("  [ ] step %d", i))
		}
		return func() { row.Draw(terminal.Style{}) }
	})
}
