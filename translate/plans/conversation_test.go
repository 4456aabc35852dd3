package plans

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

type end = wire.Interceptor

// through sends a line, without its newline, through a direction.
func through(e end, line string) string {
	b := []byte(line + "\n")
	b, _ = wire.Apply(e, nil, b)
	return string(b)
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`
	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`
)

// old returns a conversation with an old client after initialize.
func old(opts options) *relay {
	c := newRelay(opts)
	through(c.FromClient(), initialize)
	through(c.FromAgent(), initialized)
	return c
}

func planUpdate(session, id, content string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":%q,"content":%q}}}}`, session, id, content)
}

func TestWhichLinesAreHeld(t *testing.T) {
	chunk := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"plan_update`
	tests := []struct {
		name string
		c    *relay
		from func(*relay) end
		head string
		want wire.Verdict
	}{
		{"before the handshake nothing is translated", newRelay(options{}), fromAgent, planUpdate("s", "p", "x"), wire.Pass},
		{"a chunk is decided by its head", old(options{}), fromAgent, chunk, wire.Pass},
		{"a head that is too short is not", old(options{}), fromAgent, chunk[:60], wire.More},
		{"a plan is held", old(options{}), fromAgent, planUpdate("s", "p", "x")[:120], wire.Hold},
		{"an escaped kind is held", old(options{}), fromAgent, strings.Replace(chunk, "agent_", `\u0061gent_`, 1), wire.Hold},
		{"a request of the agent", old(options{}), fromAgent, `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","pa`, wire.Pass},
		{"an answer nobody waits for", old(options{}), fromAgent, `{"jsonrpc":"2.0","id":77,"result":{`, wire.Pass},
		{"a batch", old(options{}), fromAgent, `[{"method":"session/update"`, wire.Hold},
		{"no JSON", old(options{}), fromAgent, `npm WARN plan_update`, wire.Pass},
		{"a prompt is noted by its head", old(options{}), fromClient, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image","data":"AAAA`, wire.Pass},
		{"a prompt whose head does not say enough", old(options{}), fromClient, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[{"type":"image","data":"AAAA`, wire.More},
		{"a new session is held for its folder", old(options{}), fromClient, `{"jsonrpc":"2.0","id":3,"method":"session/new","params":{`, wire.Hold},
		{"an answer of the client", old(options{}), fromClient, `{"jsonrpc":"2.0","id":3,"result":{"content":"`, wire.Pass},
		{"initialize is held always", old(options{}), fromClient, initialize, wire.Hold},
	}
	for _, test := range tests {
		if got := test.from(test.c).Inspect([]byte(test.head), false); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func fromAgent(c *relay) end  { return c.FromAgent() }
func fromClient(c *relay) end { return c.FromClient() }

// This is without todo tools. Even a line whose beginning says nothing passes, unless it can be the
// response to a request of the client, or have such a request: it gets an error if the agent ends.
func TestNothingIsHeldForACapableClient(t *testing.T) {
	c := newRelay(options{Settings: settings{Advertise: true}})
	through(c.FromClient(), strings.Replace(initialize, `{}`, `{"plan":{}}`, 1))
	through(c.FromAgent(), initialized)
	pass := func(heads ...string) {
		for _, head := range heads {
			for _, e := range []end{c.FromAgent(), c.FromClient()} {
				if got := e.Inspect([]byte(head), false); got != wire.Pass {
					t.Errorf("%T: %v for %.60q", e, got, head)
				}
			}
		}
	}
	large := `{"x":"` + strings.Repeat("x", wire.HeadSize)
	for _, head := range []string{large, `{"m\u0065thod":"session/update"`, `[{"method":"session/update"`} {
		if got := c.FromAgent().Inspect([]byte(head), false); got != wire.Pass {
			t.Errorf("%v for %.60q", got, head)
		}
		if got := c.FromClient().Inspect([]byte(head), false); got == wire.Pass {
			t.Errorf("what may be a request passes unread: %.60q", head)
		}
	}
	through(c.FromClient(), `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	if got := c.FromAgent().Inspect([]byte(large), false); got == wire.Pass {
		t.Error("a line that can be the response passes unread")
	}
	pass(planUpdate("s", "p", "x"), `{"jsonrpc":"2.0","id":3,"result":{"x":`, `{"jsonrpc":"2.0","id":4,"method":"session/new","params":{`)
	if c.Busy() {
		t.Error("the answer to the prompt was not noticed")
	}
}

func TestPeekAllocatesNothing(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	through(c.FromClient(), `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	through(c.FromAgent(), planUpdate("s", "p", "Prose.\n\n- [ ] a"))
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"type":"text"},"sessionUpdate":"tool_call_update"}}}`,
	} {
		b := []byte(line)
		a := c.FromAgent()
		if n := testing.AllocsPerRun(100, func() {
			if a.Inspect(b, false) != wire.Pass {
				t.Fatal("held")
			}
		}); n != 0 {
			t.Errorf("%v allocations for %s", n, line)
		}
	}
}

func TestStateIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	var told []string
	c := old(options{MaxBytes: 8 << 20, Events: events{Forgotten: func(what string) { told = append(told, what) }}})
	client, agent := c.FromClient(), c.FromAgent()
	for i := range maxRequests + 10 {
		through(client, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/new","params":{}}`, i+1))
	}
	for i := range maxSessions + 10 {
		through(agent, planUpdate(fmt.Sprint("s", i), "p", "- [ ] a"))
	}
	if n, _ := c.c.Waiting(dispatch.Client); n != maxRequests {
		t.Errorf("%d requests pending, want %d", n, maxRequests)
	}
	if err := c.c.Check(); err != nil {
		t.Error(err)
	}
	if n := len(c.c.Sessions()); n != maxSessions {
		t.Errorf("%d sessions, want %d", n, maxSessions)
	}
	text := strings.Repeat("words ", 1<<18)
	for i := range 20 {
		through(agent, planUpdate(fmt.Sprint("large", i), "p", text))
	}
	if sum := c.c.Recount(); c.c.Size() != sum || sum > c.opts.MaxBytes {
		t.Errorf("%d bytes are kept, %d are noted, want at most %d", sum, c.c.Size(), c.opts.MaxBytes)
	}
	if len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

func TestAnEvictedSessionHasNoPendingDocuments(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	for i := range maxSessions + 10 {
		through(c.FromAgent(), planUpdate(fmt.Sprint("s", i), "p", "Prose.\n\n- [ ] a"))
	}
	if len(c.heldDocuments) != maxSessions {
		t.Errorf("%d sessions owe, want %d", len(c.heldDocuments), maxSessions)
	}
	through(c.FromAgent(), `{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{}}`)
	if len(c.heldDocuments) != 0 {
		t.Errorf("%d sessions owe after all were told", len(c.heldDocuments))
	}
}

func TestEvents(t *testing.T) {
	var negotiated []Negotiation
	var told []string
	c := newRelay(options{
		Settings: settings{Advertise: true},
		ReadFile: func(uri string, roots []string) (string, error) {
			return "", fmt.Errorf("%s in %v", uri, roots)
		},
		Events: events{
			Negotiated: func(n Negotiation) { negotiated = append(negotiated, n) },
			Unreadable: func(session string, err error) { told = append(told, session+": "+err.Error()) },
			Flawed:     func(session string, err error) { told = append(told, session+": "+err.Error()) },
			Dropped:    func(session string, err error) { told = append(told, session+": "+err.Error()) },
		},
	})
	through(c.FromClient(), strings.Replace(initialize, `"clientCapabilities"`, `"clientInfo":{"name":"ed","version":"1"},"clientCapabilities"`, 1))
	through(c.FromAgent(), strings.Replace(initialized, `{"protocolVersion":1`, `{"agentInfo":{"name":"ag"},"protocolVersion":1`, 1))
	want := Negotiation{Client: Implementation{Name: "ed", Version: "1"}, Agent: Implementation{Name: "ag"}, Version: 1, Old: true, Advertised: true, ShowAs: AsPlan}
	if len(negotiated) != 1 || negotiated[0] != want {
		t.Errorf("negotiated %+v, want %+v", negotiated, want)
	}
	through(c.FromClient(), `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","additionalDirectories":["/x"]}}`)
	through(c.FromAgent(), `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`)
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":`
	through(c.FromAgent(), update+`{"type":"file","planId":"f","uri":"file:///p"}}}}`)
	through(c.FromAgent(), update+`3}}}`)
	for range 2 {
		through(c.FromAgent(), planUpdate("s", "d", `{"plan":[{"step":"a","status":"pending"}],"x":1}`))
	}
	if got, want := strings.Join(told, "\n"), "s: file:///p in [/w /x]\ns: plan_update: plan is not an object\n"+
		`s: update_plan: unknown field "x": want explanation and plan`; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// FuzzAgentLines: a line without a plan stays the same, and a line with a plan is replaced by
// valid JSON with valid updates.
func FuzzAgentLines(f *testing.F) {
	f.Add([]byte(planUpdate("s", "p", "Prose.\n\n- [x] a")), []byte(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"\u0070lan","entries":[{"content":"a"}]}}}`), []byte(planUpdate("s", "q", "1. b")))
	f.Add([]byte(`{"params":{"update":{"plan":{"entries":[{"content":"x","status":"cancelled","_meta":{}}]},"planId":1,"sessionUpdate":"plan_update"},"sessionId":"s"},"method":"session/update"}`), []byte(`{"result":{},"id":0}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","id":"p"}}}`), []byte(`[]`))
	f.Add([]byte(todowrite("s", "c", "a")), []byte(toolLine("tool_call_update", "s", "c", `"status":"failed"`)))
	f.Add([]byte(`{"method":"cursor/update_todos","params":{"toolCallId":"c","todos":[{"id":"1","content":"a"}],"merge":true},"id":1}`), []byte(todowrite("s", "c", "a")))
	tools := shipped()
	f.Fuzz(func(t *testing.T, first, second []byte) {
		c := old(options{Settings: settings{Policy: translate.All, Prose: true, Tools: tools}})
		for _, line := range [][]byte{first, second} {
			if bytes.IndexByte(line, '\n') >= 0 {
				return
			}
			owed := len(c.heldDocuments) > 0
			got := through(c.FromAgent(), string(line))
			behind, passed := strings.CutPrefix(got, string(line)+"\n")
			if !isPlanMessage(line) && !owed && (!passed || behind != "" && !isToolMessage(line)) {
				t.Fatalf("%q became %q", line, got)
			}
			if got == string(line)+"\n" || !json.Valid(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))) {
				continue
			}
			for out := range strings.Lines(got) {
				if !json.Valid([]byte(strings.TrimPrefix(out, "\xef\xbb\xbf"))) {
					t.Fatalf("%q became %q", line, got)
				}
			}
		}
	})
}

// isPlanMessage reads a line like a client.
func isPlanMessage(line []byte) bool {
	method, kind := kindOf(line)
	return method == "session/update" && (kind == "plan" || kind == "plan_update" || kind == "plan_removed")
}

func isToolMessage(line []byte) bool {
	method, kind := kindOf(line)
	return method == "session/update" && strings.HasPrefix(kind, "tool_call") || method == "cursor/update_todos"
}

func kindOf(line []byte) (method, sessionUpdate string) {
	msg, err := wire.Parse(line, "params", "params.update")
	if err != nil {
		return "", ""
	}
	method, _ = msg.Text("method")
	sessionUpdate, _ = msg.Open("params").Open("update").Text("sessionUpdate")
	return method, sessionUpdate
}
