package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/history/stats"
	"acpshim/internal/terminal"
)

// A changer is an adapter or a rule, with all that it changed.
type changer struct {
	Change           // for its most frequent reason, but the numbers are for all
	reasons []Change // the most frequent first
}

// byName groups changes by what made them, the most frequent first.
func byName(changes []Change) (all []changer) {
	var changers stats.Rows[changer]
	for _, c := range changes {
		by := changers.Of(changer{Change: Change{By: c.By, Why: c.Why}}, c.By)
		by.Messages += c.Messages
		by.First = slices.Sorted(slices.Values(slices.Concat(by.First, c.First)))
		by.First = by.First[:min(len(by.First), MostNumbers)]
		by.reasons = append(by.reasons, c)
	}
	all = changers.All()
	slices.SortStableFunc(all, func(a, b changer) int { return cmp.Compare(b.Messages, a.Messages) })
	return all
}

// String says it in a line, with the numbers of the first messages.
func (c changer) String() string {
	var first []string
	for _, seq := range c.First {
		first = append(first, fmt.Sprintf("#%d", seq))
	}
	if more := c.Messages - len(first); more > 0 {
		first = append(first, fmt.Sprintf("%d more", more))
	}
	text := fmt.Sprintf("%s: %s (%s)", c.By, terminal.Count(c.Messages, "message", "messages"), strings.Join(first, ", "))
	if c.Why != "" {
		text += ": " + c.Why
	}
	if more := len(c.reasons) - 1; more > 0 {
		text += fmt.Sprintf(" (%d of them, and %s)", c.reasons[0].Messages, terminal.Count(more, "other reason", "other reasons"))
	}
	return text
}
