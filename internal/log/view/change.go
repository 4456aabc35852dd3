package view

import (
	"cmp"
	"fmt"
	"slices"

	"acpshim/internal/log/stats"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A Change counts messages that acpshim changed, held, dropped or made, by the same name and for
// the same reason.
type Change struct {
	By       string   `json:"by"`
	Why      string   `json:"why,omitempty"` // "" if no reason was recorded
	Messages int      `json:"messages"`
	First    []uint64 `json:"first"` // the numbers of the first ones, at most mostNumbers
}

const mostNumbers = 3

// changesOf counts what acpshim changed: each entry of the record once for each name. The most
// frequent change is first.
func changesOf(h *history.History) []Change {
	var rows stats.Rows[Change]
	last := uint64(0)
	for _, m := range h.Messages {
		if m.Seq == last {
			continue // it is in the same batch
		}
		for i, by := range m.Message.By {
			if m.Of != nil && slices.Contains(m.Of.Message.By, by) {
				continue // it was counted for the message whose place this one took
			}
			last = m.Seq
			c := rows.Of(Change{By: by, Why: m.Message.Reason(i)}, by, m.Message.Reason(i))
			c.Messages++
			c.First = first(c.First, m.Seq)
		}
	}
	changes := rows.All()
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(b.Messages, a.Messages) })
	return changes
}

// changeLines describes in a line for each name what it changed, the most frequent name first.
func changeLines(changes []Change) (lines []string) {
	byName := groups(changes, func(c Change) string { return c.By })
	slices.SortStableFunc(byName, func(a, b []Change) int { return cmp.Compare(total(b), total(a)) })
	for _, of := range byName {
		lines = append(lines, changeLine(of))
	}
	return lines
}

// total counts the messages of changes.
func total(changes []Change) (n int) {
	for _, c := range changes {
		n += c.Messages
	}
	return n
}

// changeLine describes the changes by one name, with the numbers of the first messages and the most
// frequent reason.
func changeLine(changes []Change) string {
	var first []uint64
	for _, c := range changes {
		first = append(first, c.First...)
	}
	slices.Sort(first)
	n, most := total(changes), changes[0]
	text := joined(": ", most.By, fmt.Sprintf("%s (%s)", terminal.Count(n, "message", "messages"), listed(first, n)), most.Why)
	if more := len(changes) - 1; more > 0 {
		text += fmt.Sprintf(" (%d of them; %s)", most.Messages, terminal.Count(more, "other reason", "other reasons"))
	}
	return text
}
