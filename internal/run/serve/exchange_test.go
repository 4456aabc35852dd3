package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/run/frames"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// A fake is a scripted agent.
type fake struct {
	*testing.T
	in     *bufio.Reader // what the client says
	out    *io.PipeWriter
	theirs struct {
		*io.PipeReader
		*io.PipeWriter
	}
	exit   func()
	exited chan struct{}
}

func newFake(t *testing.T) *fake {
	f := &fake{T: t, exited: make(chan struct{})}
	in, theirOut := io.Pipe()
	theirIn, out := io.Pipe()
	f.in, f.out = bufio.NewReader(in), out
	f.theirs.PipeReader, f.theirs.PipeWriter = theirIn, theirOut
	f.exit = sync.OnceFunc(func() {
		out.Close()
		in.Close()
		close(f.exited)
	})
	return f
}

func (f *fake) Read(p []byte) (int, error)  { return f.theirs.Read(p) }
func (f *fake) Write(p []byte) (int, error) { return f.theirs.Write(p) }
func (f *fake) CloseWrite()                 { f.theirs.PipeWriter.Close() }
func (f *fake) CloseRead()                  { f.theirs.PipeReader.CloseWithError(os.ErrClosed) }
func (f *fake) Exited() <-chan struct{}     { return f.exited }
func (f *fake) Drain(time.Duration)         {}
func (f *fake) Signal(syscall.Signal)       { f.exit() }
func (f *fake) Runs() bool                  { return false }
func (f *fake) Status() proxy.Status        { return proxy.Status{} }
func (f *fake) Close(time.Duration)         {}

func (f *fake) says(lines ...string) {
	for _, line := range lines {
		io.WriteString(f.out, line+"\n")
	}
}

func (f *fake) gets(want string) {
	f.Helper()
	if got, err := f.in.ReadString('\n'); got != want+"\n" {
		f.Errorf("the agent gets %q, %v; want %q", got, err, want)
	}
}

// A site is a server over HTTP with scripted agents.
type site struct {
	*testing.T
	server *Server
	url    string
	agents chan *fake
}

func newSite(t *testing.T, change func(*Options)) *site {
	x := &site{T: t, agents: make(chan *fake, 10)}
	o := Options{Token: token, Connections: 2, Log: zerolog.Nop(), Agent: proxy.Options{
		TermGrace: 10 * time.Millisecond, Drain: 10 * time.Millisecond,
		Connect: func() (proxy.Peer, error) {
			f := newFake(t)
			x.agents <- f
			return f, nil
		},
	}}
	if change != nil {
		change(&o)
	}
	s := New(o)
	server := httptest.NewUnstartedServer(s)
	server.Config = s.HTTP()
	server.Start()
	t.Cleanup(func() {
		s.Stop()
		server.CloseClientConnections()
		server.Close()
		s.Wait()
		for end := time.Now().Add(5 * time.Second); !s.budget.Take(MaxWaiting); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("bytes are taken that nobody has")
			}
		}
	})
	x.server, x.url = s, server.URL+"/acp"
	return x
}

// do sends a request. A body that begins with { is a POST.
func (x *site) do(method, connection, session, body string) *http.Response {
	x.Helper()
	r, err := http.NewRequest(method, x.url, strings.NewReader(body))
	if err != nil {
		x.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json; charset=utf-8"}, "Accept": {"text/event-stream"}}
	for name, value := range map[string]string{connectionID: connection, sessionID: session} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() { answer.Body.Close() })
	return answer
}

// answers sends a request, and compares the status and the body of the response.
func (x *site) answers(method, connection, session, body string, status int, want string) {
	x.Helper()
	answer := x.do(method, connection, session, body)
	got, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != status || string(got) != want {
		x.Errorf("%s %.100s: %d %q, want %d %q", method, body, answer.StatusCode, got, status, want)
	}
}

// begins makes a connection.
func (x *site) begins() (id string, agent *fake) {
	x.Helper()
	begun := make(chan *fake)
	go func() {
		agent := <-x.agents
		agent.gets(`{"id":0,"method":"initialize"}`)
		agent.says(`{"id":0,"result":{}}`)
		begun <- agent
	}()
	answer := x.do("POST", "", "", `{"id":0,"method":"initialize"}`)
	agent = <-begun
	body, _ := io.ReadAll(answer.Body)
	if id = answer.Header.Get(connectionID); answer.StatusCode != 200 || len(id) != 32 || string(body) != `{"id":0,"result":{}}` {
		x.Fatalf("initialize: %d, %q, %s", answer.StatusCode, id, body)
	}
	return id, agent
}

// A reader reads the events of a stream.
type reader struct {
	*testing.T
	events *frames.Events
	body   io.Closer
}

func (x *site) reads(connection, session string) reader {
	x.Helper()
	answer := x.do("GET", connection, session, "")
	if answer.StatusCode != 200 || answer.Header.Get(sessionID) != session {
		x.Fatalf("GET %q: %d", session, answer.StatusCode)
	}
	return reader{x.T, frames.NewEvents(answer.Body), answer.Body}
}

func (r reader) gets(want ...string) {
	r.Helper()
	for _, want := range want {
		if got, err := r.events.Next(); string(got) != want {
			r.Fatalf("the client gets %q, %v; want %q", got, err, want)
		}
	}
}

func updateOf(session string, n int) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"%s","n":%d}}`, session, n)
}

// Messages of a session go to its stream, if the session was created here or its stream was opened.
// Other messages go to the connection's stream. All SDK clients expect that.
func TestMessagesGoToTheirStreams(t *testing.T) {
	x := newSite(t, nil)
	id, agent := x.begins()
	all := x.reads(id, "")
	x.answers("POST", id, "", `{"id":1,"method":"session/new"}`, 202, "")
	agent.gets(`{"id":1,"method":"session/new"}`)
	agent.says(updateOf("early", 1), `{"id":1,"result":{"sessionId":"s"}}`, updateOf("s", 2))
	all.gets(updateOf("early", 1), `{"id":1,"result":{"sessionId":"s"}}`)
	s := x.reads(id, "s")
	s.gets(updateOf("s", 2))
	x.answers("POST", id, "s", `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`, 202, "")
	agent.gets(`{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
	agent.says(`{"id":2,"method":"session/request_permission","params":{"sessionId":"s"}}`, `{"id":2,"result":{}}`, `{"method":"of/none"}`)
	s.gets(`{"id":2,"method":"session/request_permission","params":{"sessionId":"s"}}`, `{"id":2,"result":{}}`)
	all.gets(`{"method":"of/none"}`)
	x.answers("POST", id, "", `{"id":2,"result":{"outcome":{}}}`, 202, "") // without the session, as the Python SDK does
	agent.gets(`{"id":2,"result":{"outcome":{}}}`)

	x.answers("POST", id, "", `{"id":3,"method":"session/load","params":{"sessionId":"old"}}`, 202, "")
	agent.gets(`{"id":3,"method":"session/load","params":{"sessionId":"old"}}`)
	agent.says(updateOf("old", 1), `{"id":3,"result":null}`)
	all.gets(updateOf("old", 1), `{"id":3,"result":null}`)
	old := x.reads(id, "old")
	x.answers("POST", id, "old", `{"id":4,"method":"session/load","params":{"sessionId":"old"}}`, 202, "")
	agent.says(updateOf("old", 2), `{"id":4,"result":null}`)
	old.gets(updateOf("old", 2), `{"id":4,"result":null}`)

	s.body.Close() // and asks again: what comes meanwhile is not lost
	time.Sleep(50 * time.Millisecond)
	for i := range 500 {
		agent.says(updateOf("s", i))
	}
	s = x.reads(id, "s")
	for i := range 500 {
		s.gets(updateOf("s", i))
	}
	agent.says(updateOf("s", 9))
	agent.exit()
	s.gets(updateOf("s", 9))
	for _, r := range []reader{all, s, old} {
		if got, err := r.events.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("at the end came %q, %v", got, err)
		}
	}
}

// A wrong request gets an error, and its connection goes on.
func TestHTTPErrors(t *testing.T) {
	x := newSite(t, nil)
	id, agent := x.begins()
	long := strings.Repeat("x", maxID+1)
	x.reads(id, "")
	for _, test := range []struct {
		method, connection, session, body string
		status                            int
		want                              string
	}{
		{"POST", "", "", `{"id":1,"method":"session/new"}`, 400, "acpshim: this needs an Acp-Connection-Id header; only initialize has none\n"},
		{"POST", "", "", `{"method":"initialize"}`, 400, "acpshim: this needs an Acp-Connection-Id header; only initialize has none\n"},
		{"POST", id, "", `{"id":1,"method":"initialize"}`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"acpshim: this connection is already initialized"}}` + "\n"},
		{"POST", id, "", `[{"id":1,"method":"x"}]`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"acpshim: a POST has to hold one message; batches are not supported"}}` + "\n"},
		{"POST", id, "", `{"id":`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"acpshim: the body is not a JSON object with unique names"}}` + "\n"},
		{"POST", id, "", "", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"acpshim: the body is not a JSON object with unique names"}}` + "\n"},
		{"POST", id, "t", `{"id":1,"method":"x","params":{"sessionId":"s"}}`, 400, "acpshim: Acp-Session-Id names another session than the message\n"},
		{"POST", id, "", `{"id":"` + long + `","method":"x"}`, 400, "acpshim: an id is longer than 1024 bytes\n"},
		{"POST", id, "", `{"id":1,"method":"x","params":{"sessionId":"` + long + `"}}`, 400, "acpshim: an id is longer than 1024 bytes\n"},
		{"GET", id, "", "", 409, "acpshim: this stream already has a reader\n"},
		{"GET", id, long, "", 429, "acpshim: too many streams\n"},
	} {
		x.answers(test.method, test.connection, test.session, test.body, test.status, test.want)
	}
	x.answers("POST", id, "", "{\"id\":7,\n\"method\":\"x\"}\r\n", 202, "")
	agent.gets(`{"id":7, "method":"x"}`)
	x.begins()
	x.answers("POST", "", "", `{"id":0,"method":"initialize"}`, 503, "acpshim: too many connections\n")
	x.answers("DELETE", id, "", "", 202, "")
	agent.exit()
	x.answers("DELETE", strings.Repeat("0", 32), "", "", 404, "acpshim: unknown connection; it may have ended\n")
}

// The client learns that its agent ended before it responded.
func TestAgentEndsBeforeInitialize(t *testing.T) {
	x := newSite(t, nil)
	go func() { (<-x.agents).exit() }()
	x.answers("POST", "", "", `{"id":0,"method":"initialize"}`, 502, "acpshim: the agent ended before it responded to initialize\n")
}

// If nobody reads, the connection ends after 1,024 messages or a timeout.
func TestAConnectionThatNobodyReads(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"messages": nil,
		"idle":     func(o *Options) { o.Idle = 300 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			x := newSite(t, change)
			id, agent := x.begins()
			if change == nil {
				for i := range maxUnread {
					agent.says(updateOf("s", i))
				}
				all := x.reads(id, "")
				all.gets(updateOf("s", 0))
				all.body.Close()
				time.Sleep(100 * time.Millisecond)
				for i := range 3 * maxUnread {
					agent.says(updateOf("s", i))
				}
			}
			select {
			case <-agent.exited:
			case <-time.After(10 * time.Second):
				t.Error("the agent is not ended")
			}
		})
	}
}

// If a reader does not read, its agent waits, and memory stays bounded.
func TestASlowReaderSlowsItsAgent(t *testing.T) {
	x := newSite(t, nil)
	id, agent := x.begins()
	x.reads(id, "")
	written := make(chan int)
	go func() {
		n := 0
		defer func() { written <- n }()
		line := strings.Repeat("x", 1<<20)
		for range 100 {
			if _, err := io.WriteString(agent.out, `{"method":"`+line+"\"}\n"); err != nil {
				return
			}
			n++
		}
	}()
	select {
	case n := <-written:
		t.Errorf("%d MiB were taken", n)
	case <-time.After(300 * time.Millisecond):
	}
	x.answers("DELETE", id, "", "", 202, "")
	agent.exit()
	if n := <-written; n > 20 { // what the sockets of the machine hold
		t.Errorf("%d MiB were taken", n)
	}
}

// The server stops within seconds if an agent has ended and nobody reads its messages.
func TestStopDoesNotWaitForReaders(t *testing.T) {
	x := newSite(t, nil)
	_, agent := x.begins()
	agent.says(`{"method":"session/update","params":{"sessionId":"s"}}`)
	agent.exit()
	for isLive := true; isLive; time.Sleep(time.Millisecond) {
		x.server.mu.Lock()
		isLive = len(x.server.live) > 0
		x.server.mu.Unlock()
	}
	ended := make(chan struct{})
	go func() {
		x.server.Stop()
		x.server.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the server still waits")
	}
}
