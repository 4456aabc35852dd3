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

// Times of the writer.
const (
	flushEvery = 50 * time.Millisecond // how long less than flushSize waits for more
	tryAgain   = time.Second           // after an error, and to look whether the file is there
)

// writeSize is what is written at once, in bytes, while there is more and a part
// is much larger.
const writeSize = 256 << 10

// What a gap is put down to.
const (
	whyBehind          = "the disk did not keep up"
	whyGone            = "the file was removed or renamed"
	whyRedaction       = "redaction took too long"
	whyRedactionBehind = "redaction did not keep up"
)

// textSize is how much of a line of stderr or of an event is one record, in bytes.
const textSize = 64 << 10

// writer takes what the queue has and writes it. All of it belongs to the
// goroutine of run; done says when others may read err.
type writer struct {
	encoder
	queue *queue
	begun time.Time
	fail  func(error)
	done  chan struct{}
	err   error // why the record has no end
	lacks int   // lines that are neither in it nor in a gap, because of err

	part   part // nil if there is none
	number int  // of the part, or of the one that is to be
	size   int64
	kept   int       // lines in it
	looked time.Time // when the part was last known to be there
	untidy bool      // old files have not been pruned since it was begun

	torn   int // bytes of out that are in the part, though the write failed
	enough int // bytes of out that are written without waiting for more
	lines  [lanes]unended
	lastIn [lanes]uint64 // the record of the line that is being replaced, or 0
	slow   [lanes]gap    // lines that could not be redacted in time, up to now
	stamp  []byte        // the time of the entry in work
}

// unended is a line of which more is to come.
type unended struct {
	buf  []byte
	long *long // takes the place of buf
	last entry // the piece that came last

	line *rewritten // it takes the place of another, and has no end up to now
	of   uint64     // the record of that one
}

func newWriter(o *Options, run string, q *queue, begun time.Time, fail func(error)) *writer {
	return &writer{
		encoder: newEncoder(o, run, q),
		queue:   q,
		begun:   begun,
		fail:    fail,
		done:    make(chan struct{}),
		enough:  int(min(writeSize, o.PartBytes/2)),
	}
}

// open makes the next file and puts its first record in front of what is to be
// written.
func (w *writer) open() error {
	p, err := w.opts.create(w.number)
	if err != nil {
		return err
	}
	w.part, w.size, w.kept, w.looked, w.untidy = p, 0, 0, time.Now(), true
	w.out = append(w.start(nil, w.number, w.begun), w.out...)
	return nil
}

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

func (w *writer) batch(b *batch) {
	data := b.data
	for _, n := range b.entries {
		w.entry(n, data[:n.size])
		data = data[n.size:]
		w.queue.release(n.size)
	}
}

func (w *writer) entry(n entry, data []byte) {
	w.stamp = stamp(w.stamp[:0], n)
	switch {
	case n.gap != nil:
		w.lostOf(n)
	case n.line != nil:
		w.rewritten(n, data)
	default:
		w.piece(n, data)
	}
	if len(w.out) >= w.enough {
		w.flush()
	}
}

// lostOf records a gap; what there is of a line that it took the end of goes, too.
func (w *writer) lostOf(n entry) {
	w.lines[n.lane] = unended{}
	w.lastIn[n.lane] = 0
	w.slowOf(n.lane, w.stamp)
	w.gap(laneNames[n.lane], w.stamp, *n.gap)
	if n.gap.why == whyRedactionBehind {
		w.fail(ErrRedaction)
	} else {
		w.fail(ErrBehind)
	}
}

// slowOf records a gap of the lines that could not be redacted in time.
func (w *writer) slowOf(l lane, stamp []byte) {
	if w.slow[l].count > 0 {
		w.gap(laneNames[l], stamp, w.slow[l])
		w.slow[l] = gap{}
	}
}

func (w *writer) rewritten(n entry, line []byte) {
	u := &w.lines[n.lane]
	if !u.isEmpty() {
		w.endByUs(n, u)
	}
	var of uint64
	if n.line.stage == stageOut {
		of = w.lastIn[n.lane]
	}
	if n.line.stage != stageIn && !hasEnd(line, n.line.long) {
		*u = unended{buf: bytes.Clone(line), long: n.line.long, last: n, line: n.line, of: of}
		return
	}
	seq := w.keep(n.lane, w.stamp, line, n.line.long, n.line, of)
	if n.line.stage == stageIn {
		w.lastIn[n.lane] = seq
	}
}

// endByUs ends a last line that had no end, as it got one for the line that follows.
func (w *writer) endByUs(n entry, u *unended) {
	came := stamp(nil, u.last)
	if u.line == nil {
		u.of = w.keep(n.lane, came, u.buf, u.long, &rewritten{stage: stageIn, by: n.line.by}, 0)
		u.line = &rewritten{stage: stageOut, by: n.line.by}
	}
	if u.long != nil {
		u.long.Write([]byte{'\n'})
	} else {
		u.buf = append(u.buf, '\n')
	}
	w.keep(n.lane, came, u.buf, u.long, u.line, u.of)
	*u = unended{}
}

func hasEnd(line []byte, tooLong *long) bool {
	if tooLong != nil {
		return tooLong.ended
	}
	return bytes.HasSuffix(line, []byte{'\n'})
}

// piece splits bytes of a lane into lines.
func (w *writer) piece(n entry, data []byte) {
	u := &w.lines[n.lane]
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		if end > 0 && u.isEmpty() && end <= w.limit(n.lane) {
			w.keep(n.lane, w.stamp, data[:end], nil, nil, 0)
			data = data[end:]
		} else {
			part := data
			if end > 0 {
				part = data[:end]
			}
			w.more(n, u, part)
			if end > 0 {
				w.endLine(n.lane, w.stamp, u)
			}
			data = data[len(part):]
		}
		if len(w.out) >= w.enough {
			w.flush()
		}
	}
}

func (w *writer) limit(l lane) int {
	if l == laneStderr || l == laneEvent {
		return textSize
	}
	return w.opts.MaxLine
}

// more adds to a line that has not ended. Of a message that becomes too long
// the rest is kept; text becomes several records.
func (w *writer) more(n entry, u *unended, b []byte) {
	u.last = n
	limit := w.limit(n.lane)
	for u.long == nil && len(u.buf)+len(b) > limit {
		if n.lane == laneClient || n.lane == laneAgent {
			u.long = &long{}
			u.long.Write(u.buf)
			u.buf = nil
			break
		}
		fits := limit - len(u.buf)
		u.buf = append(u.buf, b[:fits]...)
		b = b[fits:]
		end := pieceEnd(u.buf)
		w.keep(n.lane, w.stamp, u.buf[:end], nil, nil, 0)
		u.buf = append(u.buf[:0], u.buf[end:]...)
	}
	if u.long != nil {
		u.long.Write(b)
		return
	}
	u.buf = append(u.buf, b...)
}

// pieceEnd returns where a piece of a long line ends: behind the last white space, if
// it is near the end, as a secret that is cut is not known as one. So the space is not
// one between a name and its value.
func pieceEnd(b []byte) int {
	const reach = 1 << 10
	for i := len(b) - 1; i > 0 && i >= len(b)-reach; i-- {
		if (b[i] == ' ' || b[i] == '\t') && b[i-1] != ':' && b[i-1] != '=' {
			return i + 1
		}
	}
	return len(b)
}

func (u *unended) isEmpty() bool { return len(u.buf) == 0 && u.long == nil }

func (w *writer) endLine(l lane, stamp []byte, u *unended) {
	if u.isEmpty() {
		return
	}
	w.keep(l, stamp, u.buf, u.long, u.line, u.of)
	*u = unended{buf: u.buf[:0]}
}

// keep records a line and returns its number; 0 if it could not be redacted in time.
// See message.
func (w *writer) keep(l lane, stamp, line []byte, tooLong *long, changed *rewritten, of uint64) uint64 {
	without, ok := line, true
	if w.redaction != nil && tooLong == nil {
		without, ok = w.redaction.without(line)
	}
	if !ok {
		w.slow[l].why = whyRedaction
		w.slow[l].add(1, len(line), time.Now().UnixNano())
		w.fail(ErrRedaction)
		return 0
	}
	w.slowOf(l, stamp)
	if l == laneClient || l == laneAgent {
		w.message(l, stamp, line, without, tooLong, changed, of)
	} else {
		w.words(l, stamp, line, without)
	}
	return w.seq
}

// gapsOf records what was lost and has not been told.
func (w *writer) gapsOf(closed bool) {
	for _, n := range w.queue.gaps(closed) {
		w.stamp = stamp(w.stamp[:0], n)
		w.lostOf(n)
	}
	for l := range lanes {
		w.slowOf(l, stamp(nil, w.queue.entry(l)))
	}
}

// finish records the lines that never ended, and the end.
func (w *writer) finish() {
	for l := range lanes {
		if u := &w.lines[l]; !u.isEmpty() {
			w.endLine(l, stamp(nil, u.last), u)
		}
		w.slowOf(l, stamp(nil, w.queue.entry(l)))
	}
	w.end(stamp(nil, w.queue.entry(laneEvent)), w.queue.outcome)
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
	w.drop()
}

// drop empties out.
func (w *writer) drop() {
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

// rest gives back memory that only a burst or a long line needs.
func (w *writer) rest() {
	w.queue.rest()
	for l := range w.lines {
		if u := &w.lines[l]; u.isEmpty() && cap(u.buf) > batchSize {
			u.buf = nil
		}
	}
	if cap(w.out) > 2*writeSize {
		w.out = nil
	}
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
	w.drop()
	return nil
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
	w.gap("all", stamp(nil, w.queue.entry(laneEvent)),
		gap{count: w.kept, bytes: w.size, from: w.begun.UnixNano(), to: now.UnixNano(), why: whyGone})
	w.shut()
}

// shut closes the part.
func (w *writer) shut() {
	w.part.Close()
	w.part = nil
	w.number++
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
