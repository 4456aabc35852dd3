// Package lossy writes lines for which nobody waits, to somebody who may have stopped reading.
package lossy

import (
	"bytes"
	"cmp"
	"io"
	"sync"
	"time"
)

// A Writer takes lines and writes them in a goroutine of its own. What is more than it may keep is
// dropped and counted. Its methods may be called from any goroutine.
type Writer struct {
	Limit int // how much waits to be written, in bytes, but for a single line; 0 is 1 MiB

	to io.Writer

	mu    sync.Mutex    // protects the fields below
	lines [][]byte      // to be written; the first one is being written
	size  int           // bytes that they take
	lost  int           // lines that were dropped, or refused
	idle  chan struct{} // closed when all is written; nil if nothing is to be
}

const lineCost = 64 // what a line takes besides its own

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write takes a line, which may be changed afterwards. It never waits and never fails.
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

// write writes until nothing is left.
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

// Close gives what is left a moment, and returns how many lines were not written.
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
