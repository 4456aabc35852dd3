package telemetry

import (
	"io"
	"sync"
)

// A feed passes lines to one reader, up to maxFeed bytes. Who puts them in never waits: what does
// not fit is dropped.
type feed struct {
	mu     sync.Mutex // protects the fields below
	buf    []byte
	closed bool
	full   bool // something was dropped
	came   sync.Cond
}

// maxFeed is larger than the longest line of a record by default.
const maxFeed = 8 << 20

func newFeed() *feed {
	f := &feed{}
	f.came.L = &f.mu
	return f
}

// put takes a line, which it copies.
func (f *feed) put(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
	case len(f.buf)+len(line) > maxFeed:
		f.full = true
	default:
		f.buf = append(f.buf, line...)
		f.came.Signal()
	}
}

// lost reports whether something was dropped.
func (f *feed) lost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full
}

// close ends the feed: what is in it can be read.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.came.Signal()
}

// Read implements io.Reader.
func (f *feed) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.buf) == 0 {
		if f.closed {
			return 0, io.EOF
		}
		f.came.Wait()
	}
	n := copy(p, f.buf)
	f.buf = f.buf[n:]
	if len(f.buf) == 0 {
		f.buf = nil // what a burst needed goes
	}
	return n, nil
}
