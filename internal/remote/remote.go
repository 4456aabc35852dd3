// Package remote connects to agents that are served over WebSocket or streamable HTTP, and shows
// each as a peer of a run. The wire is that of the three official SDKs; where they differ, all are
// satisfied.
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

	"acpshim/internal/frames"
	"acpshim/internal/process"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// Options say what to connect to. URL is required.
type Options struct {
	URL       *url.URL
	HTTP      bool           // streamable HTTP, in place of WebSocket
	Header    http.Header    // of each request
	Roots     *x509.CertPool // who may sign certificates; nil: whom the system trusts
	Reconnect bool           // a connection that breaks while nothing is pending is made again
	Log       zerolog.Logger
}

// An Agent is one that is connected to. It implements proxy.Peer.
type Agent struct {
	o      Options
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	inbox  *frames.Queue // for the client
	outbox *frames.Queue // of the client
	sent   chan struct{} // closed when all of outbox has been sent, or answered
	exited chan struct{}
	begun  chan struct{} // closed at the first request of the client
	begin  func()

	part    []byte // of the line that is being written
	isLost  bool   // it is too long: the rest of it is stepped over
	mu      sync.Mutex
	changed *sync.Cond
	state   state // changes under mu, and is told to changed
}

// A state is what changes of an Agent.
type state struct {
	transport     transport          // nil while there is no connection
	initializing  bool               // the server has not answered initialize
	isInitialized bool               // it has
	asked         map[string]request // of the client that are pending, by wire.ID
	asks          map[string]string  // the agent's requests that are pending, with the streams they came on
	saidAll       bool               // the client is done
	isOver        bool               // there will be no connection any more
	end           *End
	sessions      sessions
}

// A transport is one connection. Send is called from one goroutine.
type transport interface {
	open(ctx context.Context) error      // connects
	serve() error                        // reads until the connection ends; nil: we ended it
	send(m message, stream string) error // waits until the message has been taken; an error ends serve
	close()                              // ends serve; it does not wait
}

// maxWaiting is how many bytes wait for the client, or of it, until the other side waits.
const maxWaiting = 8 << 20

// Connect returns an Agent at once, which then connects.
func Connect(o Options) *Agent {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	base.MaxIdleConnsPerHost = 8
	base.DisableCompression = true // a stream is not to wait for more to compress
	jar, _ := cookiejar.New(nil)   // its only error is that of an option
	a := &Agent{
		o: o, inbox: frames.NewQueue(maxWaiting, nil), outbox: frames.NewQueue(maxWaiting, nil), sent: make(chan struct{}), exited: make(chan struct{}), begun: make(chan struct{}),
		client: &http.Client{Transport: base, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		state:  state{asked: map[string]request{}, asks: map[string]string{}},
	}
	a.begin = sync.OnceFunc(func() { close(a.begun) })
	a.changed = sync.NewCond(&a.mu)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	go a.run()
	go a.sayAll()
	return a
}

// run connects, and has all that the agent says pushed, until that is over.
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
			began = time.Now() // it lasted, so the next attempts have all the time
		}
	}
	a.finish(a.endOf(err))
}

// connect makes a connection, and if it is not the first one loads its sessions again.
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

// use has what the client says go to a connection.
func (a *Agent) use(t transport) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.transport = t
	a.changed.Broadcast()
	if a.isDone() {
		t.close()
	}
}

// isDone reports whether the client has said all and has all responses. The lock is held.
func (a *Agent) isDone() bool { return a.state.saidAll && len(a.state.asked) == 0 }

// finish answers what is pending, and ends what the client reads.
func (a *Agent) finish(end *End) {
	if end.isFailure {
		select { // the client's first request is answered with it, if it comes
		case <-a.begun:
		case <-a.ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	a.mu.Lock()
	a.state.end, a.state.isOver = end, true
	for _, r := range a.state.asked {
		a.inbox.PushNow(failure(r.id, "acpshim: "+end.Text, nil))
	}
	a.state.asked = map[string]request{}
	a.changed.Broadcast()
	a.mu.Unlock()
	a.inbox.Hurry()
	a.cancel()
	a.outbox.Close()
	<-a.sent // what the client has said meanwhile is answered, too
	a.inbox.Close()
	close(a.exited)
}

// Read implements proxy.Peer.
func (a *Agent) Read(p []byte) (int, error) { return a.inbox.Read(p) }

// CloseWrite implements proxy.Peer: the connection ends when all responses have come.
func (a *Agent) CloseWrite() { a.outbox.Close() }

// closeIfDone ends a connection of which nothing is expected any more. The lock is held.
func (a *Agent) closeIfDone() {
	switch {
	case !a.isDone():
	case a.state.transport != nil:
		a.state.transport.close()
	default:
		a.cancel()
	}
}

// CloseRead implements proxy.Peer: nobody takes an answer, so nothing is asked any more.
func (a *Agent) CloseRead() {
	a.inbox.Drop(os.ErrClosed)
	a.stop()
}

// stop ends the connection though responses are pending.
func (a *Agent) stop() {
	a.inbox.Hurry() // who waits for the client to read stops that
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

// Drain implements proxy.Peer: all that is left is there.
func (a *Agent) Drain(time.Duration) {}

// Signal implements proxy.Peer: the agent is another machine's, so its connection ends.
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
func (a *Agent) Close(time.Duration) proxy.Status {
	a.cancel()
	a.client.CloseIdleConnections()
	if end := a.End(); end != nil && end.isFailure {
		return process.Status{Code: 1}
	}
	return process.Status{}
}

// End is how the connection ended; nil if it has not.
func (a *Agent) End() *End {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state.end
}

var _ proxy.Peer = (*Agent)(nil)
