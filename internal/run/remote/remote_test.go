package remote

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"acpshim/internal/run/frames"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"
)

// A client is the client of an Agent.
type client struct {
	*testing.T
	agent *Agent
	lines *bufio.Reader
}

// dial connects to a URL. Change may change the options.
func dial(t *testing.T, address string, change func(*Options)) *client {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{URL: u, HTTP: strings.HasPrefix(u.Scheme, "http"), Log: zerolog.Nop()}
	if change != nil {
		change(&o)
	}
	a := Connect(o)
	t.Cleanup(func() { a.Close(0) })
	return &client{t, a, bufio.NewReader(a)}
}

// says sends lines.
func (c *client) says(lines ...string) {
	c.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.agent, line+"\n"); err != nil {
			c.Fatal(err)
		}
	}
}

func (c *client) gets(want ...string) {
	c.Helper()
	for _, want := range want {
		got, err := c.lines.ReadString('\n')
		if got = strings.TrimSuffix(got, "\n"); err != nil || got != want {
			c.Fatalf("the client gets %.300q, %v\nwant %.300q", got, err, want)
		}
	}
}

// ends waits for the end, and compares it.
func (c *client) ends(want string, isFailure bool) {
	c.Helper()
	select {
	case <-c.agent.Exited():
	case <-time.After(20 * time.Second):
		c.Fatal("the connection does not end")
	}
	if rest, _ := io.ReadAll(c.lines); len(rest) > 0 {
		c.Errorf("more came: %.300q", rest)
	}
	end := c.agent.End()
	text := end.Text
	if end.Hint != "" {
		text += "; " + end.Hint
	}
	if text != want || end.IsFailure() != isFailure {
		c.Errorf("it ended with %q, %v\nwant %q, %v", text, end.IsFailure(), want, isFailure)
	}
	if status := c.agent.Status(); (status.Code == 1) != isFailure {
		c.Errorf("the status is %d", status.Code)
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`
	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`
	prompt      = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s"}}`
	said        = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"text":"é"}}}`
	done        = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
)

func refused(id int, why string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"acpshim: %s"}}`, id, why)
}

// A peer is the server's end of a WebSocket.
type peer struct {
	*websocket.Conn
	t *testing.T
}

func (p peer) gets(want string) {
	p.t.Helper()
	if _, got, err := p.Read(context.Background()); err != nil || string(got) != want {
		p.t.Errorf("the server gets %.300q, %v; want %.300q", got, err, want)
	}
}

func (p peer) says(frames ...string) {
	for _, frame := range frames {
		p.Write(context.Background(), websocket.MessageText, []byte(frame))
	}
}

// serves serves WebSockets, and returns the URL.
func serves(t *testing.T, talk func(peer)) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-WebSocket-Protocol") != "" {
			t.Errorf("there are headers of a browser: %v", r.Header)
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		conn.SetReadLimit(-1)
		talk(peer{conn, t})
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http", "ws", 1) + "/acp?token=secret"
}

// Frames of any kind become lines. Each message of the client becomes a frame, after the response
// to initialize.
func TestAConversationOverWebSocket(t *testing.T) {
	u := serves(t, func(p peer) {
		p.gets(initialize)
		time.Sleep(50 * time.Millisecond) // for the next message, if it did not wait
		p.says("{\"jsonrpc\":\"2.0\",\n \"id\":0,\"result\":{}}")
		p.gets(prompt)
		p.gets(`{"jsonrpc":"2.0","method":"a"}`)
		p.gets(`{"jsonrpc":"2.0","method":"b"}`)
		p.Write(context.Background(), websocket.MessageBinary, []byte("not a message"))
		p.says(said[:20], said[20:]+"\n"+said+"\n", "garbage", done)
		p.Read(context.Background())
	})
	c := dial(t, u, nil)
	c.says(initialize, prompt, `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]`)
	c.gets(`{"jsonrpc":"2.0",  "id":0,"result":{}}`, said, said, "garbage", done)
	c.says("not JSON")
	c.gets(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"acpshim: the message is not a JSON object on one line, and is not sent"}}`)
	c.agent.CloseWrite()
	c.ends("the connection to "+strings.TrimSuffix(u, "?token=secret")+" was closed by acpshim", false)
}

// Pending requests, the log and the exit status say how the server has ended the connection.
func TestHowAWebSocketEnds(t *testing.T) {
	for _, test := range []struct {
		code    websocket.StatusCode
		reason  string
		want    string
		failure bool
	}{
		{websocket.StatusNormalClosure, "", "the server at %s ended the connection", false},
		{websocket.StatusGoingAway, "bye", "the server at %s ended the connection", false},
		{websocket.StatusProtocolError, "", "the server at %s closed the connection with code 1002: it says that a message broke the protocol", true},
		{websocket.StatusPolicyViolation, "too much", "the server at %s closed the connection with code 1008: a limit of the server was exceeded (it says \\\"too much\\\")", true},
		{websocket.StatusInternalError, "", "the server at %s closed the connection with code 1011: the server failed, or its agent ended", true},
		{4000, "", "the server at %s closed the connection with code 4000", true},
		{0, "", "%s: the connection broke (EOF)", true},
	} {
		u := serves(t, func(p peer) {
			p.gets(initialize)
			p.says(initialized)
			p.gets(prompt)
			p.says(said)
			if test.code != 0 {
				p.Close(test.code, test.reason)
			}
		})
		want := fmt.Sprintf(test.want, strings.TrimSuffix(u, "?token=secret"))
		c := dial(t, u, nil)
		c.says(initialize, prompt)
		c.gets(initialized, said)
		c.ends(strings.ReplaceAll(want, `\"`, `"`), test.failure)
	}
}

// A refusal of the server is reported in a sentence, also to the client that initializes.
func TestHowAServerRefuses(t *testing.T) {
	answers := func(status int, header ...string) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			http.Error(w, "secret", status)
		}))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	listener.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	const (
		token   = `put the token into ACPSHIM_CONNECT_TOKEN, or a line such as "Authorization: Bearer ${TOKEN}" into --header-file FILE`
		speaks  = "the server may speak the other transport: ws:// and wss:// mean WebSocket, http:// and https:// mean streamable HTTP; --transport overrides that"
		noTLS   = "for a server with TLS, use a URL with wss:// or https://"
		refuses = ": it does not accept the token, or this client"
	)
	for name, test := range map[string]struct {
		server     *httptest.Server
		host       string
		text, hint string
		isTLS      bool
	}{
		"no server of ACP": {host: garbage(t), text: "%s: the server there does not speak ACP", hint: noTLS},
		"silent end":       {host: ends(t), text: "%s: the connection broke (EOF)", hint: noTLS},
		"nothing listens":  {host: nobody, text: "%s: nothing listens there: the connection was refused", hint: "is the server running, and is the port right?"},
		"unknown name":     {host: "nobody.invalid", text: `%s: the name "nobody.invalid" cannot be resolved (*)`, hint: noTLS},
		"401":              {server: answers(401), text: "the server at %s returned 401 Unauthorized" + refuses, hint: token},
		"403":              {server: answers(403), text: "the server at %s returned 403 Forbidden" + refuses, hint: token},
		"404":              {server: answers(404), text: "the server at %s returned 404 Not Found", hint: "check the path of the URL; many servers have ACP at /acp"},
		"302": {server: answers(302, "Location", "https://example.org/x?token=secret"), text: `the server at %s returned 302 Found, which leads to "https://example.org/x"`,
			hint: "acpshim does not follow redirects: connect to the new URL"},
		"500":         {server: answers(500), text: "the server at %s returned 500 Internal Server Error"},
		"400":         {server: answers(400), text: "the server at %s returned 400 Bad Request", hint: speaks},
		"certificate": {server: secure, isTLS: true, text: "%s: this machine does not trust the certificate of the server", hint: "name a certificate to trust with --ca FILE"},
		"no TLS":      {server: answers(404), isTLS: true, text: "%s: the server does not speak TLS", hint: "use ws:// or http:// for a server without TLS"},
	} {
		host := test.host
		if test.server != nil {
			host = test.server.Listener.Addr().String()
			t.Cleanup(test.server.Close)
		}
		for _, scheme := range []string{"ws", "http"} {
			if test.isTLS {
				scheme += "s"
			}
			t.Run(name+" "+scheme, func(t *testing.T) {
				where := scheme + "://" + host + "/acp"
				c := dial(t, scheme+"://me:secret@"+host+"/acp?token=secret#secret", nil)
				io.WriteString(c.agent, initialize+"\n") // it may be over already
				got, _ := c.lines.ReadString('\n')
				c.lines = bufio.NewReader(strings.NewReader(""))
				select {
				case <-c.agent.Exited():
				case <-time.After(20 * time.Second):
					t.Fatal("it does not end")
				}
				end, want := c.agent.End(), fmt.Sprintf(test.text, where)
				before, after, _ := strings.Cut(want, "*")
				if !strings.HasPrefix(end.Text, before) || !strings.HasSuffix(end.Text, after) || end.Hint != test.hint || !end.IsFailure() {
					t.Errorf("it ended with %q, %q\nwant %q, %q", end.Text, end.Hint, want, test.hint)
				}
				if got != "" || strings.Contains(end.Text+end.Hint, "secret") {
					t.Errorf("the client gets %q, and the end has %q, %q", got, end.Text, end.Hint)
				}
			})
		}
	}
}

// garbage returns the address of a server that does not speak HTTP.
func garbage(t *testing.T) string { return raw(t, "SSH-2.0-OpenSSH\r\n") }

// ends is the address of a server that ends each connection.
func ends(t *testing.T) string { return raw(t, "") }

func raw(t *testing.T, says string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 4096))
			io.WriteString(c, says)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// A server may respond twice, to no request, or with invalid JSON. Each request still gets one
// response.
func TestEachRequestHasOneResponse(t *testing.T) {
	u := serves(t, func(p peer) {
		p.gets(initialize)
		p.says(initialized, initialized, done, `{"id":2,"jsonrpc":"2.0"}`)
		p.gets(prompt)
		p.says(`{"id":2,"jsonrpc":"2.0"}`, done+`{"jsonrpc":"2.0","method":"x"}`, done)
		p.Close(websocket.StatusPolicyViolation, "not tokensecret")
	})
	c := dial(t, u, func(o *Options) { o.Header = http.Header{"Authorization": {"Bearer tokensecret"}} })
	c.says(initialize)
	c.gets(initialized, `{"id":2,"jsonrpc":"2.0"}`)
	c.says(prompt)
	c.gets(`{"id":2,"jsonrpc":"2.0"}`, done, `{"jsonrpc":"2.0","method":"x"}`)
	c.ends("the server at "+Shown(c.agent.o.URL)+` closed the connection with code 1008: a limit of the server was exceeded (it says "not ***")`, true)
}

// If the client does not read, the queue stays bounded, and the client can be stopped.
func TestAClientThatDoesNotRead(t *testing.T) {
	u := serves(t, func(p peer) {
		p.gets(initialize)
		for p.Write(context.Background(), websocket.MessageText, []byte(strings.Repeat(" ", 1<<20)+said)) == nil {
		}
	})
	c := dial(t, u, nil)
	c.says(initialize)
	written := make(chan int)
	go func() {
		n := 0
		for ; n < 1_000_000; n++ {
			if _, err := io.WriteString(c.agent, "junk\n"); err != nil {
				break
			}
		}
		written <- n
	}()
	select {
	case n := <-written:
		t.Errorf("%d lines were taken", n)
	case <-time.After(200 * time.Millisecond):
	}
	c.agent.Signal(syscall.SIGTERM)
	select {
	case <-c.agent.Exited():
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
	<-written
}

// Long messages are split into frames, because servers accept at most 16 MiB in one. Messages over
// 64 MiB are refused, in both directions.
func TestLongMessages(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":2,"method":"x","params":{"text":"` + strings.Repeat("x", 20<<20) + `"}}`
	u := serves(t, func(p peer) {
		p.gets(initialize)
		p.says(initialized)
		p.gets(long)
		p.says(`{"jsonrpc":"2.0","id":2,"result":"` + strings.Repeat("y", 20<<20) + `"}`)
		p.gets(prompt)
		p.says(strings.Repeat("z", frames.MaxMessage+1))
		p.Read(context.Background())
	})
	c := dial(t, u, nil)
	c.says(initialize, long)
	c.gets(initialized, `{"jsonrpc":"2.0","id":2,"result":"`+strings.Repeat("y", 20<<20)+`"}`)
	c.says(`{"jsonrpc":"2.0","id":3,"method":"x","params":"` + strings.Repeat("x", frames.MaxMessage) + `"}`)
	c.gets(refused(3, "the message is longer than 64 MiB"))
	c.says(prompt)
	c.ends(strings.TrimSuffix(u, "?token=secret")+": a message is longer than 64 MiB", true)
}

// The number of pending requests is bounded.
func TestPendingRequestsAreBounded(t *testing.T) {
	hasRefused := make(chan struct{})
	u := serves(t, func(p peer) {
		p.gets(initialize)
		p.says(initialized)
		for range maxPending {
			p.Read(context.Background())
		}
		<-hasRefused
		p.Close(websocket.StatusGoingAway, "")
	})
	c := dial(t, u, nil)
	c.says(initialize)
	c.gets(initialized)
	c.says(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxID) + `","method":"x"}`)
	c.gets(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxID) + `","error":{"code":-32603,"message":"acpshim: the id is longer than 1024 bytes, which servers refuse"}}`)
	for i := range maxPending {
		c.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, 10+i))
	}
	c.says(prompt)
	c.gets(refused(2, "8000 requests are already pending"))
	close(hasRefused)
	c.ends("the server at "+strings.TrimSuffix(u, "?token=secret")+" ended the connection", false)
}

// A connection that breaks while nothing is pending is made again, as often as it breaks. The
// client does not notice, and its sessions are still open.
func TestReconnect(t *testing.T) {
	var times atomic.Int32
	const (
		create  = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`
		created = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
	)
	u := serves(t, func(p peer) {
		n := times.Add(1)
		if n == 1 {
			p.gets(initialize)
			p.says(initialized)
			p.gets(create)
			p.says(created)
			return // it breaks
		}
		p.gets(`{"jsonrpc":"2.0","id":"acpshim-initialize","method":"initialize","params":{}}`)
		p.says(strings.Replace(initialized, `"id":0`, `"id":"acpshim-initialize"`, 1))
		p.gets(`{"jsonrpc":"2.0","id":"acpshim-load-0","method":"session/load","params":{"cwd":"/","mcpServers":[],"sessionId":"s"}}`)
		p.says(said, said, `{"jsonrpc":"2.0","id":"acpshim-load-0","result":{}}`)
		if n == 2 {
			return // it breaks again
		}
		p.gets(prompt)
		p.says(said, done)
		p.Read(context.Background())
	})
	c := dial(t, u, func(o *Options) { o.Reconnect = true })
	c.says(initialize)
	c.gets(initialized)
	c.says(create)
	c.gets(created)
	for times.Load() < 3 { // else the prompt may be pending when the connection breaks
		if c.agent.End() != nil {
			t.Fatal(c.agent.End().Text)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.says(prompt)
	c.gets(said, done)
	c.agent.CloseWrite()
	c.ends("the connection to "+strings.TrimSuffix(u, "?token=secret")+" was closed by acpshim", false)
}

// A server may repeat the token: as the id of a session, and in the reason why it does not load
// that session again. The log has neither.
func TestWhatAServerRepeatsIsLoggedWithoutSecrets(t *testing.T) {
	const (
		create  = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`
		created = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"to\"ken"}}`
	)
	var times atomic.Int32
	u := serves(t, func(p peer) {
		isFirst := times.Add(1) == 1
		p.Read(context.Background())
		if isFirst {
			p.says(initialized)
			p.gets(create)
			p.says(created)
			return // it breaks
		}
		p.says(strings.Replace(initialized, `"id":0`, `"id":"acpshim-initialize"`, 1))
		p.Read(context.Background())
		p.says(`{"jsonrpc":"2.0","id":"acpshim-load-0","error":{"code":-32603,"message":"not for secret or to\"ken"}}`)
		p.Read(context.Background())
	})
	log := &lockedLog{}
	c := dial(t, u, func(o *Options) {
		o.Reconnect, o.Log = true, zerolog.New(log)
		o.Header = http.Header{"Authorization": {`Bearer to"ken`}}
	})
	c.says(initialize)
	c.gets(initialized)
	c.says(create)
	c.gets(created)
	for !strings.Contains(log.String(), "connected again") {
		time.Sleep(10 * time.Millisecond)
	}
	said := log.String()
	if strings.Contains(said, "secret") || strings.Contains(said, "ken") || !strings.Contains(said, "the agent failed to load the session again") {
		t.Errorf("the log has %s", said)
	}
	c.agent.CloseWrite()
}

// A lockedLog is a log that is read while it is written.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestHeaders(t *testing.T) {
	lookup := func(name string) (string, bool) { return "se\\$cret\n", name == "TOKEN" }
	got := http.Header{}
	if err := AddHeaders(got, "# comment\n\nX-A: ${TOKEN}$1\nX-A: b\n", lookup); err != nil || !slices.Equal(got["X-A"], []string{`se\$cret$1`, "b"}) {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{
		"X-A secret":              `line 1: want "Name: value"`,
		"a: b\nX A: secret":       `line 2: want "Name: value"`,
		"X-A: secret${OTHER}":     `line 1: the environment variable "OTHER" is not set`,
		"X-A: secret\x00${TOKEN}": `line 1: the value of X-A has a control character`,
	} {
		if err := AddHeaders(http.Header{}, text, lookup); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A pending request keeps its id, and not its line of up to 64 MiB.
func TestPendingRequestsKeepNoLines(t *testing.T) {
	received := make(chan struct{})
	u := serves(t, func(p peer) {
		p.gets(initialize)
		p.says(initialized)
		p.Read(context.Background())
		close(received)
		p.Read(context.Background())
	})
	c := dial(t, u, nil)
	c.says(initialize)
	c.gets(initialized)
	c.says(`{"jsonrpc":"2.0","id":2,"method":"x","params":"` + strings.Repeat("x", 1<<20) + `"}`)
	<-received
	c.agent.mu.Lock()
	defer c.agent.mu.Unlock()
	for _, r := range c.agent.state.pending {
		if n := cap(r.id); n > 64 {
			t.Errorf("a pending request keeps %d bytes", n)
		}
	}
	if len(c.agent.state.pending) != 1 {
		t.Errorf("%d requests are pending", len(c.agent.state.pending))
	}
}
