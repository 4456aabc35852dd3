package view

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/log/stats"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/translate"
)

// A Plan is what became of one plan of a session: as the agent names it, or as the client got it.
type Plan struct {
	Session int    `json:"session"`
	ID      string `json:"id"`    // "" for the one plan without a name
	Sent    int    `json:"sent"`  // updates of the agent
	Shown   int    `json:"shown"` // updates that the client got
	First   uint64 `json:"first"` // the numbers of the first and the last of them
	Last    uint64 `json:"last"`
	Removed bool   `json:"removed"`
	Got     uint64 `json:"got,omitempty"`    // the number of the message with which the client got it last; 0 if it did not
	GotAs   string `json:"got_as,omitempty"` // the update of that message
	Why     string `json:"why,omitempty"`    // what decided on the last update, and the reason; "" if unknown
	Unknown bool   `json:"unknown,omitzero"` // the record is of an earlier version, which does not say whether the client got it
}

// plansOf returns the plans of a record, by session and id. A plan of a todo tool has no id.
func plansOf(h *history.History) []Plan {
	var plans stats.Rows[Plan]
	brought := map[*history.Message]bool{}    // the messages that brought plans of the agent
	hasCodes, made := false, map[int]uint64{} // the last plan that acpshim made, by session
	for _, m := range h.Messages {
		brought[m.Arrived] = true
		hasCodes = hasCodes || len(m.Message.Reasons) > 0
		if m.ShowsPlans() || m.IsPlan() && !m.Message.Received() {
			made[m.SessionNumber] = m.Seq
		}
	}
	for _, m := range h.Messages {
		if m.ShowsPlans() && !brought[m] && !m.NamesUpdates() {
			p := plans.Of(Plan{Session: m.SessionNumber, First: m.Seq}, fmt.Sprint(m.SessionNumber), "")
			p.Last, p.Shown, p.Got, p.GotAs = m.Seq, p.Shown+1, m.Seq, m.Update
		}
		if m.Message.Dir != record.Agent || !m.IsPlan() {
			continue
		}
		if update, err := m.Plan(); err == nil {
			fresh := Plan{Session: m.SessionNumber, ID: update.ID, First: m.Seq}
			plans.Of(fresh, fmt.Sprint(m.SessionNumber), update.ID).add(m, update.Kind)
		}
	}
	all := plans.All()
	for i := range all {
		all[i].Unknown = !hasCodes && all[i].Got == 0 && all[i].Sent > 0 && made[all[i].Session] > all[i].First
	}
	return all
}

func (p *Plan) add(m *history.Message, kind translate.Kind) {
	p.Last, p.Removed, p.Why = m.Seq, kind == translate.Removed, ""
	if last := len(m.Message.By) - 1; last >= 0 && m.Message.Reason(last) != "" {
		p.Why = m.Message.By[last] + ": " + m.Message.Reason(last)
	}
	if m.Message.Received() {
		p.Sent++
	}
	if m.Arrived != nil {
		p.Got, p.GotAs = m.Arrived.Seq, m.Arrived.Update
	}
	if m.Message.Sent() {
		p.Shown++
	}
}

// planLines describes in a line for each session what became of its plans.
func planLines(plans []Plan) (lines []string) {
	for _, of := range groups(plans, func(p Plan) string { return fmt.Sprint(p.Session) }) {
		lines = append(lines, planLine(of))
	}
	return lines
}

// planLine describes what became of the plans of a session, with the number of their last update:
// which ones the client did not get and why, and in which form and message it got the others.
func planLine(plans []Plan) string {
	last, shown := plans[0], 0
	var sent, arrived, made, lost, unknown []string
	var lostPlans []Plan
	for _, p := range plans {
		if p.Last > last.Last {
			last = p
		}
		shown += p.Shown
		switch {
		case p.Sent == 0 && p.Got > 0:
			made = append(made, p.arrival())
			continue
		case p.Sent == 0:
			continue
		case p.Got > 0:
			arrived = append(arrived, p.arrival())
		case p.Unknown:
			unknown = append(unknown, p.name())
		default:
			lostPlans = append(lostPlans, p)
		}
		times := p.name() + " " + terminal.Count(p.Sent, "time", "times")
		if p.Removed {
			times += " (removed)"
		}
		sent = append(sent, times)
	}
	for _, of := range groups(lostPlans, func(p Plan) string { return p.Why }) {
		var names []string
		for _, p := range of {
			names = append(names, p.name())
		}
		lost = append(lost, firstNames(names)+inBrackets(of[0].Why))
	}
	got, what := "the client ", "none"
	switch {
	case len(arrived) > 0 && len(lost) > 0:
		got += "did not get " + firstNames(lost) + "; it got " + firstNames(arrived)
	case len(arrived) > 0:
		got += "got " + firstNames(arrived)
	case len(made) > 0 && len(sent) == 0:
		got += "got " + firstNames(made)
	case shown > 0:
		got += "got " + terminal.Count(shown, "plan update", "plan updates")
	case len(unknown) > 0:
		got = ""
	default:
		got = "none reached the client" + inBrackets(last.Why)
	}
	if len(unknown) > 0 {
		got = strings.TrimPrefix(got+"; the record does not say whether the client got "+firstNames(unknown), "; ")
	}
	if len(sent) > 0 {
		what = firstNames(sent)
	}
	return fmt.Sprintf("#%d: %s; the agent sent %s", last.Last, got, what)
}

// arrival describes how the client got a plan.
func (p Plan) arrival() string { return fmt.Sprintf("%s %s(#%d)", p.name(), forms[p.GotAs], p.Got) }

// forms are those in which a client gets a plan, by the update that brings it.
var forms = map[string]string{acp.AgentMessageChunk: "as a message ", acp.AgentThoughtChunk: "as a thought "}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func (p Plan) name() string {
	if p.ID == "" {
		return "the plan"
	}
	return fmt.Sprintf("%q", p.ID)
}

// groups are the values of each key, by the order in which the keys came first.
func groups[T any](all []T, key func(T) string) [][]T {
	var rows stats.Rows[[]T]
	for _, one := range all {
		of := rows.Of(nil, key(one))
		*of = append(*of, one)
	}
	return rows.All()
}
