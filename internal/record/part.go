package record

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"acpshim/internal/store"
)

// A part is a file of a record.
type part interface {
	WriteAt(p []byte, off int64) (int, error)
	Close() error
	Gone() bool // others removed or renamed it
}

// nowhere is the part of a record that is not kept.
type nowhere struct{}

func (nowhere) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (nowhere) Close() error                           { return nil }
func (nowhere) Gone() bool                             { return false }

// parts is the file that is written to, and what is known of it.
type parts struct {
	begun  time.Time // the run
	part   part      // nil if there is none
	number int       // of the part, or of the one that is to be
	size   int64     // bytes that are in it for certain
	kept   int       // lines in it
	torn   int       // bytes of out that are in it behind these, though the write failed
	looked time.Time // when the part was last known to be there
	untidy bool      // old files have not been pruned since it was begun
}

// open makes the next file and puts its first record in front of what is to be
// written.
func (w *writer) open() error {
	p, err := w.opts.create(w.number)
	if err != nil {
		return err
	}
	w.part, w.size, w.kept, w.looked, w.untidy = p, 0, 0, time.Now(), true
	w.out = append(w.start(w.number, w.begun), w.out...)
	return nil
}

// shut closes the part; what follows goes to the next one.
func (w *writer) shut() {
	w.part.Close()
	w.part = nil
	w.number++
}

// flushEnough flushes if there is enough for a write.
func (w *writer) flushEnough() {
	if len(w.out) >= w.enough {
		w.flush()
	}
}

// flush writes the records that are there. It does not return before they are
// written or the record was closed: what comes meanwhile is in the queue.
func (w *writer) flush() {
	for last := false; w.err == nil; {
		if len(w.out) == 0 && w.part != nil {
			return
		}
		err := w.write()
		if err == nil {
			w.prune()
			w.look(false)
			continue
		}
		w.fail(fmt.Errorf("the record cannot be written, it goes on when it can be: %w", err))
		if last {
			w.err = err
		}
		last = !w.pause()
	}
	w.lacks += w.inOut + w.lostInOut - wholeMessages(w.out[:w.torn])
	w.clear()
}

// pause waits until it is time to try again, or returns false if the record
// was closed.
func (w *writer) pause() bool {
	select {
	case <-w.queue.closing:
		return false
	case <-time.After(tryAgain):
		return true
	}
}

// write writes out behind what was written last: an attempt that failed in the
// middle of a record is written over.
func (w *writer) write() error {
	if w.part != nil && w.size > 0 && w.size+int64(len(w.out)) > w.opts.PartBytes {
		w.shut()
	}
	if w.part == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	n, err := w.part.WriteAt(w.out, w.size)
	if err != nil {
		w.torn = n
		return err
	}
	w.size += int64(len(w.out))
	w.kept += w.inOut
	w.clear()
	return nil
}

// clear empties out.
func (w *writer) clear() {
	w.out, w.inOut, w.lostInOut, w.torn = w.out[:0], 0, 0, 0
}

// wholeMessages counts the messages among whole records.
func wholeMessages(records []byte) (n int) {
	for line := range bytes.Lines(records) {
		if bytes.HasPrefix(line, []byte(`{"kind":"message"`)) && line[len(line)-1] == '\n' {
			n++
		}
	}
	return n
}

// look sees whether the part is still there: once a second, and at the end. Out has
// to be empty, so that the gap stands in the place of the records that are gone.
func (w *writer) look(end bool) {
	now := time.Now()
	if w.part == nil || w.err != nil || !end && now.Sub(w.looked) < tryAgain {
		return
	}
	w.looked = now
	if !w.part.Gone() {
		return
	}
	w.fail(errors.New(whyGone + ": the record goes on in another"))
	w.gap("all", w.now(streamEvent),
		gap{count: w.kept, bytes: w.size, from: w.begun.UnixNano(), to: now.UnixNano(), why: whyGone})
	w.shut()
}

// prune makes room for the part that was begun.
func (w *writer) prune() {
	if !w.untidy {
		return
	}
	w.untidy = false
	keep := w.opts.KeepBytes
	if keep > 0 {
		keep = max(keep-w.opts.PartBytes, 1)
	}
	// What cannot be removed now is tried again with the next part.
	store.Prune(w.opts.Dir, store.Limits{Bytes: keep, Age: w.opts.KeepFor, Except: store.PartName(w.name, w.number)})
}
