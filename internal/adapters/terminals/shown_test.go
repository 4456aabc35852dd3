package terminals_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/terminals"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// terminal returns the content of a tool call that shows a terminal.
func terminal(i int) string {
	return fmt.Sprintf(`,"content":[{"type":"terminal","terminalId":"x-terminal-%d"}]`, i)
}

// grow lets a command print a line, and sends the updates.
func (c *command) grow(line string) {
	c.text += line + "\n"
	c.Grown()
}

// Terminals are announced for a client of version 1 without terminals, and no other member changes.
func TestForWhomTerminalsAreAnnounced(t *testing.T) {
	for params, want := range map[string]string{
		`{"protocolVersion":1,"clientCapabilities":{"fs":{}}}`:          `{"protocolVersion":1,"clientCapabilities":{"fs":{},"terminal":true}}`,
		`{"protocolVersion":1,"clientCapabilities":{"terminal":false}}`: `{"protocolVersion":1,"clientCapabilities":{"terminal":true}}`,
		`{"protocolVersion":1}`:                                                     `{"protocolVersion":1,"clientCapabilities":{"terminal":true}}`,
		`{"protocolVersion":1,"clientCapabilities":null}`:                           `{"protocolVersion":1,"clientCapabilities":{"terminal":true}}`,
		`{"protocolVersion":1,"clientCapabilities":{"terminal":true}}`:              "",
		`{"protocolVersion":1,"clientCapabilities":7}`:                              "",
		`{"protocolVersion":2,"clientCapabilities":{}}`:                             "",
		`{"protocolVersion":1,"clientInfo":{"name":"off"},"clientCapabilities":{}}`: "",
		`[]`: "",
	} {
		b := newBench(t)
		line := `{"id":1,"method":"initialize","params":` + params + `}`
		b.Says(dispatch.Client, line)
		if want == "" {
			b.want(nil, []string{line})
			continue
		}
		b.want(nil, []string{`{"id":1,"method":"initialize","params":` + want + `}`})
		if !strings.Contains(b.Why, "acpshim announces") {
			t.Errorf("announced, as %q", b.Why)
		}
	}
}

// Requests go to a client with terminals, and pass with another version. A request without an id
// passes, too.
func TestOtherRequestsPass(t *testing.T) {
	const asked = `"method":"terminal/create","params":{"sessionId":"s","command":"make"}}`
	for name, test := range map[string]struct{ client, agent, request string }{
		"the client has terminals": {`1,"clientCapabilities":{"terminal":true}`, "1", `{"id":1,` + asked},
		"version 2":                {`2`, "2", `{"id":1,` + asked},
		"an agent of version 2":    {`1`, "2", `{"id":1,` + asked},
		"the adapter is off":       {`1,"clientInfo":{"name":"off"}`, "1", `{"id":1,` + asked},
		"no id":                    {`1`, "1", `{` + asked},
		"an id that is null":       {`1`, "1", `{"id":null,` + asked},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.Says(dispatch.Client, `{"id":"j","method":"initialize","params":{"protocolVersion":`+test.client+`}}`)
			b.Says(dispatch.Agent, `{"id":"j","result":{"protocolVersion":`+test.agent+`}}`)
			b.Sent()
			b.Says(dispatch.Agent, test.request)
			b.want([]string{test.request}, nil)
		})
	}
}

// Updates are held only in a session with terminals.
func TestStreamsPassWithoutTerminals(t *testing.T) {
	b := newBench(t)
	head := func(session, update string) wire.Verdict {
		return b.Agent.Inspect([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`+session+`","update":{"sessionUpdate":"`+update+`","toolCallId":"c","content":[`), false)
	}
	if head("s", "tool_call_update") != wire.Pass {
		t.Error("without terminals an update is held")
	}
	b.runs("s")
	if head("s", "tool_call_update") != wire.Hold || head("t", "tool_call_update") != wire.Pass || head("s", "agent_message_chunk") != wire.Pass {
		t.Error("with a terminal of s the updates of its tool calls, and no others, are to be held")
	}
}

func TestHowATerminalIsShown(t *testing.T) {
	long := strings.Repeat("x", 40<<10)
	for name, test := range map[string]struct {
		members, text string
		exit          *terminals.Exit
		want          string
	}{
		"it runs":          {`"command":"make"`, "a\n", nil, "```console\n$ make\na\n```"},
		"it has succeeded": {`"command":"make"`, "a", &terminals.Exit{}, "```console\n$ make\na\n```"},
		"it has failed":    {`"command":"make"`, "", &terminals.Exit{Code: 3}, "```console\n$ make\n```\n\nExit status 3"},
		"it was ended":     {`"command":"make"`, "", &terminals.Exit{Signal: "SIGKILL"}, "```console\n$ make\n```\n\nEnded by SIGKILL"},
		"it prints a lot":  {`"command":"make"`, long, nil, "```console\n$ make\n[the beginning is left out]\n" + long[:32<<10] + "\n```"},
		"it has a fence":   {`"command":"make"`, "````\n``", nil, "`````console\n$ make\n````\n``\n`````"},
		"words":            {`"command":"sh","args":["-c","it's\n$x","","a"]`, "", nil, "```console\n$ sh -c 'it'\\''s $x' '' a\n```"},
		"very many words":  {`"command":"` + long + `"`, "", nil, "```console\n$ " + long[:1024] + "\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.asks(0, "create", "s", test.members)
			c := b.commands[0].begun()
			c.text = test.text
			if test.exit != nil {
				c.Ended(*test.exit)
			}
			b.Sent()
			b.Says(dispatch.Agent, update("tool_call", terminal(1)))
			b.want([]string{update("tool_call", `,"content":[{"type":"content","content":{"type":"text","text":`+string(wire.Quote(nil, test.want))+`}}]`)}, nil)
			if !strings.Contains(b.Why, "gets the command's output as text") {
				t.Errorf("shown, as %q", b.Why)
			}
		})
	}
}

// A call that shows a terminal several times gets its output once.
func TestATerminalIsShownOnceInACall(t *testing.T) {
	b := newBench(t)
	b.runs("s").text = "out"
	b.Sent()
	block := `{"type":"terminal","terminalId":"x-terminal-1"}`
	b.Says(dispatch.Agent, update("tool_call", `,"content":[`+block+`,`+block+`]`))
	got := strings.Join(b.ToClient, "")
	if strings.Count(got, "```console") != 1 || strings.Count(got, "The output of this terminal is shown above.") != 1 {
		t.Errorf("the client gets %s", got)
	}
}

// Other updates pass unchanged.
func TestOtherUpdatesPass(t *testing.T) {
	b := newBench(t)
	b.runs("s")
	b.Sent()
	for _, line := range []string{
		update("tool_call_update", `,"content":{"type":"terminal"}`),
		update("tool_call_update", `,"content":[{"type":"text","terminalId":"x-terminal-1"}]`),
		update("tool_call_update", `,"content":[{"type":"terminal","terminalId":"y-terminal-1"}]`),
		update("tool_call_update", `,"content":[{"type":"terminal","terminalId":7}]`),
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"` + terminal(1) + `}}}`,
		`{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"title":"x"` + terminal(1) + `}}}`,
		`{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":7}}`,
		`{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"x"}}}`,
	} {
		b.Says(dispatch.Agent, line)
		b.want([]string{line}, nil)
	}
}

// Each call gets the output of its own terminals.
func TestEachCallShowsItsTerminals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		first, second := b.runs("s"), b.runs("s")
		for i := range 2 {
			b.Says(dispatch.Agent, strings.Replace(update("tool_call", terminal(i+1)), `"c"`, fmt.Sprintf(`"c%d"`, i+1), 1))
		}
		b.shown()
		for _, test := range []struct {
			grows *command
			call  string
		}{{first, `"c1"`}, {second, `"c2"`}} {
			test.grows.grow("more")
			time.Sleep(300 * time.Millisecond)
			if got := b.shown(); len(got) != 1 || !strings.Contains(got[0], "more") || !strings.Contains(got[0], test.call) {
				t.Errorf("the client gets %q", got)
			}
		}
	})
}

// calls returns a batch of calls of s, each with this content.
func calls(n int, content string) string {
	var batch []string
	for i := range n {
		batch = append(batch, strings.Replace(update("tool_call", `,"content":[`+content+`]`), `"c"`, fmt.Sprintf(`"c%d"`, i), 1))
	}
	return "[" + strings.Join(batch, ",") + "]"
}

// most is how many bytes a line may become: see dispatch.
func most(line string) int { return 16<<20 + 16*len(line) }

// Output that finds no room in a moment or a line follows later.
func TestOutputWithoutRoomFollowsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		long := strings.Repeat("line\n", 6<<10)
		var ids []string
		for i := range 16 {
			b.runs("s").text = long
			ids = append(ids, fmt.Sprintf(`{"type":"terminal","terminalId":"x-terminal-%d"}`, i+1))
		}
		const calls = 6
		var batch []string
		for i := range calls {
			batch = append(batch, strings.Replace(update("tool_call", `,"content":[`+strings.Join(ids, ",")+`]`), `"c"`, fmt.Sprintf(`"c%d"`, i), 1))
		}
		b.Sent()
		line := "[" + strings.Join(batch, ",") + "]"
		b.Says(dispatch.Agent, line)
		if n := len(strings.Join(b.ToClient, "")); n > 16*len(line)+1<<20 {
			t.Errorf("%d bytes become %d", len(line), n)
		}
		whole := map[string]bool{}
		for range 2 * calls {
			size := 0
			for _, line := range b.shown() {
				if size += len(line); strings.Count(line, "```console") == len(ids) {
					for i := range calls {
						if call := fmt.Sprintf(`"c%d"`, i); strings.Contains(line, call) {
							whole[call] = true
						}
					}
				}
			}
			if size > 2<<20 {
				t.Errorf("%d bytes are made at once", size)
			}
			time.Sleep(time.Second)
		}
		if len(whole) < calls-2 { // the first ones are whole in the batch
			t.Errorf("of %d calls these were shown as a whole: %v", calls, whole)
		}
	})
}

// Very many references to terminals, or requests for their output, do not make more bytes than a
// line may become. The client gets no reference to a terminal then, either.
func TestManyReferencesAreBounded(t *testing.T) {
	var ids, requests []string
	for i := range 16 {
		ids = append(ids, fmt.Sprintf(`{"type":"terminal","terminalId":"x-terminal-%d"}`, i+1))
	}
	for i := range 1000 {
		requests = append(requests, fmt.Sprintf(`{"id":%d,"method":"terminal/output","params":{"sessionId":"s",%s}}`, i, first))
	}
	many := strings.Repeat(strings.Join(ids, ",")+",", 20) + ids[0]
	for name, line := range map[string]string{
		"calls":       calls(300, many),
		"one call":    update("tool_call", `,"content":[`+strings.Repeat(many+",", 30)+ids[0]+`]`),
		"unknown":     calls(300, strings.ReplaceAll(many, "terminal-1", "terminal-9")),
		"for outputs": "[" + strings.Join(requests, ",") + "]",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for range ids {
				b.runs("s").text = strings.Repeat("\u0001", 40<<10) + strings.Repeat(`"`, 40<<10)
			}
			b.Sent()
			b.Says(dispatch.Agent, line)
			toClient, toAgent := strings.Join(b.ToClient, ""), strings.Join(b.ToAgent, "")
			if n := len(toClient) + len(toAgent); n > most(line) || n < len(line)/2 || strings.Contains(toClient, `"terminalId"`) {
				t.Errorf("%d bytes become %d: %.500s", len(line), n, toClient)
			}
			if answered := strings.Count(toAgent, `"output"`); name == "for outputs" && (answered < 50 || answered+strings.Count(toAgent, "too large") != len(requests)) {
				t.Errorf("%d of %d requests have a result", answered, len(requests))
			}
		})
	}
}

// Calls beyond a limit, or of another session, get the output only once. Followed calls count in
// the conversation's limit.
func TestFollowedCalls(t *testing.T) {
	for name, test := range map[string]struct {
		session, more string
		want          int // updates
	}{
		"a call":              {"s", "", 1},
		"one with much text":  {"s", `{"type":"text","text":"` + strings.Repeat("x", 60<<10) + `"},`, 1},
		"one with more text":  {"s", `{"type":"text","text":"` + strings.Repeat("x", 70<<10) + `"},`, 0},
		"another session's":   {"t", "", 0},
		"no session's at all": {"none", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				c := b.runs("s")
				b.runs("t")
				size := func() int {
					return b.Conversation.Size()
				}
				before := size()
				line := func(content string) string {
					return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[%s]}}}`, test.session, content)
				}
				for range 2 {
					b.Says(dispatch.Agent, line(test.more+`{"type":"terminal","terminalId":"x-terminal-1"}`))
				}
				if got := size() - before; test.want > 0 && (got < len(test.more) || got > len(test.more)+1000) {
					t.Errorf("%d bytes count as %d", len(test.more), got)
				}
				b.shown()
				c.grow("more")
				time.Sleep(time.Second)
				if got := b.shown(); len(got) != test.want {
					t.Errorf("%d updates, want %d", len(got), test.want)
				}
				b.Says(dispatch.Agent, line(""))
				if got := size() - before; got != 0 {
					t.Errorf("then %d bytes are left", got)
				}
			})
		})
	}
}

// An agent may run a command in a session before the response that opens the session.
func TestACommandOfASessionThatIsBeingCreated(t *testing.T) {
	b := newBench(t)
	b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{"cwd":"/work","mcpServers":[]}}`)
	b.Sent()
	b.asks(1, "create", "early", `"command":"make","cwd":"/else"`)
	b.commands[0].begun()
	b.asks(2, "output", "early", first)
	b.want(nil, []string{`"id":1,"result":{"terminalId":"x-terminal-1"}}`, `"id":2,"result":{"output":"","truncated":false}}`})
}

// A terminal does not exist before its command has started. A released terminal ends once.
func TestATerminalIsThereFromStartToRelease(t *testing.T) {
	b := newBench(t)
	b.asks(0, "create", "s", `"command":"make"`)
	b.asks(1, "output", "s", first)
	c := b.commands[0].begun()
	b.asks(2, "release", "s", first)
	b.Says(dispatch.Client, `{"id":9,"method":"session/close","params":{"sessionId":"s"}}`)
	b.ToAgent = b.ToAgent[:len(b.ToAgent)-1]
	b.Says(dispatch.Agent, `{"id":9,"result":{}}`)
	b.ToClient = nil
	if b.want(nil, []string{`"id":1,` + gone, made, `"id":2,"result":{}}`}); c.ends != 1 {
		t.Errorf("it was told to end %d times", c.ends)
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	for members, want := range map[string]string{
		`"command":""`:                                             "command is missing",
		`"command":7`:                                              "command is missing",
		`"command":"a","args":[7]`:                                 "args: want",
		`"command":"a","args":{}`:                                  "args: want",
		`"command":"a","env":[7]`:                                  "env: want",
		`"command":"a","env":[{"name":"A"}]`:                       "env: want",
		`"command":"a","env":[{"value":"A"}]`:                      "env: want",
		`"command":"a","env":[{"name":"","value":""}]`:             "env: want",
		`"command":"a","env":[{"name":"A","name":"B","value":""}]`: "env: want",
		`"command":"a","cwd":7`:                                    "cwd: want",
		`"command":"a","outputByteLimit":1.5`:                      "outputByteLimit: want",
		`"command":"a","args":["\u0000"]`:                          "no zero byte",
		`"command":"a","env":[{"name":"A","value":"\u0000"}]`:      "no zero byte",
		`"command":"a","cwd":"\u0000"`:                             "no zero byte",
	} {
		b := newBench(t)
		b.asks(1, "create", "s", members)
		if got := strings.Join(b.ToAgent, "\n"); len(b.commands) != 0 || !strings.Contains(got, `"id":1,"error":{"code":-32602`) || !strings.Contains(got, want) {
			t.Errorf("%s: the agent gets %s", members, got)
		}
	}
}
