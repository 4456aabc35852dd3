// Package remote connects to agents that are served over WebSocket or streamable HTTP, and makes
// each a peer of a run. It is compatible with the three official SDKs, even where they differ.
package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"acpshim/internal/run/frames"
	"acpshim/internal/system/process"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// Options of an Agent. URL is required.
type Options struct {
	URL       *url.URL
	HTTP      bool           // streamable HTTP instead of WebSocket
	Header    http.Header    // for each request
	Roots     *x509.CertPool // the trusted certificates; nil for those of the system
	Reconnect bool           // reconnect if the connection breaks while nothing is pending
	Log       zerolog.Logger
}

// An Agent is an agent on a server. It implements proxy.Peer.
type Agent struct {
	o      Options
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	inbox  *frames.Queue // for the client
	outbox *frames.Queue // from the client
	sent   chan struct{} // closed when outbox is done
	exited chan struct{}
	begun  chan struct{} // closed at the client's first request
	begin  func()

	part    []byte // the line that the client has begun
	isLost  bool   // the line is too long, and its rest is skipped
	mu      sync.Mutex
	changed *sync.Cond
	state   state // under mu; changes are broadcast to changed
}

// A state is the changing part of an Agent.
type state struct {
	transport     transport          // nil while there is no connection
	initializing  bool               // initialize is pending
	isInitialized bool               // the server has responded to initialize
	pending       map[string]request // requests to the agent, by wire.ID
	streams       map[string]string  // the streams on which the agent's pending requests came, by wire.ID
	isClientDone  bool               // the client sends nothing more
	isOver        bool               // there will be no more connection
	end           *End
	sessions      sessions
}

// A transport is one connection. Send is called from one goroutine. Its stream is the stream of the
// request that a response belongs to.
type transport interface {
	open(ctx context.Context) error      // connects
	serve() error                        // reads until the connection ends; nil if acpshim ended it
	send(m message, stream string) error // returns when the message was accepted; an error also ends serve
	close()                              // ends serve; it does not wait
}

// maxWaiting is the size of each queue, in bytes. A writer waits if its queue is full.
const maxWaiting = 8 << 20

// Connect returns an Agent at once, and connects in the background.
func Connect(o Options) *Agent {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	base.MaxIdleConnsPerHost = 8
	base.DisableCompression = true // a stream must not wait for more to compress
	jar, _ := cookiejar.New(nil)   // it returns no error without options
	a := &Agent{
		o: o, inbox: frames.NewQueue(maxWaiting, nil), outbox: frames.NewQueue(maxWaiting, nil), sent: make(chan struct{}), exited: make(chan struct{}), begun: make(chan struct{}),
		client: &http.Client{Transport: base, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		state:  state{pending: map[string]request{}, streams: map[string]string{}},
	}
	a.begin = sync.OnceFunc(func() { close(a.begun) })
	a.changed = sync.NewCond(&a.mu)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	go a.run()
	go a.sendAll()
	return a
}

// run connects, serves, and reconnects, until the end.
func (a *Agent) run() {
	var err error
	isMade, began := false, time.Now()
	for {
		var t transport
		if t, err = a.connect(isMade, began); err != nil {
			break
		}
		isMade = true
		connected := time.Now()
		if err = t.serve(); !a.mayConnectAgain(err) {
			break
		}
		if time.Since(connected) > time.Minute {
			began = time.Now() // the next reconnect has the full time again
		}
	}
	a.finish(a.endOf(err))
}

// connect makes the first connection, or reconnects.
func (a *Agent) connect(isAgain bool, began time.Time) (transport, error) {
	if isAgain {
		return a.reconnect(began)
	}
	t := a.newTransport()
	if err := t.open(a.ctx); err != nil {
		return nil, err
	}
	a.use(t)
	return t, nil
}

func (a *Agent) newTransport() transport {
	if a.o.HTTP {
		return newStreams(a)
	}
	return &socket{agent: a}
}

// use sends the client's messages to a connection from now on.
func (a *Agent) use(t transport) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.transport = t
	a.changed.Broadcast()
	if a.isDone() {
		t.close()
	}
}

// isDone reports whether the client sends nothing more and no request is pending. The lock is held.
func (a *Agent) isDone() bool { return a.state.isClientDone && len(a.state.pending) == 0 }

// finish closes the queues. The run responds to the pending requests.
func (a *Agent) finish(end *End) {
	if end.isFailure {
		select { // wait for the client's first request, which can say what failed
		case <-a.begun:
		case <-a.ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	a.mu.Lock()
	a.state.end, a.state.isOver = end, true
	a.state.pending = map[string]request{}
	a.changed.Broadcast()
	a.mu.Unlock()
	a.inbox.Hurry()
	a.cancel()
	a.outbox.Close()
	<-a.sent
	a.inbox.Close()
	close(a.exited)
}

// Read implements proxy.Peer.
func (a *Agent) Read(p []byte) (int, error) { return a.inbox.Read(p) }

// CloseWrite implements proxy.Peer: the connection ends when no request is pending any more.
func (a *Agent) CloseWrite() { a.outbox.Close() }

// closeIfDone ends a connection that is not needed any more. The lock is held.
func (a *Agent) closeIfDone() {
	switch {
	case !a.isDone():
	case a.state.transport != nil:
		a.state.transport.close()
	default:
		a.cancel()
	}
}

// CloseRead implements proxy.Peer: it ends the connection.
func (a *Agent) CloseRead() {
	a.inbox.Drop(os.ErrClosed)
	a.stop()
}

// stop ends the connection, even if requests are pending.
func (a *Agent) stop() {
	a.inbox.Hurry() // wake everyone who waits for the client to read
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.isOver = true
	a.changed.Broadcast()
	if a.state.transport != nil {
		a.state.transport.close()
	} else {
		a.cancel()
	}
}

// Exited implements proxy.Peer.
func (a *Agent) Exited() <-chan struct{} { return a.exited }

// Drain implements proxy.Peer. There is nothing to wait for.
func (a *Agent) Drain(time.Duration) {}

// Signal implements proxy.Peer: a signal ends the connection, because the agent is on another
// machine.
func (a *Agent) Signal(s syscall.Signal) {
	switch s {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		a.stop()
	case syscall.SIGKILL:
		a.stop()
		a.cancel()
	}
}

// Runs implements proxy.Peer.
func (a *Agent) Runs() bool { return false }

// Close implements proxy.Peer.
func (a *Agent) Close(time.Duration) {
	a.cancel()
	a.client.CloseIdleConnections()
}

// Status implements proxy.Peer: it is 1 if the connection failed.
func (a *Agent) Status() proxy.Status {
	if end := a.End(); end != nil && end.isFailure {
		return process.Status{Code: 1}
	}
	return process.Status{}
}

// End returns how the connection ended, or nil if it has not ended.
func (a *Agent) End() *End {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state.end
}

var _ proxy.Peer = (*Agent)(nil)
