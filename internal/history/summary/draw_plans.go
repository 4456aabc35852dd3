package summary

import (
	"fmt"

	"acpshim/internal/history/stats"
	"acpshim/internal/terminal"
)

// plansOfSessions says of each session in a line what became of its plans.
func plansOfSessions(plans []Plan) (lines []string) {
	var sessions stats.Rows[[]Plan]
	for _, p := range plans {
		of := sessions.Of(nil, fmt.Sprint(p.Session))
		*of = append(*of, p)
	}
	for _, of := range sessions.All() {
		lines = append(lines, sentence(of))
	}
	return lines
}

// sentence says what became of the plans of a session, with the number of their last update, and
// why that did not reach the client if none did.
func sentence(plans []Plan) string {
	last, shown := plans[0], 0
	var sent []string
	for _, p := range plans {
		if p.Last > last.Last {
			last = p
		}
		shown += p.Shown
		if p.Sent > 0 {
			sent = append(sent, p.String())
		}
	}
	got, what := "none reached the client", "none"
	switch {
	case shown > 0:
		got = "the client got " + terminal.Count(shown, "update", "updates") + " of plans"
	case last.Why != "":
		got += " (" + last.Why + ")"
	}
	if len(sent) > 0 {
		what = names(sent)
	}
	return fmt.Sprintf("%d: %s; the agent sent %s", last.Last, got, what)
}

// String names it and says how often the agent sent it, and whether it removed it.
func (p Plan) String() string {
	name := "the plan"
	if p.ID != "" {
		name = fmt.Sprintf("%q", p.ID)
	}
	if p.Removed {
		return fmt.Sprintf("%s %s (removed)", name, terminal.Count(p.Sent, "time", "times"))
	}
	return name + " " + terminal.Count(p.Sent, "time", "times")
}
