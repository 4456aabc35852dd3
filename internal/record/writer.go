package record

import (
	"errors"
	"fmt"
	"time"
)

// Times of the writer.
const (
	flushEvery = 50 * time.Millisecond // how long less than flushSize waits to be written
	tryAgain   = time.Second           // after an error, and between two checks of the file
)

// writeSize is the size of a write while the queue is not empty, unless parts are small.
const writeSize = 256 << 10

// A writer writes what is in the queue. It belongs to the goroutine of run. When done is closed,
// others may read err.
type writer struct {
	encoder
	partState
	queue *queue
	fail  func(error)
	done  chan struct{}
	err   error // why the record has no end

	missing int // lines that are neither in the record nor in a gap, because of err
	enough  int // bytes of out that are written without waiting for more
	buffers [streams]lineBuffer
	lastIn  [streams]uint64 // the record of the line that is being replaced, or 0
	current moment          // of the current entry
}

func newWriter(o *Options, run string, q *queue, begun time.Time, fail func(error)) *writer {
	return &writer{
		encoder:   newEncoder(o, run),
		partState: partState{begun: begun},
		queue:     q,
		fail:      fail,
		done:      make(chan struct{}),
		enough:    int(min(writeSize, o.PartBytes/2)),
	}
}

// run writes until the record is closed.
func (w *writer) run() {
	defer close(w.done)
	w.prune()
	for closed := false; !closed; {
		w.flush()
		w.rest()
		closed = w.await()
		w.checkPart(closed)
		for b := w.queue.take(); b != nil; b = w.queue.take() {
			w.batch(b)
			w.queue.recycle(b)
		}
		w.gapsOf(closed)
	}
	w.finish()
	w.flush()
	if w.err != nil {
		w.err = fmt.Errorf("the end of the record was not written, lines that are missing there: %d: %w", w.missing, w.err)
	}
	if w.part != nil {
		w.err = errors.Join(w.err, w.part.Close())
	}
}

// await waits until there is something to write, and then a moment for more. It returns true if the
// record was closed.
func (w *writer) await() (closed bool) {
	select {
	case <-w.queue.closing:
		return true
	case <-w.queue.wake:
	}
	moment := time.NewTimer(flushEvery)
	defer moment.Stop()
	for !w.queue.hasEnough() {
		select {
		case <-w.queue.closing:
			return true
		case <-w.queue.wake:
		case <-moment.C:
			return false
		}
	}
	return false
}

// batch records and releases the entries of a batch.
func (w *writer) batch(b *batch) {
	data := b.data
	for _, n := range b.entries {
		w.entry(n, data[:n.size])
		data = data[n.size:]
		w.queue.release(n.cost())
	}
}

func (w *writer) entry(n entry, data []byte) {
	w.current = n.moment
	switch {
	case n.gap != nil:
		w.gapAt(n)
	case n.change != nil:
		w.changed(n, data)
	default:
		w.pieces(n, data)
	}
	w.flushEnough()
}

// gapAt records a gap, and drops the beginning of a line whose end is in the gap.
func (w *writer) gapAt(n entry) {
	w.buffers[n.stream] = lineBuffer{}
	w.lastIn[n.stream] = 0
	w.gap(streamNames[n.stream], n.moment, *n.gap)
	w.fail(ErrBehind)
}

// gapsOf records the gaps that have ended without new traffic.
func (w *writer) gapsOf(closed bool) {
	for _, n := range w.queue.gaps(closed) {
		w.gapAt(n)
	}
}

// now returns this moment.
func (w *writer) now() moment { return w.queue.entry(streamEvent).moment }

// keep records a line and returns its number.
func (w *writer) keep(n line) uint64 {
	if n.stream.isTraffic() {
		w.message(n)
	} else {
		w.text(n, w.without(n.bytes))
	}
	return w.seq
}

// finish records the lines in the buffers, and the end.
func (w *writer) finish() {
	for s := range streams {
		w.endLine(s, w.buffers[s].last.moment)
	}
	w.end(w.now(), w.queue.outcome)
}

// rest frees memory that only a burst or a long line needs.
func (w *writer) rest() {
	for s := range w.buffers {
		if u := &w.buffers[s]; u.isEmpty() && cap(u.bytes) > batchSize {
			u.bytes = nil
		}
	}
	if cap(w.out) > 2*writeSize {
		w.out = nil
	}
}
