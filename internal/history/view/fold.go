package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
)

// A fold is what is known of messages that are one row, and of which more may come: the pieces of a
// streamed message, the updates of a tool call, or those of a plan that went no further.
type fold struct {
	first   *history.Message // the first piece, which may not be shown; nil of what is not streamed
	call    call             // of a tool call
	plan    *fate            // of a plan
	what    string           // what is counted
	pieces  int
	last    time.Duration
	text    strings.Builder // of pieces, or of the last update of a plan
	state   state           // of a tool call
	changed string          // of a tool call: what acpshim changed in its first update
}

// maxWaiting is how many rows wait for a fold to end.
const maxWaiting = 64

// chunk adds a piece to the row of its message, or begins one.
func (v *View) chunk(m *history.Message, row *Row) []Row {
	first, ended := v.streams.Add(m)
	open := v.open[first]
	if open == nil {
		v.because(m, row)
		row.fold = &fold{first: first, what: "pieces"}
		row.fold.add(m)
		return v.add(row, ended)
	}
	open.fold.add(m)
	return nil
}

// add adds a piece.
func (f *fold) add(m *history.Message) {
	f.pieces++
	f.last = m.Mono
	if f.text.Len() < 4*maxText {
		text := m.Piece()
		f.text.WriteString(text[:min(len(text), 4*maxText)])
	}
}

// add adds a row behind the others, which ended streamed messages.
func (v *View) add(row *Row, ended []*history.Message) []Row {
	v.endAll(ended)
	v.end(v.kept)
	if v.divider != nil {
		v.waiting, v.divider = append(v.waiting, v.divider), nil
	}
	switch {
	case row.fold == nil:
	case row.fold.plan != nil:
		v.kept = row
	case row.fold.first != nil:
		v.open[row.fold.first] = row
	default:
		v.calls[row.fold.call] = row
	}
	v.waiting = append(v.waiting, row)
	if len(v.waiting) > maxWaiting && v.waiting[0].fold != nil {
		v.end(v.waiting[0])
	}
	return v.complete()
}

// complete returns the rows before the first one that is open.
func (v *View) complete() (rows []Row) {
	for len(v.waiting) > 0 && v.waiting[0].fold == nil {
		rows = append(rows, *v.waiting[0])
		v.waiting = v.waiting[1:]
	}
	return rows
}

// Flush returns all rows. What comes later is in rows of its own.
func (v *View) Flush() []Row {
	for _, row := range v.waiting {
		v.end(row)
	}
	return v.complete()
}

// endAll ends the streamed messages that began with these pieces.
func (v *View) endAll(ended []*history.Message) {
	for _, first := range ended {
		v.end(v.open[first])
	}
}

// end ends a fold: its row has all its text then. A row that is nil or has ended stays as it is.
func (v *View) end(row *Row) {
	if row == nil || row.fold == nil {
		return
	}
	f := row.fold
	row.fold = nil
	if f.pieces > 1 {
		row.Text += fmt.Sprintf("%d %s in %s: ", f.pieces, f.what, Duration(f.last-row.At))
	}
	switch {
	case f.plan != nil:
		v.kept = nil
	case f.first != nil:
		v.streams.End(f.first)
		delete(v.open, f.first)
	default:
		delete(v.calls, f.call)
		said := f.state.String()
		if f.pieces == 1 {
			said = cmp.Or(f.changed, said)
		}
		row.Text += terminal.Plain(said, maxText)
		return
	}
	row.Text += terminal.Plain(f.text.String(), maxText)
}
