package dispatch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A recorder is an adapter that wants all messages, and puts its name around them.
type recorder struct {
	Base
	name   string
	panics string // the method of the adapter that does
	seen   []string
}

func (r *recorder) panicsIn(method string) {
	if r.panics == method {
		panic("a mistake in " + method)
	}
}

func (r *recorder) Name() string { return r.name }

func (r *recorder) Wants() []Want {
	r.panicsIn("Wants")
	var wants []Want
	for _, side := range []Side{Client, Agent} {
		wants = append(wants, Want{From: side, Methods: []string{"*"}, Updates: []string{"plan"}, Responses: []string{"x"}, Lines: r.panics == "Look"})
	}
	return wants
}

func (r *recorder) Observe(conversation.Event) { r.panicsIn("Observe") }

func (r *recorder) Awaits(Side, string) bool {
	r.panicsIn("Awaits")
	return false
}

func (r *recorder) Look(Side, []byte, bool) wire.Verdict {
	r.panicsIn("Look")
	return wire.Hold
}

func (r *recorder) Cares(Side, wire.Head, *conversation.Request) Care {
	r.panicsIn("Cares")
	return Yes
}

func (r *recorder) Handle(m *Message) {
	r.seen = append(r.seen, strings.TrimSpace(string(m.Line)))
	m.Before([]byte(`{"method":"before ` + r.name + `"}` + "\n"))
	m.After([]byte(`{"method":"after ` + r.name + `"}` + "\n"))
	r.panicsIn("Handle")
}

func (r *recorder) Unread(*Message, error) { r.panicsIn("Unread") }

func (r *recorder) Flush(*Message, bool) { r.panicsIn("Flush") }

// A methodRecorder is a recorder that wants only one method.
type methodRecorder struct{ recorder }

func (o *methodRecorder) Wants() []Want {
	return []Want{{From: Agent, Methods: []string{"m"}}, {From: Client, Methods: []string{"m"}}}
}

func through(look wire.Interceptor, line string) string {
	out, _ := wire.Apply(look, nil, []byte(line+"\n"))
	return strings.ReplaceAll(strings.TrimSuffix(string(out), "\n"), "\n", " ")
}

// Lines of the agent reach the first adapter first, lines of the client reach the last one first.
// An adapter puts its lines outside of those of the adapters before it.
func TestTheOrderOfAdapters(t *testing.T) {
	a, b := &methodRecorder{recorder{name: "a"}}, &methodRecorder{recorder{name: "b"}}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{a, b}})
	for _, test := range []struct {
		from        *Direction
		line, want  string
		first, last *methodRecorder
	}{
		{d.FromAgent(), `{"method":"m"}`, `{"method":"before a"} {"method":"before b"} {"method":"m"} {"method":"after b"} {"method":"after a"}`, a, b},
		{d.FromClient(), `{"method":"m"}`, `{"method":"before b"} {"method":"before a"} {"method":"m"} {"method":"after a"} {"method":"after b"}`, b, a},
		{d.FromAgent(), `[{"method":"m"}, {"method":"n"}]`, `{"method":"before a"} {"method":"before b"} [{"method":"m"}, {"method":"n"}] {"method":"after b"} {"method":"after a"}`, a, b},
		{d.FromAgent(), `{"method":"n"}`, `{"method":"n"}`, nil, nil},
		{d.FromAgent(), `{"id":1,"method":"initialize"}`, `{"id":1,"method":"initialize"}`, nil, nil}, // only the client's means something
	} {
		if got := through(test.from, test.line); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.line, got, test.want)
		}
	}
}

func TestAPanicSwitchesOneAdapterOff(t *testing.T) {
	for _, method := range []string{"Wants", "Observe", "Awaits", "Look", "Cares", "Handle", "Unread", "Flush"} {
		t.Run(method, func(t *testing.T) {
			told := 0
			bad, good := &recorder{name: "bad", panics: method}, &methodRecorder{recorder{name: "good"}}
			d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{bad, good}, Events: Events{
				Panicked: func(reason any, stack []byte) {
					if told++; fmt.Sprint(reason) != "a mistake in "+method || !strings.Contains(string(stack), "panicsIn") {
						t.Errorf("told %v: %s", reason, stack)
					}
				},
			}})
			client, agent := d.FromClient(), d.FromAgent()
			through(client, `{"id":0,"method":"initialize","params":{}}`)
			through(client, `{"id":1,"method":"x"}`)
			through(agent, `{"id":1,"result":{}}`)
			through(agent, `{"method":"m","params":{},"params":{}}`)
			through(agent, `{"method":"m"}`)
			agent.Flush(nil, true)
			if told != 1 {
				t.Errorf("told %d times", told)
			}
			good.seen = nil
			want := `{"method":"before good"} {"method":"m"} {"method":"after good"}`
			if got := through(agent, `{"method":"m"}`); got != want || len(good.seen) != 1 {
				t.Errorf("then it is %s, handed over %q", got, good.seen)
			}
		})
	}
}

func TestAnUnwantedStreamTakesNoLockAndNoMemory(t *testing.T) {
	c := conversation.New(conversation.Options{})
	d := New(c, Options{Adapters: []Adapter{&methodRecorder{recorder{name: "a"}}, &recorder{name: "b"}}})
	through(d.FromClient(), `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`)
	agent := d.FromAgent()
	chunk := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}` + "\n")
	for range 2 {
		if n := testing.AllocsPerRun(100, func() {
			if agent.Inspect(chunk, true) != wire.Pass {
				t.Fatal("held")
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
		agent.forget() // the second time by reading it
	}
}

// Both sides use the same ids.
func TestOnlyWantedResponsesAreHeld(t *testing.T) {
	c := conversation.New(conversation.Options{})
	d := New(c, Options{Adapters: []Adapter{&recorder{name: "a"}}})
	client, agent := d.FromClient(), d.FromAgent()
	through(client, `{"id":1,"method":"x"}`)
	through(client, `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
	for _, test := range []struct {
		from *Direction
		head string
		want wire.Verdict
	}{
		{agent, `{"id":1,"result":{`, wire.Hold},
		{agent, `{"id":2,"result":{`, wire.Pass},
		{agent, `{"id":3,"result":{`, wire.Pass},
		{agent, `{"result":{`, wire.More},
		{client, `{"id":1,"result":{`, wire.Pass},
		{client, `{"result":{`, wire.Pass},
	} {
		if got := test.from.Inspect([]byte(test.head), false); got != test.want {
			t.Errorf("%s: %v, want %v", test.head, got, test.want)
		}
	}
	if c.Busy() {
		t.Error("the prompt is under way though its response has passed")
	}
	if through(client, `{"id":3,"method":"y"}`); c.Pending(Client, []byte("3")) == nil {
		t.Error("a request of the client is not kept, so it gets no error if the agent ends")
	}
	if through(agent, `{"id":3,"method":"y"}`); c.Pending(Agent, []byte("3")) != nil {
		t.Error("a request of the agent is kept whose response nobody wants")
	}
}

// FuzzNobodyWants: without wants the output is the input, for a line and for its pieces.
func FuzzNobodyWants(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"method":"session/new","params":{"cwd":"/"}}`, `{"id":1,"result":{"sessionId":"s"}}`, `[{"id":1,"result":{}},3]`, `npm WARN`, "", `{"a":{"b":1,"b":2}}`,
		`{"id":0,"method":"initialize","params":{"clientCapabilities":{},"clientCapabilities":{}}}`, "\xef\xbb\xbf{}", `{"id":"ours","result":{}} x`,
	} {
		f.Add([]byte(line), []byte(line))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		c := conversation.New(conversation.Options{})
		d := New(c, Options{Adapters: []Adapter{leaver{}}})
		for _, line := range [][]byte{first, second} {
			if bytes.IndexByte(line, '\n') >= 0 {
				return
			}
			for _, look := range []*Direction{d.FromClient(), d.FromAgent()} {
				look.Inspect(line[:len(line)/2], false)
				if out, _ := look.Rewrite(nil, line); !bytes.Equal(out, line) {
					t.Fatalf("%q became %q", line, out)
				}
			}
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// A leaver wants all messages and does not change them.
type leaver struct{ Base }

func (leaver) Name() string { return "leaves" }

func (leaver) Wants() []Want {
	return []Want{{From: Client, Lines: true, Sessions: true}, {From: Agent, Lines: true, Methods: []string{"*"}}}
}

// A splitter replaces each message by two.
type splitter struct{ methodRecorder }

func (s *splitter) Handle(m *Message) { m.Replace(bytes.Clone(m.Line), bytes.Clone(m.Line)) }

// A sizer notes the line of each message.
type sizer struct {
	methodRecorder
	lines []string
}

func (s *sizer) Handle(m *Message) { s.lines = append(s.lines, fmt.Sprint(m.Number, " of ", m.Size)) }

func TestReplacementsBelongToTheSameLine(t *testing.T) {
	last := &sizer{}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{&splitter{}, last}})
	agent := d.FromAgent()
	through(agent, `{"method":"m"}`)
	through(agent, `[{"method":"m"}]`)
	if got := strings.Join(last.lines, ", "); got != "1 of 15, 1 of 15, 2 of 17, 2 of 17" {
		t.Errorf("got %s", got)
	}
}

// A corrector replaces each request by two before the conversation is updated.
type corrector struct{ methodRecorder }

func (*corrector) Corrects(from Side) bool { return from == Client }

func (*corrector) Handle(m *Message) {
	m.Replace([]byte(`{"id":1,"method":"m"}`+"\n"), []byte(`{"id":2,"method":"session/load","params":{"sessionId":"s"}}`+"\n"))
}

func TestEachCorrectedRequestIsPending(t *testing.T) {
	c := conversation.New(conversation.Options{})
	client := New(c, Options{Adapters: []Adapter{&corrector{}}}).FromClient()
	through(client, `{"id":1,"method":"m"}`)
	if c.Pending(Client, []byte("1")) == nil || !c.Opening("s") {
		t.Error("a request is not pending")
	}
}

// A renamer changes the method of each message.
type renamer struct{ methodRecorder }

func (r *renamer) Handle(m *Message) { m.Replace([]byte(`{"method":"n"}` + "\n")) }

// A beginner turns each message into initialize.
type beginner struct{ methodRecorder }

func (*beginner) Handle(m *Message) {
	m.Replace([]byte(`{"id":1,"method":"initialize","params":{}}` + "\n"))
}

// Even if another adapter made it.
func TestAllAdaptersGetInitialize(t *testing.T) {
	last := &methodRecorder{recorder{name: "last"}}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{last, &beginner{}}})
	through(d.FromClient(), `{"id":1,"method":"m"}`)
	if len(last.seen) != 1 || !strings.Contains(last.seen[0], "initialize") {
		t.Errorf("it is given %q", last.seen)
	}
}

func TestAReplacedLineIsParsedOnlyIfWanted(t *testing.T) {
	allocations := func(adapters ...Adapter) float64 {
		agent := New(conversation.New(conversation.Options{}), Options{Adapters: adapters}).FromAgent()
		line, out := []byte(`{"method":"m"}`+"\n"), make([]byte, 0, 100)
		return testing.AllocsPerRun(100, func() { wire.Apply(agent, out, line) })
	}
	if alone, followed := allocations(&renamer{}), allocations(&renamer{}, &methodRecorder{}); followed > alone {
		t.Errorf("%v allocations a line, %v without the one that does not want it", followed, alone)
	}
}

func TestAPanicOutsideOfHandleSwitchesOff(t *testing.T) {
	told, asked := 0, 0
	bad, good := &recorder{name: "bad"}, &methodRecorder{recorder{name: "good"}}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{bad, good}, Events: Events{
		Panicked: func(any, []byte) { told++ },
	}})
	agent := d.FromAgent()
	for range 2 {
		d.Make(bad, wire.Reason{}, func() []byte {
			asked++
			panic("a mistake")
		})
		if out, _ := agent.Drain([]byte("before\n")); string(out) != "before\n" {
			t.Errorf("it made %q", out)
		}
	}
	want := `{"method":"before good"} {"method":"m"} {"method":"after good"}`
	if got := through(agent, `{"method":"m"}`); got != want || told != 1 || asked != 1 {
		t.Errorf("then it is %s, told %d times, asked %d times", got, told, asked)
	}
}

// A follower adds a line after each unread message.
type follower struct{ methodRecorder }

func (f *follower) Handle(*Message) {}

func (f *follower) Unread(m *Message, _ error) { m.After([]byte(`{"method":"late"}` + "\n")) }

// Late lines belong to a line that was too long.
func TestLateLinesGoBeforeProducedLines(t *testing.T) {
	f := &follower{}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{f}})
	agent := d.FromAgent()
	agent.TooLong([]byte(`{"method":"m","params":{`))
	d.Make(f, wire.Reason{}, func() []byte { return []byte(`{"method":"produced"}` + "\n") })
	out, _ := agent.Drain(nil)
	if got, want := string(out), `{"method":"late"}`+"\n"+`{"method":"produced"}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
}

// In a batch they are elements of the batch. Only ambiguous messages are reported.
func TestLinesAfterAnUnreadMessageAreNamed(t *testing.T) {
	for _, test := range []struct {
		line, want, by string
		reported       error
	}{
		{`{"method":"m","method":"n"}`, `{"method":"m","method":"n"} {"method":"late"}`, "f", wire.ErrAmbiguous},
		{`{"method":"m","params":{"sessionId":"s","sessionId":"t"}}`, `{"method":"m","params":{"sessionId":"s","sessionId":"t"}} {"method":"late"}`, "f", wire.ErrAmbiguous},
		{`[{"method":"m"},{"method":"m","method":"n"}]`, `[{"method":"m"},{"method":"m","method":"n"},{"method":"late"}]`, "f", nil},
		{`{"method":7,"id":1}`, `{"method":7,"id":1} {"method":"late"}`, "f", nil}, // malformed
		{`{"method":"m"}`, `{"method":"m"}`, "", nil},
	} {
		var reported error
		f := &follower{}
		f.name = "f"
		agent := New(conversation.New(conversation.Options{}), Options{
			Adapters: []Adapter{f},
			Events:   Events{Unread: func(err error) { reported = err }},
		}).FromAgent()
		out, by := wire.Apply(agent, nil, []byte(test.line+"\n"))
		if got := strings.ReplaceAll(strings.TrimSuffix(string(out), "\n"), "\n", " "); got != test.want || strings.Join(by.Names(), " ") != test.by {
			t.Errorf("%s\n got %s by %v\nwant %s by %s", test.line, got, by, test.want, test.by)
		}
		if reported != test.reported {
			t.Errorf("%s: reported %v, want %v", test.line, reported, test.reported)
		}
	}
}

func TestTooManyAdaptersAreRefused(t *testing.T) {
	dispatcher := func(n int) (reason any) {
		defer func() { reason = recover() }()
		adapters := make([]Adapter, n)
		for i := range adapters {
			adapters[i] = &methodRecorder{recorder{name: fmt.Sprint(i)}}
		}
		d := New(conversation.New(conversation.Options{}), Options{Adapters: adapters})
		through(d.FromAgent(), `{"method":"m"}`)
		for i, a := range adapters {
			if len(a.(*methodRecorder).seen) != 1 {
				t.Errorf("of %d adapters, number %d is given nothing", n, i)
			}
		}
		return nil
	}
	if reason := dispatcher(MaxAdapters); reason != nil {
		t.Errorf("%d adapters: %v", MaxAdapters, reason)
	}
	if reason := fmt.Sprint(dispatcher(MaxAdapters + 1)); !strings.Contains(reason, "65 adapters, want at most 64") {
		t.Errorf("one more: %s", reason)
	}
}

// A sessionAdapter makes the conversation know sessions, and batches parsed.
type sessionAdapter struct{ Base }

func (sessionAdapter) Name() string { return "sessioned" }
func (sessionAdapter) Wants() []Want {
	return []Want{{From: Agent, Sessions: true, Methods: []string{"m"}}}
}

// An unreadListener notes the requests of unread responses.
type unreadListener struct {
	sessionAdapter
	answered []string
}

func (l *unreadListener) Unread(m *Message, _ error) {
	if m.Request != nil {
		l.answered = append(l.answered, m.Request.Method)
	}
}

// Some agents respond with only the id. The message passes unchanged.
func TestAResponseWithoutResultEndsItsRequest(t *testing.T) {
	for name, answer := range map[string]string{
		"alone": `{"jsonrpc":"2.0","id":%d}`, "with the id first": `{"id":%d,"jsonrpc":"2.0","_meta":{}}`, "in a batch": `[{"jsonrpc":"2.0","id":%d}]`,
	} {
		c, told := conversation.New(conversation.Options{}), &unreadListener{}
		d := New(c, Options{Adapters: []Adapter{told}})
		client, agent := d.FromClient(), d.FromAgent()
		through(client, `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
		through(client, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
		if through(agent, `{"jsonrpc":"2.0","id":3}`); !c.Busy() || c.Pending(Client, []byte("1")) == nil {
			t.Errorf("%s: an id that nobody asked with ends something", name)
		}
		for id := 1; id <= 2; id++ {
			line := fmt.Sprintf(answer, id)
			if got := through(agent, line); got != line {
				t.Errorf("%s: %s became %s", name, line, got)
			}
		}
		s, ok := c.Find("s")
		if !ok || !s.Known {
			t.Errorf("%s: the session is not open", name)
		}
		if got := strings.Join(told.answered, " "); c.Busy() || got != "session/load session/prompt" {
			t.Errorf("%s: answered are %s, and a prompt is pending: %v", name, got, c.Busy())
		}
	}
}

// It has the id of a pending request.
func TestALineThatIsNotAResponseEndsNoRequest(t *testing.T) {
	for _, line := range []string{`{"jsonrpc":"2.0"}`, `{"id":2,"method":5}`, `{"x":{"id":2}}`, `[{"jsonrpc":"2.0"},{"id":2,"method":null}]`} {
		c := conversation.New(conversation.Options{})
		d := New(c, Options{Adapters: []Adapter{&sessionAdapter{}}})
		through(d.FromClient(), `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
		if got := through(d.FromAgent(), line); got != line || !c.Busy() {
			t.Errorf("%s became %s, and the prompt is pending: %v", line, got, c.Busy())
		}
	}
}

// Another request is pending, too.
func TestAnAmbiguousResponseOpensItsSession(t *testing.T) {
	c := conversation.New(conversation.Options{})
	d := New(c, Options{Adapters: []Adapter{&sessionAdapter{}}})
	client, agent := d.FromClient(), d.FromAgent()
	through(client, `{"id":1,"method":"session/new","params":{"cwd":"/"}}`)
	through(client, `{"id":2,"method":"session/new","params":{"cwd":"/"}}`)
	c.FindNew("s")
	through(agent, `{"id":1,"result":{"sessionId":"s","sessionId":"s"}}`)
	if !c.IsOpen("s") {
		t.Error("the session is not open")
	}
}

// A line that is not JSON is not a response.
func TestALineThatIsTooLongMayBeAResponse(t *testing.T) {
	c := conversation.New(conversation.Options{})
	d := New(c, Options{Adapters: []Adapter{&sessionAdapter{}}})
	client, agent := d.FromClient(), d.FromAgent()
	through(client, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
	if agent.TooLong([]byte("npm WARN")); !c.Opening("s") {
		t.Error("text answers a request")
	}
	if agent.TooLong([]byte(`{"jsonrpc":"2.0","result":{"`)); c.Opening("s") {
		t.Error("a long response answers nothing")
	}
}

// Its session id comes last. Lines that may be anything are held.
func TestALongPromptPasses(t *testing.T) {
	text := strings.Repeat("t", wire.HeadSize)
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{&sessionAdapter{}}})
	client, agent := d.FromClient(), d.FromAgent()
	for _, test := range []struct {
		from *Direction
		head string
		want wire.Verdict
	}{
		{client, `{"id":1,"method":"session/prompt","params":{"prompt":"` + text, wire.Pass},
		{client, `{"id":1,"method":"session/prompt","params":{"prompt":"`, wire.More},
		{client, `{"id":1,"params":{"prompt":"` + text, wire.More},
		{client, `{"method":"session/load","params":{"x":"` + text, wire.More},
		{agent, `{"id":1,"params":{"prompt":"` + text, wire.More},
	} {
		if got := test.from.Inspect([]byte(test.head), false); got != test.want {
			t.Errorf("%.60s: %v, want %v", test.head, got, test.want)
		}
	}
}

// A responseWanter is an adapter that wants only responses of the client.
type responseWanter struct{ Base }

func (responseWanter) Name() string  { return "answered" }
func (responseWanter) Wants() []Want { return []Want{{From: Client, Responses: []string{"x"}}} }

// In a batch, and with the id at the end, too. What may be a request is held in any case: it gets
// an error if the agent ends.
func TestPossibleResponsesToAPendingRequestAreHeld(t *testing.T) {
	text := strings.Repeat("t", wire.HeadSize)
	for line, want := range map[string][2]wire.Verdict{ // before the request, and while it is pending
		`[{"id":1,"result":{}}]`:           {wire.Hold, wire.Hold},
		`{"result":{"x":"` + text:          {wire.Pass, wire.More},
		`{"i\u0064":1,"result":{}}`:        {wire.Hold, wire.Hold},
		`{"id":2,"result":{}}`:             {wire.Pass, wire.Pass},
		`{"method":"y","params":["` + text: {wire.More, wire.More}, // its id may come last
	} {
		d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{&responseWanter{}}})
		client, agent := d.FromClient(), d.FromAgent()
		through(client, `{"id":0,"method":"initialize","params":{}}`)
		through(agent, `{"id":0,"result":{"protocolVersion":1}}`)
		before := client.Inspect([]byte(line), false)
		through(agent, `{"id":1,"method":"x"}`)
		if pending := client.Inspect([]byte(line), false); before != want[0] || pending != want[1] {
			t.Errorf("%.60s: %v, then %v, want %v", line, before, pending, want)
		}
	}
}

// Also if no adapter wants anything, and the head of the line does not tell.
func TestRequestsGetAnErrorWhenTheAgentEnds(t *testing.T) {
	const failure = `{"id":1,"error":{}}`
	for _, line := range []string{
		`{"id":1,"method":"y"}`, `[{"id":1,"method":"y"}]`, `{"i\u0064":1,"method":"y"}`,
		`{"method":"y","params":["` + strings.Repeat("t", wire.HeadSize) + `"],"id":1}`,
	} {
		k := converse(t)
		k.send(Client, `{"id":0,"method":"initialize","params":{}}`)
		k.send(Agent, `{"id":0,"result":{"protocolVersion":1}}`)
		k.send(Client, line)
		k.got = map[Side][]string{}
		k.dispatcher.End(func([]byte) []byte { return []byte(failure + "\n") })
		k.drain()
		t.Logf("%.60s", line)
		k.gets(Client, failure)
	}
}
