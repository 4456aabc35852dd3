package view

import (
	"fmt"
	"strings"
	"time"

	"acpshim/history"
	"acpshim/wire"
)

// A fold is what is known of a streamed message whose pieces may go on.
type fold struct {
	key     string
	message string // its messageId
	pieces  int
	latest  uint64 // the number of the last piece
	last    time.Duration
	text    strings.Builder
}

// maxWaiting is how many rows wait for a streamed message to end.
const maxWaiting = 64

// chunk adds a piece to the row of its message, or begins one.
func (v *View) chunk(m *history.Message, row *Row) []Row {
	msg, err := wire.Parse(m.JSON, opened...)
	if err != nil {
		row.Text = by(m) + unread(m)
		return v.add(row, 0)
	}
	update := msg.Open("params").Open("update")
	message, _ := update.Text("messageId")
	key := fmt.Sprintf("%s %s %c%s%s", m.Message.Dir, m.Update, row.Mark, by(m), m.Session)
	if open := v.open[key]; open != nil && open.fold.message == message {
		open.fold.add(m, update)
		return nil
	}
	row.Text = by(m)
	row.fold = &fold{key: key, message: message}
	row.fold.add(m, update)
	var of uint64
	if m.Of != nil {
		of = m.Of.Seq
	}
	return v.add(row, of)
}

func (f *fold) add(m *history.Message, update *wire.Object) {
	f.pieces++
	f.latest, f.last = m.Seq, m.Mono
	if f.text.Len() < 4*maxText {
		text := chunkText(update)
		f.text.WriteString(text[:min(len(text), 4*maxText)])
	}
}

// add adds a row behind the others. It ends the streamed messages of which it does
// not know that they go on: those without an id, and the one before its own. The
// one that it has taken a piece of the place of goes on.
func (v *View) add(row *Row, of uint64) []Row {
	for key, open := range v.open {
		if f := open.fold; f.message == "" && (of == 0 || f.latest != of) || row.fold != nil && key == row.fold.key {
			v.end(open)
		}
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

// Flush returns all rows. Pieces that come later are a row of their own.
func (v *View) Flush() []Row {
	for _, open := range v.open {
		v.end(open)
	}
	return v.complete()
}

func (v *View) end(row *Row) {
	f := row.fold
	delete(v.open, f.key)
	row.fold = nil
	if f.pieces > 1 {
		row.Text += fmt.Sprintf("%d pieces in %s: ", f.pieces, duration(f.last-row.At))
	}
	row.Text += Plain(f.text.String(), maxText)
}
