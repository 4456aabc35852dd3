package view

import (
	"errors"
	"io"
	"slices"
	"time"

	"acpshim/internal/log/query"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"
)

// A Tail prints the last rows of records.
type Tail struct {
	Out    *terminal.Output
	Rows   int  // how many of the rows that are there are printed
	Follow bool // print later rows, too, until the run ends, and the end
	Query  query.Query
	Note   func(text string) // is called with what else a person has to know, which may be ""

	view   *View
	last   []Row // that are not printed
	isLive bool  // the end was reached once, so all rows are printed
	found  bool  // a row
}

// Record prints the last rows of the record with these files. It reads the whole record but does
// not keep it: this way it knows the requests of responses and the numbers of sessions. It reports
// whether there was a row.
func (t *Tail) Record(files []string) (found bool, err error) {
	t.view, t.last, t.isLive, t.found = &View{Filtered: !t.Query.Empty()}, nil, false, false
	var source io.ReadCloser
	if t.Follow {
		source = store.Follow(files[0], t.idle)
	} else if source, err = store.Open(files...); err != nil {
		return false, err
	}
	defer source.Close()
	r := record.NewReader(source)
	var conversation history.Conversation
	var end record.Record
	for err == nil && !r.Missing().Ended {
		var rec record.Record
		if rec, err = r.Next(); err == nil {
			err = t.entry(&conversation, rec)
		}
		if rec.End != nil {
			end = rec
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = t.idle()
	}
	missing := r.Missing()
	switch {
	case err != nil || !t.Follow:
	case missing.Ended:
		err = t.end(end)
	default:
		t.Note(cutOff)
	}
	missing.Ended = true // it may still be to come
	t.Note(history.WarnNewer(r.Schema))
	t.Note(history.WarnMissing(missing, false))
	return t.found, err
}

// Runs follows the newest run that writes a record in the folder. After its end, or if no run
// writes one, Runs waits for the next one, and so on. It returns only with an error.
func (t *Tail) Runs(folder string) error {
	t.Follow = true
	watch := store.Watch{Dir: folder}
	for isWaiting := false; ; {
		files, err := watch.Next()
		switch {
		case err != nil:
			return err
		case files != nil:
			t.Note("following " + store.Name(files))
			if _, err := t.Record(files); err != nil {
				return err
			}
			t.Rows, isWaiting = everything, false
			continue
		case !isWaiting:
			t.Note("waiting for the next run with --record, in " + folder)
			t.Rows, isWaiting = everything, true
		}
		time.Sleep(store.Poll)
	}
}

// everything is how many rows are printed of a run that has just begun.
const everything = 1 << 30

func (t *Tail) entry(conversation *history.Conversation, rec record.Record) error {
	for _, m := range conversation.Add(rec) {
		if err := t.add(t.view.Add(m, rec, t.Query.Match(m))); err != nil {
			return err
		}
	}
	if rec.Message != nil || rec.Start != nil || rec.End != nil {
		return nil
	}
	return t.add(t.view.Add(nil, rec, t.Query.MatchOther(rec)))
}

// end prints the row of the end of a run, whatever the query is.
func (t *Tail) end(rec record.Record) error {
	row := entryRow(rec)
	row.Text = endLine(&history.History{End: rec.End, Ended: rec.Mono}, false)
	if err := t.add([]Row{*row}); err != nil {
		return err
	}
	return t.Out.Flush()
}

// add prints rows, or keeps the last ones until the end was reached once.
func (t *Tail) add(rows []Row) error {
	t.found = t.found || len(rows) > 0
	t.last = append(t.last, rows...)
	if !t.isLive {
		t.last = slices.Delete(t.last, 0, max(len(t.last)-t.Rows, 0))
		return nil
	}
	for _, row := range t.last {
		if _, err := t.Out.WriteString(row.Draw(t.Out.Style)); err != nil {
			return err
		}
	}
	t.last = t.last[:0]
	return nil
}

// idle prints what there is, because nothing more has come yet.
func (t *Tail) idle() error {
	if err := t.add(t.view.Flush()); err != nil {
		return err
	}
	t.isLive = true
	if err := t.add(nil); err != nil {
		return err
	}
	return t.Out.Flush()
}
