// Package view draws a record for a person: a row a message, with the pieces of a
// streamed message in one.
package view

import (
	"cmp"
	"fmt"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
	"acpshim/translate/entry"
)

// A Mark says what became of a message.
type Mark byte

const (
	Passed   Mark = ' '
	Replaced Mark = '-' // as it came; something else went on, or nothing
	Made     Mark = '+' // went on in the place of another, or was made by acpshim
)

// A Row is a line for a reader. Its texts hold nothing that a terminal obeys.
type Row struct {
	Seq     uint64
	At      time.Duration    // since the run began
	Dir     record.Direction // who sent it; "" for what is no message
	Mark    Mark
	Failed  bool // an error, or a gap
	What    string
	By      []string // what changed or made it; the reason is not known, or told before
	Text    string
	Why     []string // what else did, each with its reason
	Below   []string // further lines
	Divider bool     // it is no message: it ends a turn, and Text says what that was

	fold    *fold
	message *history.Message // or nil; a response that is yet to come may name its session
}

// Message returns the message that the row begins with; nil if it is of none.
func (r Row) Message() *history.Message { return r.message }

// maxKept bounds the plans and the tool calls that are remembered.
const maxKept = 1 << 10

// A View makes rows of a record's parts, which are added in order. It is for one
// goroutine.
type View struct {
	titles  map[string]string // of tool calls
	plans   map[place][]entry.Entry
	waiting []*Row // the first one is open
	streams history.Streams
	open    map[any]*Row    // by the key of the fold
	kept    *Row            // the latest of updates of a plan that went no further; or nil
	told    map[string]bool // reasons
	shown   map[string]bool // sessions of whose turn something was shown
	divider *Row            // that waits for a row; or nil

	Filtered bool // messages are left out: what ends a turn is shown only between rows
	Single   bool // calls and turns are not drawn together: each message is a row, but for streamed ones
}

// New returns a View that has seen nothing.
func New() *View {
	return &View{titles: map[string]string{}, plans: map[place][]entry.Entry{}, open: map[any]*Row{}, told: map[string]bool{}, shown: map[string]bool{}}
}

// Message adds a message, and returns the rows that are complete.
func (v *View) Message(m *history.Message) []Row {
	row := &Row{Seq: m.Seq, At: m.Mono, Dir: m.Message.Dir, Mark: Passed, Failed: m.Failed, message: m}
	switch m.Message.Stage {
	case "in":
		row.Mark = Replaced
	case "out":
		row.Mark = Made
	}
	row.What = terminal.Plain(m.Name(), 40)
	if len(v.shown) > maxKept {
		clear(v.shown)
	}
	v.shown[m.Session] = true
	switch {
	case m.Streamed():
		return v.chunk(m, row)
	case m.Update == "tool_call_update" && !v.Single:
		if of, said := v.toolCall(m); of.id != "" {
			return v.callUpdate(m, row, of, said)
		}
	case m.IsPlan():
		return v.planUpdate(m, row)
	}
	v.because(m, row)
	row.Text = terminal.Plain(cmp.Or(changed(m), v.summary(m)), maxText)
	_, ended := v.streams.Add(m)
	return append(v.add(row, ended), v.turn(m)...)
}

// Skip takes in a message that is not to be shown, for what it says of later ones, and returns the
// rows that are complete: what it stands between stays apart.
func (v *View) Skip(m *history.Message) []Row {
	first, ended := v.streams.Add(m)
	v.endAll(ended)
	v.end(v.open[first])
	v.end(v.kept)
	switch {
	case m.IsPlan():
		v.plan(m)
	case m.Update == "tool_call", m.Update == "tool_call_update":
		of, _ := v.toolCall(m)
		v.end(v.open[of])
	}
	return append(v.complete(), v.turn(m)...)
}

// SkipOther is [View.Skip] of a record that is not a message.
func (v *View) SkipOther() []Row {
	v.end(v.kept)
	v.endAll(v.streams.Interrupt(""))
	return v.complete()
}

// because says in a row what changed a message or made it, and why if that is known and was not
// told yet. The reasons of what went on in its place are the same.
func (v *View) because(m *history.Message, row *Row) {
	for i, name := range m.Message.By {
		why := terminal.Plain(name+": "+m.Message.Reason(i), maxText)
		if m.Message.Of > 0 || m.Message.Reason(i) == "" || v.told[why] {
			row.By = append(row.By, terminal.Plain(name, 60))
			continue
		}
		if len(v.told) >= maxKept {
			clear(v.told)
		}
		v.told[why] = true
		row.Why = append(row.Why, why)
	}
}

// Other adds a record that is not a message, and returns the rows that are complete.
func (v *View) Other(r record.Record) []Row {
	row := &Row{Seq: r.Seq, At: r.Mono, Mark: Passed, What: terminal.Plain(r.Kind, 20)}
	switch {
	case r.Gap != nil:
		row.Failed = true
		lines := terminal.Count(r.Gap.Count, "line of "+r.Gap.Stream+" is", "lines of "+r.Gap.Stream+" are")
		row.Text = terminal.Plain(fmt.Sprintf("%s missing, %s: %s", lines, Size(r.Gap.Bytes), r.Gap.Why), maxText)
	case r.File != nil:
		row.Text = terminal.Plain(r.File.Path+", "+fileText(r.File), maxText)
	case r.Kind == "event" && r.Text != nil:
		row.Text, row.Failed = event(r.Text.Bytes)
	case r.Text != nil:
		row.Text = terminal.Plain(string(r.Text.Bytes[:min(len(r.Text.Bytes), 4*maxText)]), maxText)
	}
	return v.add(row, v.streams.Interrupt(""))
}

// fileText says what was read of a plan file.
func fileText(f *record.File) string {
	if f.Busy {
		return "not readable yet"
	}
	return Size(int64(len(f.Text)))
}
