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

// sentence says what became of the plans of a session, with the number of their last update: which
// the client got, as what and in which message, and why it did not get the others.
func sentence(plans []Plan) string {
	last, shown := plans[0], 0
	var sent, arrived, lost []string
	for _, p := range plans {
		if p.Last > last.Last {
			last = p
		}
		shown += p.Shown
		switch {
		case p.Sent == 0:
			continue
		case p.Got > 0:
			arrived = append(arrived, fmt.Sprintf("%s %s(#%d)", p.name(), forms[p.GotAs], p.Got))
		case p.Why != "":
			lost = append(lost, p.name()+" ("+p.Why+")")
		default:
			lost = append(lost, p.name())
		}
		sent = append(sent, p.String())
	}
	got, what := "the client got ", "none"
	switch {
	case len(arrived) > 0 && len(lost) > 0:
		got += names(arrived) + ", and not " + names(lost)
	case len(arrived) > 0:
		got += names(arrived)
	case shown > 0:
		got += terminal.Count(shown, "update", "updates") + " of plans"
	case last.Why != "":
		got = "none reached the client (" + last.Why + ")"
	default:
		got = "none reached the client"
	}
	if len(sent) > 0 {
		what = names(sent)
	}
	return fmt.Sprintf("#%d: %s; the agent sent %s", last.Last, got, what)
}

// forms are as what a client gets a plan, by the update that brings it.
var forms = map[string]string{"agent_message_chunk": "as a message ", "agent_thought_chunk": "as a thought "}

func (p Plan) name() string {
	if p.ID == "" {
		return "the plan"
	}
	return fmt.Sprintf("%q", p.ID)
}

// String names it and says how often the agent sent it, and whether it removed it.
func (p Plan) String() string {
	if p.Removed {
		return fmt.Sprintf("%s %s (removed)", p.name(), terminal.Count(p.Sent, "time", "times"))
	}
	return p.name() + " " + terminal.Count(p.Sent, "time", "times")
}
