package terminals_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/terminals"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// A bench is two peers with the adapter between them, and the commands that were started.
type bench struct {
	*dispatchtest.Bench
	t        testing.TB
	commands []*command
	wakes    atomic.Int32 // for lines to the client
}

// A command was started by the agent. The test calls its events.
type command struct {
	terminals.Command
	terminals.Events
	text string
	ends int // how often it was told to end
}

func (c *command) Output(n int) (string, bool) {
	return c.text[max(0, len(c.text)-n):], n < len(c.text)
}
func (c *command) End() { c.ends++ }

// begun starts the command.
func (c *command) begun() *command {
	c.Started(c, nil)
	return c
}

func newBench(t testing.TB) *bench {
	b, c := &bench{t: t}, conversation.New(conversation.Options{})
	a := terminals.New(terminals.Options{
		Conversation: c,
		IsOn:         func(client conversation.Implementation) bool { return client.Name != "off" },
		Prefix:       "x-",
		Start: func(c terminals.Command, e terminals.Events) {
			b.commands = append(b.commands, &command{Command: c, Events: e})
		},
	})
	b.Bench = dispatchtest.New(c, dispatch.Options{
		Adapters: []dispatch.Adapter{a},
		Wake: func(to dispatch.Side) {
			if to == dispatch.Client {
				b.wakes.Add(1)
			}
		},
	}).Negotiate(1)
	for _, session := range []string{"s", "t", "u"} {
		b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{"cwd":"/work/`+session+`","mcpServers":[]}}`)
		b.Says(dispatch.Agent, `{"id":"n","result":{"sessionId":"`+session+`"}}`)
	}
	b.Sent()
	return b
}

// trim returns lines without their ends, and without the member jsonrpc where it is first.
func trim(lines []string) (trimmed []string) {
	for _, line := range lines {
		trimmed = append(trimmed, strings.TrimSpace(strings.TrimPrefix(line, `{"jsonrpc":"2.0",`)))
	}
	return trimmed
}

// shown returns what the client got since the last call.
func (b *bench) shown() []string {
	b.Drain()
	lines := trim(b.ToClient)
	b.ToClient = nil
	return lines
}

// asks sends a request of the agent about terminals, with some members of its params.
func (b *bench) asks(id any, method, session, members string) {
	b.Says(dispatch.Agent, fmt.Sprintf(`{"id":%v,"method":"terminal/%s","params":{"sessionId":%q,%s}}`, id, method, session, members))
}

// runs starts a command of the agent.
func (b *bench) runs(session string) *command {
	b.t.Helper()
	n := len(b.commands)
	b.asks(0, "create", session, `"command":"make"`)
	if len(b.commands) == n {
		b.t.Fatalf("no command was started: %q", b.ToAgent)
	}
	b.commands[n].begun()
	b.Drain()
	return b.commands[n]
}

// want compares what the peers got since the last call.
func (b *bench) want(toClient, toAgent []string) {
	b.t.Helper()
	gotClient, gotAgent := b.Sent()
	for name, pair := range map[string][2][]string{"client": {trim(gotClient), toClient}, "agent": {trim(gotAgent), toAgent}} {
		if got, want := strings.Join(pair[0], "\n"), strings.Join(pair[1], "\n"); got != want {
			b.t.Errorf("the %s is sent\n%s\nwant\n%s", name, got, want)
		}
	}
}

const (
	first = `"terminalId":"x-terminal-1"`
	made  = `"id":0,"result":{"terminalId":"x-terminal-1"}}`
	gone  = `"error":{"code":-32602,"message":"there is no terminal \"x-terminal-1\" in the session: it was released, or its session ended"}}`
)

func TestACommandIsReadAsItWasAsked(t *testing.T) {
	b := newBench(t)
	b.asks(0, "create", "s", `"command":"make","args":["a b","c"],"env":[{"name":"A","value":"1=2"}],"outputByteLimit":99999999999`)
	b.asks(1, "create", "s", `"command":"make","cwd":"/else","outputByteLimit":7`)
	got := fmt.Sprint(b.commands[0].Command, b.commands[1].Command)
	if want := "{s make [a b c] [A=1=2] /work/s 1048576} {s make [] [] /else 32768}"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	b.commands[1].begun().text = "0123456789"
	b.commands[0].Started(nil, errors.New(`"make" is not there`))
	b.asks(2, "output", "s", `"terminalId":"x-terminal-2"`)
	b.Drain()
	for id := range 3 {
		if b.Conversation.Pending(dispatch.Agent, fmt.Append(nil, id)) != nil {
			t.Errorf("request %d was answered, and is pending", id)
		}
	}
	b.want(nil, []string{
		`"id":1,"result":{"terminalId":"x-terminal-2"}}`,
		`"id":0,"error":{"code":-32603,"message":"\"make\" is not there"}}`,
		`"id":2,"result":{"output":"3456789","truncated":true}}`,
	})
}

func TestWaitForExit(t *testing.T) {
	b := newBench(t)
	c := b.runs("s")
	b.asks(1, "wait_for_exit", "s", first)
	b.asks(`"two"`, "wait_for_exit", "s", first)
	b.asks(3, "wait_for_exit", "s", first)
	b.Says(dispatch.Agent, `{"method":"$/cancel_request","params":{"requestId":3}}`)
	b.Says(dispatch.Agent, `{"method":"$/cancel_request","params":{"requestId":7}}`)
	b.want([]string{`{"method":"$/cancel_request","params":{"requestId":7}}`},
		[]string{made, `"id":3,"error":{"code":-32800,"message":"Request cancelled"}}`})
	c.Ended(terminals.Exit{Code: 3})
	b.asks(4, "wait_for_exit", "s", first)
	b.asks(5, "output", "s", first)
	const exit = `{"exitCode":3,"signal":null}`
	b.want(nil, []string{
		`"id":1,"result":` + exit + `}`, `"id":"two","result":` + exit + `}`, `"id":4,"result":` + exit + `}`,
		`"id":5,"result":{"output":"","truncated":false,"exitStatus":` + exit + `}}`,
	})
}

func TestReleaseEndsTheCommandAndItsWaits(t *testing.T) {
	b := newBench(t)
	c := b.runs("s")
	b.asks(1, "wait_for_exit", "s", first)
	b.asks(2, "kill", "s", first)
	if c.ends != 1 {
		t.Errorf("it was told to end %d times", c.ends)
	}
	b.asks(3, "output", "s", first)
	b.asks(4, "release", "t", first)
	b.asks(5, "release", "s", first)
	b.asks(6, "release", "s", first)
	b.asks(7, "wait_for_exit", "s", first)
	c.Ended(terminals.Exit{Signal: "SIGTERM"})
	b.want(nil, []string{made, `"id":2,"result":{}}`, `"id":3,"result":{"output":"","truncated":false}}`,
		`"id":4,` + gone, `"id":5,"result":{}}`, `"id":6,` + gone, `"id":7,` + gone,
		`"id":1,"result":{"exitCode":null,"signal":"SIGTERM"}}`})
}

func TestCommandsEndWithTheirSession(t *testing.T) {
	b := newBench(t)
	own, other := b.runs("s"), b.runs("t")
	b.asks(1, "wait_for_exit", "s", first)
	b.asks(0, "create", "s", `"command":"late"`)
	b.Says(dispatch.Client, `{"id":9,"method":"session/close","params":{"sessionId":"s"}}`)
	if own.ends != 0 {
		t.Error("it was told to end before the session was closed")
	}
	b.Says(dispatch.Agent, `{"id":9,"result":{}}`)
	late := b.commands[2].begun()
	if own.ends != 1 || late.ends != 1 || other.ends != 0 {
		t.Errorf("told to end %d, %d and %d times", own.ends, late.ends, other.ends)
	}
	b.Sent()
	own.Ended(terminals.Exit{Signal: "SIGTERM"})
	late.Ended(terminals.Exit{Signal: "SIGTERM"})
	b.want(nil, []string{`"id":1,"result":{"exitCode":null,"signal":"SIGTERM"}}`})
}

// A command starts in the first folder of its session. Without a folder it is refused.
func TestASessionWithoutAFolder(t *testing.T) {
	b := newBench(t)
	b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{}}`)
	b.Says(dispatch.Agent, `{"id":"n","result":{"sessionId":"v"}}`)
	b.Sent()
	b.asks(1, "create", "v", `"command":"make"`)
	b.asks(2, "create", "none", `"command":"make"`)
	b.want(nil, []string{`"id":1,"error":{"code":-32602,"message":"cwd is missing, and the session has no folder"}}`,
		`"id":2,"error":{"code":-32602,"message":"there is no session \"none\""}}`})
}

func TestBounds(t *testing.T) {
	b := newBench(t)
	for range 16 {
		b.runs("s")
		b.runs("t")
	}
	refused := `"error":{"code":-32603,"message":"at most 16 terminals of a session and 32 in all may be open: release one first"}}`
	b.Sent()
	b.asks(1, "create", "u", `"command":"make"`)
	b.asks(2, "release", "s", first)
	b.asks(3, "create", "u", `"command":"make"`) // that one has not ended
	b.commands[0].Ended(terminals.Exit{})
	b.asks(4, "create", "t", `"command":"make"`)
	b.want(nil, []string{`"id":1,` + refused, `"id":2,"result":{}}`, `"id":3,` + refused, `"id":4,` + refused})
	b.runs("u")
}

// A terminal that is released after its end does not count as open. The text of the last ones is
// kept.
func TestReleasedTerminalsAreShown(t *testing.T) {
	b := newBench(t)
	for i := range 66 {
		b.runs("s").text = "done\n"
		b.commands[i].Ended(terminals.Exit{})
		b.asks(1, "release", "s", fmt.Sprintf(`"terminalId":"x-terminal-%d"`, i+1))
	}
	named := func(i int) string {
		return fmt.Sprintf(`,"content":[{"type":"terminal","terminalId":"x-terminal-%d"}]`, i)
	}
	b.Sent()
	b.Says(dispatch.Agent, update("tool_call_update", named(2)))
	b.Says(dispatch.Agent, update("tool_call_update", named(3)))
	b.want([]string{
		update("tool_call_update", `,"content":[{"type":"content","content":{"type":"text","text":"The output of this terminal is not kept any more."}}]`),
		update("tool_call_update", shown(`done\n`, "")),
	}, nil)
}

// update returns an update of the call c in session s.
func update(kind, members string) string {
	return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `","toolCallId":"c"` + members + `}}}`
}

// shown is the content of a call that shows lines of a terminal, as acpshim sends it.
func shown(lines, behind string) string {
	return `,"content":[{"type":"content","content":{"type":"text","text":"` + "```console\\n$ make\\n" + lines + "```" + behind + `"}}]`
}

func TestOutputIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.runs("s")
		sent := func(line string) []string { return []string{strings.TrimPrefix(line, "{")} }
		named := `,"content":[{"type":"terminal","terminalId":"x-terminal-1"}]`
		b.Says(dispatch.Agent, update("tool_call", `,"title":"make"`+named))
		b.want([]string{update("tool_call", `,"title":"make"`+shown("", ""))}, []string{made})
		for i := range 100 {
			c.text += fmt.Sprintln(i % 10)
			c.Grown()
		}
		c.text = "a\nb"
		time.Sleep(249 * time.Millisecond)
		b.want(nil, nil)
		time.Sleep(2 * time.Millisecond)
		b.want(sent(update("tool_call_update", shown(`a\nb\n`, ""))), nil)
		if n := b.wakes.Load(); n != 1 {
			t.Errorf("it was to be shown %d times", n)
		}

		time.Sleep(time.Second)
		b.want(nil, nil)
		c.text = "c\n"
		c.Grown()
		b.Says(dispatch.Agent, update("tool_call_update", `,"status":"in_progress"`))
		b.Says(dispatch.Agent, update("tool_call_update", `,"status":"in_progress"`))
		time.Sleep(time.Second)
		b.want([]string{
			update("tool_call_update", `,"status":"in_progress"`+shown(`c\n`, "")),
			update("tool_call_update", `,"status":"in_progress"`),
		}, nil)
		c.Ended(terminals.Exit{Code: 2})
		time.Sleep(time.Second)
		b.want(sent(update("tool_call_update", shown(`c\n`, `\n\nExit status 2`))), nil)
		b.asks(1, "release", "s", first)
		b.Says(dispatch.Agent, update("tool_call_update", named))
		b.want([]string{update("tool_call_update", shown(`c\n`, `\n\nExit status 2`))}, []string{`"id":1,"result":{}}`})
	})
}

// Content that replaces a terminal stays.
func TestNewContentStays(t *testing.T) {
	for name, line := range map[string]string{
		"replaced":  update("tool_call_update", `,"content":[{"type":"content","content":{"type":"text","text":"ok"}}]`),
		"emptied":   update("tool_call_update", `,"content":[]`),
		"announced": update("tool_call", `,"title":"again"`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				c := b.runs("s")
				b.Says(dispatch.Agent, update("tool_call", `,"title":"make","content":[{"type":"terminal",`+first+`}]`))
				c.Grown()
				b.Sent()
				b.Says(dispatch.Agent, line)
				c.Grown()
				c.Ended(terminals.Exit{})
				time.Sleep(time.Second)
				b.want([]string{line}, nil)
			})
		})
	}
}

// Without terminals, everything except terminal requests passes unchanged.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(update("tool_call", `,"content":[{"type":"terminal","terminalId":"y"}]`)))
	f.Add([]byte(update("tool_call_update", `,"content":[{"type":"terminal","terminalId":"y-terminal"}, 1.0 ]`)))
	f.Add([]byte(`{"method":"initialize","id":0,"params":{"clientCapabilities":{}}}`))
	f.Add([]byte(`{"id":0,"result":{"terminal":true}}`))
	f.Add([]byte(`{"method":"terminal/created","id":1}`))
	f.Add([]byte(`[{"id":1,"method":"session/request_permission","params":{"toolCall":{"content":[{"type":"terminal"}]}}}]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		line = append(bytes.ReplaceAll(line, []byte("\n"), []byte(" ")), '\n')
		for _, method := range []string{`"terminal/create"`, `"terminal/output"`, `"terminal/wait_for_exit"`, `"terminal/kill"`, `"terminal/release"`, "x-"} {
			if bytes.Contains(line, []byte(method)) || bytes.ContainsRune(line, '\\') {
				t.Skip()
			}
		}
		if out, _ := wire.Apply(newBench(t).Agent, nil, line); !bytes.Equal(out, line) {
			t.Errorf("got %q of %q", out, line)
		}
	})
}
