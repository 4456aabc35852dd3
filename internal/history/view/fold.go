package view

import (
	"fmt"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
)

// A fold is what is known of messages that are one row, and of which more may come: the pieces of a
// streamed message, the updates of a tool call, or those of a plan that went no further.
type fold struct {
	key    any    // the first piece, which may not be shown; a call; or a fate
	what   string // what is counted
	pieces int
	last   time.Duration
	text   string // of pieces, or of the last update
	state  state  // of a tool call
}

// maxWaiting is how many rows wait for a fold to end.
const maxWaiting = 64

// chunk adds a piece to the row of its message, or begins one.
func (v *View) chunk(m *history.Message, row *Row) []Row {
	first, ended := v.streams.Add(m)
	open := v.open[first]
	if open == nil {
		open = row
		v.because(m, row)
		row.fold = &fold{key: first, what: "pieces"}
	}
	f := open.fold
	f.count(m)
	if len(f.text) < 4*maxText {
		text := m.Piece()
		f.text += text[:min(len(text), 4*maxText)]
	}
	if open != row {
		return nil
	}
	return v.add(row, ended)
}

// count counts a message of the row.
func (f *fold) count(m *history.Message) {
	f.pieces++
	f.last = m.Mono
}

// add adds a row behind the others, which ended streamed messages.
func (v *View) add(row *Row, ended []*history.Message) []Row {
	v.endAll(ended)
	v.end(v.kept)
	if v.divider != nil {
		v.waiting, v.divider = append(v.waiting, v.divider), nil
	}
	if row.fold != nil {
		v.open[row.fold.key] = row
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

// Waiting returns copies of the rows that are not complete, as they would be if they ended now.
func (v *View) Waiting() (rows []Row) {
	for _, row := range v.waiting {
		rows = append(rows, *row)
		last := &rows[len(rows)-1]
		last.Text, last.fold = last.whole(), nil
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
	row.Text, row.fold = row.whole(), nil
	delete(v.open, f.key)
	if first, isStream := f.key.(*history.Message); isStream {
		v.streams.End(first)
	}
}

// whole is the text of a row with that of its fold, if it has one.
func (r *Row) whole() string {
	f := r.fold
	switch {
	case f == nil:
		return r.Text
	case f.pieces > 1:
		return fmt.Sprintf("%d %s in %s: ", f.pieces, f.what, Duration(f.last-r.At)) + terminal.Plain(f.text, maxText)
	}
	return r.Text + terminal.Plain(f.text, maxText)
}
