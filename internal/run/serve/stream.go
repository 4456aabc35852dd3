package serve

import (
	"net/http"
	"strings"
	"time"

	"acpshim/internal/run/frames"
)

// A stream has the messages of a session, or of none, that the client has not read. Its exchange's
// lock protects it.
type stream struct {
	messages [][]byte
	size     int // bytes of messages, with perMessage for each
	isRead   bool
}

const (
	perMessage   = 1 << 10 // what a message weighs besides its bytes
	maxReadAhead = 1 << 20 // bytes; the agent waits while a reader has more to read
	aliveEvery   = 15 * time.Second
)

// serveStream sends the events of a stream, until the stream or its reader ends.
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
	unlimit(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx must not buffer
	h.Set(connectionID, x.id)
	if session != "" {
		h.Set(sessionID, session)
	}
	w.WriteHeader(http.StatusOK)
	c := http.NewResponseController(w)
	if c.Flush() != nil { // clients wait for the headers
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
			return // the next reader gets the message
		}
		if message != nil {
			x.sent(s)
		}
	}
}

// wakeWhen wakes the reader of a stream when its client leaves, and every aliveEvery.
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

// next waits for the first message of a stream. It returns nil if no message comes within
// aliveEvery.
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

// sent removes the first message.
func (x *exchange) sent(s *stream) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(s.messages[0]) + perMessage
	s.messages = s.messages[1:]
	s.size -= n
	x.grow(-n)
	x.change.Broadcast()
}

// send writes an event in parts. The client has frames.StallTime to read each part.
func send(c *http.ResponseController, w http.ResponseWriter, event []byte) bool {
	const part = 1 << 20
	for len(event) > 0 {
		n := min(len(event), part)
		c.SetWriteDeadline(time.Now().Add(frames.StallTime)) // all writers of net/http support it
		if _, err := w.Write(event[:n]); err != nil {
			return false
		}
		event = event[n:]
	}
	return c.Flush() == nil
}
