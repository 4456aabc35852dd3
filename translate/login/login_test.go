package login_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/login"
)

// A bench is the two directions around the adapter, and what each peer was sent.
type bench struct {
	client, agent     *dispatch.Direction
	toClient, toAgent []string
}

func newBench(method string) *bench {
	b := &bench{}
	c := conversation.New(conversation.Options{})
	own := dispatch.NewOwnRequests("own-")
	a := login.New(login.Options{
		Conversation: c, Own: own,
		Method: func(_, _ conversation.Implementation) string { return method },
		Send: func(to dispatch.Side, line []byte) bool {
			if to == dispatch.Agent {
				b.toAgent = append(b.toAgent, string(line))
			} else {
				b.toClient = append(b.toClient, string(line))
			}
			return true
		},
	})
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own})
	b.client, b.agent = d.FromClient(), d.FromAgent()
	b.says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	b.says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1}}`)
	b.toClient, b.toAgent = nil, nil
	return b
}

// says has a peer send a line.
func (b *bench) says(from dispatch.Side, line string) {
	d, to := b.client, &b.toAgent
	if from == dispatch.Agent {
		d, to = b.agent, &b.toClient
	}
	out, _ := wire.Apply(d, nil, []byte(line+"\n"))
	for line := range bytes.Lines(out) {
		*to = append(*to, string(line))
	}
}

func id(line string) string {
	o, _ := wire.Parse([]byte(line))
	return string(o.Raw("id"))
}

// Whatever the agent answers, in whichever order: each request of the client is answered once, in
// the agent's own words, and authenticate is never pending twice.
func TestEachRequestIsAnsweredOnce(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBench("key")
		sent, answered, logins := 0, map[string]int{}, 0
		var pending []string // ids of what the agent has to answer
		read := func() {
			for _, line := range b.toAgent {
				if strings.Contains(line, `"authenticate"`) {
					logins++
				}
				pending = append(pending, id(line))
			}
			for _, line := range b.toClient {
				answered[id(line)]++
				if strings.Contains(line, "own-") {
					t.Fatalf("seed %d: the client gets %s", seed, line)
				}
			}
			b.toAgent, b.toClient = nil, nil
			if logins > 1 {
				t.Fatalf("seed %d: %d logins are pending", seed, logins)
			}
		}
		answer := func() {
			i := random.IntN(len(pending))
			of := pending[i]
			pending = append(pending[:i], pending[i+1:]...)
			if strings.HasPrefix(of, `"own-`) {
				logins--
			}
			b.says(dispatch.Agent, `{"id":`+of+[]string{
				`,"result":{}}`, `,"result":null}`, `,"error":{"code":-32000,"message":"log in"}}`, `,"error":{"code":-32603,"message":"no"}}`,
			}[random.IntN(4)])
			read()
		}
		for range 30 {
			if len(pending) > 0 && random.IntN(2) == 0 {
				answer()
				continue
			}
			sent++
			b.says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":%q,"params":{"sessionId":"s","cwd":"/"}}`, sent,
				[]string{"session/new", "session/load", "session/resume", "session/prompt"}[random.IntN(4)]))
			read()
		}
		for len(pending) > 0 {
			answer()
		}
		for n := range sent {
			if got := answered[fmt.Sprint(n+1)]; got != 1 {
				t.Fatalf("seed %d: request %d is answered %d times", seed, n+1, got)
			}
		}
	}
}

// A request whose id is used again while the login is pending is forgotten: it takes no room from
// those that come later.
func TestRequestsThatEndedTakeNoRoom(t *testing.T) {
	b := newBench("key")
	const refusal = `{"id":1,"error":{"code":-32000,"message":"log in"}}`
	for n := range 100 {
		b.says(dispatch.Client, `{"id":1,"method":"session/new","params":{"cwd":"/"}}`)
		b.toAgent = nil
		b.says(dispatch.Agent, refusal)
		if len(b.toAgent) != 1 || !strings.Contains(b.toAgent[0], `"authenticate"`) {
			t.Fatalf("after %d logins the agent gets %q", n, b.toAgent)
		}
		b.says(dispatch.Client, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
		b.says(dispatch.Agent, `{"id":`+id(b.toAgent[0])+`,"result":{}}`)
		b.says(dispatch.Agent, `{"id":1,"result":{}}`)
	}
}

// FuzzNothingToDo: without a method, and of what is refused for other reasons, no byte changes.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`), []byte(`{"id":1,"error":{"code":-32603}}`), true)
	f.Add([]byte(`[{"id":1,"method":"session/new"}]`), []byte(`[{"id":1,"result":{"sessionId":"\u0073"}}]`), false)
	f.Fuzz(func(t *testing.T, request, response []byte, on bool) {
		if bytes.ContainsAny(request, "\n") || bytes.ContainsAny(response, "\n") || bytes.Contains(request, []byte("cancel")) ||
			bytes.Contains(response, []byte("own-")) || bytes.Contains(response, []byte("32000")) || bytes.Contains(response, []byte(`\u`)) {
			return
		}
		b := newBench(map[bool]string{true: "key"}[on])
		b.says(dispatch.Client, string(request))
		b.says(dispatch.Agent, string(response))
		if got := strings.Join(b.toAgent, ""); got != string(request)+"\n" {
			t.Errorf("the agent gets %q", got)
		}
		if got := strings.Join(b.toClient, ""); got != string(response)+"\n" {
			t.Errorf("the client gets %q", got)
		}
	})
}
