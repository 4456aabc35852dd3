package watch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/store"

	tea "charm.land/bubbletea/v2"
)

// A feed reads a record while it grows, in its own goroutine. It reads only one batch ahead of the
// screen; the rest stays in the file.
type feed struct {
	path    string
	batches chan batch
	stop    chan struct{}
	next    batch // that is being filled
	since   time.Time
	wasGone bool
}

// A batch is the entries of a record since the last batch.
type batch struct {
	feed     *feed
	records  []record.Record
	bytes    int
	isNewest bool // there was nothing more to read
	isGone   bool // the files of the record were removed
	over     bool // it is the last one
	missing  record.Missing
	schema   int
	err      error
}

// The largest batch, and the longest time for filling it.
const (
	batchRecords = 1000
	batchBytes   = 1 << 20
	batchTime    = 50 * time.Millisecond
)

var errStopped = errors.New("nobody watches the record any more")

// newFeed returns a feed of the record that has a file at path. It has to be closed.
func newFeed(path string) *feed {
	f := &feed{path: path, batches: make(chan batch), stop: make(chan struct{})}
	go f.read()
	return f
}

// close ends the feed.
func (f *feed) close() { close(f.stop) }

// wait waits for the next batch. It returns nil after the last one.
func (f *feed) wait() tea.Msg {
	if b, ok := <-f.batches; ok {
		return b
	}
	return nil
}

func (f *feed) read() {
	defer close(f.batches)
	source := store.Follow(f.path, f.idle)
	defer source.Close()
	r := record.NewReader(source)
	for {
		rec, err := r.Next()
		f.next.missing, f.next.schema = r.Missing(), r.Schema
		if err != nil || rec.End != nil {
			if err == nil {
				f.next.records = append(f.next.records, rec)
			} else if !errors.Is(err, io.EOF) {
				f.next.err = err
			}
			f.next.isNewest, f.next.over = true, true
			f.send()
			return
		}
		if len(f.next.records) == 0 {
			f.since = time.Now()
		}
		f.next.records = append(f.next.records, rec)
		f.next.bytes += len(r.Line())
		isFull := len(f.next.records) == batchRecords || f.next.bytes > batchBytes
		if (isFull || time.Since(f.since) > batchTime) && f.send() != nil {
			return
		}
	}
}

// idle sends what there is, because nothing more has come yet.
func (f *feed) idle() error {
	f.next.isNewest, f.next.isGone = true, isGone(f.path)
	if len(f.next.records) > 0 || f.next.isGone != f.wasGone || f.since.IsZero() {
		f.since = time.Now()
		return f.send()
	}
	select {
	case <-f.stop:
		return errStopped
	default:
		return nil
	}
}

func (f *feed) send() error {
	f.next.feed, f.wasGone = f, f.next.isGone
	select {
	case f.batches <- f.next:
		f.next = batch{}
		return nil
	case <-f.stop:
		return errStopped
	}
}

// isGone reports whether a record has no files any more.
func isGone(path string) bool {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	parts, err := store.Parts(path) // the first one may have been removed alone
	return err != nil || len(parts) == 0
}
