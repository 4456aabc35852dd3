package dispatch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A waiter wants a stream while a request is pending.
type waiter struct{ Base }

func (waiter) Name() string { return "waiter" }

func (waiter) Wants() []Want {
	return []Want{{From: Agent, Updates: []string{"agent_message_chunk"}, While: []string{"x", "session/resume"}, Sessions: true}}
}

const chunk = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{}}}}`

// Other requests begin and end meanwhile, and the beginning of the stream is remembered.
func TestWantedWhileARequestIsPending(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{waiter{}, &methodRecorder{recorder{name: "a"}}}})
		client, agent := d.FromClient(), d.FromAgent()
		pending := map[int]string{}
		for range 60 {
			id, method := random.IntN(6), []string{"x", "session/resume", "y", "m", "session/prompt"}[random.IntN(5)]
			switch _, is := pending[id]; {
			case is:
				delete(pending, id)
				through(agent, fmt.Sprintf(`{"id":%d,"result":{}}`, id))
			case random.IntN(3) == 0: // of the agent's own
				through(agent, fmt.Sprintf(`{"id":%d,"method":%q}`, id, method))
			default:
				pending[id] = method
				through(client, fmt.Sprintf(`{"id":%d,"method":%q,"params":{"sessionId":"s"}}`, id, method))
			}
			want := wire.Pass
			for _, method := range pending {
				if method == "x" || method == "session/resume" {
					want = wire.Hold
				}
			}
			if got := agent.Inspect([]byte(chunk+"\n"), true); got != want {
				t.Fatalf("seed %d: while %v are pending, the stream is %v, want %v", seed, pending, got, want)
			}
		}
	}
}

// A countingWaiter is a waiter that counts its messages.
type countingWaiter struct {
	waiter
	given int
}

func (c *countingWaiter) Handle(*Message) { c.given++ }

func TestWantsCountWhenALineIsComplete(t *testing.T) {
	a := &countingWaiter{}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{a}})
	client, agent := d.FromClient(), d.FromAgent()
	agent.Inspect([]byte(chunk[:20]), false)
	through(client, `{"id":1,"method":"x"}`)
	if agent.Rewrite(nil, []byte(chunk+"\n")); a.given != 1 {
		t.Errorf("%d lines were given, want 1", a.given)
	}
}

// No request is pending for which the stream would be wanted.
func TestAStreamThatMayBeWantedTakesNoLock(t *testing.T) {
	c := conversation.New(conversation.Options{})
	d := New(c, Options{Adapters: []Adapter{waiter{}}})
	client, agent := d.FromClient(), d.FromAgent()
	through(client, `{"id":1,"method":"session/resume","params":{"sessionId":"s"}}`)
	through(agent, chunk)
	through(agent, `{"id":1,"result":{}}`)
	if n := testing.AllocsPerRun(100, func() {
		if agent.Inspect([]byte(chunk), true) != wire.Pass {
			t.Fatal("held")
		}
	}); n > 1 { // the line itself
		t.Errorf("%v allocations", n)
	}
}

// The Taker gets the response, and all adapters get the lines that it returns.
func TestOwnRequestsToTheAgent(t *testing.T) {
	own := NewOwnRequests("own-")
	a := &methodRecorder{recorder{name: "a"}}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{a}, OwnToAgent: own})
	client, agent := d.FromClient(), d.FromAgent()
	var results []string
	ask := func() string {
		return own.Begin("test", func(result, failure []byte) []byte {
			results = append(results, string(result)+"|"+string(failure))
			return []byte(`{"method":"m"}` + "\n" + `{"method":"n"}` + "\n")
		})
	}
	after := `{"method":"before a"} {"method":"m"} {"method":"after a"} {"method":"n"}`
	for _, test := range []struct {
		from       *Direction
		line, want string
	}{
		{agent, `{"id":"` + ask() + `","result":{"a":1}}`, after},
		{agent, `{"id":"own-1","result":{"a":2}}`, ""}, // once
		{agent, `{"error":{"code":1},"id":"` + ask() + `"}`, after},
		{agent, `[{"id":"` + ask() + `","result":null},{"id":4,"result":{}}]`, `[{"id":4,"result":{}}] ` + after},
		{agent, `{"id":"` + ask() + `","result":1,"result":2}`, after},
		{agent, `{"id":"` + ask() + `","result":{"a":3},"error":{"code":2}}`, after},
		{agent, `{"id":"own-9","method":"n"}`, `{"id":"own-9","method":"n"}`},
		{agent, `{"id":"own-9","method":"n","result":{}}`, `{"id":"own-9","method":"n","result":{}}`},
		{client, `{"id":"own-1","result":{}}`, `{"id":"own-1","result":{}}`},
	} {
		if got := through(test.from, test.line); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.line, got, test.want)
		}
	}
	if got, want := fmt.Sprint(results), `[{"a":1}| |{"code":1} null| | |]`; got != want {
		t.Errorf("the results are %s, want %s", got, want)
	}
}

// A reader wants updates of tool calls with a text.
type reader struct{ Base }

func (reader) Name() string { return "reader" }

func (reader) Wants() []Want {
	return []Want{{From: Agent, Updates: []string{"tool_call_update"}, Text: `"wanted"`}}
}

// A line without the text passes. An incomplete head waits for more.
func TestWantedByAText(t *testing.T) {
	agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{reader{}}}).FromAgent()
	const begin = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c",`
	long := strings.Repeat(" ", wire.HeadSize)
	for _, test := range []struct {
		line  string
		whole bool
		want  wire.Verdict
	}{
		{begin + `"wanted":1}}}`, true, wire.Hold},
		{begin + `"wanted":1`, false, wire.Hold},
		{begin + `"other":1}}}`, true, wire.Pass},
		{begin + `"other":1`, false, wire.More},
		{begin + long, false, wire.Pass},
		{begin + long + `"wanted":1}}}`, true, wire.Pass},
		{strings.Replace(begin, "tool_call_update", "plan", 1) + `"wanted":1}}}`, true, wire.Pass},
	} {
		for range 2 { // the second time it may be remembered
			if got := agent.Inspect([]byte(test.line), test.whole); got != test.want {
				t.Errorf("%.150s: %v, want %v", test.line, got, test.want)
			}
		}
	}
}

// A lineLooker is an adapter that looks at each line.
type lineLooker struct {
	Base
	verdict wire.Verdict
}

func (lineLooker) Name() string                           { return "looking" }
func (lineLooker) Wants() []Want                          { return []Want{{From: Agent, Lines: true}} }
func (l lineLooker) Look(Side, []byte, bool) wire.Verdict { return l.verdict }
func (lineLooker) Awaits(Side, string) bool               { return false }

func TestTheStrongestVerdictCounts(t *testing.T) {
	const other, more = `{"method":"m","params":{`, `{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update",`
	for _, test := range []struct {
		head          string
		first, second wire.Verdict
		want          wire.Verdict
	}{
		{other, wire.Pass, wire.Pass, wire.Pass},
		{other, wire.Hold, wire.Pass, wire.Hold},
		{other, wire.Pass, wire.More, wire.More},
		{other, wire.Hold, wire.More, wire.Hold},
		{more, wire.Pass, wire.Pass, wire.More},
		{more, wire.Pass, wire.Hold, wire.Hold},
	} {
		agent := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{
			reader{}, lineLooker{verdict: test.first}, &lineLooker{verdict: test.second},
		}}).FromAgent()
		if got := agent.Inspect([]byte(test.head), false); got != test.want {
			t.Errorf("%s, of which they say %v and %v, is %v, want %v", test.head, test.first, test.second, got, test.want)
		}
	}
}
