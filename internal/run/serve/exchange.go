package serve

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/run/frames"
)

// Headers of streamable HTTP.
const (
	connectionID = "Acp-Connection-Id"
	sessionID    = "Acp-Session-Id"
)

// An exchange is a connection over streamable HTTP.
type exchange struct {
	*connection
	isInitialized chan []byte   // gets the response to the first request
	over          chan struct{} // closed when the agent has ended

	mu      sync.Mutex
	change  *sync.Cond
	streams map[string]*stream // by session; "" for the stream of the connection
	pending map[string]request // requests of the client, by wire.ID
	weight  int                // bytes of everything that is kept here
	readers int
	idle    *time.Timer // runs while nobody reads
	end     bool        // the agent sends nothing more
}

// A request is a pending request of the client.
type request struct {
	session string
	opens   bool // it opens a session that the client does not know yet
	first   bool // it made the connection
}

// perEntry is what a map entry weighs without its text.
const perEntry = 256

func newExchange(s *Server) *exchange {
	x := &exchange{
		isInitialized: make(chan []byte, 1), over: make(chan struct{}),
		streams: map[string]*stream{"": {}}, pending: map[string]request{},
	}
	x.change = sync.NewCond(&x.mu)
	x.connection = s.begin(x.receive)
	return x
}

// grow adds n bytes to the weight, and reports whether there was room. N may be negative. The lock
// is held.
func (x *exchange) grow(n int) bool {
	if x.streams == nil { // live has released everything
		return false
	}
	if n > 0 && (x.weight+n > maxWaiting || !x.server.budget.Take(n)) {
		return false
	}
	if n < 0 {
		x.server.budget.Give(-n)
	}
	x.weight += n
	return true
}

// live runs the agent. It releases the connection when all messages have been read, or when nobody
// reads any more.
func (x *exchange) live() {
	defer x.server.over.Done()
	x.run()
	x.mu.Lock()
	x.end = true
	x.change.Broadcast()
	x.mu.Unlock()
	close(x.over)
	x.awaitReaders(frames.StallTime)
	x.server.mu.Lock()
	delete(x.server.byID, x.id)
	x.server.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.grow(-x.weight)
	if x.idle != nil {
		x.idle.Stop()
	}
	x.streams = nil
	x.change.Broadcast()
}

// awaitReaders waits until all messages have been read or the client has left. When the server
// stops, it waits for a second only.
func (x *exchange) awaitReaders(within time.Duration) {
	late := time.AfterFunc(within, x.leave)
	defer late.Stop()
	go func() {
		select {
		case <-x.left:
		case <-x.server.stops:
			late.Reset(time.Second)
			<-x.left
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.change.Broadcast()
	}()
	x.mu.Lock()
	defer x.mu.Unlock()
	for !x.hasLeft() && x.hasMore() {
		x.change.Wait()
	}
	x.leave()
}

// isOver reports whether the agent takes no more messages: the client has left, or the agent has
// ended.
func (x *exchange) isOver() bool {
	select {
	case <-x.over:
		return true
	default:
		return x.hasLeft()
	}
}

// hasMore reports whether messages wait for a reader. The lock is held.
func (x *exchange) hasMore() bool {
	for _, s := range x.streams {
		if len(s.messages) > 0 {
			return true
		}
	}
	return false
}

// receive takes a message of the agent. It waits while the reader of its stream is slow.
func (x *exchange) receive(line []byte) error {
	o, err := wire.Parse(line, "params", "result")
	if err != nil {
		return x.push("", line) // a batch, or ambiguous
	}
	id, method := o.Raw("id"), o.Get("method")
	session, _ := o.Open("params").Text("sessionId")
	if id == nil || method != nil {
		return x.push(session, line)
	}
	x.mu.Lock()
	name := wire.ID(id)
	r, isPending := x.pending[name]
	if isPending {
		delete(x.pending, name)
		x.grow(-perEntry - len(name) - len(r.session))
	}
	opened, _ := o.Open("result").Text("sessionId")
	if r.opens && opened != "" && len(opened) <= maxID {
		x.stream(opened) // the client will read this stream
	}
	x.mu.Unlock()
	if r.first {
		x.isInitialized <- append([]byte(nil), line...)
		return nil
	}
	return x.push(r.session, line)
}

// stream returns the stream of a session. It creates it if there is room, otherwise it returns nil.
// The lock is held.
func (x *exchange) stream(session string) *stream {
	s := x.streams[session]
	if s == nil && x.streams != nil && len(x.streams) <= maxSessions && x.grow(perEntry+len(session)) {
		s = &stream{}
		x.streams[session] = s
	}
	return s
}

var errUnread = errors.New("nobody reads what the agent says")

// push adds a message to the stream of its session. If there is no such stream, it uses the stream
// of the connection: the Python SDK reads a session's stream only after it has seen the session's
// id.
func (x *exchange) push(session string, line []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.streams[session]
	if s == nil {
		s = x.streams[""]
	}
	for s != nil && s.isRead && s.size > maxReadAhead && !x.hasLeft() {
		x.change.Wait()
	}
	switch {
	case s == nil || x.hasLeft():
		return errLeft
	case !s.isRead && len(s.messages) >= maxUnread:
		x.log.Warn().Int("messages", maxUnread).Msg("connection ended: nobody reads the agent's messages")
		x.leave()
		return errUnread
	case !x.grow(len(line) + perMessage):
		x.log.Warn().Msg("connection ended: too many bytes wait to be read")
		x.leave()
		return errFull
	}
	s.messages = append(s.messages, append([]byte(nil), line...))
	s.size += len(line) + perMessage
	x.change.Broadcast()
	return nil
}

// ask records a request of the client, and reports whether there was room.
func (x *exchange) ask(rawID []byte, r request) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	name := wire.ID(rawID)
	if old, isPending := x.pending[name]; isPending {
		x.grow(-perEntry - len(name) - len(old.session))
	}
	if !x.grow(perEntry + len(name) + len(r.session)) {
		delete(x.pending, name)
		return false
	}
	x.pending[name] = r
	return true
}

// use records that the client sends something, or that the number of its readers changes. A client
// that does neither is idle.
func (x *exchange) use(readers int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.readers += readers
	if x.server.Idle == 0 {
		return
	}
	if x.idle == nil {
		x.idle = time.AfterFunc(x.server.Idle, func() {
			x.log.Info().Msg("connection ended: its client has read nothing for serve.idle")
			x.leave()
		})
	}
	if x.readers > 0 {
		x.idle.Stop()
	} else {
		x.idle.Reset(x.server.Idle)
	}
}

// find returns the connection that a request names. If it does not exist, find responds with an
// error.
func (s *Server) find(w http.ResponseWriter, r *http.Request) *exchange {
	id := r.Header.Get(connectionID)
	s.mu.Lock()
	x := s.byID[id]
	s.mu.Unlock()
	switch {
	case id == "":
		http.Error(w, "acpshim: the request needs an "+connectionID+" header", http.StatusBadRequest)
	case x == nil:
		noConnection(w)
	}
	return x
}

func noConnection(w http.ResponseWriter) {
	http.Error(w, "acpshim: unknown connection; it may have ended", http.StatusNotFound)
}
