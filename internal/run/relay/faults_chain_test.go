package relay_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"acpshim/filters/rule"
	"acpshim/internal/adapters/files"
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
)

// The tests in faults_*_test.go drive a whole chain as a run does: they send lines as the client
// and as the agent, and read what the two get. They name no adapter.

// A chain is the chain of a configuration between two scripted peers. It has no processes and no
// pipes, so each step ends before the next one begins.
type chain struct {
	*testing.T
	*relay.Relay
	reads bool // what the peers get is kept, for got
	waits bool // what acpshim has made stays in its queues

	mu   sync.Mutex
	out  map[rule.Side][]string // what a peer has got since the last call of got
	meet func(line string)      // see crossing

	turns [2]sync.Mutex // of the directions: each is for one goroutine at a time
}

// quarter sets the limits to a quarter of the defaults.
const quarter = "[limits]\nstate_bytes = 16_777_216\ninspect_bytes = 4_194_304\n"

// measures skips a test of memory or time under the race detector, which needs several times of
// both.
func measures(t *testing.T) {
	t.Helper()
	if isRace {
		t.Skip("the race detector takes several times the memory and the time")
	}
}

// newChain returns the chain of a configuration, after initialize with version 1. The client
// announces nothing.
func newChain(t *testing.T, configuration string, options ...func(*relay.Options)) *chain {
	t.Helper()
	c := beginChain(t, configuration, options...)
	c.client(initialize)
	c.agent(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentInfo":{"name":"a"}}}`)
	c.got()
	return c
}

// beginChain returns the chain of a configuration, before initialize.
func beginChain(t *testing.T, configuration string, options ...func(*relay.Options)) *chain {
	t.Helper()
	c := &chain{T: t, reads: true, out: map[rule.Side][]string{}}
	o := relay.Options{OwnID: "own-"}
	o.Events.Panicked = func(reason any, stack []byte) { t.Errorf("an adapter panicked: %v\n%s", reason, stack) }
	for _, set := range options {
		set(&o)
	}
	c.Relay = relay.New(parsed(t, configuration), o)
	return c
}

const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`

// parsed returns a configuration over the default.
func parsed(t *testing.T, text string) config.Config {
	t.Helper()
	c, err := config.Parse(config.Default(), "f", text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// client sends lines of the client, without their ends. agent sends lines of the agent.
func (c *chain) client(lines ...string) { c.pass(rule.Client, lines) }
func (c *chain) agent(lines ...string)  { c.pass(rule.Agent, lines) }

func (c *chain) pass(from rule.Side, lines []string) {
	o := c.Options()
	look := o.FromClient
	if from == rule.Agent {
		look = o.FromAgent
	}
	c.turns[from.Index()].Lock()
	err := proxy.Relay(receiver{c, from.Other()}, strings.NewReader(strings.Join(lines, "\n")+"\n"), look, o.HoldLimit)
	c.turns[from.Index()].Unlock()
	if err != nil {
		c.Error(err)
	}
	c.drain()
}

// drain delivers the lines that acpshim has made, except in a direction that is handling a line: it
// drains itself.
func (c *chain) drain() {
	o := c.Options()
	for more := !c.waits; more; {
		more = false
		for _, side := range []rule.Side{rule.Client, rule.Agent} {
			look := o.FromClient
			if side == rule.Agent {
				look = o.FromAgent
			}
			if !c.turns[side.Index()].TryLock() {
				continue
			}
			lines := wire.DrainAll(look)
			c.turns[side.Index()].Unlock()
			for line := range bytes.Lines(lines) {
				c.got1(side.Other(), line)
				more = true
			}
		}
	}
}

// burst sends lines of the agent, with their ends, all at once.
func (c *chain) burst(to io.Writer, lines string) {
	o := c.Options()
	if err := proxy.Relay(to, strings.NewReader(lines), o.FromAgent, o.HoldLimit); err != nil {
		c.Error(err)
	}
}

// A receiver is the writer to a peer. Each write has whole lines.
type receiver struct {
	*chain
	side rule.Side
}

func (r receiver) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		r.got1(r.side, line)
	}
	return len(lines), nil
}

func (c *chain) got1(to rule.Side, line []byte) {
	c.mu.Lock()
	meet := c.meet
	c.meet = nil
	if c.reads {
		c.out[to] = append(c.out[to], strings.TrimSuffix(string(line), "\n"))
	}
	c.mu.Unlock()
	if meet != nil {
		meet(string(line))
	}
}

// got returns what the peers got since the last call.
func (c *chain) got() (toClient, toAgent []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	toClient, toAgent = c.out[rule.Client], c.out[rule.Agent]
	c.out = map[rule.Side][]string{}
	return toClient, toAgent
}

// crossing runs a function in the other direction when the first line is sent, while the sending
// direction may still handle a message. It is done when the function has returned.
func (c *chain) crossing(other, do func()) {
	crossed := make(chan struct{})
	c.mu.Lock()
	c.meet = func(string) {
		go func() {
			defer close(crossed)
			other()
		}()
		select {
		case <-crossed:
		case <-time.After(200 * time.Millisecond): // it waits for us
		}
	}
	c.mu.Unlock()
	do()
	<-crossed
}

// session opens a session in a folder.
func (c *chain) session(id, folder string) {
	c.client(fmt.Sprintf(`{"jsonrpc":"2.0","id":"new %s","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, id, folder))
	c.agent(fmt.Sprintf(`{"jsonrpc":"2.0","id":"new %s","result":{"sessionId":%q}}`, id, id))
	c.got()
}

// Lines of peers. Ids are raw.
func promptOf(id, session string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`, id, session)
}

func cancelOf(session string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
}

func cancelRequest(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, id)
}

func resultOf(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func errorOf(id string, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

func endOf(id string) string { return resultOf(id, `{"stopReason":"end_turn"}`) }

func updateOf(session, update string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, update)
}

// permissionOf returns a permission request of the agent.
func permissionOf(id, session string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"t"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}}`, id, session)
}

// formOf returns a question of the agent with a Yes and a No for each of its fields.
func formOf(id, session string, fields ...string) string {
	var properties []string
	for _, name := range fields {
		properties = append(properties, fmt.Sprintf(`%q:{"type":"boolean"}`, name))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{"sessionId":%q,"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{%s},"required":["%s"]}}}`,
		id, session, strings.Join(properties, ","), strings.Join(fields, `","`))
}

// longID returns a unique raw id of some size.
func longID(n, size int) string { return fmt.Sprintf(`"%d%s"`, n, strings.Repeat("x", size)) }

// field returns the raw value of a member by its path.
func field(line string, path ...string) string { return string(wire.Pointer(path).Raw([]byte(line))) }

// responsesTo returns the responses to an id.
func responsesTo(lines []string, id string) (found []string) {
	for _, line := range lines {
		if field(line, "method") == "" && wire.ID([]byte(field(line, "id"))) == wire.ID([]byte(id)) {
			found = append(found, line)
		}
	}
	return found
}

// requests returns the raw ids of the requests with a method.
func requests(lines []string, method string) (ids []string) {
	for _, line := range lines {
		if field(line, "method") == `"`+method+`"` && field(line, "id") != "" {
			ids = append(ids, field(line, "id"))
		}
	}
	return ids
}

// isIn reports whether a line contains a text.
func isIn(lines []string, text string) bool { return strings.Contains(strings.Join(lines, "\n"), text) }

// short shortens lines for an error.
func short(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "\n\t%.200s", line)
	}
	if b.Len() == 0 {
		return " nothing"
	}
	return b.String()
}

// heap returns the bytes in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

const mib = 1 << 20

// The sizes of the memory tests are a quarter of those that made acpshim take a gigabyte: long is
// the length of a text in a line that is just short enough to be read with the limits of quarter,
// and mayHold is all that a chain may hold then: what limits.state_bytes allows, and as much again.
const (
	long    = 4*mib - 256<<10
	mayHold = 32 * mib
)

// holdsLittle repeats something up to n times. It fails when a chain holds more than mayHold.
func (c *chain) holdsLittle(n int, do func(i int)) {
	c.Helper()
	c.reads = false
	before := heap()
	for i := range n {
		do(i)
		if held := heap() - before; held > mayHold {
			c.Errorf("after %d of %d messages %d MiB are held, want at most %d MiB", i+1, n, held/mib, mayHold/mib)
			return
		}
	}
	runtime.KeepAlive(c.Relay)
}

// A slowDisk never finishes anything.
type slowDisk struct{ begun []func(string, error) }

func (d *slowDisk) Start(_ files.Request, done func(string, error)) error {
	d.begun = append(d.begun, done)
	return nil
}

// A command was started by the agent. The test says what it prints and when it ends.
type command struct {
	terminals.Events
	printed string
}

func (c *command) Output(n int) (text string, truncated bool) {
	return c.printed[max(0, len(c.printed)-n):], n < len(c.printed)
}

func (*command) End() {}

// commands lets the test run the agent's commands. The result holds the last one.
func commands(last **command) func(*relay.Options) {
	return func(o *relay.Options) {
		o.StartCommand = func(_ terminals.Command, e terminals.Events) {
			c := &command{Events: e}
			*last = c
			e.Started(c, nil)
		}
	}
}

func createTerminal(id, session, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"terminal/create","params":{"sessionId":%q,"command":"make"%s}}`, id, session, more)
}

func aboutTerminal(id, method, session, terminal string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"terminal/%s","params":{"sessionId":%q,"terminalId":%s}}`, id, method, session, terminal)
}

// showing returns the content of a tool call that shows terminals. Their ids are raw.
func showing(terminals ...string) string {
	var blocks []string
	for _, id := range terminals {
		blocks = append(blocks, `{"type":"terminal","terminalId":`+id+`}`)
	}
	return "[" + strings.Join(blocks, ",") + "]"
}

func exit(code int) terminals.Exit { return terminals.Exit{Code: code} }
