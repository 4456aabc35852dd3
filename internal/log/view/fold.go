package view

import (
	"fmt"
	"time"

	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A fold is what several messages in one row have in common: the pieces of a streamed message, the
// updates of a tool call, or those of a plan that acpshim did not send on.
type fold struct {
	key   any    // the first piece, which may not be shown; a call; or a fate
	unit  string // what is counted
	count int
	last  time.Duration
	text  string // of the pieces, or of the last update
	state state  // of a tool call
}

// maxWaiting is how many rows wait for a fold to end.
const maxWaiting = 64

// join counts a message in the open row with this key. If no row with it is open, the given row
// becomes the open one. It returns the open row, and the rows that are complete.
func (v *View) join(m *history.Message, row *Row, key any, unit string) (open *Row, rows []Row) {
	if open = v.open[key]; open == nil {
		open = row
		v.explain(m, row)
		row.fold = &fold{key: key, unit: unit}
		rows = v.add(row)
		if v.open == nil {
			v.open = map[any]*Row{}
		}
		v.open[key] = row
	}
	open.fold.count++
	open.fold.last = m.Mono
	return open, rows
}

// piece adds a piece to the row of its streamed message.
func (v *View) piece(m *history.Message, row *Row, first *history.Message) []Row {
	open, rows := v.join(m, row, first, "pieces")
	if f := open.fold; len(f.text) < 4*maxText {
		text := m.ChunkText()
		f.text += text[:min(len(text), 4*maxText)]
	}
	return rows
}

// add adds a row after the others.
func (v *View) add(row *Row) []Row {
	v.end(v.heldPlan)
	if v.divider != nil {
		v.waiting, v.divider = append(v.waiting, v.divider), nil
	}
	v.waiting = append(v.waiting, row)
	if len(v.waiting) > maxWaiting {
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

// Flush returns all rows. Later messages are in rows of their own.
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

// end completes a row. A row that is nil or complete stays as it is.
func (v *View) end(row *Row) {
	if row == nil || row.fold == nil {
		return
	}
	key := row.fold.key
	row.Text, row.fold = row.whole(), nil
	delete(v.open, key)
	if first, isStream := key.(*history.Message); isStream {
		v.streams.End(first)
	}
}

// whole is the text of a row with its fold.
func (r *Row) whole() string {
	f := r.fold
	if f == nil {
		return r.Text
	}
	text := terminal.Plain(f.text, maxText)
	if f.count > 1 {
		text = fmt.Sprintf("%d %s in %s: ", f.count, f.unit, terminal.Duration(f.last-r.at)) + text
	}
	return text
}
