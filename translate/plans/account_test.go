package plans

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"acpshim/internal/chain/wire"
)

// counted checks that the sizes in a conversation are right.
func counted(t *testing.T, c *relay) {
	t.Helper()
	filed := 0
	for _, s := range slices.Concat(slices.Collect(maps.Keys(c.heldDocuments)), slices.Collect(maps.Keys(c.heldPlans)), slices.Collect(maps.Keys(c.wantsNext))) {
		if kept, _ := c.sessions.Get(s.Session); s.Evicted || kept != s {
			t.Errorf("the plans of %s are kept without their session", s.ID)
		}
	}
	for _, s := range c.sessions.All() {
		if size := c.sizeOf(s); s.size != size {
			t.Errorf("the plans of %s are weighed as %d bytes, there are %d", s.ID, s.size, size)
		}
		filed += len(s.now.set.Files())
		if s.replayed != nil && !c.c.Opening(s.ID) {
			t.Errorf("what was replayed of %s was never settled", s.ID)
		}
	}
	got := fmt.Sprint(c.c.Size(), c.filePlans)
	if want := fmt.Sprint(c.c.Recount(), filed); got != want {
		t.Errorf("counted are %s, there are %s", got, want)
	}
	if err := c.c.Check(); err != nil {
		t.Error(err)
	}
	if c.c.Size() > c.opts.MaxBytes {
		t.Errorf("%d bytes are kept, at most %d may be", c.c.Size(), c.opts.MaxBytes)
	}
}

func fileOf(session string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"f%d","uri":"file:///x%d"}}}}`, session, n, n)
}

// Both directions and FileRead run at once, near the limit of the state.
func TestSizesAreRightUnderConcurrency(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for seed := range uint64(4) {
		set := settings{Tools: shipped(), Prose: seed%2 == 0, ShowAs: []ShowAs{AsPlan, AsMessage}[seed/2%2]}
		c := newRelay(options{MaxBytes: 1 << 20, Settings: set, ReadFile: func(string, []string) (string, error) {
			return []string{"", "", "- [ ] a\n\nProse."}[rand.IntN(3)], []error{ErrLater, errors.New("x"), nil}[rand.IntN(3)]
		}})
		hello := initialize
		if seed%3 == 2 {
			hello = strings.Replace(initialize, `{}`, `{"plan":{},"planCapabilities":{}}`, 1)
		}
		through(c.FromClient(), hello)
		through(c.FromAgent(), initialized)
		var all sync.WaitGroup
		all.Go(func() {
			r, client := rand.New(rand.NewPCG(seed, 1)), c.FromClient()
			for range 400 {
				method := []string{"session/new", "session/load", "session/resume", "session/prompt", "session/close", "session/prompt"}[r.IntN(6)]
				through(client, call(10+r.IntN(200), method, fmt.Sprintf(`{"sessionId":"s%d","cwd":"/%s"}`, r.IntN(30), strings.Repeat("r", r.IntN(3000)))))
			}
		})
		all.Go(func() {
			r, agent := rand.New(rand.NewPCG(seed, 2)), c.FromAgent()
			for range 600 {
				s, id := fmt.Sprint("s", r.IntN(30)), fmt.Sprint(r.IntN(5))
				through(agent, []func() string{
					func() string { return result(10+r.IntN(200), `{"sessionId":"`+s+`"}`) },
					func() string { return result(10+r.IntN(200), `{"sessionId":"`+s+`"}`) },
					func() string {
						return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}`, 10+r.IntN(200))
					},
					func() string { return itemsUpdate(s, id, strings.Repeat("i", r.IntN(80_000))) },
					func() string { return planUpdate(s, id, "Prose.\n"+strings.Repeat("- [ ] step\n", r.IntN(1000))) },
					func() string { return fileOf(s, r.IntN(3)) },
					func() string { return todowrite(s, "c"+id, fmt.Sprint(r.IntN(9))) },
					func() string { return call(7, "session/request_permission", `{"sessionId":"`+s+`"}`) },
					func() string { return planLine(s, []string{"", "x"}[r.IntN(2)]) },
				}[r.IntN(9)]())
				if r.IntN(3) == 0 {
					agent.Flush(nil, false)
				}
			}
		})
		all.Go(func() {
			for range 200 {
				for _, f := range c.Files() {
					c.FileRead(nil, f, fmt.Sprint("- [ ] b", rand.IntN(9), "\n"), nil)
				}
				c.Busy()
			}
		})
		all.Wait()
		counted(t, c)
	}
}

func TestEntriesAndCallsCountAsState(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	c := old(options{MaxBytes: 2 << 20, Settings: settings{ShowAs: AsMessage, Prose: true}})
	doc := strings.Repeat("- [ ] "+strings.Repeat("步", 187)+"\n", 85)
	for i := range 50 {
		through(c.FromAgent(), planUpdate(fmt.Sprint("s", i), "p", doc))
	}
	counted(t, c)

	c = old(options{Settings: settings{Tools: shipped()}})
	agent := c.FromAgent()
	through(c.FromClient(), call(1, "session/load", `{"sessionId":"s"}`))
	through(agent, todowrite("s", "c", "a"))
	through(agent, result(1, `{}`))
	for i := range 500 {
		through(agent, toolLine("tool_call", "s", fmt.Sprintf("toolu_%024d", i), `"title":"bash","rawInput":{"x":"y"}`))
	}
	if s := c.find("s"); s.now.todos.Size() > 100_000 {
		t.Errorf("%d bytes are counted of 256 calls", s.now.todos.Size())
	}
	if got := through(agent, todowrite("s", "z", "b")); !strings.Contains(got, `"entries":[{"content":"b"`) {
		t.Errorf("a small plan is not shown at once behind many calls: %s", got)
	}
	counted(t, c)
}

// FileRead, and a message without a session id, use their session.
func TestASessionInUseIsNotEvicted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	filled := func(opts options, line string) *relay {
		opts.MaxBytes = 8 << 20
		c := old(opts)
		through(c.FromAgent(), line)
		for n := 0; c.c.Size() < 8<<20-150_000; n++ {
			through(c.FromAgent(), itemsUpdate(fmt.Sprint("s", n), "p", strings.Repeat("i", 70_000)))
		}
		return c
	}
	c := filled(options{Settings: settings{Prose: true}, ReadFile: func(string, []string) (string, error) { return "", ErrLater }}, fileOf("f", 1))
	if out := c.FileRead(nil, c.Files()[0], "Prose.\n"+strings.Repeat("- [ ] a step of the plan\n", 9000), nil); len(out) == 0 {
		t.Error("what was read is not shown")
	}
	counted(t, c)
	c = filled(options{Settings: settings{Tools: shipped()}}, toolLine("tool_call", "f", "c", `"title":"x"`))
	through(c.FromAgent(), `{"jsonrpc":"2.0","method":"cursor/update_todos","params":{"toolCallId":"c","todos":[{"id":"1","content":"`+strings.Repeat("x", 300_000)+`"}]}}`)
	if out := flushed(c.FromAgent(), false); !strings.Contains(string(out), `"sessionId":"f"`) {
		t.Error("the plan is not shown")
	}
	counted(t, c)
}

// The plans that count are decided when no request that opens the session is pending any more.
func TestPlansAfterLoadsInAnyOrder(t *testing.T) {
	no := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}`, id)
	}
	for name, test := range map[string]struct {
		methods []string // of the requests 1 and 2
		answers []string
		want    string
	}{
		"a load before a resume": {[]string{"session/load", "session/resume"}, []string{result(1, `{}`), result(2, `{}`)}, "replayed"},
		"a resume before a load": {[]string{"session/load", "session/resume"}, []string{result(2, `{}`), result(1, `{}`)}, "replayed"},
		"two loads":              {[]string{"session/load", "session/load"}, []string{result(1, `{}`), no(2)}, "replayed"},
		"both are refused":       {[]string{"session/load", "session/load"}, []string{no(2), no(1)}, "kept,replayed"},
	} {
		c := old(options{})
		agent := c.FromAgent()
		through(agent, itemsUpdate("s", "p", "kept"))
		for i, method := range test.methods {
			through(c.FromClient(), call(i+1, method, `{"sessionId":"s"}`))
		}
		out := through(agent, itemsUpdate("s", "q", "replayed"))
		for _, answer := range test.answers {
			out += through(agent, answer) + string(flushed(agent, false))
		}
		if got := contents(out[strings.LastIndex(out, `"entries"`)+1:]); got != test.want {
			t.Errorf("%s: shown are %q, want %q", name, got, test.want)
		}
		counted(t, c)
	}
	c := old(options{})
	through(c.FromAgent(), itemsUpdate("s", "p", "kept"))
	through(c.FromClient(), call(1, "session/load", `{"sessionId":"s"}`))
	for i := range maxRequests + 10 {
		through(c.FromClient(), call(10+i, "session/prompt", `{"sessionId":"t","prompt":[]}`))
	}
	counted(t, c) // the load is forgotten
}

// While a session is loaded, updates change both its old plans and its replayed plans.
func TestReplayedPlansAreSeparate(t *testing.T) {
	c := capable(options{Settings: settings{Tools: shipped()}})
	agent := c.FromAgent()
	through(agent, itemsUpdate("s", "p", "own"))
	through(c.FromClient(), call(1, "session/load", `{"sessionId":"s"}`))
	out := through(agent, itemsUpdate("s", "p", "own")) + through(agent, todowrite("s", "c", "of a tool")) + through(agent, result(1, `{}`))
	if strings.Contains(out, `"sessionUpdate":"plan",`) {
		t.Errorf("a plan is made of todo tools beside the agent's own: %s", out)
	}
	c = old(options{ReadFile: func(string, []string) (string, error) { return "", ErrLater }})
	agent = c.FromAgent()
	through(agent, fileOf("s", 1))
	f := c.Files()[0]
	through(c.FromClient(), call(1, "session/load", `{"sessionId":"s"}`))
	c.FileRead(nil, f, "- [ ] taken back\n", nil)
	if out := through(agent, result(1, `{}`)); strings.Contains(out, "taken back") {
		t.Errorf("a file is shown that was not replayed: %s", out)
	}
}

func TestARefusedNewSessionRemovesNoKnownSession(t *testing.T) {
	c := old(options{})
	agent := c.FromAgent()
	through(agent, itemsUpdate("of a subagent", "p", "one"))
	through(c.FromClient(), call(1, "session/new", `{"cwd":"/"}`))
	out := through(agent, itemsUpdate("of a subagent", "p", "two")) + through(agent, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`)
	if !strings.Contains(out, `"content":"two"`) {
		t.Errorf("the plan is lost: %s", out)
	}
}

func TestTheOutputForOneLineIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	version := 0
	c := old(options{ReadFile: func(uri string, _ []string) (string, error) {
		return strings.Repeat(fmt.Sprint("- [ ] ", strings.Repeat("步", 190), version, uri[8:], "\n"), 99), nil
	}})
	agent := c.FromAgent()
	for s := range 4 {
		for i := range 20 {
			through(agent, fileOf(fmt.Sprint("s", s), i))
		}
	}
	flushed(agent, false)
	through(c.FromClient(), `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[]}}`)
	version++
	if out := through(agent, result(3, `{}`)); strings.Count(out, `"sessionUpdate":"plan"`) > 4 {
		t.Errorf("%d bytes before one answer", len(out))
	}

	c = old(options{})
	agent = c.FromAgent()
	for i := range 10 {
		through(agent, itemsUpdate("s", fmt.Sprint("p", i), strings.Repeat("x", 5000)))
	}
	batch := "[" + strings.TrimSuffix(strings.Repeat(itemsUpdate("s", "small", "1")+","+itemsUpdate("s", "small", "2")+",", 1000), ",") + "]"
	out := through(agent, batch) + string(flushed(agent, false))
	if len(out) > 4*maxMade || !strings.Contains(out[len(out)-200:], `{"content":"2"`) {
		t.Errorf("a batch of %d bytes became %d: %.200s", len(batch), len(out), out[max(0, len(out)-200):])
	}
}

func TestALargePlanGoesBeforeItsQuestion(t *testing.T) {
	agent := old(options{}).FromAgent()
	for _, session := range []string{"r", "s"} {
		if got := through(agent, itemsUpdate(session, "p", strings.Repeat("x", 70_000))); got != "" {
			t.Errorf("a large plan is shown at once: %.100s", got)
		}
	}
	var got []string
	for line := range strings.Lines(through(agent, call(9, "session/request_permission", `{"sessionId":"s"}`))) {
		msg, _ := wire.Parse([]byte(line), "params")
		method, _ := msg.Text("method")
		session, _ := msg.Open("params").Text("sessionId")
		got = append(got, method+" "+session)
	}
	if want := "[session/update s session/update r session/request_permission s]"; fmt.Sprint(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A document that is too large before a question waits for the end of the turn. If it is too large
// there, it follows at the next pause.
func TestDocumentsThatAreTooLargeFollowTheTurn(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	text := strings.Repeat("Mind this. ", 45_000) + "\n\n- [ ] a"
	for i := range 9 {
		through(agent, planUpdate("s", fmt.Sprint(i), text))
	}
	flushed(agent, false)
	const question = `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`
	for _, line := range []string{question, answerS} {
		if got := through(agent, line); got != line+"\n" {
			t.Errorf("%d bytes go before or behind %s", len(got), line)
		}
		got := strings.Count(string(flushed(agent, false)), `"agent_message_chunk"`)
		if want := map[string]int{question: 0, answerS: 9}[line]; got != want {
			t.Errorf("%d documents are shown after %s, want %d", got, line, want)
		}
	}
}
