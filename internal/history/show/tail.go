package show

import (
	"errors"
	"io"
	"slices"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/store"
	"acpshim/internal/terminal"
)

// lastRows is how many rows are printed of what is there.
const lastRows = 20

// Tail prints the last rows of a record that a filter matches, and with follow those that are yet
// to come, until the run ends. The record is read whole but not kept: only so the requests of
// responses are known, and the numbers of sessions. It reports whether there was a row.
func Tail(out *terminal.Output, files []string, follow bool, q query.Query, note func(text string)) (found bool, err error) {
	t := &tail{out: out, rows: view.New()}
	var source io.ReadCloser
	if follow {
		source = store.Follow(files[0], t.idle)
	} else if source, err = store.Open(files...); err != nil {
		return false, err
	}
	defer source.Close()
	r := record.NewReader(source)
	var book history.Conversation
	for {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF), rec.End != nil:
			err = t.idle()
		case err != nil:
		case rec.Start != nil:
			continue
		default:
			if err = t.record(&book, rec, q); err == nil {
				continue
			}
		}
		if follow && err == nil && rec.End == nil {
			note(view.Truncated)
		}
		lacks := r.Missing()
		lacks.Ended = true // it may still be to come
		for _, text := range []string{view.Newer(r.Schema), view.Incomplete(lacks, false)} {
			if text != "" {
				note(text)
			}
		}
		return t.found, err
	}
}

// tail holds back all rows but the last ones until the end was reached once.
type tail struct {
	out   *terminal.Output
	rows  *view.View
	last  []view.Row
	live  bool
	found bool // a row
}

func (t *tail) record(book *history.Conversation, rec record.Record, q query.Query) error {
	for _, m := range book.Add(rec) {
		if !q.Match(m) {
			t.rows.Skip(m)
		} else if err := t.add(t.rows.Message(m)); err != nil {
			return err
		}
	}
	if rec.Message == nil && q.MatchOther(rec) {
		return t.add(t.rows.Other(rec))
	}
	return nil
}

func (t *tail) add(rows []view.Row) error {
	t.found = t.found || len(rows) > 0
	t.last = append(t.last, rows...)
	if !t.live {
		t.last = slices.Delete(t.last, 0, max(len(t.last)-lastRows, 0))
		return nil
	}
	for _, row := range t.last {
		if _, err := t.out.WriteString(view.Draw(t.out.Style, row)); err != nil {
			return err
		}
	}
	t.last = t.last[:0]
	return nil
}

// idle prints what there is, for nothing more has come yet.
func (t *tail) idle() error {
	if err := t.add(t.rows.Flush()); err != nil {
		return err
	}
	t.live = true
	if err := t.add(nil); err != nil {
		return err
	}
	return t.out.Flush()
}
