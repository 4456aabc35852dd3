package serve

import (
	"sync"

	"acpshim/internal/run/frames"
)

// A partialLine is the beginning of a line of an agent. It has a lock because the writer may be
// left when the run ends: see proxy.Run.
type partialLine struct {
	budget *frames.Budget

	mu     sync.Mutex
	text   []byte
	isOver bool
}

// add returns the line that a piece ends, or nil if it has not ended.
func (b *partialLine) add(piece []byte, isEnd bool) (line []byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.isOver:
		return nil, errLeft
	case isEnd && len(b.text) == 0:
		return piece, nil
	case len(b.text)+len(piece) > frames.MaxMessage || !b.budget.Take(len(piece)):
		return nil, frames.ErrTooLong
	}
	if b.text = append(b.text, piece...); !isEnd {
		return nil, nil
	}
	return b.drop(), nil
}

// end drops the beginning. Nothing can be added after it.
func (b *partialLine) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isOver = true
	b.drop()
}

// drop takes the beginning out of the budget and returns it. The lock is held.
func (b *partialLine) drop() (text []byte) {
	b.budget.Give(len(b.text))
	text, b.text = b.text, nil
	return text
}
