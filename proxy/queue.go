package proxy

import (
	"bytes"
	"sync"
	"time"

	"acpshim/internal/wire"
)

// A queue is lines of ours that wait for their direction: responses of rules, which are
// put in by the other direction. All of its methods but put are called by whose turn it is
// to write.
type queue struct {
	mu     sync.Mutex // protects the fields up to the empty line
	lines  []queued   // in the order in which they leave
	size   int        // bytes of them
	closed bool
	gaveUp bool // a call of put has waited in vain since there was room

	more chan struct{} // has an element if there may be lines
	full chan struct{} // likewise, for a pump that waits for another queue
	room chan struct{} // has an element if there may be room
}

// A queued is a line, with its end, and what made it.
type queued struct {
	line []byte
	by   wire.Change
}

const (
	maxQueued = 1 << 20         // bytes of lines, but for a single one
	patience  = 5 * time.Second // of put
)

func newQueue() queue {
	return queue{more: make(chan struct{}, 1), full: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// wake puts an element into a channel that has room for one, unless it has one already:
// who waits looks for all that there is.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put takes a copy of a line, and reports whether it will be written. It waits for room,
// for as long as patience says. While it waits it has the lines of another queue written,
// as far as there is one: see [Injector.Put]. It may be called from any goroutine.
func (q *queue) put(line []byte, by wire.Cause, other *Injector) bool {
	var late <-chan time.Time
	for {
		q.mu.Lock()
		full := q.size > 0 && q.size+len(line) > maxQueued
		if !full && !q.closed {
			q.lines = append(q.lines, queued{bytes.Clone(line), wire.Change{By: []wire.Cause{by}}})
			q.size += len(line)
			q.mu.Unlock()
			wake(q.more)
			wake(q.full)
			return true
		}
		if q.closed || q.gaveUp {
			q.mu.Unlock()
			return false
		}
		q.mu.Unlock()
		if late == nil {
			late = time.After(patience)
		}
		select {
		case <-q.room:
		case <-other.waits():
			other.writeNow()
		case <-late:
			q.mu.Lock()
			q.gaveUp = true
			q.mu.Unlock()
			return false
		}
	}
}

// take returns the first line and removes it; the line is nil if there is none.
func (q *queue) take() (first queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		return queued{}
	}
	first, q.lines = q.lines[0], q.lines[1:]
	q.size -= len(first.line)
	q.gaveUp = false
	wake(q.room)
	if len(q.lines) > 0 {
		wake(q.more)
		wake(q.full)
	}
	return first
}

// close refuses what is put from now on, and lets go of who waits for room. What is in the
// queue can still be taken.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	wake(q.room)
}
