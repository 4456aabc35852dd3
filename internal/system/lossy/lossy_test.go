package lossy

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stalledWriter is a writer that blocks until open is closed.
type stalledWriter struct{ open chan struct{} }

func (s stalledWriter) Write(p []byte) (int, error) {
	<-s.open
	return len(p), nil
}

// If the reader stops, Write does not wait: it drops and counts lines for which there is no room.
// The other lines are written when the reader goes on.
func TestWriteNeverWaits(t *testing.T) {
	for limit, most := range map[int]int{0: 1 << 20, 2 << 20: 2 << 20} {
		writeNeverWaits(t, limit, most)
	}
}

func writeNeverWaits(t *testing.T, limit, most int) {
	synctest.Test(t, func(t *testing.T) {
		to := stalledWriter{make(chan struct{})}
		w := NewWriter(to)
		w.Limit = limit
		line := []byte(strings.Repeat("x", 64<<10))
		for range 100 {
			if n, err := w.Write(line); n != len(line) || err != nil {
				t.Fatalf("%d bytes, %v", n, err)
			}
		}
		kept := most / (len(line) + lineCost)
		begun := time.Now()
		if lost := w.Close(time.Second); lost != 100 {
			t.Errorf("%d lines are not written, want all of them", lost)
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("closing took %v", took)
		}
		close(to.open)
		if lost := w.Close(time.Second); lost != 100-kept {
			t.Errorf("%d lines were lost, want %d", lost, 100-kept)
		}
	})
}
