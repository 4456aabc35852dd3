package frames

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// A Queue hands lines from writers to one reader, as lines or as a stream of bytes. Its methods may
// be called from any goroutine.
type Queue struct {
	budget *Budget

	mu     sync.Mutex
	change *sync.Cond
	max    int
	lines  [][]byte
	size   int // bytes of lines, with perLine for each
	hurry  bool
	err    error
}

// perLine is what a line weighs besides its bytes. The TypeScript SDK uses the same value.
const perLine = 1 << 10

// A Budget is how many bytes several queues may hold together. A nil Budget has no limit. Its
// methods may be called from any goroutine.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a Budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	return b
}

// Take takes n bytes, and reports whether there were as many.
func (b *Budget) Take(n int) bool {
	if b == nil || b.left.Add(int64(-n)) >= 0 {
		return true
	}
	b.left.Add(int64(n))
	return false
}

// Give returns n bytes to the budget.
func (b *Budget) Give(n int) {
	if b != nil {
		b.left.Add(int64(n))
	}
}

// NewQueue returns a Queue for about max bytes, but always for at least one line. It takes the
// bytes from a budget, which may be nil.
func NewQueue(max int, budget *Budget) *Queue {
	q := &Queue{max: max, budget: budget}
	q.change = sync.NewCond(&q.mu)
	return q
}

// Push adds a line without its end. The queue owns it from then on. Push waits for room. It returns
// false if the queue is closed or the budget is used up.
func (q *Queue) Push(line []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && !q.hurry && len(q.lines) > 0 && q.size+len(line) > q.max {
		q.change.Wait()
	}
	return !q.hurry && q.add(line)
}

// Hurry makes Push return false at once, now and later.
func (q *Queue) Hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hurry = true
	q.change.Broadcast()
}

// Next returns the next line, without its end. It is an alternative to Read, with the same errors.
func (q *Queue) Next() ([]byte, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.lines) == 0 {
		if q.err != nil {
			return nil, q.err
		}
		q.change.Wait()
	}
	line := q.lines[0]
	line = line[:len(line)-1]
	q.lines = q.lines[1:]
	q.size -= len(line) + perLine
	q.budget.Give(len(line) + perLine)
	q.change.Broadcast()
	return line, nil
}

// Offer is Push without waiting: it returns false if there is no room.
func (q *Queue) Offer(line []byte) (isTaken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size+len(line)+perLine <= q.max && q.add(line)
}

func (q *Queue) add(line []byte) bool {
	if q.err != nil || !q.budget.Take(len(line)+perLine) {
		return false
	}
	q.lines = append(q.lines, append(slices.Clip(line), '\n')) // clipped: other lines may follow in the same array
	q.size += len(line) + perLine
	q.change.Broadcast()
	return true
}

// Read reads the lines, each with its end. After the last line it returns the error of Close or
// Drop.
func (q *Queue) Read(p []byte) (n int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.lines) == 0 {
		if q.err != nil {
			return 0, q.err
		}
		q.change.Wait()
	}
	size := q.size
	for n < len(p) && len(q.lines) > 0 {
		took := copy(p[n:], q.lines[0])
		n += took
		q.size -= took
		if q.lines[0] = q.lines[0][took:]; len(q.lines[0]) == 0 {
			q.lines = q.lines[1:]
			q.size -= perLine - 1 // size does not include the line end
		}
	}
	q.budget.Give(size - q.size)
	q.change.Broadcast()
	return n, nil
}

// Close makes the queue accept no more lines. Read returns io.EOF after the last one.
func (q *Queue) Close() { q.close(io.EOF, false) }

// Drop removes all lines. Read returns err at once.
func (q *Queue) Drop(err error) { q.close(err, true) }

func (q *Queue) close(err error, all bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || all {
		q.err = err
	}
	if all {
		q.budget.Give(q.size)
		q.lines, q.size = nil, 0
	}
	q.change.Broadcast()
}
