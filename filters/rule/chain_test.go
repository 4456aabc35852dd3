package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/proxy"
	"acpshim/translate/plans"

	"github.com/google/go-cmp/cmp"
)

// odd are unusual lines.
var odd = strings.Join([]string{
	`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, `{"id":1,"result":{"sessionId":"s"}}`,
	``, `   `, "\r", `[]`, `[1,{}]`, `[{"method":"x"},{"id":1,"result":3}]`, `npm WARN`, `{"method":"a","method":"b"}`, `{"a":{"b":1,"b":2}}`,
	`{"id":null,"error":{"code":-32700,"message":"x"}}`, `{"id":{},"method":"x"}`, `{"id":1e400,"method":"x"}`, "{\"method\":\"\xff\"}", "\xef\xbb\xbf{\"method\":\"x\"}\r",
	`{"method":"session/update","params":"x"}`, `{"method":"session/update","params":null}`, `{"method":"x","params":` + strings.Repeat("[", 11_000) + strings.Repeat("]", 11_000) + `}`,
	`{"params":{"x":"` + strings.Repeat("y", 6_000) + `"},"method":"session/update"}`, `{"id":"` + strings.Repeat("y", 9_000) + `","result":{}}`,
	chunk("s", `\u0041 \"quoted\"`), `{"method":"m"`,
}, "\n")

// If no rule matches, every byte passes unchanged, however the bytes arrive.
func TestNoRuleMatches(t *testing.T) {
	input := odd + "\n" + odd
	set := compile(t, plenty(100))
	for name, from := range map[string]func(io.Reader) io.Reader{
		"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "halves": iotest.HalfReader,
	} {
		for _, side := range []Side{Client, Agent} {
			c := set.NewChain(Options{})
			end := map[Side]func(wire.Interceptor) wire.Interceptor{Client: c.FromClient, Agent: c.FromAgent}[side]
			var out bytes.Buffer
			if err := proxy.Relay(&out, from(strings.NewReader(input)), end(nil), 16<<20); err != nil {
				t.Fatal(err)
			}
			if out.String() != input {
				t.Errorf("%s, from %s: %d bytes became %d", name, side, len(input), out.Len())
			}
			for _, hit := range c.Hits() {
				if hit.Count > 0 {
					t.Errorf("%s, from %s: %v", name, side, hit)
				}
			}
		}
	}
}

// Messages that no rule can match are not held.
func TestPeek(t *testing.T) {
	long := strings.Repeat("x", 2*wire.HeadSize)
	c := converse(t,
		Rule{Name: "usage", From: Agent, Update: "usage_update", Action: "drop"},
		Rule{Name: "models", From: Agent, ResponseTo: "session/new", Delete: []string{"/result/models"}},
		Rule{Name: "never", From: Agent, Client: "other", Log: true},
	)
	c.from(Client, `{"id":1,"method":"session/new"}`)
	for _, test := range []struct {
		side Side
		head string
		want wire.Verdict
	}{
		{Agent, chunk("s", long)[:150], wire.Pass},
		{Agent, chunk("s", long)[:60], wire.More},
		{Agent, update("s", "usage_update")[:110], wire.Hold},
		{Agent, `{"jsonrpc":"2.0","id":1,"result":{`, wire.Hold},
		{Agent, `{"jsonrpc":"2.0","id":2,"result":{`, wire.Pass},
		{Agent, `{"jsonrpc":"2.0","id":1,"method":"fs/wri`, wire.More},
		{Agent, `{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"content":"`, wire.Pass},
		{Agent, `npm`, wire.Pass},
		{Agent, `[`, wire.Hold},
		{Client, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":"`, wire.Pass},
		{Client, `{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"prompt":"`, wire.Pass},
		{Client, `{"jsonrpc":"2.0","method":"initialize"`, wire.More},
		{Client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"`, wire.Hold},
		{Client, `{"jsonrpc":"2.0","id":1,"result":{"content":"`, wire.Pass},
	} {
		for range 2 {
			if got := c.ends[test.side].Inspect([]byte(test.head), false); got != test.want {
				t.Errorf("from %s: %.80q: %v, want %v", test.side, test.head, got, test.want)
			}
		}
	}
	c.play(step{Agent, `{"id":3,"result":{"models":1}}`, `{"id":3,"result":{}}`}) // noted by its head
	line := []byte(chunk("s", "x"))
	if n := testing.AllocsPerRun(100, func() { c.ends[Agent].Inspect(line, false) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Lines pass unread if they lack a value that all rules for their kind need.
func TestPrefilterPassesLines(t *testing.T) {
	for _, test := range []struct {
		when          When
		holds, passes string
	}{
		{When{Has: []string{"/params/a"}}, `{"a":0}`, `{"b":0}`},
		{equalTo("/params/a", `"x"`), `{"a":"x"}`, `{"a":"y"}`},
		{equalTo("/params/a", `1`), `{"a":2}`, `{"b":1}`},
		{When{Glob: values("/params/a", "text*")}, `{"a":"a text"}`, `{"a":"a"}`},
		{When{Regexp: values("/params/a", "text[0-9]")}, `{"a":"text"}`, `{"a":"a"}`},
		{When{Has: []string{"/params/l/[id=x]/a"}}, `{"l":[{"id":"x","a":0}]}`, `{"l":[{"id":"y"}]}`},
		{When{Has: []string{"/params/l/[id=1]/a"}}, `{"l":[{"id":1,"a":0}]}`, `{"l":[{"id":1}]}`},
		{When{Has: []string{"/params/a"}, Absent: []string{"/params/b"}}, `{"a":0,"b":0}`, `{"b":0}`},
		{When{Has: []string{"", "/params/a"}}, `{"a":0}`, `{"b":0}`},
	} {
		c := converse(t, Rule{Name: "r", Method: "m", When: test.when, Log: true})
		for params, want := range map[string]wire.Verdict{test.holds: wire.Hold, test.passes: wire.Pass} {
			if got := c.ends[Agent].Inspect([]byte(`{"method":"m","params":`+params+`}`), true); got != want {
				t.Errorf("%+v: %s: %v, want %v", test.when, params, got, want)
			}
		}
	}
}

// Awaits is true only for requests whose responses a rule may match. The agent's show it: those of
// the client are all kept, for the agent's end.
func TestAwaits(t *testing.T) {
	c := converse(t, Rule{Name: "r", From: Client, ResponseTo: "a/*", Log: true}, Rule{Name: "off", Off: true, From: Client, ResponseTo: "b", Log: true}, Rule{Name: "of the client", From: Agent, ResponseTo: "c", Log: true})
	for id, method := range []string{"a/x", "b", "c"} {
		c.from(Agent, fmt.Sprintf(`{"id":%d,"method":%q}`, id, method))
		if kept := c.chain.conversation.Pending(Agent, fmt.Append(nil, id)) != nil; kept != (method == "a/x") {
			t.Errorf("%s: it is kept: %v", method, kept)
		}
	}
}

// Method names that occur only once take no more memory than the limit.
func TestDecisionsAreBounded(t *testing.T) {
	c := converse(t, Rule{Name: "a", Method: "m/*", Log: true})
	for i := range 3 * maxDecisions {
		c.ends[Agent].Inspect(fmt.Appendf(nil, `{"method":"m/%d%s","params":{}}`, i, strings.Repeat("x", i%2*maxKey)), true)
	}
	c.ends[Agent].Inspect(fmt.Appendf(nil, `{"x":"%s","method":"m/0","params":{}}`, strings.Repeat("x", wire.HeadSize)), true)
	e := c.chain.directions[Agent.Index()]
	for _, b := range e.seen {
		if cap(b.head) > wire.HeadSize {
			t.Errorf("a head of %d bytes is remembered", cap(b.head))
		}
	}
	if n := len(e.decisions); n == 0 || n > maxDecisions {
		t.Errorf("%d decisions are remembered", n)
	}
	if cap(e.key) > maxKey {
		t.Errorf("a key of %d bytes is remembered", cap(e.key))
	}
}

// By default, rules see what the client gets. Beside the agent, they see what the agent sent.
func TestPlaces(t *testing.T) {
	for place, want := range map[Place][]string{
		BesideClient: {"plan: agent: plan"},
		BesideAgent:  {"raw: client: plan,planCapabilities", "raw: agent: plan_update"},
	} {
		var seen []string
		c := converseAmong(t, Options{Place: place}, func(c *Chain) []dispatch.Adapter {
			return []dispatch.Adapter{plans.New(c.conversation, plans.Options{For: func(_, _ conversation.Implementation) plans.Settings { return plans.Settings{Advertise: true} }})}
		},
			Rule{Name: "raw", From: Client, Method: "initialize", When: When{Has: []string{"/params/clientCapabilities/plan"}}, Log: true},
			Rule{Name: "raw update", From: Agent, Update: "plan_update", Log: true},
			Rule{Name: "plan", From: Agent, Update: "plan", Log: true, Set: []Setting{{"/seen", []byte("1")}}},
			Rule{Name: "capable", From: Agent, ClientHas: []string{"/plan"}, Method: "n", Set: []Setting{{"/capable", []byte("1")}}},
		)
		c.initialize(zed, `{}`, codex, `{}`, 1)
		if got := c.from(Agent, `{"method":"n"}`); strings.Contains(got, "capable") != (place == BesideAgent) {
			t.Errorf("place %v: what the agent is told of the client counts: %s", place, got)
		}
		got := c.from(Agent, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"- [ ] a"}}}}`)
		if !strings.Contains(got, `"sessionUpdate":"plan"`) || strings.Contains(got, `"seen":1`) != (place == BesideClient) {
			t.Errorf("place %v: the client got %s", place, got)
		}
		for _, e := range c.events {
			name, rest, _ := strings.Cut(e, ": ")
			from, line, _ := strings.Cut(rest, ": ")
			for _, kind := range []string{`"plan":{},"planCapabilities":{}`, `"sessionUpdate":"plan_update"`, `"sessionUpdate":"plan"`} {
				if strings.Contains(line, kind) {
					kind = strings.NewReplacer(`"sessionUpdate":`, "", `"`, "", ":{}", "").Replace(kind)
					seen = append(seen, fmt.Sprintf("%s: %s: %s", strings.Fields(name)[0], from, kind))
					break
				}
			}
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("place %v (-want +got):\n%s", place, diff)
		}
	}
}

// Both directions run at the same time, while facts change.
func TestBothDirectionsAtOnce(t *testing.T) {
	c := converse(t,
		Rule{Name: "a", Client: "Zed", Set: []Setting{{"/hit", []byte("1")}}, When: When{Has: []string{"/params/x"}}},
		Rule{Name: "hold", From: Agent, Method: "session/update", Hold: "response"},
		Rule{Name: "jq", Method: "j", JQ: `.`},
		Rule{Name: "fails", Method: "m", JQ: `error`},
	)
	var wg sync.WaitGroup
	for _, side := range []Side{Client, Agent} {
		wg.Go(func() {
			for i := range 300 {
				for _, line := range []string{
					fmt.Sprintf(`{"id":%d,"method":"initialize","params":{"clientInfo":%s}}`, i, zed), fmt.Sprintf(`{"id":%d,"result":{"protocolVersion":1}}`, i),
					fmt.Sprintf(`{"id":%d,"method":"session/new"}`, i), fmt.Sprintf(`{"id":%d,"result":{"sessionId":"s%d"}}`, i, i), chunk("s", "x"),
					`{"method":"j","params":{"x":1}}`, `{"method":"m"}`,
				} {
					c.chain.Do(func() { c.chain.Hits() })
					through(c.ends[side], nil, []byte(line+"\n"))
				}
			}
		})
	}
	wg.Wait()
	if len(c.events) == 0 {
		t.Error("the rule that fails did not")
	}
}

// The result of rules is valid lines of JSON, an edit changes only the place that it names, and no
// request or response is lost.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"},"a":[1.0]}}`, "/params/a"},
		{`[{"id":1,"method":"x","params":{"a":{}}},{"id":1,"result":{}},3]`, "/params/a/b"},
		{"\xef\xbb\xbf {\"method\":\"x\",\"a\":{\"b\":\"\xff\",\"b\":1}}\r", "/a/b"}, {`{"id":2,"error":{"code":1.50}}`, "/error/code"},
		{`{"method":"x","params":[{"a":"b", "n":[1 , 2]},{"n":1},{"a":"b"}]}`, "/params/[a=b]"}, {`{"method":"x","params":[{"a":"b", "n":[1 , 2]},{"n":1},{"a":"b"}]}`, "/params/*/n"},
	} {
		for action := range 6 {
			f.Add([]byte(seed[0]), seed[1], action, "text\n")
		}
	}
	f.Fuzz(func(t *testing.T, line []byte, pointer string, action int, text string) {
		value := wire.Quote(nil, text)
		rule := Rule{Name: "r"}
		switch action % 6 {
		case 0:
			rule.Set = []Setting{{pointer, value}}
		case 1:
			rule.Delete = []string{pointer}
		case 2:
			rule.Rename = []Renaming{{pointer, text}}
		case 3:
			rule.Append = []Setting{{pointer, value}}
		case 4:
			rule.JQ = `.params |= (. // {} | {p: .})`
		case 5:
			rule.JQ, rule.Hold, rule.Session = `., {method: "more"}`, "response", "s*"
		}
		set, _ := Compile([]Rule{rule})
		if set == nil {
			return
		}
		line = bytes.ReplaceAll(line, []byte("\n"), nil)
		got, _ := set.NewChain(Options{}).FromAgent(nil).Rewrite(nil, append(line, '\n'))
		body := bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		if !json.Valid(body) {
			if _, err := wire.Batch(line); err != nil && !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), line) {
				if _, err := wire.Parse(line); err != nil {
					t.Fatalf("%q is not JSON and became %q", line, got)
				}
			}
			return
		}
		for l := range bytes.Lines(got) {
			if !json.Valid(bytes.TrimPrefix(l, []byte("\xef\xbb\xbf"))) || !bytes.HasSuffix(l, []byte("\n")) {
				t.Fatalf("%q gives %q", line, got)
			}
		}
		before, err := readMessage(line)
		if err != nil || len(rule.JQ) > 0 {
			return
		}
		after, err := readMessage(got)
		if err != nil || after.kind != before.kind || !bytes.Equal(after.id, before.id) {
			t.Fatalf("%q became another kind of message: %q: %v", line, got, err)
		}
		p, _ := wire.ParseSelector(pointer)
		var edits []wire.Edit
		for span := range p.Each(line) {
			edits = append(edits, wire.Edit{Span: span, With: value})
		}
		isAdded := len(p) > 0 && (p[len(p)-1] == "-" || len(edits) == 0) || p.IsMany() // a member or an element
		if rule.Set != nil && !isAdded && !bytes.Equal(got, append(line, '\n')) {
			if want := append(wire.Splice(nil, line, edits...), '\n'); !bytes.Equal(got, want) {
				t.Fatalf("%q: set %s gives %q, want %q", line, pointer, got, want)
			}
		}
		for _, err := range p.Each(line) {
			if err != nil && (rule.Set != nil || rule.Delete != nil) && !bytes.Equal(got, append(line, '\n')) {
				t.Fatalf("%q: %s is not clear: %v, and it became %q", line, pointer, err, got)
			}
		}
		if len(edits) == 0 && rule.Set == nil && !bytes.Equal(got, append(line, '\n')) {
			t.Fatalf("%q: nothing is at %s, and it became %q", line, pointer, got)
		}
	})
}

// It replays recorded sessions of real agents, in which only one rule changes something. They are
// not part of this repository: ACPSHIM_TRAFFIC is a folder of files *.dir.ndjson, with lines such
// as {"dir":"c2a" or "a2c","raw":LINE}.
func TestRealTraffic(t *testing.T) {
	dir := os.Getenv("ACPSHIM_TRAFFIC")
	if dir == "" {
		t.Skip("ACPSHIM_TRAFFIC is not set")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.dir.ndjson"))
	hits := int64(0)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c := converse(t, append(plenty(100),
			Rule{Name: "hit", Update: "agent_message_chunk", When: When{Has: []string{"/params/update/content/text"}}, Set: []Setting{{"/params/hit", []byte("1")}}},
			Rule{Name: "hold", From: Agent, Update: "*", Hold: "response"})...)
		held := map[string]int{} // lines that have to come yet
		for line := range bytes.Lines(data) {
			var l struct{ Dir, Raw string }
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatal(err)
			}
			side := map[string]Side{"c2a": Client, "a2c": Agent}[l.Dir]
			held[l.Raw]++
			for got := range bytes.Lines(through(c.ends[side], nil, []byte(l.Raw+"\n"))) {
				held[strings.Replace(string(bytes.TrimSuffix(got, []byte("\n"))), `,"hit":1}`, `}`, 1)]--
			}
		}
		for line, n := range held {
			if n != 0 {
				t.Errorf("%s: %d of %.200s", name, n, line)
			}
		}
		for _, h := range c.chain.Hits()[100:101] {
			hits += h.Count
		}
	}
	if hits == 0 {
		t.Error("no rule matched anything")
	}
}

// Switches turn rules on and off by name when the peers become known.
func TestSwitches(t *testing.T) {
	c := converseAmong(t, Options{Switches: func(client, agent Peer) map[string]bool {
		return map[string]bool{"a": client.Name == "x" && client.Version == "1", "b": agent.Name != "y"}
	}}, nil,
		Rule{Name: "a", Off: true, From: Agent, Method: "n", Set: []Setting{{"/a", []byte("1")}}},
		Rule{Name: "b", From: Agent, Method: "n", Set: []Setting{{"/b", []byte("1")}}},
		Rule{Name: "c", Off: true, From: Agent, Method: "n", Set: []Setting{{"/c", []byte("1")}}},
	)
	c.play(
		step{Agent, `{"method":"n"}`, `{"method":"n","b":1}`},
		step{Client, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x","version":"1"}}}`, "="},
		step{Agent, `{"method":"n"}`, `{"method":"n","a":1,"b":1}`},
		step{Agent, `{"id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"y"}}}`, "="},
		step{Agent, `{"method":"n"}`, `{"method":"n","a":1}`},
	)
}

// If all rules are off, no line is held.
func TestOff(t *testing.T) {
	set := compile(t, []Rule{
		{Name: "a", Off: true, From: Agent, ResponseTo: "session/new", Log: true},
		{Name: "b", Off: true, From: Agent, Method: "session/update", Hold: "response"},
	})
	on := false
	chain := set.NewChain(Options{Switches: func(Peer, Peer) map[string]bool { return map[string]bool{"b": on} }})
	client, agent := chain.FromClient(nil), chain.FromAgent(nil)
	long := `{"params":"` + strings.Repeat("x", wire.HeadSize)
	for _, test := range []struct {
		from wire.Interceptor
		head string
		want wire.Verdict
	}{
		{client, long, wire.More}, // it may be initialize
		{client, `{"x":`, wire.More},
		{agent, `{"result":{"a":`, wire.Pass},
		{agent, long, wire.Pass},
		{agent, chunk("s", "x"), wire.Pass},
		{client, `{"id":1,"method":"session/new",`, wire.Pass},
		{agent, `{"result":{"a":`, wire.More}, // whose response it is decides who gets an error if the agent ends
		{agent, chunk("s", "x"), wire.Pass},
		{client, `{"id":2,"method":"initialize",`, wire.Hold},
	} {
		if got := test.from.Inspect([]byte(test.head), false); got != test.want {
			t.Errorf("%.40s: %v, want %v", test.head, got, test.want)
		}
	}
	client.Rewrite(nil, []byte(`{"id":2,"method":"initialize","params":{"clientInfo":{"name":"x"}}}`))
	if got := agent.Inspect([]byte(`{"result":{"a":`), false); got != wire.More {
		t.Errorf("what may be the answer to initialize: %v", got)
	}
	on = true
	agent.Rewrite(nil, []byte(`{"id":2,"result":{"protocolVersion":1}}`))
	for _, line := range []string{long, chunk("s", "x")} {
		if got := agent.Inspect([]byte(line), false); got == wire.Pass {
			t.Errorf("%.40s passes a rule that is on", line)
		}
	}
}
