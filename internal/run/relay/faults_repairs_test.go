package relay_test

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
)

// Each test in this file checks one promise: what acpshim does for a session it does for each
// one, from its beginning to its end.

// runs runs a command of the agent whose output a tool call shows. The output comes after the first
// update of the call, and is in the last one.
func (c *chain) runs(call string, last **command) {
	c.Helper()
	c.agent(createTerminal("1", "s", ""))
	_, toAgent := c.got()
	terminal := field(toAgent[0], "result", "terminalId")
	c.agent(updateOf("s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"T","content":%s}`, call, showing(terminal))))
	(*last).printed = "what it printed\n"
	(*last).Grown()
	(*last).Ended(exit(0))
	c.agent(aboutTerminal("2", "release", "s", terminal))
	c.got()
	c.agent(updateOf("s", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"status":"completed"}`, call)))
	if toClient, _ := c.got(); !isIn(toClient, "what it printed") {
		c.Fatalf("%s: want what the command printed, the client gets%s", call, short(toClient))
	}
}

// The output of a command is shown in each call of a session, however many there are.
func TestOutputOfCommandsIsShownInEachOfManyCalls(t *testing.T) {
	var last *command
	c := newChain(t, "[services]\nterminal = true\n", commands(&last))
	c.session("s", "/w")
	for i := range 300 {
		if c.runs(fmt.Sprint("call ", i+1), &last); t.Failed() {
			return
		}
	}
}

// A diff made from a tool's input names the file as the client does.
func TestPathsOfDiffsAreMappedOnce(t *testing.T) {
	const paths = "[[path]]\nclient = '/mnt/box'\nagent = '/'\n"
	for _, file := range []string{"a.txt", "/project/a.txt"} {
		t.Run(file, func(t *testing.T) {
			c := newChain(t, paths)
			c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/mnt/box/project","mcpServers":[]}}`)
			if _, toAgent := c.got(); field(toAgent[0], "params", "cwd") != `"/project"` {
				t.Fatalf("the agent gets%s", short(toAgent))
			}
			c.agent(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s"}}`)
			c.got()
			c.agent(updateOf("s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit","kind":"edit","rawInput":{"file_path":%q,"old_string":"a","new_string":"b"}}`, file)))
			toClient, _ := c.got()
			if len(toClient) != 1 || field(toClient[0], "params", "update", "content", "0", "path") != `"/mnt/box/project/a.txt"` {
				t.Errorf(`want a diff of "/mnt/box/project/a.txt", the client gets%s`, short(toClient))
			}
		})
	}
}

// Only on Windows, \ separates names. Elsewhere it is part of a name.
func TestABackslashIsPartOfANameBetweenUnixSides(t *testing.T) {
	for uri, want := range map[string]string{
		`file:///work/a%5Cb.txt`:                `file:///home/me/a%5Cb.txt`,
		`file:///work/..%5C..%5Cetc%5Cpasswd`:   `file:///home/me/..%5C..%5Cetc%5Cpasswd`,
		`file:///work/a%5C..%5C..%5Cb/c%5Cd.go`: `file:///home/me/a%5C..%5C..%5Cb/c%5Cd.go`,
	} {
		c := newChain(t, "[[path]]\nclient = '/home/me'\nagent = '/work'\n")
		c.session("s", "/home/me")
		c.agent(updateOf("s", fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"n","uri":%q}}`, uri)))
		toClient, _ := c.got()
		if got := field(toClient[0], "params", "update", "content", "uri"); got != `"`+want+`"` {
			t.Errorf("%s becomes %s, want %q", uri, got, want)
		}
		c.client(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource_link","name":"n","uri":%q}]}}`, want))
		_, toAgent := c.got()
		if got := field(toAgent[0], "params", "prompt", "0", "uri"); got != `"`+uri+`"` {
			t.Errorf("%s comes back as %s, want %q", want, got, uri)
		}
	}
}

// Unknown terminals are removed from tool calls, also after acpshim has run a command for the
// session.
func TestUnknownTerminalsAreRemovedAfterACommand(t *testing.T) {
	c := newChain(t, "[services]\nterminal = true\n[repair]\nterminals = 'unsupported'\n", func(o *relay.Options) { o.StartCommand = transcript.Echo })
	c.session("s", "/w")
	shows := func(when, call string) {
		t.Helper()
		c.agent(updateOf("s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"T","content":%s}`, call, showing(`"of an earlier run"`))))
		if toClient, _ := c.got(); isIn(toClient, "of an earlier run") {
			t.Errorf("%s: want it without the terminal, the client gets%s", when, short(toClient))
		}
	}
	shows("before a command", "t1")
	c.agent(strings.Replace(createTerminal("1", "s", `,"args":["hi"]`), "make", "echo", 1))
	if _, toAgent := c.got(); field(toAgent[0], "result", "terminalId") == "" {
		t.Fatalf("the agent gets%s", short(toAgent))
	}
	shows("after a command", "t2")
}

// announces fails unless an update of an unknown tool call becomes its announcement.
func (c *chain) announces(session, call string) {
	c.Helper()
	c.agent(updateOf(session, fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"status":"completed"}`, call)))
	if toClient, _ := c.got(); len(toClient) != 1 || field(toClient[0], "params", "update", "sessionUpdate") != `"tool_call"` {
		c.Errorf("want the tool call announced, the client gets%s", short(toClient))
	}
}

func callOf(session, call string) string {
	return updateOf(session, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"T"}`, call))
}

func closeOf(session string) (request, response string) {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"close %s","method":"session/close","params":{"sessionId":%q}}`, session, session),
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"close %s","result":{}}`, session)
}

// Repairs still work after many sessions.
func TestToolCallsAreAnnouncedAfterManySessions(t *testing.T) {
	c := newChain(t, "")
	for i := range 11 {
		var opens, opened, closes, closed []string
		for j := range 100 {
			id := fmt.Sprint("s", 100*i+j)
			opens = append(opens, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new %s","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, id))
			opened = append(opened, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new %s","result":{"sessionId":%q}}`, id, id), callOf(id, "t"))
			request, response := closeOf(id)
			closes, closed = append(closes, request), append(closed, response)
		}
		c.client(opens...)
		c.agent(opened...)
		c.client(closes...)
		c.agent(closed...)
	}
	c.session("last", "/w")
	c.announces("last", "new")
}

// Repairs also work in a session that was closed and is loaded again: the client knows only the
// calls that the agent has replayed.
func TestToolCallsAreAnnouncedInASessionThatIsLoadedAgain(t *testing.T) {
	c := newChain(t, "")
	c.session("s", "/w")
	c.announces("s", "before")
	c.agent(callOf("s", "t"))
	request, response := closeOf("s")
	c.client(request)
	c.agent(response)
	c.client(`{"jsonrpc":"2.0","id":"l","method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}`)
	c.agent(callOf("s", "t"), resultOf(`"l"`, "{}"))
	c.got()
	c.announces("s", "new")
}
