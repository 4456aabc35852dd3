package view

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/translate"
	"acpshim/translate/document"
	"acpshim/translate/entry"
)

// A place is where a plan is kept: as the agent sent it, or as the client got it.
type place struct {
	session, plan string
	sent          bool
}

// A fate is which plan an update is of, and what acpshim did with it.
type fate struct {
	place
	update, stage, by string
}

// planUpdate adds an update of a plan. Updates that acpshim did not send on share a row with the
// last state, if they come one after the other and for the same reasons.
func (v *View) planUpdate(m *history.Message, row *Row) []Row {
	at, text, below := v.plan(m)
	text += arrival(m)
	if m.Message.Stage != "in" || len(m.Message.By) == 0 || v.Single {
		v.explain(m, row)
		row.Text, row.Below = text, below
		return v.add(row)
	}
	open, rows := v.join(m, row, fate{at, m.Update, m.Message.Stage, fmt.Sprintf("%q%q", m.Message.By, m.Message.Why)}, "updates")
	if open != row && below != nil {
		below = changes(nil, v.plans[at], false)
	}
	open.fold.text, open.Below, v.heldPlan = text, below, open
	return append(rows, v.complete()...)
}

// arrival names the later message with which the client got an update, if that is known and not
// obvious from the next row.
func arrival(m *history.Message) string {
	if a := m.Arrived; a != nil && a != m && a.Of != m {
		return fmt.Sprintf(" (the client got it with #%d)", a.Seq)
	}
	return ""
}

// plan draws a plan update: its text, and the entries with a mark on those that are new (+), gone
// (-) or in another state (~) since the last update.
func (v *View) plan(m *history.Message) (at place, text string, drawn []string) {
	u, err := m.Plan()
	if err != nil {
		return at, terminal.Plain(err.Error(), maxText), nil
	}
	at = place{m.Session, u.ID, m.Message.Sent()}
	entries, what := u.Entries, ""
	switch u.Kind {
	case translate.Removed:
		v.keep(m, at, nil)
		return at, terminal.Plain(u.ID, maxText), nil
	case translate.File:
		return at, terminal.Plain(joined(" ", u.ID, "is", u.URI), maxText), nil
	case translate.Markdown:
		if u.Delta {
			return at, terminal.Plain(joined(" ", u.ID, "continues:", u.Text), maxText), nil
		}
		entries = document.Read(u.Text).Plan()
		what = "document, "
	}
	last, known := v.plans[at]
	v.keep(m, at, entries)
	return at, joined(": ", terminal.Plain(u.ID, 60), what+progress(entries)), changes(last, entries, known)
}

// progress is how much of a plan is done.
func progress(entries []entry.Entry) string {
	done := 0
	for _, e := range entries {
		if e.Status == entry.Completed {
			done++
		}
	}
	return fmt.Sprintf("%d of %d done", done, len(entries))
}

// keep remembers the entries of a plan.
func (v *View) keep(m *history.Message, at place, entries []entry.Entry) {
	remember(&v.plans, at, entries)
	at.sent = at.sent && m.Message.Stage != "" // otherwise the client got what the agent sent
	v.plans[at] = entries
}

// changes draws the entries of a plan, and the entries that are gone. They are marked only if there
// was a plan before.
func changes(last, now []entry.Entry, known bool) (lines []string) {
	before := map[string][]entry.Status{} // of entries with that text, in order
	for _, e := range last {
		before[e.Content] = append(before[e.Content], e.Status)
	}
	for _, e := range now {
		states, mark := before[e.Content], "+"
		if len(states) > 0 {
			before[e.Content], mark = states[1:], "~"
		}
		if !known || len(states) > 0 && states[0] == e.Status {
			mark = " "
		}
		lines = append(lines, drawEntry(mark, e))
	}
	for _, e := range last {
		if states := before[e.Content]; len(states) > 0 {
			before[e.Content] = states[1:]
			lines = append(lines, drawEntry("-", e))
		}
	}
	return lines
}

// Entries draws the entries of a plan, each on a line.
func Entries(entries []entry.Entry) (lines []string) {
	for _, e := range entries {
		lines = append(lines, strings.TrimSpace(drawEntry("", e)))
	}
	return lines
}

// drawEntry draws an entry after its mark.
func drawEntry(mark string, e entry.Entry) string {
	box := map[entry.Status]string{entry.InProgress: "[~]", entry.Completed: "[x]"}[e.Status]
	return strings.Join([]string{mark, cmp.Or(box, "[ ]"), terminal.Plain(e.Content, maxText)}, " ")
}
