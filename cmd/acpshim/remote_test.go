//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A served agent is a peer behind acpshim serve.
type served struct {
	*shim
	address, token, state string
}

// serves serves a peer that follows a script.
func serves(t *testing.T, flags []string, script ...string) served {
	t.Helper()
	s := served{state: t.TempDir()}
	argv := append(append([]string{"acpshim", "serve", "--log-level", "debug"}, flags...), append([]string{"--", "peer"}, script...)...)
	s.shim = startWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, "XDG_STATE_HOME="+s.state) }, argv...)
	t.Cleanup(func() { // before the others: agents end with it
		s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		s.wait()
	})
	announced := regexp.MustCompile(`serving peer at wss?://(\S+)/acp and https?://\S+\n.*the token is in (\S+)\n`)
	eventually(t, "it serves", func() bool { return announced.MatchString(s.stderr.String()) })
	m := announced.FindStringSubmatch(s.stderr.String())
	text, err := os.ReadFile(m[2])
	if info, statErr := os.Stat(m[2]); err != nil || statErr != nil || info.Mode().Perm() != 0o600 || len(text) != 65 {
		t.Fatalf("the token: %d bytes, %v, %v", len(text), err, statErr)
	}
	s.address, s.token = m[1], strings.TrimSpace(string(text))
	return s
}

// connects runs acpshim connect with a token.
func connects(t *testing.T, token, url string, flags ...string) *shim {
	t.Helper()
	argv := append(append([]string{"acpshim", "connect"}, flags...), url)
	return startWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, tokenVariable+"="+token) }, argv...)
}

const (
	remoteInitialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"
	remoteInitialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`
	remoteNew         = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n"
	remoteCreated     = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
	remotePrompt      = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n"
	remoteDone        = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
)

// From connect through serve to an agent: 20,000 updates in their order, 20 MB in one message, and
// a plan, which the old client gets as the legacy one.
func TestAnAgentOnAnotherMachine(t *testing.T) {
	file, big := filepath.Join(t.TempDir(), "update"), filepath.Join(t.TempDir(), "big")
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{n}"}}}}` + "\n"
	long := strings.ReplaceAll(update, "{n}", strings.Repeat("x", 20_000_000))
	for path, text := range map[string]string{file: update, big: long} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const entries = `[{"content":"Look","priority":"high","status":"pending"}]`
	s := serves(t, nil, "recv", "send:"+remoteInitialized, "recv", "send:"+remoteCreated, "recv", "play:20000x"+file, "play:1x"+big,
		`send:{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":`+entries+`}}}}`,
		"send:"+remoteDone, "eof")
	for _, scheme := range []string{"ws", "http"} {
		c := connects(t, s.token, scheme+"://"+s.address+"/acp", "--log-level", "error")
		c.send(remoteInitialize)
		c.read(remoteInitialized + "\n")
		c.send(remoteNew)
		c.read(remoteCreated + "\n")
		c.send(remotePrompt)
		r := bufio.NewReader(c.out)
		c.out.SetReadDeadline(time.Now().Add(time.Minute))
		for i := range 20_000 {
			if line, err := r.ReadString('\n'); line != strings.ReplaceAll(update, "{n}", fmt.Sprint(i)) {
				t.Fatalf("%s: update %d is %.200q, %v", scheme, i, line, err)
			}
		}
		if line, err := r.ReadString('\n'); line != long {
			t.Fatalf("%s: of 20 MB %d bytes came, %v", scheme, len(line), err)
		}
		plan := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":` + entries + `}}}` + "\n"
		if line, err := r.ReadString('\n'); line != plan {
			t.Fatalf("%s: the plan is %q, %v", scheme, line, err)
		}
		if line, err := r.ReadString('\n'); line != remoteDone+"\n" {
			t.Fatalf("%s: then came %q, %v", scheme, line, err)
		}
		c.in.Close()
		if rest, err := io.ReadAll(r); len(rest) > 0 || err != nil {
			t.Errorf("%s: then came %q, %v", scheme, rest, err)
		}
		c.exits(0)
		if said := c.stderr.String(); said != "" {
			t.Errorf("%s: standard error has %s", scheme, said)
		}
	}
}

// The doctor examines an agent on a server over both transports, and takes the token as connect
// does.
func TestDoctorOfAServer(t *testing.T) {
	t.Parallel()
	methods := filepath.Join(t.TempDir(), "methods")
	var unknown strings.Builder
	for id := 1; id <= 10; id++ {
		fmt.Fprintf(&unknown, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
	}
	if err := os.WriteFile(methods, []byte(unknown.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	const last = `{"jsonrpc":"2.0","id":10,"method":"session/set_config_option","params":{"sessionId":-1}}`
	s := serves(t, nil, "recv", `send:{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"far","version":"1"}}}`,
		"until:"+last, "play:1x"+methods, "eof")
	for scheme, transport := range map[string]string{"ws": "WebSocket", "http": "streamable HTTP"} {
		for token, want := range map[string][]string{
			s.token: {"ok      protocol  " + transport + ", versions 1 and 2, ", "ok      agent     far 1\n", "ok      methods   knows none of the optional methods; not ",
				"ok      plans     announced as plan and planCapabilities; same response\n", "no problems;"},
			"": {"problem server    the server at " + scheme + "://", "returned 401", "put the token into", "1 problem, 0 notes"},
		} {
			c := startWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, tokenVariable+"="+token) }, "acpshim", "doctor", scheme+"://"+s.address+"/acp?x=secret")
			c.out.SetReadDeadline(time.Now().Add(time.Minute))
			said, err := io.ReadAll(c.out)
			if err != nil {
				t.Fatal(err)
			}
			text := string(said)
			for _, part := range want {
				if !strings.Contains(text, part) {
					t.Errorf("%s: there is no %q:\n%s", scheme, part, text)
				}
			}
			if strings.Contains(text, "secret") || strings.Contains(text, "desktop") {
				t.Errorf("%s: a secret, or the PATH of an editor, is in\n%s", scheme, text)
			}
			c.exits(map[bool]int{true: 0, false: 1}[token != ""])
		}
	}
}

// Neither the token, nor a header, nor the query of a URL is in a log, a record or an error.
func TestTheTokenIsNotPrinted(t *testing.T) {
	s := serves(t, []string{"--record"}, "recv", "send:"+remoteInitialized, "eof")
	headers := filepath.Join(t.TempDir(), "headers")
	if err := os.WriteFile(headers, []byte("X-Other: ${SECRET_HEADER}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	said := ""
	for _, scheme := range []string{"ws", "http"} {
		for _, token := range []string{s.token, "wrongtoken" + s.token[:20]} {
			c := startWith(t, func(c *exec.Cmd) {
				c.Env = append(c.Env, "SECRET_HEADER=headersecret", "XDG_STATE_HOME="+state, tokenVariable+"="+token)
			}, "acpshim", "connect", "--record", "--log-level", "debug", "--header-file", headers, "--header", "X-Third: thirdsecret",
				scheme+"://user:passwordsecret@"+s.address+"/acp?x=querysecret")
			c.send(remoteInitialize)
			if token == s.token {
				c.read(remoteInitialized + "\n")
				c.in.Close()
				c.exits(0)
			} else {
				c.exits(1)
			}
			said += c.stderr.String() + string(c.rest())
			if !strings.Contains(said, "other users of this machine can read") {
				t.Errorf("--header is not warned of: %s", said)
			}
		}
	}
	records := 0
	for _, dir := range []string{state, s.state} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				t.Error(err)
			} else if d.Type().IsRegular() && d.Name() != "serve.token" {
				text, _ := os.ReadFile(path)
				said += string(text)
				records++
			}
			return nil
		})
	}
	if records < 4 {
		t.Errorf("%d files are looked at", records)
	}
	said += s.stderr.String()
	for _, secret := range []string{s.token, s.token[:20], "headersecret", "thirdsecret", "passwordsecret", "querysecret"} {
		if i := strings.Index(said, secret); i >= 0 {
			t.Errorf("%q is told: %.300q", secret, said[max(0, i-200):])
		}
	}
}

// dialServed connects without acpshim, and has the agent initialized.
func dialServed(t *testing.T, s served) (*websocket.Conn, net.Conn) {
	t.Helper()
	var raw net.Conn
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (c net.Conn, err error) {
		raw, err = (&net.Dialer{}).DialContext(ctx, network, address)
		return raw, err
	}}}
	ctx := context.Background()
	conn, _, err := websocket.Dial(ctx, "ws://"+s.address+"/acp", &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"X-Secret-Key": {s.token}}})
	if err != nil {
		t.Fatalf("%v; stderr: %s", err, s.stderr)
	}
	t.Cleanup(func() { conn.CloseNow() })
	if err := conn.Write(ctx, websocket.MessageText, []byte(remoteInitialize)); err != nil {
		t.Fatal(err)
	}
	if _, got, err := conn.Read(ctx); err != nil || string(got) != remoteInitialized {
		t.Fatalf("got %s, %v; stderr: %s", got, err, s.stderr)
	}
	return conn, raw
}

// A client that vanishes in the middle of a prompt takes its agent with it, and all that the agent
// has started, though they ignore SIGTERM. Other connections go on.
func TestAClientElsewhereVanishes(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "child")
	s := serves(t, short(t), "ignore:TERM", "fork:ignore:TERM,pid:"+child+",stall", "recv", "send:"+remoteInitialized, "recv", "stall")
	other := serves(t, nil, "recv", "send:"+remoteInitialized, "recv", "send:"+remoteDone, "eof")
	stays, _ := dialServed(t, other)
	conn, raw := dialServed(t, s)
	pid := pidOf(t, child)
	conn.Write(context.Background(), websocket.MessageText, []byte(remotePrompt))
	raw.(*net.TCPConn).SetLinger(0) // a reset
	raw.Close()
	eventually(t, "the agent's child is gone", func() bool { return !alive(pid) })
	stays.Write(context.Background(), websocket.MessageText, []byte(remotePrompt))
	if _, got, err := stays.Read(context.Background()); string(got) != remoteDone {
		t.Errorf("another connection gets %s, %v", got, err)
	}
}

// A server that vanishes in the middle of a prompt: the client has its answer, people have a
// sentence, and the status says so.
func TestAServerVanishes(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"ws", "http"} {
		s := serves(t, nil, "recv", "send:"+remoteInitialized, "recv", "stall")
		c := connects(t, s.token, scheme+"://"+s.address+"/acp", "--log-level", "off")
		c.send(remoteInitialize)
		c.read(remoteInitialized + "\n")
		c.send(remotePrompt)
		eventually(t, "the agent is there", func() bool { return strings.Contains(s.stderr.String(), "negotiated") })
		time.Sleep(50 * time.Millisecond) // for the prompt
		s.signal(syscall.SIGKILL)
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"acpshim: %s://%s/acp: the connection broke (`, scheme, s.address)
		if got := string(c.rest()); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("the client gets %q, want %q", got, want)
		}
		c.exits(1)
		if said := c.stderr.String(); !strings.HasPrefix(said, "acpshim: error: "+scheme+"://"+s.address+"/acp: the connection broke (") {
			t.Errorf("standard error has %s", said)
		}
	}
}

// When the connection fails, all requests that the client has written get a response.
func TestAConnectionThatFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 4096))
			conn.Close()
		}
	}()
	c := connects(t, "token", "ws://"+l.Addr().String()+"/acp", "--log-level", "off")
	c.send(remoteInitialize + "\n" + remotePrompt)
	want := ""
	for _, id := range []int{0, 2} {
		want += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"acpshim: ws://%s/acp: the connection broke (EOF)"}}`+"\n", id, l.Addr())
	}
	if got := string(c.rest()); got != want {
		t.Errorf("the client gets %q, want %q", got, want)
	}
	c.exits(1)
}

// SIGTERM ends the server and all agents, a second one at once.
func TestAServerEnds(t *testing.T) {
	t.Parallel()
	pid, child := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "child")
	s := serves(t, []string{"--set", `shutdown.term_grace="1h"`}, "ignore:TERM", "fork:ignore:TERM,pid:"+child+",stall", "wait:"+child,
		"pid:"+pid, "recv", "send:"+remoteInitialized, "stall")
	conn, _ := dialServed(t, s)
	agent, left := pidOf(t, pid), pidOf(t, child)
	s.signal(syscall.SIGTERM)
	eventually(t, "it says that it ends", func() bool { return strings.Contains(s.stderr.String(), "the server stops") })
	if _, err := net.Dial("tcp", s.address); err == nil {
		t.Error("it takes connections")
	}
	if !alive(agent) {
		t.Error("the agent got no time to end")
	}
	s.signal(syscall.SIGTERM)
	if _, _, err := conn.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the connection ended with %v", err)
	}
	s.exits(0)
	eventually(t, "the agent and its child are gone", func() bool { return !alive(agent) && !alive(left) })
}

// A closed terminal and Ctrl-\ end the server as SIGTERM does: nothing that it started goes on.
func TestAClosedTerminalEndsAServer(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			continue // as in the background of a shell
		}
		pid, child := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "child")
		s := serves(t, short(t), "ignore:TERM", "fork:ignore:TERM,pid:"+child+",stall", "wait:"+child, "pid:"+pid, "recv", "send:"+remoteInitialized, "stall")
		dialServed(t, s)
		agent, left := pidOf(t, pid), pidOf(t, child)
		s.signal(sig)
		s.exits(0)
		eventually(t, "the agent and its child are gone", func() bool { return !alive(agent) && !alive(left) })
	}
}

// An agent that closes its output and goes on is ended: its client would wait forever.
func TestAnAgentThatFallsSilentIsEnded(t *testing.T) {
	t.Parallel()
	s := serves(t, nil, "recv", "send:"+remoteInitialized, "closeout", "stall")
	conn, _ := dialServed(t, s)
	if _, _, err := conn.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusInternalError {
		t.Errorf("the connection ended with %v", err)
	}
}

// Connections one after the other leave no process and no descriptor.
func TestConnectionsLeaveNothing(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc")
	}
	n := 30
	if *defaultLimits {
		n = 1_000
	}
	s := serves(t, nil, "recv", "send:"+remoteInitialized, "eof")
	count := func() (files, children int) {
		all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.cmd.Process.Pid, s.cmd.Process.Pid))
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.cmd.Process.Pid))
		for _, t := range threads {
			more, _ := os.ReadFile(t)
			text = append(append(text, ' '), more...)
		}
		return len(all), len(strings.Fields(string(text)))
	}
	files, _ := count()
	for i := range n {
		if i%2 == 0 {
			conn, _ := dialServed(t, s)
			conn.Close(websocket.StatusNormalClosure, "")
			continue
		}
		c := connectHTTP(t, s)
		c()
	}
	eventually(t, "nothing is left", func() bool {
		now, children := count()
		return now <= files && children == 0
	})
}

// connectHTTP initializes an agent over HTTP, and returns what ends the connection.
func connectHTTP(t *testing.T, s served) (end func()) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	do := func(method, id, body string) *http.Response {
		r, err := http.NewRequest(method, "http://"+s.address+"/acp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + s.token}, "Content-Type": {"application/json"}, "Acp-Connection-Id": {id}}
		if id == "" {
			r.Header.Del("Acp-Connection-Id")
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("%v; stderr: %s", err, s.stderr)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		return answer
	}
	answer := do("POST", "", strings.TrimSpace(remoteInitialize))
	id := answer.Header.Get("Acp-Connection-Id")
	if answer.StatusCode != 200 || id == "" {
		t.Fatalf("initialize is answered %d", answer.StatusCode)
	}
	return func() {
		if answer := do("DELETE", id, ""); answer.StatusCode != 202 {
			t.Errorf("DELETE is answered %d", answer.StatusCode)
		}
		client.CloseIdleConnections()
	}
}
