package record

import (
	"sync"
	"time"
)

const (
	pieceSize = 128 << 10 // what a stream gives to the queue at once, at most
	entryCost = 96        // what an entry counts besides its data
	flushSize = 64 << 10  // what is written without waiting for more, in a queue that is much larger
)

// A queue holds what waits to be written, up to limit bytes. What goes in is copied; who
// puts it in waits for room once, until a gap begins. Any goroutine may put, one takes.
type queue struct {
	limit   int           // bytes
	enough  int           // what is written without waiting for more, in bytes
	wait    time.Duration // for room
	begun   time.Time
	wake    chan struct{} // something came, or is enough to be written, or the end
	closing chan struct{} // closed with the record
	free    sync.Pool     // of empty batches of batchSize

	mu       sync.Mutex    // protects the fields below
	required bool          // wait for the disk without limit
	room     chan struct{} // closed when bytes were taken out; nil if nobody waits
	closed   bool
	outcome  Outcome
	intakes  [streams]intake
	ready    []*batch // the last one is being filled
	used     int      // bytes of limit
}

func newQueue(o *Options, begun time.Time) *queue {
	return &queue{
		limit: o.QueueBytes, enough: min(flushSize, o.QueueBytes/4), wait: o.Wait, required: o.Required,
		begun: begun, wake: make(chan struct{}, 1), closing: make(chan struct{}),
	}
}

// put takes bytes of a stream: lines, cut anywhere.
func (q *queue) put(s stream, b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entry(s)
	in := &q.intakes[s]
	for len(b) > 0 && !q.closed {
		if in.inGap {
			b = q.drop(in, e, b)
			continue
		}
		piece := b[:min(len(b), pieceSize, q.limit/4)]
		if !q.admit(len(piece), s) {
			in.inGap = true
			in.lost.add(0, in.partial, e.wall) // its beginning is of no use
			continue
		}
		q.push(e, piece)
		in.partial = inProgress(in.partial, piece)
		b = b[len(piece):]
	}
}

// putLine takes one line as a whole, or counts it as lost.
func (q *queue) putLine(s stream, m *rewritten, line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	e := q.entry(s)
	e.line = m
	in := &q.intakes[s]
	if in.inGap && in.partial == 0 && q.used <= q.limit/2 {
		q.push(in.take(e), nil)
	}
	kept, length := len(line), len(line)
	if m.long != nil {
		kept, length = len(m.long.head), int(m.long.length)
	}
	if !in.inGap && q.admit(kept+m.weight(), s) {
		q.push(e, line)
		return
	}
	in.inGap = true
	in.lost.add(1, length, e.wall)
}

// entry is one of a stream that comes now, without data.
func (q *queue) entry(s stream) entry {
	now := time.Now()
	return entry{stream: s, at: now.Sub(q.begun), wall: now.UnixNano()}
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
	q.used += e.cost()
	if before == 0 || before < q.enough && q.used >= q.enough {
		q.signal()
	}
}

// batch returns an empty batch with room for size bytes.
func (q *queue) batch(size int) *batch {
	if size <= batchSize {
		if b, ok := q.free.Get().(*batch); ok {
			return b
		}
	}
	return &batch{data: make([]byte, 0, max(size, batchSize))}
}

// recycle keeps the memory of a batch for another.
func (q *queue) recycle(b *batch) {
	if cap(b.data) == batchSize {
		b.data, b.entries = b.data[:0], b.entries[:0]
		q.free.Put(b)
	}
}

// take returns the oldest batch, or nil. Its entries are released one by one.
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

// hasEnough reports whether it is time to write.
func (q *queue) hasEnough() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used >= q.enough
}

// signal wakes who takes.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close refuses what comes from now on. The first outcome counts.
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
