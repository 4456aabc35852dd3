package frames

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// A Queue hands lines from those who have them to one reader, who sees a stream of bytes. Its
// methods may be called from any goroutine.
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

// perLine is what a line that waits costs besides its bytes: that of the TypeScript SDK.
const perLine = 1 << 10

// A Budget is how many bytes several queues may hold together. A nil one has no end. Its methods
// may be called from any goroutine.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a Budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	return b
}

// Take takes bytes, and reports whether there were as many.
func (b *Budget) Take(n int) bool {
	if b == nil || b.left.Add(int64(-n)) >= 0 {
		return true
	}
	b.left.Add(int64(n))
	return false
}

// Give gives bytes back.
func (b *Budget) Give(n int) {
	if b != nil {
		b.left.Add(int64(n))
	}
}

// NewQueue returns a Queue in which about that many bytes wait at most, and one line at least. It
// takes them from the budget, which may be nil.
func NewQueue(max int, budget *Budget) *Queue {
	q := &Queue{max: max, budget: budget}
	q.change = sync.NewCond(&q.mu)
	return q
}

// Push adds a line without its end, which the queue owns from then on. It waits for room, and
// reports false if the queue was closed, or there is nothing left of the budget.
func (q *Queue) Push(line []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && !q.hurry && len(q.lines) > 0 && q.size+len(line) > q.max {
		q.change.Wait()
	}
	return !q.hurry && q.add(line)
}

// Hurry has Push take nothing more, and not wait.
func (q *Queue) Hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hurry = true
	q.change.Broadcast()
}

// Next returns the next line, without its end. The error is as Read's. It is in place of Read.
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

// PushNow is Push without the wait.
func (q *Queue) PushNow(line []byte) (isOpen bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.add(line)
}

// Offer is PushNow if there is room.
func (q *Queue) Offer(line []byte) (isTaken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size+len(line)+perLine <= q.max && q.add(line)
}

func (q *Queue) add(line []byte) bool {
	if q.err != nil || !q.budget.Take(len(line)+perLine) {
		return false
	}
	q.lines = append(q.lines, append(slices.Clip(line), '\n')) // others may stand behind it
	q.size += len(line) + perLine
	q.change.Broadcast()
	return true
}

// Read reads the lines, each with its end. When all are read it returns the error of Close.
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
			q.size -= perLine - 1 // the line end was not counted
		}
	}
	q.budget.Give(size - q.size)
	q.change.Broadcast()
	return n, nil
}

// Close has no more lines taken: Read ends with io.EOF behind those that are there.
func (q *Queue) Close() { q.close(io.EOF, false) }

// Drop is Close for a reader who takes nothing more: Read ends with that error now.
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
