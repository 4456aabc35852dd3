package rule

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/proxy"

	"github.com/google/go-cmp/cmp"
)

// talk is a connection with rules and without processes. Lines go in and out without their line
// end.
type talk struct {
	t       *testing.T
	chain   *Chain
	ends    map[Side]wire.Interceptor
	by      []string // what changed the last line
	replies []string // "rule: client <- line"
	events  []string
}

func converse(t *testing.T, rules ...Rule) *talk {
	t.Helper()
	return converseAmong(t, Options{}, nil, rules...)
}

func converseAmong(t *testing.T, opts Options, others func(*Chain) []dispatch.Adapter, rules ...Rule) *talk {
	t.Helper()
	set := compile(t, rules)
	c := &talk{t: t}
	tell := func(format string, args ...any) { c.events = append(c.events, fmt.Sprintf(format, args...)) }
	opts.Events.Logged = func(rule string, from Side, message []byte) { tell("%s: %s: %s", rule, from, message) }
	opts.Events.Failed = func(rule string, err error) { tell("%s failed: %v", rule, err) }
	opts.Events.Unread = func(err error) { tell("unread: %v", err) }
	opts.Events.OtherVersion = func(rule string, version int) { tell("%s is not for version %d", rule, version) }
	opts.Events.ReleasedEarly = func(n int) { tell("%d let go", n) }
	c.chain = set.NewChain(opts)
	d := c.chain.among()
	if others != nil {
		d = c.chain.among(others(c.chain)...)
	}
	c.ends = map[Side]wire.Interceptor{Client: d.FromClient(), Agent: d.FromAgent()}
	return c
}

func compile(t testing.TB, rules []Rule) *Set {
	t.Helper()
	set, problems := Compile(rules)
	if problems != nil {
		t.Fatalf("the rules are refused: %v", problems)
	}
	return set
}

// through returns what becomes of a whole line.
func through(i wire.Interceptor, dst, line []byte) []byte {
	dst, _ = wire.Apply(i, dst, line)
	return dst
}

// applied returns what the rules make of a held line.
func applied(i wire.Interceptor, dst, line []byte) []byte {
	dst, _ = i.Rewrite(dst, line)
	return dst
}

// from sends a line and returns the result, with " | " between lines.
func (c *talk) from(side Side, line string) string {
	made, by := wire.Apply(c.ends[side], nil, []byte(line+"\n"))
	out := string(made)
	c.by = by.Names()
	c.drain(side)
	if out != "" && !strings.HasSuffix(out, "\n") {
		c.t.Errorf("%s: the line has no end: %q", side, out)
	}
	return strings.ReplaceAll(strings.TrimSuffix(out, "\n"), "\n", " | ")
}

// drain records the replies to a side.
func (c *talk) drain(to Side) {
	lines, by := c.ends[to.Other()].Drain(nil)
	for i, line := range slices.Collect(strings.Lines(string(lines))) {
		c.replies = append(c.replies, fmt.Sprintf("%s: %s <- %s", by.Added[i].By[0].Name, to, line))
	}
}

// initialize lets these peers initialize.
func (c *talk) initialize(client, clientCapabilities, agent, agentCapabilities string, version int) {
	c.from(Client, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%d,"clientCapabilities":%s,"clientInfo":%s}}`, version, clientCapabilities, client))
	c.from(Agent, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%d,"agentCapabilities":%s,"agentInfo":%s}}`, version, agentCapabilities, agent))
}

const (
	zed   = `{"name":"Zed","version":"0.210.3+stable"}`
	codex = `{"name":"codex-acp","version":"2.6.0"}`
)

func chunk(session, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, session, text)
}

func update(session, kind string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q}}}`, session, kind)
}

// A step is a line and the expected result; "=" is the line itself.
type step struct {
	from       Side
	line, want string
}

func (c *talk) play(steps ...step) {
	c.t.Helper()
	for _, s := range steps {
		want := s.want
		if want == "=" {
			want = s.line
		}
		if got := c.from(s.from, s.line); got != want {
			c.t.Errorf("from %s: %s\n got %s\nwant %s", s.from, s.line, got, want)
		}
	}
}

func (c *talk) told(want ...string) {
	c.t.Helper()
	if !slices.Equal(c.events, want) {
		c.t.Errorf("events (-want +got):\n%s", cmp.Diff(want, c.events))
	}
}

// A client hangs if it gets updates before the response to its session/new.
func TestCaseHoldUntilResponse(t *testing.T) {
	c := converse(t, Rule{Name: "hold", From: Agent, Method: "session/update", Hold: "response"},
		Rule{Name: "behind", From: Agent, Method: "session/update", Session: "s4", JQ: ".jsonrpc = .jsonrpc"})
	commands := update("s1", "available_commands_update")
	answer := `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`
	c.play(
		step{Agent, commands, "="},
		step{Client, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`, "="},
		step{Agent, commands, ""},
		step{Agent, chunk("s1", "a"), ""},
		step{Agent, answer, answer + " | " + commands + " | " + chunk("s1", "a")},
		step{Agent, commands, "="},
		// Another session does not wait for this one, nor this one for another.
		step{Client, `{"jsonrpc":"2.0","id":"x","method":"session/load","params":{"sessionId":"s2","cwd":"/x","mcpServers":[]}}`, "="},
		step{Agent, commands, "="},
		step{Agent, chunk("s2", "old"), ""},
		step{Agent, `{"jsonrpc":"2.0","id":"x","result":{}}`, `{"jsonrpc":"2.0","id":"x","result":{}} | ` + chunk("s2", "old")},
		// An opening that failed lets go what can wait for nothing any more.
		step{Client, `{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`, "="},
		step{Agent, chunk("s3", "a"), ""},
		step{Agent, chunk("s1", "is open"), "="},
		step{Agent, `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}`, `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}} | ` + chunk("s3", "a")},
		// One is open, the other is not; and what waits goes to the client.
		step{Client, `{"jsonrpc":"2.0","id":6,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`, "="},
		step{Client, `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`, "="},
		step{Agent, chunk("s6", "a"), ""},
		step{Agent, chunk("s7", "a"), ""},
		step{Agent, `{"jsonrpc":"2.0","id":6,"result":{"sessionId":"s6"}}`, `{"jsonrpc":"2.0","id":6,"result":{"sessionId":"s6"}} | ` + chunk("s6", "a")},
		step{Client, `{"jsonrpc":"2.0","id":1,"id":2}`, "="},
		step{Agent, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s7"}}`, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s7"}} | ` + chunk("s7", "a")},
		// In a batch.
		step{Client, `[{"jsonrpc":"2.0","id":4,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}]`, "="},
		step{Agent, `[` + update("s4", "plan") + `,{"jsonrpc":"2.0","id":4,"result":{"sessionId":"s4"}}]`, `[{"jsonrpc":"2.0","id":4,"result":{"sessionId":"s4"}},` + update("s4", "plan") + `]`},
		step{Client, `{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`, "="},
		step{Agent, chunk("s5", "a"), ""},
		step{Agent, `[` + chunk("s5", "b") + ` , {"jsonrpc":"2.0","id":5,"result":{"sessionId":"s5"}}, ` + chunk("s5", "c") + `]`,
			`[{"jsonrpc":"2.0","id":5,"result":{"sessionId":"s5"}},` + chunk("s5", "a") + "," + chunk("s5", "b") + `, ` + chunk("s5", "c") + `]`},
	)
	c.told()
}

// If a response is too long or ambiguous to be read, the held messages leave before the next line.
func TestHeldMessagesFollowUnreadResponse(t *testing.T) {
	long := strings.Repeat("x", 9000)
	for name, answer := range map[string]string{
		"long":               `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","x":"` + long + `"}}`,
		"long, id last":      `{"jsonrpc":"2.0","result":{"sessionId":"s","x":"` + long + `"},"id":1}`,
		"long, with escapes": `{"jsonrp\u0063":"2.0","id":1,"result":{"sessionId":"s","x":"` + long + `"}}`,
		"twice":              `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"},"result":{}}`,
		"both":               `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"},"error":{"code":1,"message":""}}`,
		"in a batch":         `[{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"},"result":{}}]`,
		"cut off":            `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"`,
		"none":               `{"jsonrpc":"2.0","method":"x","params":{}}`,
	} {
		for _, next := range []wire.Interceptor{nil, holder{}} {
			for _, place := range []Place{BesideClient, BesideAgent} {
				for _, size := range []int{1, 100, 1 << 20} {
					t.Run(fmt.Sprintf("%s, %T, %d, in pieces of %d", name, next, place, size), func(t *testing.T) {
						set, _ := Compile([]Rule{{Name: "hold", From: Agent, Update: "plan", Hold: "response"}})
						c := set.NewChain(Options{Place: place})
						through(c.FromClient(nil), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`+"\n"))
						agent := c.FromAgent(next)
						first, between, second := update("s", "plan")+"\n", chunk("s", "")+"\n", update("s", "plan")+"\n"
						var out bytes.Buffer
						if err := proxy.Relay(&out, &pieces{[]byte(first + answer + "\n" + between + second), size}, agent, 5000); err != nil {
							t.Fatal(err)
						}
						want := answer + "\n" + first + between + second
						switch name {
						case "in a batch":
							want = strings.TrimSuffix(answer, "]") + "," + strings.TrimSpace(first) + "]\n" + between + second
						case "none": // the answer is still to come
							want = answer + "\n" + between + first + second
							last, _ := agent.Flush(nil, true)
							out.Write(last)
						}
						if got := out.String(); got != want {
							t.Errorf("got %.300s\nwant %.300s", got, want)
						}
					})
				}
			}
		}
	}
}

// holder holds all lines.
type holder struct{ wire.Base }

func (holder) Inspect([]byte, bool) wire.Verdict { return wire.Hold }

// The name on the command line counts until the agent sends its own.
func TestAgentNameFromTheCommandLine(t *testing.T) {
	set := compile(t, []Rule{{Name: "r", Agent: "codex*", Set: []Setting{{"/params", []byte("{}")}}}})
	c := set.NewChain(Options{Agent: Peer{Name: "codex-acp"}})
	const ask = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	if got := string(through(c.FromClient(nil), nil, []byte(ask))); got != `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}` {
		t.Errorf("got %s", got)
	}
	through(c.FromAgent(nil), nil, []byte(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"other"}}}`))
	const other = `{"jsonrpc":"2.0","method":"x","params":{"a":1}}`
	if got := string(through(c.FromClient(nil), nil, []byte(other))); got != other {
		t.Errorf("the agent has another name: got %s", got)
	}
}

// The name on the command line counts only for a peer that never sends its own.
func TestNameFromTheCommandLine(t *testing.T) {
	set := compile(t, []Rule{
		{Name: "c", Client: "Agentic*", Method: "c", Set: []Setting{{"/params", []byte("{}")}}},
		{Name: "a", Agent: "codex*", Method: "a", Set: []Setting{{"/params", []byte("{}")}}},
	})
	for _, test := range []struct {
		client, agent string // infos
		changed       bool
	}{{``, ``, true}, {`"clientInfo":{"version":"1"},`, `"agentInfo":{},`, true}, {`"clientInfo":{"name":"Zed"},`, `"agentInfo":{"name":"goose"},`, false}} {
		c := set.NewChain(Options{Client: Peer{Name: "Agentic.nvim"}, Agent: Peer{Name: "codex-acp"}})
		through(c.FromClient(nil), nil, []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{`+test.client+`"protocolVersion":1}}`))
		through(c.FromAgent(nil), nil, []byte(`{"jsonrpc":"2.0","id":0,"result":{`+test.agent+`"protocolVersion":1}}`))
		for _, method := range []string{"c", "a"} {
			line := `{"jsonrpc":"2.0","method":"` + method + `","params":{"a":1}}`
			if got := string(through(c.FromAgent(nil), nil, []byte(line))); (got != line) != test.changed {
				t.Errorf("client %q, agent %q: got %s", test.client, test.agent, got)
			}
		}
	}
}

// Records name the rule that holds a message, when the message comes and when it is released.
func TestRecordsNameTheHoldingRule(t *testing.T) {
	c := converse(t, Rule{Name: "hold", From: Agent, Method: "session/update", Hold: "response"})
	for _, s := range []struct {
		from Side
		line string
		want []string
	}{
		{Client, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, nil},
		{Agent, chunk("s", "a"), []string{"hold"}},
		{Agent, chunk("s", "b"), []string{"hold"}},
		{Agent, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`, []string{"hold"}},
		{Agent, chunk("s", "c"), nil}, // its session is open
	} {
		c.from(s.from, s.line)
		if diff := cmp.Diff(s.want, c.by); diff != "" {
			t.Errorf("%s: changed by (-want +got):\n%s", s.line, diff)
		}
	}
}

// Held messages go to the client when the agent has ended. They are lost if the client has ended.
func TestTheEndOfTheAgentReleasesHeldMessages(t *testing.T) {
	c := converse(t, Rule{Name: "hold", From: Agent, Update: "plan", Hold: "response"}, Rule{Name: "client's", From: Client, Log: true})
	c.play(step{Client, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, "="}, step{Agent, update("s", "plan"), ""})
	if got, _ := c.ends[Client].Flush(nil, true); len(got) > 0 {
		t.Errorf("at the end of the client: %s", got)
	}
	if got, _ := c.ends[Agent].Flush(nil, true); string(got) != update("s", "plan")+"\n" {
		t.Errorf("at the end of the agent: %s", got)
	}
}

// A message that can never find room is not held. Events are optional.
func TestAMessageThatIsTooLargeIsNotHeld(t *testing.T) {
	set := compile(t, []Rule{{Name: "hold", From: Agent, Update: "*", Hold: "response"}})
	c := set.NewChain(Options{})
	client, agent := c.FromClient(nil), c.FromAgent(nil)
	through(client, nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`))
	small, large := chunk("s", "a")+"\n", chunk("s", strings.Repeat("x", maxHeldBytes))+"\n"
	if got := string(through(agent, nil, []byte(small))); got != "" {
		t.Errorf("got %s", got)
	}
	if got := string(through(agent, nil, []byte(large))); got != small+large {
		t.Errorf("got %.200s", got)
	}
}

// An unreadable line is reported if there are rules for it. A line that is only too long is not.
func TestUnreadIsReported(t *testing.T) {
	c := converse(t, Rule{Name: "r", From: Agent, Log: true})
	c.play(step{Agent, `{"method":"x","method":"y"}`, "="}, step{Client, `{"method":"x","method":"y"}`, "="})
	c.ends[Agent].TooLong([]byte(`{"method":"x","params":"`))
	c.told("unread: ambiguous member names")
}

func TestHoldIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for name, size := range map[string]int{"messages": 1, "bytes": 5_000} {
		c := converse(t, Rule{Name: "hold", From: Agent, Method: "session/update", Hold: "response"})
		c.from(Client, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`)
		var sent, got strings.Builder
		for i := range 2000 {
			line := chunk("s", fmt.Sprint(i)+strings.Repeat("x", size))
			sent.WriteString(line + "\n")
			if out := c.from(Agent, line); out != "" {
				got.WriteString(strings.ReplaceAll(out, " | ", "\n") + "\n")
			}
			held := 0
			for _, m := range c.chain.held.messages {
				held += len(m.line)
			}
			if held > maxHeldBytes || len(c.chain.held.messages) > maxHeld {
				t.Fatalf("%s: %d bytes of %d messages are held", name, held, len(c.chain.held.messages))
			}
		}
		answer := `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
		rest := strings.ReplaceAll(c.from(Agent, answer), " | ", "\n") + "\n"
		got.WriteString(strings.TrimPrefix(rest, answer+"\n"))
		if got.String() != sent.String() {
			t.Errorf("%s: what was held came out of order, or not at all", name)
		}
		if len(c.events) == 0 || !strings.HasSuffix(c.events[0], "let go") {
			t.Errorf("%s: told %q", name, c.events)
		}
	}
}

// One client needs models, but others show them twice, because they are also in configOptions.
func TestCaseStripModels(t *testing.T) {
	rule := Rule{Name: "models", From: Agent, ResponseTo: "session/new", Delete: []string{"/result/models"},
		When: When{Has: []string{"/result/configOptions"}, Client: "!JetBrains*"}}
	opens := step{Client, `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"/"}}`, "="}
	both := `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s", "models":{"a":1.0} , "configOptions":[]}}`
	c := converse(t, rule)
	c.initialize(zed, `{}`, codex, `{}`, 1)
	c.play(opens,
		step{Agent, both, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s",  "configOptions":[]}}`},
		step{Agent, both, "="}, // answers nothing
		opens,
		step{Agent, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s","models":{}}}`, "="},
		opens,
		step{Agent, `{"jsonrpc":"2.0","id":7,"result":{"models":{},"configOptions":{"models":{}}}}`, `{"jsonrpc":"2.0","id":7,"result":{"configOptions":{"models":{}}}}`},
		step{Client, strings.Replace(both, "7", "8", 1), "="},
	)
	if got := c.chain.Hits(); !slices.Equal(got, []Hit{{Rule: "models", Count: 2}}) {
		t.Errorf("hits %v", got)
	}
	c = converse(t, rule)
	c.initialize(`{"name":"JetBrains.WebStorm"}`, `{}`, codex, `{}`, 1)
	c.play(opens, step{Agent, both, "="})
}

// A client crashes on unknown update kinds.
func TestCaseDropUnknownUpdates(t *testing.T) {
	c := converse(t, Rule{Name: "known", From: Agent, Update: "!{user_message_chunk,agent_*_chunk,tool_call*,plan}", Action: "drop"})
	c.play(
		step{Agent, update("s", "plan"), "="},
		step{Agent, chunk("s", "x"), "="},
		step{Agent, update("s", "tool_call_update"), "="},
		step{Agent, update("s", "usage_update"), ""},
		step{Agent, strings.Replace(update("s", "usage_update"), "usage", `\u0075sage`, 1), ""},
		step{Agent, `[` + update("s", "plan") + `, ` + update("s", "notice") + `]`, `[` + update("s", "plan") + `]`},
		step{Agent, `[` + update("s", "notice") + `]`, ""},
		step{Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}`, "="},
		step{Client, update("s", "usage_update"), "="},
	)
}

// A rule replies to requests of an agent that the client does not know.
func TestCaseReplyToExtensionRequests(t *testing.T) {
	c := converse(t,
		Rule{Name: "plan", From: Agent, Method: "cursor/create_plan", Reply: &Reply{Result: []byte(`{ "outcome": {"outcome":"cancelled"} }`)}},
		Rule{Name: "others", From: Agent, Method: "cursor/*", When: When{Has: []string{"/id"}}, Reply: &Reply{Error: []byte(`{"code":-32601,"message":"Method not found"}`)}},
	)
	c.play(
		step{Agent, `{"jsonrpc":"2.0","id":1.0,"method":"cursor/create_plan","params":{"plan":"x"}}`, ""},
		step{Agent, `{"jsonrpc":"2.0","id":"\u0061","method":"cursor/ask","params":{}}`, ""},
		step{Agent, `{"jsonrpc":"2.0","method":"cursor/ask","params":{}}`, "="},
		step{Agent, `{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{}}`, "="},
		step{Agent, `[{"jsonrpc":"2.0","id":4,"method":"cursor/ask"},{"jsonrpc":"2.0","id":5,"method":"fs/read_text_file"}]`, `[{"jsonrpc":"2.0","id":5,"method":"fs/read_text_file"}]`},
		step{Client, `{"jsonrpc":"2.0","id":1,"method":"cursor/create_plan"}`, "="},
	)
	want := []string{
		`plan: agent <- {"jsonrpc":"2.0","id":1.0,"result":{"outcome":{"outcome":"cancelled"}}}` + "\n",
		`others: agent <- {"jsonrpc":"2.0","id":"\u0061","error":{"code":-32601,"message":"Method not found"}}` + "\n",
		`others: agent <- {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}` + "\n",
	}
	if diff := cmp.Diff(want, c.replies); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	c.told()
}

// Held messages are released if their response can never come, because another request has its id.
func TestHeldMessagesDoNotWaitForAReusedID(t *testing.T) {
	c := converse(t, Rule{Name: "hold", From: Agent, Update: "plan", Hold: "response"}, Rule{Name: "client's", From: Client, Log: true})
	c.play(
		step{Client, `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/x"}}`, "="},
		step{Agent, update("s", "plan"), ""},
		step{Client, `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"t","cwd":"/x"}}`, "="},
		step{Agent, chunk("s", "a"), update("s", "plan") + " | " + chunk("s", "a")},
		step{Agent, chunk("s", "a"), "="},
	)
}
