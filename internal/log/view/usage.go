package view

import (
	"fmt"

	"acpshim/internal/log/stats"
	"acpshim/internal/text/terminal"
)

// usageLines describe what the sessions used, as far as the agent reports it.
func usageLines(all []stats.Usage) (lines []string) {
	for _, u := range all {
		if !u.IsKnown() {
			continue
		}
		tokens, cost, context := "tokens are not known", "the cost is not known", ""
		switch t := u.Tokens; {
		case t != nil:
			tokens = terminal.Count(t.Total, "token", "tokens")
			if t.Input != nil && t.Output != nil {
				tokens += fmt.Sprintf(" (%d in, %d out)", *t.Input, *t.Output)
			}
			if u.Reported < u.Prompts {
				tokens += fmt.Sprintf(" in %d of %d turns", u.Reported, u.Prompts)
			}
		case u.Reported > 0:
			tokens = "tokens are not added up, each may be of one turn or of the session so far"
		case u.Cost == nil:
			tokens, cost = "tokens and cost are not known", ""
		}
		if u.Cost != nil {
			cost = u.Cost.String() + " since it began"
		}
		if u.Context != nil {
			context = "context " + u.Context.String()
		}
		line := joined(", ", tokens, cost, context)
		lines = append(lines, fmt.Sprintf("session %d: %s", u.Session, line))
	}
	return lines
}
