package main

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// A junkWriter writes junk of agents to standard error. Nobody waits for that: what is
// more than it may keep is dropped and counted. Its methods may be called from any
// goroutine.
type junkWriter struct {
	to io.Writer

	mu    sync.Mutex    // protects the fields below
	lines [][]byte      // to be written; the first one is being written
	size  int           // bytes that they take
	lost  int           // lines that were dropped, or refused
	idle  chan struct{} // closed when all is written; nil if nothing is to be
}

const (
	maxJunk  = 1 << 20 // how much junk waits to be written, in bytes, but for a single line
	lineCost = 64      // what a line takes besides its own
)

// put takes a line, which may be changed afterwards.
func (w *junkWriter) put(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) > 0 && w.size+len(line)+lineCost > maxJunk {
		w.lost++
		return
	}
	w.lines = append(w.lines, bytes.Clone(line))
	w.size += len(line) + lineCost
	if w.idle == nil {
		w.idle = make(chan struct{})
		go w.write()
	}
}

// write writes until nothing is left.
func (w *junkWriter) write() {
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

// close gives what is left a moment, and returns how many lines were not written.
func (w *junkWriter) close(within time.Duration) int {
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
