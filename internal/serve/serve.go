// Package serve serves an agent over WebSocket and streamable HTTP to clients who have a token,
// with an agent process for each connection. The wire is that of the three official SDKs.
package serve

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"acpshim/internal/frames"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// Options of a Server. Agent and Token are required.
type Options struct {
	Agent       proxy.Options // of a connection, but for its streams and signals
	Token       string
	Origins     []string               // of web pages that may connect
	Hosts       []string               // names under which this machine is reached
	HasName     func(name string) bool // whether the certificate has a name; nil: there is none
	Connections int                    // at a time
	Idle        time.Duration          // of a connection over HTTP without a stream; 0 is for ever
	Log         zerolog.Logger
}

// Limits of a Server; those of a connection are the TypeScript SDK's.
const (
	maxWaiting  = 64 << 20 // bytes of a connection, in each direction
	maxUnread   = 1_024    // messages of a stream that nobody reads
	maxSessions = 1_024    // of a connection
	maxID       = 1 << 10  // bytes of an id of a message, a connection or a session
)

// MaxWaiting is how many bytes wait for clients and agents together.
const MaxWaiting = 256 << 20

// A Server is an http.Handler.
type Server struct {
	Options
	budget *frames.Budget
	guard  guard

	mu       sync.Mutex
	live     map[*connection]bool
	byID     map[string]*exchange // those over HTTP
	stopping int                  // how often Stop was called
	over     sync.WaitGroup
}

// New returns a Server.
func New(o Options) *Server {
	return &Server{Options: o, budget: frames.NewBudget(MaxWaiting), live: map[*connection]bool{}, byID: map[string]*exchange{}, guard: newGuard(o.Token)}
}

// A connection is a client and its agent.
type connection struct {
	server  *Server
	id      string
	inbox   *frames.Queue // from the client
	part    []byte        // the line that the agent has begun
	signals chan os.Signal
	deliver func(line []byte) error // a message of the agent
	left    chan struct{}           // closed when the client has gone
	leave   func()
	log     zerolog.Logger
}

// begin takes a connection in; nil if there are as many as there may be, or the server ends. When
// its client knows the end, over.Done is to be called.
func (s *Server) begin(deliver func([]byte) error) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.live) >= s.Connections || s.stopping > 0 {
		return nil
	}
	c := &connection{
		server: s, id: newID(), inbox: frames.NewQueue(maxWaiting, s.budget),
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

// run runs the agent of a connection, and returns how it ended.
func (c *connection) run() (status proxy.Status, err error) {
	s := c.server
	defer c.end()
	c.log.Info().Msg("client connected")
	o := s.Agent
	o.Stdin, o.Stdout, o.Signals, o.Log = input{c}, output{c}, c.signals, c.log
	if status, err = proxy.Run(o); err != nil {
		c.log.Error().Err(err).Msg("the agent could not be started")
		return status, err
	}
	c.log.Info().Msgf("the agent %v", status)
	return status, nil
}

// end takes a connection out that has no agent any more.
func (c *connection) end() {
	s := c.server
	c.inbox.Drop(os.ErrClosed)
	s.budget.Give(len(c.part))
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, c)
}

// hasLeft reports whether the client has gone.
func (c *connection) hasLeft() bool {
	select {
	case <-c.left:
		return true
	default:
		return false
	}
}

// refuseMore answers a client for whom there is no room.
func (s *Server) refuseMore(w http.ResponseWriter) {
	s.Log.Warn().Int("connections", s.Connections).Msg("refused a client: serve.connections is reached")
	w.Header().Set("Retry-After", "10")
	http.Error(w, "acpshim: too many connections", http.StatusServiceUnavailable)
}

// Stop ends all connections and takes no more: their agents are told to end. The second time they
// are killed.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping++
	for c := range s.live {
		for range 1 + 2*(s.stopping-1) { // the third signal of a run is the last word
			select {
			case c.signals <- syscall.SIGTERM:
			default:
			}
		}
	}
}

// Wait returns when no connection is left.
func (s *Server) Wait() { s.over.Wait() }

// isStopping reports whether Stop was called.
func (s *Server) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping > 0
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !s.isOurName(r.Host):
		http.Error(w, "acpshim: this host is not in serve.hosts", http.StatusForbidden)
	case !s.allowOrigin(w, r):
		http.Error(w, "acpshim: this origin is not in serve.origins", http.StatusForbidden)
	case r.URL.Path == "/health":
		w.Write([]byte("ok\n"))
	case r.Method == http.MethodOptions:
		preflight(w, r)
	case !s.admit(w, r):
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
