package record

import (
	"errors"
	"fmt"
	"time"
)

// Times of the writer.
const (
	flushEvery = 50 * time.Millisecond // how long less than flushSize waits for more
	tryAgain   = time.Second           // after an error, and to look whether the file is there
)

// writeSize is what is written at once, in bytes, while there is more and a part
// is much larger.
const writeSize = 256 << 10

// A writer takes what the queue has and writes it. All of it belongs to the
// goroutine of run; done says when others may read err.
type writer struct {
	encoder
	parts
	queue *queue
	fail  func(error)
	done  chan struct{}
	err   error // why the record has no end
	lacks int   // lines that are neither in it nor in a gap, because of err

	enough int // bytes of out that are written without waiting for more
	lines  [streams]unended
	lastIn [streams]uint64 // the record of the line that is being replaced, or 0
	stamp  []byte          // the time of the entry in work
}

func newWriter(o *Options, run string, q *queue, begun time.Time, fail func(error)) *writer {
	return &writer{
		encoder: newEncoder(o, run),
		parts:   parts{begun: begun},
		queue:   q,
		fail:    fail,
		done:    make(chan struct{}),
		enough:  int(min(writeSize, o.PartBytes/2)),
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
		w.look(closed)
		for b := w.queue.take(); b != nil; b = w.queue.take() {
			w.batch(b)
			w.queue.recycle(b)
		}
		w.gapsOf(closed)
	}
	w.finish()
	w.flush()
	if w.err != nil {
		w.err = fmt.Errorf("the end of the record was not written, lines that are missing there: %d: %w", w.lacks, w.err)
	}
	if w.part != nil {
		w.err = errors.Join(w.err, w.part.Close())
	}
}

// await waits until there is something to write, and a moment for more of it.
// It returns true when the record was closed.
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

// batch records the entries of a batch. The room of each is given back when it is done.
func (w *writer) batch(b *batch) {
	data := b.data
	for _, n := range b.entries {
		w.entry(n, data[:n.size])
		data = data[n.size:]
		w.queue.release(n.cost())
	}
}

// entry records what is in an entry.
func (w *writer) entry(n entry, data []byte) {
	w.stamp = n.appendStamp(w.stamp[:0])
	switch {
	case n.gap != nil:
		w.gapAt(n)
	case n.line != nil:
		w.rewritten(n, data)
	default:
		w.pieces(n, data)
	}
	w.flushEnough()
}

// gapAt records a gap; what there is of a line that it took the end of goes, too.
func (w *writer) gapAt(n entry) {
	w.lines[n.stream] = unended{}
	w.lastIn[n.stream] = 0
	w.gap(streamNames[n.stream], w.stamp, *n.gap)
	w.fail(ErrBehind)
}

// gapsOf records what was lost and has not been recorded as a gap.
func (w *writer) gapsOf(closed bool) {
	for _, n := range w.queue.gaps(closed) {
		w.stamp = n.appendStamp(w.stamp[:0])
		w.gapAt(n)
	}
}

// now is the stamp of what is found now.
func (w *writer) now(s stream) []byte { return w.queue.entry(s).appendStamp(nil) }

// keep records a line and returns its number.
func (w *writer) keep(n line) uint64 {
	if n.as != nil {
		n.why = w.reasons(n.as.by)
	}
	without := n.bytes
	if n.long == nil {
		without = w.without(n.bytes)
	}
	if n.stream.isTraffic() {
		from := len(w.out)
		w.message(n, without)
		w.tell(from)
	} else {
		w.text(n, without)
	}
	return w.seq
}

// finish records the lines that never ended, and the end.
func (w *writer) finish() {
	for s := range streams {
		w.endLine(s, w.lines[s].last.appendStamp(nil))
	}
	w.end(w.now(streamEvent), w.queue.outcome)
}

// rest gives back memory that only a burst or a long line needs.
func (w *writer) rest() {
	for s := range w.lines {
		if u := &w.lines[s]; u.isEmpty() && cap(u.bytes) > batchSize {
			u.bytes = nil
		}
	}
	if cap(w.out) > 2*writeSize {
		w.out = nil
	}
}
