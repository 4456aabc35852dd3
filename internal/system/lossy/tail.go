package lossy

import "sync"

// A Tail keeps the end of what is written to it. Its methods may be called from any goroutine.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is the size of a Tail, in bytes.
const maxTail = 16 << 10

// Write implements io.Writer. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxTail):]...)
	if more := len(t.text) - maxTail; more > 0 {
		t.text = append(t.text[:0], t.text[more:]...)
	}
	return len(p), nil
}

// String returns the end of what was written.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
