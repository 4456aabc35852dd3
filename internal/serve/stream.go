package serve

import (
	"net/http"
	"strings"
	"time"

	"acpshim/internal/frames"
)

// A stream is what the agent says of a session, or of none, and the client has not read. Its
// exchange's lock protects it.
type stream struct {
	messages [][]byte
	size     int // bytes of them
	isRead   bool
}

const (
	perMessage   = 1 << 10 // what a message that waits costs besides its bytes
	maxReadAhead = 1 << 20 // bytes that wait for a reader until the agent waits
	aliveEvery   = 15 * time.Second
)

// serveStream sends the events of a stream until it, or its reader, ends.
func (x *exchange) serveStream(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get(sessionID)
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		http.Error(w, "acpshim: this needs \"Accept: text/event-stream\"", http.StatusNotAcceptable)
		return
	}
	x.mu.Lock()
	s := x.stream(session)
	switch {
	case len(session) > maxID || s == nil:
		x.mu.Unlock()
		http.Error(w, "acpshim: too many streams", http.StatusTooManyRequests)
		return
	case s.isRead:
		x.mu.Unlock()
		http.Error(w, "acpshim: this stream already has a reader", http.StatusConflict)
		return
	}
	s.isRead = true
	x.mu.Unlock()
	x.use(1)
	gone := make(chan struct{})
	defer func() {
		close(gone)
		x.mu.Lock()
		s.isRead = false
		x.change.Broadcast()
		x.mu.Unlock()
		x.use(-1)
	}()
	go x.wakeWhen(r, gone)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx is not to wait for more
	h.Set(connectionID, x.id)
	if session != "" {
		h.Set(sessionID, session)
	}
	w.WriteHeader(http.StatusOK)
	c := http.NewResponseController(w)
	if c.Flush() != nil { // clients wait for the head
		return
	}
	for {
		message, isOver := x.next(s, r)
		if isOver {
			return
		}
		event := []byte(":\n\n")
		if message != nil {
			event = frames.AppendEvent(make([]byte, 0, len(message)+16), message)
		}
		if !send(c, w, event) {
			return // the message stays for the next reader
		}
		if message != nil {
			x.sent(s)
		}
	}
}

// wakeWhen wakes the reader of a stream when its client goes, and from time to time.
func (x *exchange) wakeWhen(r *http.Request, gone chan struct{}) {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		select {
		case <-gone:
			return
		case <-r.Context().Done():
		case <-x.left:
		case <-tick.C:
		}
		x.mu.Lock()
		x.change.Broadcast()
		x.mu.Unlock()
		if r.Context().Err() != nil || x.hasLeft() {
			return
		}
	}
}

// next waits for the first message of a stream. It is nil if none has come for a while.
func (x *exchange) next(s *stream, r *http.Request) (message []byte, isOver bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	alive := time.Now().Add(aliveEvery)
	for {
		switch {
		case r.Context().Err() != nil || x.streams == nil:
			return nil, true
		case len(s.messages) > 0:
			return s.messages[0], false
		case x.end || x.hasLeft():
			return nil, true
		case !time.Now().Before(alive):
			return nil, false
		}
		x.change.Wait()
	}
}

// sent takes the first message away.
func (x *exchange) sent(s *stream) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(s.messages[0]) + perMessage
	s.messages = s.messages[1:]
	s.size -= n
	x.grow(-n)
	x.change.Broadcast()
}

// send writes an event in parts, each of which the client has to take in time.
func send(c *http.ResponseController, w http.ResponseWriter, event []byte) bool {
	const part = 1 << 20
	for len(event) > 0 {
		n := min(len(event), part)
		c.SetWriteDeadline(time.Now().Add(frames.StallTime)) // all writers of net/http have one
		if _, err := w.Write(event[:n]); err != nil {
			return false
		}
		event = event[n:]
	}
	return c.Flush() == nil
}
