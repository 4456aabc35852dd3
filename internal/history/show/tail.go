package show

import (
	"errors"
	"io"
	"slices"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/store"
	"acpshim/internal/terminal"
)

// A Tail prints the last rows of records.
type Tail struct {
	Out    *terminal.Output
	Rows   int  // how many of those that are there are printed
	Follow bool // print those that are yet to come, too, until the run ends
	Query  query.Query
	Note   func(text string) // is called with what a person has to know besides, which may be ""
}

// Record prints the last rows of the record with these files. The record is read whole but not
// kept: only so the requests of responses are known, and the numbers of sessions. It reports
// whether there was a row.
func (o Tail) Record(files []string) (found bool, err error) {
	t := &tail{Tail: o, rows: view.New()}
	t.rows.Filtered = !o.Query.Empty()
	var source io.ReadCloser
	if o.Follow {
		source = store.Follow(files[0], t.idle)
	} else if source, err = store.Open(files...); err != nil {
		return false, err
	}
	defer source.Close()
	r := record.NewReader(source)
	var book history.Conversation
	lacks := r.Missing()
	for err == nil && !lacks.Ended {
		var rec record.Record
		rec, err = r.Next()
		lacks = r.Missing()
		if err == nil && rec.Start == nil && rec.End == nil {
			err = t.record(&book, rec)
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = t.idle()
	}
	if o.Follow && err == nil && !lacks.Ended {
		o.Note(view.Truncated)
	}
	lacks.Ended = true // it may still be to come
	o.Note(view.Newer(r.Schema))
	o.Note(view.Incomplete(lacks, false))
	return t.found, err
}

// Runs follows the newest run that writes a record in the folder, and when it has ended, or if
// there is none, waits for the next one, and so on. It returns only with an error.
func (o Tail) Runs(folder string) error {
	o.Follow = true
	watch := store.Watch{Dir: folder}
	for isWaiting := false; ; {
		files, err := watch.Next()
		switch {
		case err != nil:
			return err
		case files != nil:
			o.Note("following " + store.Name(files))
			if _, err := o.Record(files); err != nil {
				return err
			}
			o.Rows, isWaiting = everything, false
			continue
		case !isWaiting:
			o.Note("waiting for the next run with --record, in " + folder)
			o.Rows, isWaiting = everything, true
		}
		time.Sleep(store.Poll)
	}
}

// everything is how many rows are printed of a run that has just begun.
const everything = 1 << 30

// tail holds back all rows but the last ones until the end was reached once.
type tail struct {
	Tail
	rows  *view.View
	last  []view.Row
	live  bool
	found bool // a row
}

func (t *tail) record(book *history.Conversation, rec record.Record) error {
	for _, m := range book.Add(rec) {
		rows := t.rows.Message
		if !t.Query.Match(m) {
			rows = t.rows.Skip
		}
		if err := t.add(rows(m)); err != nil {
			return err
		}
	}
	switch {
	case rec.Message != nil:
		return nil
	case t.Query.MatchOther(rec):
		return t.add(t.rows.Other(rec))
	}
	return t.add(t.rows.SkipOther())
}

func (t *tail) add(rows []view.Row) error {
	t.found = t.found || len(rows) > 0
	t.last = append(t.last, rows...)
	if !t.live {
		t.last = slices.Delete(t.last, 0, max(len(t.last)-t.Rows, 0))
		return nil
	}
	for _, row := range t.last {
		if _, err := t.Out.WriteString(view.Draw(t.Out.Style, row)); err != nil {
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
	return t.Out.Flush()
}
