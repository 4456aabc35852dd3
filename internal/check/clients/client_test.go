package clients

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
)

// A client is a good client, with the faults of a test.
type client struct {
	// edit returns what is sent instead of a line; "" is nothing.
	edit func(line string) string
	// took is called with each line of the agent; it may send lines, and reports whether the client
	// does nothing else with the line.
	took func(c *client, method, id, line string) bool

	cwd      string
	mu       sync.Mutex
	in       *io.PipeWriter
	lines    chan string          // that will be sent
	waiting  map[string]chan bool // for responses, by id
	keepOpen bool                 // do not respond to permission requests
	open     string               // the id of one
}

// send sends a line.
func (c *client) send(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if c.edit != nil {
		line = c.edit(line)
	}
	if line != "" {
		c.lines <- line + "\n"
	}
}

// request sends a request, and returns a function that waits for its response, at most a minute.
func (c *client) request(id, method, params string) (wait func() bool) {
	done := make(chan bool)
	c.mu.Lock()
	c.waiting[id] = done
	c.mu.Unlock()
	c.send(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, method, params)
	return func() bool {
		select {
		case <-done:
			return true
		case <-time.After(time.Minute):
			return false
		}
	}
}

// read handles the agent's lines.
func (c *client) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		message, err := wire.Parse(lines.Bytes(), "params")
		if err != nil {
			panic(err)
		}
		method, _ := message.Text("method")
		id := string(message.Raw("id"))
		if c.took != nil && c.took(c, method, id, lines.Text()) {
			continue
		}
		respond := func(member string) { c.send(`{"jsonrpc":"2.0","id":%s,%s}`, id, member) }
		switch {
		case method == "":
			c.mu.Lock()
			if done := c.waiting[id]; done != nil {
				delete(c.waiting, id)
				close(done)
			}
			c.mu.Unlock()
		case id == "":
		case method == "session/request_permission" && c.keepOpen:
			c.mu.Lock()
			c.open = id
			c.mu.Unlock()
		case method == "session/request_permission":
			respond(`"result":{"outcome":{"outcome":"selected","optionId":"yes"}}`)
		case method == "fs/read_text_file":
			respond(`"result":{"content":"ok\n"}`)
		case method == "terminal/create":
			respond(`"result":{"terminalId":"t"}`)
		case method == "terminal/output":
			respond(`"result":{"output":"","truncated":false}`)
		case strings.HasPrefix(method, "fs/"), strings.HasPrefix(method, "terminal/"):
			respond(`"result":{}`)
		default:
			respond(`"error":{"code":-32601,"message":"no such method"}`)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, done := range c.waiting {
		close(done)
	}
	c.waiting = map[string]chan bool{}
}

// talk is the conversation of a good client: a turn, a turn that is cancelled while a permission is
// open, and a turn that is cancelled while nothing is.
func (c *client) talk() {
	if !c.request("0", "initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true},"clientInfo":{"name":"good","version":"1"}}`)() ||
		!c.request(`"new"`, "session/new", `{"cwd":`+quoted(c.cwd)+`,"mcpServers":[{"name":"m","command":"/bin/m","args":[],"env":[{"name":"TOKEN","value":"sk-1"}]}]}`)() {
		return
	}
	c.prompt(1, "Do all of it")()
	c.keepOpen = true
	wait := c.prompt(2, "permission")
	time.Sleep(time.Second)
	c.cancel()
	wait()
	wait = c.prompt(3, "wait")
	time.Sleep(time.Second)
	c.cancel()
	wait()
}

func (c *client) prompt(id int, text string) (wait func() bool) {
	return c.request(fmt.Sprint(id), "session/prompt", `{"sessionId":"demo","prompt":[{"type":"text","text":"`+text+`"}]}`)
}

// cancel cancels the turn, with a permission request that is open.
func (c *client) cancel() {
	c.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"demo"}}`)
	c.mu.Lock()
	id := c.open
	c.open = ""
	c.mu.Unlock()
	if id != "" {
		c.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, id)
	}
}

// check lets a client talk with the test agent and returns the report.
func check(t *testing.T, c *client, talk func(*client)) (r conformance.Report) {
	t.Helper()
	c.cwd = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "check.json")
		checked, err := Open(file, nil, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		in, toAgent := io.Pipe()
		fromAgent, out := io.Pipe()
		c.in, c.waiting = toAgent, map[string]chan bool{}
		c.lines = make(chan string, 1000)
		go func() {
			for line := range c.lines {
				io.WriteString(toAgent, line)
			}
		}()
		var reading sync.WaitGroup
		reading.Go(func() { c.read(fromAgent) })
		reading.Go(func() {
			talk(c)
			toAgent.Close()
		})
		if err := checked.Run(in, out); err != nil {
			t.Error(err)
		}
		in.Close()
		out.Close()
		reading.Wait()
		close(c.lines)
		r = checked.judge.report(nil)
	})
	if left, _ := filepath.Glob(filepath.Join(c.cwd, "*")); left != nil {
		t.Errorf("the agent left %v", left)
	}
	return r
}
