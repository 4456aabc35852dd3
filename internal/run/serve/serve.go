// Package serve serves an agent over WebSocket and streamable HTTP to clients that have a token.
// Each connection has an agent process of its own. It is compatible with the three official SDKs.
package serve

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"acpshim/internal/run/frames"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// Options of a Server. Agent and Token are required.
type Options struct {
	Agent       proxy.Options // without streams and signals
	Token       string
	Origins     []string               // web pages that may connect
	Hosts       []string               // host names of this machine
	HasName     func(name string) bool // reports whether the TLS certificate has a name; nil without TLS
	Connections int                    // maximum at a time
	Idle        time.Duration          // timeout of an HTTP connection without a reader; 0 for none
	Log         zerolog.Logger
}

// Limits. Those of a connection are those of the TypeScript SDK.
const (
	maxWaiting  = 64 << 20 // bytes that wait in a connection, in each direction
	maxUnread   = 1_024    // messages in a stream without a reader
	maxSessions = 1_024    // in a connection
	maxID       = 1 << 10  // bytes of the id of a message, a connection or a session
)

// MaxWaiting is how many bytes wait in all connections together.
const MaxWaiting = 256 << 20

// A Server is an http.Handler.
type Server struct {
	Options
	budget *frames.Budget
	guard  guard

	mu       sync.Mutex
	live     map[*connection]bool
	byID     map[string]*exchange // connections over HTTP
	stopping int                  // the number of calls of Stop
	stops    chan struct{}        // closed by the first call of Stop
	over     sync.WaitGroup
}

// New returns a Server.
func New(o Options) *Server {
	return &Server{Options: o, budget: frames.NewBudget(MaxWaiting), live: map[*connection]bool{}, byID: map[string]*exchange{}, guard: newGuard(o.Token), stops: make(chan struct{})}
}

// A connection is a client and its agent.
type connection struct {
	server  *Server
	id      string
	inbox   *frames.Queue // from the client
	part    partialLine   // of the agent
	signals chan os.Signal
	deliver func(line []byte) error // takes a message of the agent
	left    chan struct{}           // closed by leave
	leave   func()                  // the client has left; it may be called several times
	log     zerolog.Logger
}

// begin returns a new connection, or nil if there are too many or the server stops. The caller
// calls over.Done when the client knows that the connection has ended.
func (s *Server) begin(deliver func([]byte) error) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.live) >= s.Connections || s.stopping > 0 {
		return nil
	}
	c := &connection{
		server: s, id: newID(), part: partialLine{budget: s.budget}, inbox: frames.NewQueue(maxWaiting, s.budget),
		signals: make(chan os.Signal, 4), deliver: deliver, left: make(chan struct{}),
	}
	c.log = s.Log.With().Str("connection", c.id[:8]).Logger()
	c.leave = sync.OnceFunc(func() {
		close(c.left)
		c.inbox.Close()
	})
	s.live[c] = true
	s.over.Add(1)
	return c
}

// run runs the agent of a connection, and returns its exit status.
func (c *connection) run() (status proxy.Status, err error) {
	s := c.server
	defer c.end()
	c.log.Info().Msg("client connected")
	o := s.Agent
	o.Stdin, o.Stdout, o.Signals, o.Log = input{c}, output{c}, c.signals, c.log
	ending, err := proxy.Run(o)
	if status = ending.Status; err != nil {
		c.log.Error().Err(err).Msg("the agent could not be started")
		return status, err
	}
	c.log.Info().Msgf("the agent %v", status)
	return status, nil
}

// end releases a connection without an agent.
func (c *connection) end() {
	s := c.server
	c.inbox.Drop(os.ErrClosed)
	c.part.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, c)
}

// hasLeft reports whether the client has left.
func (c *connection) hasLeft() bool {
	select {
	case <-c.left:
		return true
	default:
		return false
	}
}

// refuseMore refuses a client because there are too many connections.
func (s *Server) refuseMore(w http.ResponseWriter) {
	s.Log.Warn().Int("connections", s.Connections).Msg("refused a client: serve.connections is reached")
	w.Header().Set("Retry-After", "10")
	http.Error(w, "acpshim: too many connections", http.StatusServiceUnavailable)
}

// Stop stops the agents of all connections and accepts no more. A second call gives them a second.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	signal := syscall.SIGTERM
	if s.stopping++; s.stopping == 1 {
		close(s.stops)
	} else {
		signal = syscall.SIGINT // two pending signals of one kind are one
	}
	for c := range s.live {
		select {
		case c.signals <- signal:
		default:
		}
	}
}

// Wait returns when there is no connection left.
func (s *Server) Wait() { s.over.Wait() }

// isStopping reports whether Stop was called.
func (s *Server) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping > 0
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer limitRest(w)
	closeAfter(w)
	switch {
	case !s.isOurName(r.Host):
		http.Error(w, "acpshim: this host is not in serve.hosts", http.StatusForbidden)
	case !s.allowOrigin(w, r):
		http.Error(w, "acpshim: this origin is not in serve.origins", http.StatusForbidden)
	case r.URL.Path == "/health":
		w.Write([]byte("ok\n"))
	case r.Method == http.MethodOptions:
		preflight(w, r)
	case s.admit(w, r):
		s.serve(w, r)
	}
}

// serve handles a request with the token.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.ProtoMajor > 1 {
		keepAfter(w)
	}
	switch {
	case r.URL.Path != "/acp":
		http.Error(w, "acpshim: not found; ACP is at /acp", http.StatusNotFound)
	case isUpgrade(r):
		s.serveSocket(w, r)
	default:
		s.serveHTTP(w, r)
	}
}

func newID() string {
	raw := make([]byte, 16)
	rand.Read(raw)
	return hex.EncodeToString(raw)
}
