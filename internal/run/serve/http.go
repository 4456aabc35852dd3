package serve

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/frames"
)

// serveHTTP handles a request of streamable HTTP.
func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodGet:
		if x := s.find(w, r); x != nil {
			x.serveStream(w, r)
		}
	case http.MethodDelete:
		if x := s.find(w, r); x != nil {
			x.leave()
			w.WriteHeader(http.StatusAccepted)
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE, OPTIONS")
		http.Error(w, "acpshim: want GET, POST or DELETE", http.StatusMethodNotAllowed)
	}
}

// post handles a message of a client.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		http.Error(w, "acpshim: the body has to be of type application/json", http.StatusUnsupportedMediaType)
		return
	}
	id := r.Header.Get(connectionID)
	var x *exchange
	if id != "" {
		if x = s.find(w, r); x == nil {
			return
		}
	}
	body, done := s.body(w, r)
	defer done()
	if body == nil {
		return
	}
	line := frames.OneLine(body)
	o, err := wire.Parse(line, "params")
	switch {
	case err != nil && frames.IsMessage(line) && line[0] == '[':
		refuse(w, http.StatusBadRequest, -32600, "a POST has to hold one message; batches are not supported")
	case err != nil:
		refuse(w, http.StatusBadRequest, -32700, "the body is not a JSON object with unique names")
	case x == nil && !isInitialize(line):
		http.Error(w, "acpshim: this needs an "+connectionID+" header; only initialize has none", http.StatusBadRequest)
	case x != nil && isInitialize(line):
		refuse(w, http.StatusBadRequest, -32600, "this connection is already initialized")
	case x == nil:
		s.initialize(w, r, line, o)
	default:
		x.post(w, r, line, o)
	}
}

// body reads the body of a request. If that fails, it responds with an error and returns nil. The
// caller calls done when it does not need the body any more.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, done func()) {
	taken := 0
	done = func() { s.budget.Give(taken) }
	part := make([]byte, 32<<10)
	c := http.NewResponseController(w)
	for {
		c.SetReadDeadline(time.Now().Add(frames.StallTime))
		n, err := r.Body.Read(part)
		if !s.budget.Take(n) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "acpshim: too many bytes wait for agents", http.StatusServiceUnavailable)
			return nil, done
		}
		taken += n
		body = append(body, part[:n]...)
		switch {
		case len(body) > frames.MaxMessage:
			http.Error(w, "acpshim: "+frames.ErrTooLong.Error(), http.StatusRequestEntityTooLarge)
			return nil, done
		case errors.Is(err, io.EOF):
			unlimit(w)
			keepAfter(w)
			if body == nil {
				body = []byte{}
			}
			return body, done
		case err != nil:
			http.Error(w, "acpshim: the body cannot be read", http.StatusBadRequest)
			return nil, done
		}
	}
}

// refuse responds with a JSON-RPC error.
func refuse(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(wire.Refusal([]byte("null"), code, "acpshim: "+message))
}

// initializeTime is the timeout of initialize. The agent may have to be installed first.
const initializeTime = 5 * time.Minute

// initialize makes a connection and responds with the agent's response.
func (s *Server) initialize(w http.ResponseWriter, r *http.Request, line []byte, o *wire.Object) {
	x := newExchange(s)
	if x.connection == nil {
		s.refuseMore(w)
		return
	}
	if len(o.Raw("id")) > maxID || !x.ask(o.Raw("id"), request{first: true}) || !x.inbox.Offer(append([]byte(nil), line...)) {
		x.mu.Lock()
		x.grow(-x.weight)
		x.mu.Unlock()
		x.connection.end()
		s.over.Done()
		http.Error(w, "acpshim: too many bytes wait for agents, or the id is too long", http.StatusServiceUnavailable)
		return
	}
	s.mu.Lock()
	s.byID[x.id] = x
	s.mu.Unlock()
	x.use(0)
	go x.live()
	late := time.NewTimer(initializeTime)
	defer late.Stop()
	select {
	case response := <-x.isInitialized:
		w.Header().Set(connectionID, x.id)
		w.Header().Set("Content-Type", "application/json")
		w.Write(response)
	case <-x.over:
		http.Error(w, "acpshim: the agent ended before it responded to initialize", http.StatusBadGateway)
	case <-late.C:
		x.leave()
		http.Error(w, "acpshim: the agent does not respond to initialize", http.StatusGatewayTimeout)
	case <-r.Context().Done():
		x.leave()
	}
}

// post handles a message of a client with a connection.
func (x *exchange) post(w http.ResponseWriter, r *http.Request, line []byte, o *wire.Object) {
	method, _ := o.Text("method")
	id := o.Raw("id")
	session, _ := o.Open("params").Text("sessionId")
	if named := r.Header.Get(sessionID); named != "" && session != "" && named != session {
		http.Error(w, "acpshim: "+sessionID+" names another session than the message", http.StatusBadRequest)
		return
	}
	if len(id) > maxID || len(session) > maxID {
		http.Error(w, "acpshim: an id is longer than 1024 bytes", http.StatusBadRequest)
		return
	}
	isRequest := id != nil && method != ""
	opens := method == acp.SessionNew || method == acp.SessionFork
	isTaken := (!isRequest || x.ask(id, request{session: session, opens: opens})) && x.inbox.Offer(append([]byte(nil), line...))
	switch {
	case !isTaken && x.isOver():
		noConnection(w)
		return
	case !isTaken:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "acpshim: too many bytes wait for the agent", http.StatusServiceUnavailable)
		return
	}
	x.use(0)
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusAccepted)
}
