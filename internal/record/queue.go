package record

import (
	"bytes"
	"sync"
	"time"
)

// A lane is one of the streams that go through the queue, in order.
type lane uint8

const (
	laneClient lane = iota
	laneAgent
	laneStderr
	laneEvent
	lanes
)

var laneNames = [lanes]string{"client", "agent", "stderr", "event"}

// An entry is a piece of what waits to be written.
type entry struct {
	lane lane
	at   time.Duration // since the record began, by a clock that nobody sets
	wall int64         // nanoseconds since 1970
	size int           // bytes of data, behind that of the entry before
	line *rewritten    // the data is one line that was held, and what is to be said of it
	gap  *gap          // the entry says what is missing at its place
}

// A rewritten is what is known of a line that an interceptor changed.
type rewritten struct {
	stage stage
	by    []string
	long  *long // takes the place of the data
}

// A stage says on which side of acpshim a line was seen.
type stage uint8

const (
	stageBoth stage = iota // as it came and as it went on
	stageIn                // as it came
	stageOut               // as it went on in place of one that came
	stageMade              // as it went on, with nothing that came for it
)

// A gap is what a lane lost.
type gap struct {
	count    int // lines
	bytes    int64
	from, to int64 // nanoseconds since 1970
	why      string
}

func (g *gap) add(count, bytes int, now int64) {
	if g.from == 0 {
		g.from = now
	}
	g.to = now
	g.count += count
	g.bytes += int64(bytes)
}

// A flow is the state of a lane at the entrance of the queue.
type flow struct {
	partial int  // bytes of the line in progress
	losing  bool // nothing is taken up to the end of a line and until there is room
	lost    gap
}

// A batch is entries and their data.
type batch struct {
	entries []entry
	data    []byte
}

// isFull reports whether size more bytes have to go into another batch.
func (b *batch) isFull(size int) bool {
	return len(b.data)+size > cap(b.data) || len(b.entries) == batchEntries
}

const (
	batchSize    = 256 << 10
	batchEntries = 2048
	pieceSize    = 128 << 10 // what a stream gives to the queue at once, at most
	entryCost    = 96        // what an entry counts besides its data
	flushSize    = 64 << 10  // what is written without waiting for more, in a queue that is much larger
)

// queue holds what waits to be written, up to limit bytes. What goes in is
// copied; who puts it in waits for room once, until a gap begins.
type queue struct {
	limit   int
	enough  int // what is written without waiting for more
	wait    time.Duration
	bound   time.Duration // how long a patient one waits for redaction
	begun   time.Time
	wake    chan struct{} // something came, or is enough to be written, or the end
	closing chan struct{}

	mu      sync.Mutex
	patient bool          // wait for the disk without limit
	room    chan struct{} // closed when bytes were taken out; nil if nobody waits
	closed  bool
	outcome Outcome
	flows   [lanes]flow
	ready   []*batch // the last one is being filled
	free    []*batch
	used    int
	spent   time.Duration // on redaction that has ended
	since   time.Time     // when the redaction that goes on began; zero if none does
	pressed pressure      // when traffic first waited, since half of the queue was free
}

// A pressure is when the queue was full, and what had been spent on redaction then.
type pressure struct {
	since time.Time
	spent time.Duration
}

func newQueue(o *Options, begun time.Time) *queue {
	return &queue{limit: o.QueueBytes, enough: min(flushSize, o.QueueBytes/4), wait: o.Wait, bound: o.RedactTime, patient: o.Required, begun: begun,
		wake: make(chan struct{}, 1), closing: make(chan struct{})}
}

// stream takes bytes of a lane: lines, cut anywhere.
func (q *queue) stream(l lane, b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entry(l)
	f := &q.flows[l]
	for len(b) > 0 && !q.closed {
		if f.losing {
			b = q.lose(f, e, b)
			continue
		}
		piece := b[:min(len(b), pieceSize, q.limit/4)]
		if !q.admit(len(piece), f) {
			f.losing = true
			f.lost.add(0, f.partial, e.wall) // its beginning is of no use
			continue
		}
		q.push(e, piece)
		f.partial = inProgress(f.partial, piece)
		b = b[len(piece):]
	}
}

// line takes one line as a whole, or counts it as lost.
func (q *queue) line(l lane, m *rewritten, line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	e := q.entry(l)
	e.line = m
	f := &q.flows[l]
	if f.losing && f.partial == 0 && q.used <= q.limit/2 {
		q.resume(f, e)
	}
	size := len(line)
	if m.long != nil {
		size = len(m.long.head)
	}
	if !f.losing && q.admit(size, f) {
		q.push(e, line)
		return
	}
	if m.long != nil {
		size = int(m.long.length)
	}
	f.losing = true
	f.lost.add(1, size, e.wall)
}

// lose counts what there is no room for and returns what is left if there is
// room again, which begins with a line.
func (q *queue) lose(f *flow, e entry, b []byte) []byte {
	if f.partial > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			f.lost.add(0, len(b), e.wall)
			f.partial += len(b)
			return nil
		}
		f.lost.add(1, n, e.wall)
		f.partial = 0
		b = b[n:]
	}
	if q.used <= q.limit/2 {
		q.resume(f, e)
		return b
	}
	if len(b) == 0 {
		return nil
	}
	f.lost.add(bytes.Count(b, []byte{'\n'}), len(b), e.wall)
	f.partial = inProgress(0, b)
	return nil
}

// resume ends a gap.
func (q *queue) resume(f *flow, e entry) {
	lost := f.lost
	e.gap, e.line = &lost, nil
	q.push(e, nil)
	f.losing, f.lost = false, gap{}
}

// inProgress is how much of a line is there after b, if partial bytes were
// there before.
func inProgress(partial int, b []byte) int {
	if n := bytes.LastIndexByte(b, '\n'); n >= 0 {
		return len(b) - n - 1
	}
	return partial + len(b)
}

func (q *queue) entry(l lane) entry {
	now := time.Now()
	return entry{lane: l, at: now.Sub(q.begun), wall: now.UnixNano()}
}

// admit waits for room, for a while, and reports whether there is some. If not, it
// notes why. For events it does not wait: they have some more room instead.
func (q *queue) admit(size int, f *flow) bool {
	limit, isEvent := q.limit, f == &q.flows[laneEvent]
	if isEvent {
		limit += q.limit / 8
	}
	var begun time.Time
	var late <-chan time.Time
	for q.used > 0 && q.used+size+entryCost > limit {
		now := time.Now()
		if begun.IsZero() {
			begun = now
		}
		if q.pressed.since.IsZero() {
			q.pressed = pressure{now, q.redaction()}
		}
		redacted := q.redaction() - q.pressed.spent
		forRedaction := (redacted > 0 || !q.since.IsZero()) && redacted >= now.Sub(q.pressed.since)/2
		left := q.wait - now.Sub(begun)
		switch {
		case q.patient && forRedaction:
			left = q.bound - redacted
		case q.patient:
			left = q.bound // it may be redaction then
		}
		if isEvent || left <= 0 || q.closed {
			f.lost.why = whyBehind
			if forRedaction {
				f.lost.why = whyRedactionBehind
			}
			return false
		}
		if late == nil {
			late = time.After(left)
		}
		if q.room == nil {
			q.room = make(chan struct{})
		}
		room := q.room
		q.mu.Unlock()
		select {
		case <-room:
		case <-late:
			late = nil
		}
		q.mu.Lock()
	}
	return !q.closed
}

// redaction is how long redaction has taken so far.
func (q *queue) redaction() time.Duration {
	if q.since.IsZero() {
		return q.spent
	}
	return q.spent + time.Since(q.since)
}

// redacting notes that a redaction begins or ends.
func (q *queue) redacting(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spent, q.since = q.redaction(), time.Time{}
	if on {
		q.since = time.Now()
	}
}

// isRedacting reports whether a redaction goes on.
func (q *queue) isRedacting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.since.IsZero()
}

// push appends an entry, for which there is room.
func (q *queue) push(e entry, data []byte) {
	n := len(q.ready)
	if n == 0 || q.ready[n-1].isFull(len(data)) {
		q.ready = append(q.ready, q.batch(len(data)))
		n++
	}
	b := q.ready[n-1]
	e.size = len(data)
	b.data = append(b.data, data...)
	b.entries = append(b.entries, e)
	before := q.used
	q.used += len(data) + entryCost
	if before == 0 || before < q.enough && q.used >= q.enough {
		q.signal()
	}
}

// hasEnough reports whether it is time to write.
func (q *queue) hasEnough() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used >= q.enough
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// batch returns an empty batch with room for size bytes.
func (q *queue) batch(size int) *batch {
	if n := len(q.free); n > 0 && size <= batchSize {
		b := q.free[n-1]
		q.free = q.free[:n-1]
		return b
	}
	return &batch{data: make([]byte, 0, max(size, batchSize))}
}

// take returns the oldest batch, or nil.
func (q *queue) take() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ready) == 0 {
		return nil
	}
	b := q.ready[0]
	q.ready = append(q.ready[:0], q.ready[1:]...)
	return b
}

// release gives the room of an entry back.
func (q *queue) release(size int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= size + entryCost
	if q.used <= q.limit/2 {
		q.pressed = pressure{}
	}
	q.makeRoom()
}

func (q *queue) makeRoom() {
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// recycle keeps the memory of a batch for another.
func (q *queue) recycle(b *batch) {
	if cap(b.data) != batchSize {
		return
	}
	b.data, b.entries = b.data[:0], b.entries[:0]
	q.mu.Lock()
	defer q.mu.Unlock()
	if (len(q.free)+len(q.ready))*batchSize < q.limit {
		q.free = append(q.free, b)
	}
}

// rest gives back memory that only a burst needs.
func (q *queue) rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.free) > 2 {
		q.free = append([]*batch(nil), q.free[:2]...)
	}
}

// gaps returns what lanes lost that nothing ended yet. At the end of the
// record it also takes the lines that never ended.
func (q *queue) gaps(end bool) (found []entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for l := range lanes {
		e, f := q.entry(l), &q.flows[l]
		if end && f.losing && f.partial > 0 {
			f.lost.count++
			f.partial = 0
		}
		if f.losing && f.partial == 0 && len(q.ready) == 0 {
			lost := f.lost
			lost.why = orElse(lost.why, whyBehind)
			e.gap = &lost
			f.losing, f.lost = false, gap{}
			found = append(found, e)
		}
	}
	return found
}

// giveUp makes a patient queue like others.
func (q *queue) giveUp() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.patient = false
	q.makeRoom()
}

func (q *queue) close(o Outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed, q.outcome = true, o
	close(q.closing)
	q.makeRoom()
	q.signal()
}
