package dispatch

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/proxy"
)

// A text is a Junk for lines that begin with a letter.
type text struct {
	moves bool
	taken []string
}

func (t *text) Moves() bool          { return t.moves }
func (t *text) IsJunk(b []byte) bool { return b[0] >= 'a' && b[0] <= 'z' }
func (t *text) Take(line []byte)     { t.taken = append(t.taken, string(line)) }

// Either way it is reported once. Junk of the client stays.
func TestJunkIsRemovedOrPasses(t *testing.T) {
	for _, moves := range []bool{true, false} {
		junk := &text{moves: moves}
		d := New(conversation.New(conversation.Options{}), Options{Junk: junk})
		client, agent := d.FromClient(), d.FromAgent()
		beginning, long, rest := wire.Hold, wire.More, ""
		if !moves {
			beginning, long, rest = wire.Pass, wire.Pass, "npm\n"
		}
		for line, want := range map[string]wire.Verdict{"npm": beginning, `{"a":"` + strings.Repeat("a", wire.HeadSize): long} {
			if got := agent.Inspect([]byte(line), false); got != want {
				t.Errorf("taken out %v: %.20s is %v, want %v", moves, line, got, want)
			}
		}
		junk.taken = nil
		out, _ := wire.Apply(agent, nil, []byte("npm\n"))
		if string(out) != rest || !slices.Equal(junk.taken, []string{"npm\n"}) {
			t.Errorf("taken out %v: %q goes on, told of %q", moves, out, junk.taken)
		}
		for _, line := range []string{`{"method":"m"}`, `{"id":1,"result":1}`, `[1]`, `["a`, " ", `{"a":1}`} {
			if got := through(agent, line); got != line {
				t.Errorf("taken out %v: %s became %s", moves, line, got)
			}
		}
		if got := through(client, "npm"); got != "npm" || len(junk.taken) != 1 {
			t.Errorf("taken out %v: the client's becomes %q, told of %q", moves, got, junk.taken)
		}
	}
}

func TestPossibleResponsesToOwnRequestsAreHeld(t *testing.T) {
	own, long := NewOwnRequests("own-"), strings.Repeat("x", wire.HeadSize)
	client := New(conversation.New(conversation.Options{}), Options{Own: own}).FromClient()
	if got := client.Inspect([]byte(`{"result":"`+long), false); got != wire.Pass {
		t.Errorf("before the first one: %v", got)
	}
	own.Begin("test", func(_, _ []byte) []byte { return nil })
	for head, want := range map[string]wire.Verdict{
		`{"result":"` + long:                wire.Hold,
		`{"result":"`:                       wire.More,
		`{"id":"own-1","result":"`:          wire.Consume,
		`{"id":"own-7","result":"`:          wire.Consume,
		`{"id":"other-1","result":"`:        wire.Pass,
		`{"id":1,"method":"m","params":{"`:  wire.Pass,
		`{"method":"m","id":"own-1","x":{"`: wire.Pass,
		`text`:                              wire.Pass,
	} {
		if got := client.Inspect([]byte(head), false); got != want {
			t.Errorf("%.40s: %v, want %v", head, got, want)
		}
	}
	if id := NewOwnRequests("").Begin("test", nil); len(id) < len("acpshim-")+32 || id == NewOwnRequests("").Begin("test", nil) {
		t.Errorf("the id may be guessed: %s", id)
	}
}

// They get the updates of Make.
func TestNoAdapterGetsOwnRequestsOfMake(t *testing.T) {
	maker, next, own := &unreadListener{}, &recorder{name: "next"}, NewOwnRequests("own-")
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{maker, next}, Own: own})
	request := `{"id":"` + own.Begin("test", nil) + `","method":"m"}`
	const update = `{"method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}`
	d.Make(maker, wire.Reason{}, func() []byte { return []byte(request + "\n" + update + "\n") })
	d.FromAgent().Drain(nil)
	if !slices.Equal(next.seen, []string{update}) {
		t.Errorf("given are %q", next.seen)
	}
}

func TestUnreadGetsTheRequestOfItsResponse(t *testing.T) {
	told := &unreadListener{}
	d := New(conversation.New(conversation.Options{}), Options{Adapters: []Adapter{told}})
	client, agent := d.FromClient(), d.FromAgent()
	through(client, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
	through(agent, `{"id":1,"result":{},"result":{}}`)
	through(client, `{"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
	agent.TooLong([]byte(`{"id":2,"result":{`))
	if !slices.Equal(told.answered, []string{"session/load", "session/load"}) {
		t.Errorf("answered are %q", told.answered)
	}
}

func TestAnOwnRequestEndsWithAResponseThatIsTooLong(t *testing.T) {
	own := NewOwnRequests("own-")
	told := 0
	id := own.Begin("a", func(result, failure []byte) []byte {
		if told++; result != nil || failure != nil {
			t.Errorf("it is given %s, %s", result, failure)
		}
		return []byte(`{"method":"made"}` + "\n")
	})
	agent := New(conversation.New(conversation.Options{}), Options{OwnToAgent: own}).FromAgent()
	var out strings.Builder
	in := strings.NewReader(`{"id":"` + id + `","result":"` + strings.Repeat("x", 100<<10) + "\"}\n" + `{"method":"next"}` + "\n")
	if err := proxy.Relay(&out, in, agent, 64<<10); err != nil {
		t.Fatal(err)
	}
	if want := `{"method":"made"}` + "\n" + `{"method":"next"}` + "\n"; told != 1 || out.String() != want {
		t.Errorf("told %d times; the client gets %.200q", told, out.String())
	}
}

func TestAResponseWithANullMethodEndsItsRequest(t *testing.T) {
	a := &actor{name: "a", wants: everything()}
	k := converse(t, a)
	k.send(Client, `{"id":1,"method":"x"}`)
	k.send(Agent, `{"id":1,"method":null,"params":null,"result":{},"error":null}`)
	if len(a.seen) != 2 || k.isPending(Client, "1") {
		t.Errorf("it is given %q; the request is pending: %v", a.seen, k.isPending(Client, "1"))
	}
}

func TestAResponseWithANullMethodEndsAnOwnRequest(t *testing.T) {
	for given, want := range map[string]string{
		`"params":null,"result":{"x":1},"error":null}`: `{"x":1}`,
		`"params":null}`: "",
	} {
		own, told := NewOwnRequests("own-"), []string{}
		id := own.Begin("a", func(result, _ []byte) []byte {
			told = append(told, string(result))
			return nil
		})
		client := New(conversation.New(conversation.Options{}), Options{Own: own}).FromClient()
		if got := through(client, `{"id":"`+id+`","method":null,`+given); got != "" || !slices.Equal(told, []string{want}) {
			t.Errorf("%s: the agent gets %q, told is %q", given, got, told)
		}
	}
}
