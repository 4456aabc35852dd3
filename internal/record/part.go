package record

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"acpshim/internal/record/store"
)

// A part is a file of the record.
type part interface {
	WriteAt(p []byte, off int64) (int, error)
	Close() error
	Gone() bool // somebody removed or renamed it
}

// A noPart is the part of a record that writes no file.
type noPart struct{}

func (noPart) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (noPart) Close() error                           { return nil }
func (noPart) Gone() bool                             { return false }

// A partState is the part that is written to, and what is known about it.
type partState struct {
	begun   time.Time // the run
	part    part      // nil before it is created
	number  int       // of the part, or of the next one
	size    int64     // bytes that were written to it
	kept    int       // lines in it
	torn    int       // bytes of out that a failed write wrote after these
	checked time.Time // when the part was last known to exist
	unclean bool      // the folder has not been pruned since the part began
}

// open creates the next part. It puts the first record of the part before those in out.
func (w *writer) open() error {
	p, err := w.opts.create(w.number)
	if err != nil {
		return err
	}
	w.part, w.size, w.kept, w.checked, w.unclean = p, 0, 0, time.Now(), true
	w.out = append(w.start(w.number, w.begun), w.out...)
	return nil
}

// shut closes the part. The next write opens the next one.
func (w *writer) shut() {
	w.part.Close()
	w.part = nil
	w.number++
}

// flushEnough flushes if there is enough to write.
func (w *writer) flushEnough() {
	if len(w.out) >= w.enough {
		w.flush()
	}
}

// flush writes the records in out. It tries until they are written or the record is closed.
// Meanwhile new entries wait in the queue.
func (w *writer) flush() {
	for last := false; w.err == nil; {
		if len(w.out) == 0 && w.part != nil {
			return
		}
		err := w.write()
		if err == nil {
			w.prune()
			w.checkPart(false)
			continue
		}
		w.fail(fmt.Errorf("the record cannot be written; acpshim tries again each second: %w", err))
		if last {
			w.err = err
		}
		last = !w.pause()
	}
	w.missing += w.inOut + w.lostInOut - wholeMessages(w.out[:w.torn])
	w.clear()
}

// pause waits until it is time to try again. It returns false if the record was closed.
func (w *writer) pause() bool {
	select {
	case <-w.queue.closing:
		return false
	case <-time.After(tryAgain):
		return true
	}
}

// write writes out after what was written before. It overwrites what a failed write left.
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

// checkPart checks once a second and at the end whether the part still exists. If not, it records a
// gap for its lines. Out has to be empty.
func (w *writer) checkPart(end bool) {
	now := time.Now()
	if w.part == nil || w.err != nil || !end && now.Sub(w.checked) < tryAgain {
		return
	}
	w.checked = now
	if !w.part.Gone() {
		return
	}
	w.fail(errors.New(whyGone + ": the record goes on in another file"))
	w.gap("all", w.now(),
		gap{count: w.kept, bytes: w.size, from: w.begun.UnixNano(), to: now.UnixNano(), why: whyGone})
	w.shut()
}

// prune makes room in the folder for a new part.
func (w *writer) prune() {
	if !w.unclean {
		return
	}
	w.unclean = false
	keep := w.opts.KeepBytes
	if keep > 0 {
		keep = max(keep-w.opts.PartBytes, 1)
	}
	// The next part tries again to remove what cannot be removed now.
	store.Prune(w.opts.Dir, store.Limits{Bytes: keep, Age: w.opts.KeepFor, Except: store.PartName(w.name, w.number)})
}
