// Package view draws records for people: a list of runs (run.go, runs.go), the messages of a run as
// rows (view.go, row.go, fold.go, content.go), one message on a page (message.go), and a summary
// (summary.go). What went wrong in a run is decided in judge.go and wrong.go, from facts alone, and
// said in verdict.go, wait.go and ending.go.
package view

import (
	"cmp"

	"acpshim/internal/chain/acp"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/translate/entry"
)

// maxKnown bounds what a View remembers of each kind: titles, plans, reasons and sessions.
const maxKnown = 1 << 10

// A View makes the rows of a record. The zero View is ready for use by one goroutine.
type View struct {
	Filtered bool // messages are left out: what ends a turn is shown only between rows
	Single   bool // each message is a row, except the pieces of streamed messages; there are no dividers

	waiting  []*Row       // the first one may change
	open     map[any]*Row // those that may change, by the key of the fold
	heldPlan *Row         // the latest of plan updates that were not sent on; or nil
	divider  *Row         // that waits for a row; or nil

	streams history.Streams
	titles  map[string]string // of tool calls
	plans   map[place][]entry.Entry
	reasons map[string]bool // that were shown
	shown   map[string]bool // sessions of whose turn something was shown
}

// remember sets a value in a map, which it empties first if it has grown too large.
func remember[K comparable, V any](known *map[K]V, key K, value V) {
	if *known == nil || len(*known) >= maxKnown {
		*known = map[K]V{}
	}
	(*known)[key] = value
}

// Add takes in the next entry of a record: the message m, or r if m is nil. It returns the rows
// that are complete. An entry that is not shown keeps the entries before and after it in different
// rows.
func (v *View) Add(m *history.Message, r record.Record, isShown bool) []Row {
	if m == nil {
		v.endAll(v.streams.Interrupt(""))
		if isShown {
			return v.add(entryRow(r))
		}
		v.end(v.heldPlan)
		return v.complete()
	}
	first, ended := v.streams.Add(m)
	v.endAll(ended)
	if !isShown {
		v.skip(m, first)
		return append(v.complete(), v.turn(m)...)
	}
	remember(&v.shown, m.Session, true)
	row := messageRow(m)
	switch {
	case first != nil:
		return v.piece(m, row, first)
	case m.Update == acp.ToolCallUpdate && !v.Single:
		if key, state := v.toolCall(m); key.id != "" {
			return v.callUpdate(m, row, key, state)
		}
	case m.IsPlan():
		return v.planUpdate(m, row)
	}
	v.explain(m, row)
	row.Text = terminal.Plain(cmp.Or(changed(m), v.content(m)), maxText)
	return append(v.add(row), v.turn(m)...)
}

// skip takes in a message that is not shown. First is the first piece of its streamed message.
func (v *View) skip(m, first *history.Message) {
	v.end(v.open[first])
	v.end(v.heldPlan)
	switch {
	case m.IsPlan():
		v.plan(m)
	case m.Update == acp.ToolCall, m.Update == acp.ToolCallUpdate:
		key, _ := v.toolCall(m)
		v.end(v.open[key])
	}
}

// explain adds to a row what changed or made a message, and the reasons that are known and were not
// shown yet. What took the place of a message has the same reasons. The reason that decided is the
// last one, so it is shown again after others: it may be that a rule dropped what they speak of.
func (v *View) explain(m *history.Message, row *Row) {
	for i, name := range m.Message.By {
		reason := terminal.Plain(name+": "+m.Message.Reason(i), maxText)
		if m.Message.Of > 0 || m.Message.Reason(i) == "" || v.reasons[reason] {
			row.By = append(row.By, terminal.Plain(name, 60))
			continue
		}
		remember(&v.reasons, reason, true)
		row.Reasons = append(row.Reasons, reason)
	}
	last := len(m.Message.By) - 1
	if len(row.Reasons) > 0 && len(row.By) > 0 && m.Message.Of == 0 && m.Message.Reason(last) != "" {
		if reason := terminal.Plain(m.Message.By[last]+": "+m.Message.Reason(last), maxText); row.Reasons[len(row.Reasons)-1] != reason {
			row.By, row.Reasons = row.By[:len(row.By)-1], append(row.Reasons, reason)
		}
	}
}
