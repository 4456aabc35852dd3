package repair_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/repair"
)

// newFallback returns the two directions around a Fallback adapter, and what it sends.
func newFallback(isOn bool, sends bool) (b bench, sent *[]string) {
	sent = &[]string{}
	c, own := conversation.New(conversation.Options{}), dispatch.NewOwnRequests("own-")
	a := repair.NewFallback(repair.FallbackOptions{
		Conversation: c, Own: own,
		IsOn: func(_, _ conversation.Implementation) bool { return isOn },
		Send: func(_ dispatch.Side, line []byte) bool {
			if sends {
				*sent = append(*sent, string(line))
			}
			return sends
		},
	})
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	return bench{d.FromClient(), d.FromAgent()}, sent
}

const both = `{"id":%d,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{},"info":{}}}`

// Whatever the agent answers to either initialize: the client gets one response to each of its own.
func TestEachInitializeIsAnsweredOnce(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		b, sent := newFallback(true, random.IntN(4) > 0)
		answered, asked := map[string]int{}, 0
		answer := func(id string) {
			out, _ := wire.Apply(b.agent, nil, []byte(`{"id":`+id+[]string{
				`,"result":{"protocolVersion":1}}`, `,"result":null}`, `,"error":{"code":-32022}}`, `,"error":{"code":-32602}}`,
				`,"error":{"code":-32600,"message":"which Version?"}}`, `,"error":{"code":-32600}}`,
			}[random.IntN(6)]+"\n"))
			for line := range bytes.Lines(out) {
				o, _ := wire.Parse(line)
				answered[string(o.Raw("id"))]++
			}
		}
		for range 10 {
			asked++
			wire.Apply(b.client, nil, fmt.Appendf(nil, both, asked))
			answer(fmt.Sprint(asked))
			for _, line := range *sent {
				o, _ := wire.Parse([]byte(line), "params")
				if string(o.Open("params").Raw("protocolVersion")) != "1" {
					t.Fatalf("sent %s", line)
				}
				answer(string(o.Raw("id")))
			}
			*sent = nil
			if n := answered[fmt.Sprint(asked)]; n != 1 || len(answered) != asked {
				t.Fatalf("seed %d: after %d of them %v are answered", seed, asked, answered)
			}
		}
	}
}

// Of two initialize requests at once the last one is asked again, and the refusal of the other
// stays.
func TestOnlyTheLastInitializeIsAskedAgain(t *testing.T) {
	b, sent := newFallback(true, true)
	for id := range 2 {
		wire.Apply(b.client, nil, fmt.Appendf(nil, both, id))
	}
	for id, want := range []int{0, 1} {
		refusal := fmt.Sprintf(`{"id":%d,"error":{"code":-32022}}`, id)
		if got := apply(b.agent, refusal); len(*sent) != want || (got == refusal) != (want == 0) {
			t.Errorf("%s became %q, the agent gets %q", refusal, got, *sent)
		}
	}
}

// The response to what is asked again is dropped where the client has used the id again.
func TestAResponseForAnIDThatIsUsedAgain(t *testing.T) {
	for again, want := range map[bool]int{false: 1, true: 0} {
		b, sent := newFallback(true, true)
		wire.Apply(b.client, nil, fmt.Appendf(nil, both, 1))
		apply(b.agent, `{"id":1,"error":{"code":-32022}}`)
		if again {
			wire.Apply(b.client, nil, fmt.Appendf(nil, both, 1))
		}
		o, _ := wire.Parse([]byte((*sent)[0]))
		got := apply(b.agent, `{"id":`+string(o.Raw("id"))+`,"result":{"protocolVersion":1}}`)
		if n := bytes.Count([]byte(got), []byte("result")); n != want {
			t.Errorf("used again: %v, the client gets %s", again, got)
		}
	}
}

// FuzzNothingToAskAgain: what refuses no version, or is switched off, stays as it is.
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
		b, _ := newFallback(isOn, true)
		if out, _ := wire.Apply(b.client, nil, request); !bytes.Equal(out, request) {
			t.Errorf("%q became %q", request, out)
		}
		if out, _ := wire.Apply(b.agent, nil, line); !bytes.Equal(out, line) {
			t.Errorf("%q became %q", line, out)
		}
	})
}
