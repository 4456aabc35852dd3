// Package lossy writes lines to a reader that may have stopped reading, without waiting for it.
package lossy

import (
	"bytes"
	"cmp"
	"io"
	"sync"
	"time"
)

// A Writer writes lines in its own goroutine. It drops and counts lines for which there is no room.
// Its methods may be called from any goroutine.
type Writer struct {
	Limit int // of waiting lines, in bytes; 0 is 1 MiB; a single line may be longer

	to io.Writer

	mu    sync.Mutex    // protects the fields below
	lines [][]byte      // the first one is being written
	size  int           // of lines, in bytes
	lost  int           // lines that were dropped, or whose write failed
	idle  chan struct{} // closed when all lines are written; nil without lines
}

const lineCost = 64 // of a line in addition to its bytes

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write adds a copy of a line. It never waits and never fails.
func (w *Writer) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) > 0 && w.size+len(line)+lineCost > cmp.Or(w.Limit, 1<<20) {
		w.lost++
		return len(line), nil
	}
	w.lines = append(w.lines, bytes.Clone(line))
	w.size += len(line) + lineCost
	if w.idle == nil {
		w.idle = make(chan struct{})
		go w.write()
	}
	return len(line), nil
}

// write writes until there are no more lines.
func (w *Writer) write() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.lines) > 0 {
		line := w.lines[0]
		w.mu.Unlock()
		_, err := w.to.Write(line)
		w.mu.Lock()
		w.lines = w.lines[1:]
		w.size -= len(line) + lineCost
		if err != nil {
			w.lost++
		}
	}
	close(w.idle)
	w.idle, w.lines = nil, nil
}

// Close waits until all lines are written or the time is over. It returns how many were not
// written.
func (w *Writer) Close(within time.Duration) (lost int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if idle := w.idle; idle != nil {
		w.mu.Unlock()
		select {
		case <-idle:
		case <-time.After(within):
		}
		w.mu.Lock()
	}
	return w.lost + len(w.lines)
}
