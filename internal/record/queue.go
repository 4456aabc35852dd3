package record

import (
	"sync"
	"time"
)

const (
	pieceSize = 128 << 10 // of the data of an entry, at most
	entryCost = 96        // of an entry without its data
	flushSize = 64 << 10  // that is written without waiting for more, unless the queue is small
)

// A queue holds entries until they are written, up to a limit. It copies their data. Put waits for
// room. If there is still no room after wait, the stream has a gap, and put does not wait before
// the gap ends. Any goroutine may put, and one takes.
type queue struct {
	limit   int           // bytes
	enough  int           // bytes that are written without waiting for more
	wait    time.Duration // how long put waits for room
	begun   time.Time
	wake    chan struct{} // has a value after the first entry, when there is enough, and at the end
	closing chan struct{} // closed with the record
	free    sync.Pool     // of empty batches of batchSize

	mu       sync.Mutex    // protects the fields below
	required bool          // put waits for room without limit
	room     chan struct{} // closed when there is more room; nil if nobody waits
	closed   bool
	outcome  Outcome
	intakes  [streams]intake
	ready    []*batch // new entries go to the last one
	used     int      // of limit
}

func newQueue(o *Options, begun time.Time) *queue {
	return &queue{
		limit: o.QueueBytes, enough: min(flushSize, o.QueueBytes/4), wait: o.Wait, required: o.Required,
		begun: begun, wake: make(chan struct{}, 1), closing: make(chan struct{}),
	}
}

// put adds bytes of a stream, which may begin and end within a line.
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
			in.lost.add(0, in.partial, e.wall) // the beginning of a line is useless
			continue
		}
		q.push(e, piece)
		in.partial = partialAfter(in.partial, piece)
		b = b[len(piece):]
	}
}

// putLine adds one whole line, or counts it as lost.
func (q *queue) putLine(s stream, c *change, line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	e := q.entry(s)
	e.change = c
	in := &q.intakes[s]
	if in.inGap && in.partial == 0 && q.used <= q.limit/2 {
		q.push(in.endGap(e), nil)
	}
	kept, length := len(line), len(line)
	if c.long != nil {
		kept, length = len(c.long.head), int(c.long.length)
	}
	if !in.inGap && q.admit(kept+c.weight(), s) {
		q.push(e, line)
		return
	}
	in.inGap = true
	in.lost.add(1, length, e.wall)
}

// entry returns an entry of a stream for this moment, without data.
func (q *queue) entry(s stream) entry {
	now := time.Now()
	return entry{moment: moment{now.Sub(q.begun), now.UnixNano()}, stream: s}
}

// push appends an entry. The caller has checked that there is room.
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

// recycle keeps the memory of a batch for later ones.
func (q *queue) recycle(b *batch) {
	if cap(b.data) == batchSize {
		b.data, b.entries = b.data[:0], b.entries[:0]
		q.free.Put(b)
	}
}

// take returns the oldest batch, or nil. The caller releases each of its entries.
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

// hasEnough reports whether there is enough to write now.
func (q *queue) hasEnough() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used >= q.enough
}

// signal wakes the goroutine that takes.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close ends the record. The first outcome counts, and the queue drops everything that comes later.
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
