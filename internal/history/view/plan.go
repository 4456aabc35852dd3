package view

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
	"acpshim/translate"
	"acpshim/translate/document"
	"acpshim/translate/entry"
)

// A place is where a plan is kept: as the agent sent it, or as the client got it.
type place struct {
	session, plan string
	sent          bool
}

// plan draws a plan update: what it is in a few words, and the entries with a mark on
// those that are new (+), gone (-) or in another state (~) since the last one.
func (v *View) plan(m *history.Message) (summary string, drawn []string) {
	msg, err := wire.Parse(m.JSON, translate.Paths...)
	if err != nil {
		return unread(m), nil
	}
	u, err := translate.Decode(msg.Open("params").Open("update"))
	if err != nil {
		return terminal.Plain(err.Error(), maxText), nil
	}
	at := place{m.Session, u.ID, m.Message.Sent()}
	entries, what := u.Entries, ""
	switch u.Kind {
	case translate.Removed:
		v.keep(m, at, nil)
		return terminal.Plain(u.ID, maxText), nil
	case translate.File:
		return terminal.Plain(joined(" ", u.ID, "is", u.URI), maxText), nil
	case translate.Markdown:
		if u.Delta {
			return terminal.Plain(joined(" ", u.ID, "goes on:", u.Text), maxText), nil
		}
		entries = document.Read(u.Text).Plan()
		what = "document, "
	}
	last, known := v.plans[at]
	v.keep(m, at, entries)
	return joined(": ", terminal.Plain(u.ID, 60), what+progress(entries)), changes(last, entries, known)
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
	if len(v.plans) >= maxKept {
		clear(v.plans)
	}
	v.plans[at] = entries
	at.sent = at.sent && m.Message.Stage != "" // else the agent sent what the client got
	v.plans[at] = entries
}

// changes draws the entries of a plan, and of the one before what is gone. They are
// marked only if there was one before.
func changes(last, now []entry.Entry, known bool) (lines []string) {
	before := map[string][]entry.Status{} // of entries of that text, in order
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

// entry draws an entry behind its mark.
func drawEntry(mark string, e entry.Entry) string {
	box := map[entry.Status]string{entry.InProgress: "[~]", entry.Completed: "[x]"}[e.Status]
	return strings.Join([]string{mark, cmp.Or(box, "[ ]"), terminal.Plain(e.Content, maxText)}, " ")
}
