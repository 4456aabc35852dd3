package view

import (
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
	"acpshim/translate"
	"acpshim/translate/document"
)

// A place is where a plan is kept: as the agent sent it, or as the client got it.
type place struct {
	session, plan string
	sent          bool
}

// plan draws a plan update: what it is in a few words, and the steps with a mark on
// those that are new (+), gone (-) or in another state (~) since the last one.
func (v *View) plan(m *history.Message) (summary string, steps []string) {
	msg, err := wire.Parse(m.JSON, translate.Paths...)
	if err != nil {
		return unread(m), nil
	}
	u, err := translate.Decode(msg.Open("params").Open("update"))
	if err != nil {
		return terminal.Plain(err.Error(), maxText), nil
	}
	at := place{m.Session, u.ID, m.Message.Sent()}
	entries := u.Entries
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
	}
	last, known := v.plans[at]
	steps = changes(last, entries, known)
	v.keep(m, at, entries)
	done := 0
	for _, e := range entries {
		if e.Status == translate.Completed {
			done++
		}
	}
	count := fmt.Sprintf("%d of %d done", done, len(entries))
	if u.Kind == translate.Markdown {
		count = "document, " + count
	}
	return joined(": ", terminal.Plain(u.ID, 60), count), steps
}

func (v *View) keep(m *history.Message, at place, entries []translate.Entry) {
	if len(v.plans) >= maxKept {
		clear(v.plans)
	}
	v.plans[at] = entries
	if m.Message.Stage == "" { // the agent sent what the client got
		at.sent = false
		v.plans[at] = entries
	}
}

// changes draws the steps of a plan, and of the one before what is gone.
func changes(last, now []translate.Entry, marked bool) (lines []string) {
	before := map[string][]translate.Status{} // of steps of that text, in order
	for _, e := range last {
		before[e.Content] = append(before[e.Content], e.Status)
	}
	for _, e := range now {
		mark := "+"
		if states := before[e.Content]; len(states) > 0 {
			mark = "~"
			if states[0] == e.Status {
				mark = " "
			}
			before[e.Content] = states[1:]
		}
		if !marked {
			mark = " "
		}
		lines = append(lines, step(mark, e))
	}
	for _, e := range last {
		if states := before[e.Content]; len(states) > 0 {
			before[e.Content] = states[1:]
			lines = append(lines, step("-", e))
		}
	}
	return lines
}

func step(mark string, e translate.Entry) string {
	box := map[translate.Status]string{translate.InProgress: "[~]", translate.Completed: "[x]"}[e.Status]
	if box == "" {
		box = "[ ]"
	}
	return strings.Join([]string{mark, box, terminal.Plain(e.Content, maxText)}, " ")
}
