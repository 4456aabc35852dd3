package repair_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/dispatch/dispatchtest"
	"acpshim/internal/wire"
	"acpshim/translate/repair"
)

// A fallback is two peers with a Fallback adapter between them.
type fallback struct{ *dispatchtest.Bench }

func newFallback(isOn bool) fallback {
	c, own := conversation.New(conversation.Options{}), dispatch.NewOwnRequests("own-")
	a := repair.NewFallback(c, own, func(_, _ conversation.Implementation) bool { return isOn })
	return fallback{dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own})}
}

// answers sends a line of the agent, and returns what the client gets.
func (f fallback) answers(line string) string {
	out, _ := wire.Apply(f.Agent, nil, []byte(line+"\n"))
	return strings.TrimSuffix(string(out)+string(wire.DrainAll(f.Agent)), "\n")
}

// asked returns the lines that acpshim sends to the agent.
func (f fallback) asked() []string {
	return strings.Split(strings.TrimSuffix(string(wire.DrainAll(f.Client)), "\n"), "\n")
}

const both = `{"id":%d,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{},"info":{}}}`

// The client gets one response to each initialize, whatever the agent responds to both.
func TestEachInitializeHasOneResponse(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		f := newFallback(true)
		answered, asked := map[string]int{}, 0
		answer := func(id string) {
			out := f.answers(`{"id":` + id + []string{
				`,"result":{"protocolVersion":1}}`, `,"result":null}`, `,"error":{"code":-32022}}`, `,"error":{"code":-32602}}`,
				`,"error":{"code":-32600,"message":"which Version?"}}`, `,"error":{"code":-32600}}`,
			}[random.IntN(6)])
			for line := range strings.Lines(out) {
				o, _ := wire.Parse([]byte(line))
				answered[string(o.Raw("id"))]++
			}
		}
		for range 10 {
			asked++
			wire.Apply(f.Client, nil, fmt.Appendf(nil, both, asked))
			answer(fmt.Sprint(asked))
			for _, line := range f.asked() {
				if line == "" {
					continue
				}
				o, _ := wire.Parse([]byte(line), "params")
				if string(o.Open("params").Raw("protocolVersion")) != "1" {
					t.Fatalf("sent %s", line)
				}
				answer(string(o.Raw("id")))
			}
			if n := answered[fmt.Sprint(asked)]; n != 1 || len(answered) != asked {
				t.Fatalf("seed %d: after %d of them %v are answered", seed, asked, answered)
			}
		}
	}
}

// If there are two initialize requests at once, each is sent again.
func TestEachInitializeIsSentAgain(t *testing.T) {
	f := newFallback(true)
	for id := range 2 {
		wire.Apply(f.Client, nil, fmt.Appendf(nil, both, id))
	}
	for id := range 2 {
		got := f.answers(fmt.Sprintf(`{"id":%d,"error":{"code":-32022}}`, id))
		if asked := f.asked(); got != "" || len(asked) != 1 || asked[0] == "" {
			t.Errorf("the client gets %q, the agent %q", got, asked)
		}
	}
}

// If the agent does not read any more, the client gets the refusal.
func TestARefusalOfAVersionReachesTheClient(t *testing.T) {
	f := newFallback(true)
	wire.Apply(f.Client, nil, fmt.Appendf(nil, both, 1))
	f.Client.Close()
	const refusal = `{"id":1,"error":{"code":-32022}}`
	if got := f.answers(refusal); got != refusal {
		t.Errorf("the client gets %q", got)
	}
}

// The response to the second initialize is dropped if the client has reused the id.
func TestResponseForAReusedID(t *testing.T) {
	for again, want := range map[bool]int{false: 1, true: 0} {
		f := newFallback(true)
		wire.Apply(f.Client, nil, fmt.Appendf(nil, both, 1))
		f.answers(`{"id":1,"error":{"code":-32022}}`)
		o, _ := wire.Parse([]byte(f.asked()[0]))
		if again {
			wire.Apply(f.Client, nil, fmt.Appendf(nil, both, 1))
		}
		got := f.answers(`{"id":` + string(o.Raw("id")) + `,"result":{"protocolVersion":1}}`)
		if n := strings.Count(got, "result"); n != want {
			t.Errorf("used again: %v, the client gets %s", again, got)
		}
	}
}

// Other responses, and all if it is off, pass unchanged.
func FuzzNothingToAskAgain(f *testing.F) {
	f.Add([]byte(`{"protocolVersion":2,"info":{}}`), []byte(`{"id":1,"error":{"code":-32022}}`), true)
	f.Add([]byte(`{"protocolVersion":2,"clientInfo":{}}`), []byte(`{"id":1,"error":{"code":-1,"message":"version"}}`), true)
	f.Add([]byte(`{"protocolVersion":2,"clientInfo":{}}`), []byte(`{"id":1,"error":{"code":-32022}}`), false)
	f.Fuzz(func(t *testing.T, params, line []byte, isOn bool) {
		request := fmt.Appendf(nil, `{"id":1,"method":"initialize","params":%s}`, params)
		if bytes.ContainsAny(request, "\n\\") || bytes.ContainsAny(line, "\n\\") || bytes.Contains(line, []byte("own-")) ||
			isOn && bytes.Contains(params, []byte("client")) && bytes.Contains(line, []byte("-320")) || isOn && bytes.Contains(line, []byte("-326")) {
			return
		}
		b := newFallback(isOn)
		b.Passes(t, dispatch.Client, string(request))
		b.Passes(t, dispatch.Agent, string(line))
	})
}
