package view

import (
	"fmt"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
)

// A fold is what is known of a streamed message whose pieces may go on.
type fold struct {
	first  *history.Message
	pieces int
	last   time.Duration
	text   strings.Builder
}

// maxWaiting is how many rows wait for a streamed message to end.
const maxWaiting = 64

// chunk adds a piece to the row of its message, or begins one.
func (v *View) chunk(m *history.Message, row *Row) []Row {
	row.Text = by(m)
	first, ended := v.streams.Add(m)
	if open := v.open[first]; open != nil {
		open.fold.add(m)
		return nil
	}
	row.fold = &fold{first: m}
	row.fold.add(m)
	return v.add(row, ended)
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
	for _, first := range ended {
		v.end(v.open[first])
	}
	if row.fold != nil {
		v.open[row.fold.first] = row
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

// Flush returns all rows. Pieces that come later are a row of their own.
func (v *View) Flush() []Row {
	for _, open := range v.open {
		v.end(open)
	}
	return v.complete()
}

// end ends a streamed message: its row has all its text then.
func (v *View) end(row *Row) {
	f := row.fold
	v.streams.End(f.first)
	delete(v.open, f.first)
	row.fold = nil
	if f.pieces > 1 {
		row.Text += fmt.Sprintf("%d pieces in %s: ", f.pieces, Duration(f.last-row.At))
	}
	row.Text += terminal.Plain(f.text.String(), maxText)
}
