package login_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/login"
)

// A bench is the two directions around the adapter, and what each peer was sent.
type bench struct {
	conversation      *conversation.Conversation
	client, agent     *dispatch.Direction
	toClient, toAgent []string
}

func newBench(method string) *bench {
	c := conversation.New(conversation.Options{})
	b := &bench{conversation: c}
	own := dispatch.NewOwnRequests("own-")
	a := login.New(login.Options{
		Conversation: c, Own: own,
		Method: func(_, _ conversation.Implementation) string { return method },
	})
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	b.client, b.agent = d.FromClient(), d.FromAgent()
	b.says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	b.says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1}}`)
	b.toClient, b.toAgent = nil, nil
	return b
}

// says has a peer send a line. What changes it has a reason.
func (b *bench) says(from dispatch.Side, line string) {
	d, to := b.client, &b.toAgent
	if from == dispatch.Agent {
		d, to = b.agent, &b.toClient
	}
	out, by := wire.Apply(d, nil, []byte(line+"\n"))
	if string(out) != line+"\n" && slices.ContainsFunc(by.By, func(c wire.Cause) bool { return c.Why == "" }) {
		panic("without a reason it became " + string(out))
	}
	for line := range bytes.Lines(out) {
		*to = append(*to, string(line))
	}
	for more := true; more; {
		toAgent, toClient := wire.DrainAll(b.client), wire.DrainAll(b.agent)
		for line := range bytes.Lines(toAgent) {
			b.toAgent = append(b.toAgent, string(line))
		}
		for line := range bytes.Lines(toClient) {
			b.toClient = append(b.toClient, string(line))
		}
		more = len(toAgent)+len(toClient) > 0
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

const (
	prompt  = `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`
	refusal = `{"id":1,"error":{"code":-32000,"message":"log in"}}`
)

// What cannot be answered by a login is answered as without one.
func TestAnAgentThatTakesNoLogin(t *testing.T) {
	b := newBench("key")
	b.says(dispatch.Client, prompt)
	b.client.Close()
	b.says(dispatch.Agent, refusal)
	if len(b.toClient) != 1 || b.toClient[0] != refusal+"\n" || b.conversation.Busy() {
		t.Errorf("the client gets %q, pending: %v", b.toClient, b.conversation.Busy())
	}
}

// Another agent may take the login that the one before it did not, unless it is of another version.
func TestAnotherAgentIsAskedAnew(t *testing.T) {
	for version, want := range map[string]int{"1": 1, "2": 0} {
		b := newBench("key")
		b.says(dispatch.Client, prompt)
		b.says(dispatch.Agent, refusal)
		b.says(dispatch.Agent, `{"id":`+id(b.toAgent[1])+`,"error":{"code":1,"message":"no"}}`)
		b.says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1}}`)
		b.says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":`+version+`}}`)
		b.says(dispatch.Client, prompt)
		b.toAgent = nil
		if b.says(dispatch.Agent, refusal); len(b.toAgent) != want {
			t.Errorf("version %s: the agent gets %q", version, b.toAgent)
		}
	}
}

// A prompt that is cancelled while it waits has ended, and is not sent again.
func TestACancelledPromptIsNotSentAgain(t *testing.T) {
	b := newBench("key")
	b.says(dispatch.Client, prompt)
	b.says(dispatch.Agent, refusal)
	b.says(dispatch.Client, `{"method":"session/cancel","params":{"sessionId":"other"}}`)
	if len(b.toClient) != 0 || !b.conversation.Busy() {
		t.Errorf("before it is cancelled the client gets %q", b.toClient)
	}
	b.says(dispatch.Client, `{"method":"session/cancel","params":{"sessionId":"s"}}`)
	if len(b.toClient) != 1 || !strings.Contains(b.toClient[0], `"id":1,"result":{"stopReason":"cancelled"}`) || b.conversation.Busy() {
		t.Errorf("the client gets %q, pending: %v", b.toClient, b.conversation.Busy())
	}
	login := id(b.toAgent[1])
	b.toAgent = nil
	if b.says(dispatch.Agent, `{"id":`+login+`,"result":{}}`); len(b.toAgent) != 0 {
		t.Errorf("the agent gets %q", b.toAgent)
	}
}

// A login that works and does not help is not tried again.
func TestALoginThatDoesNotHelp(t *testing.T) {
	b := newBench("key")
	b.says(dispatch.Client, prompt)
	b.says(dispatch.Agent, refusal)
	b.says(dispatch.Agent, `{"id":`+id(b.toAgent[1])+`,"result":{}}`)
	for n := range 2 { // the request that was sent again, and one more
		b.toAgent = nil
		b.says(dispatch.Agent, refusal)
		if len(b.toAgent) != 0 || len(b.toClient) != n+1 {
			t.Errorf("the agent gets %q, the client %q", b.toAgent, b.toClient)
		}
		b.says(dispatch.Client, prompt)
	}
}

// The response to a refused request is the agent's first one unless the login has clearly worked.
func TestOnlyALoginThatWorkedCounts(t *testing.T) {
	for response, works := range map[string]bool{
		`"result":{}`: true, `"result":null`: true, `"result":{},"error":null`: true,
		`"error":{"code":1}`: false, `"result":null,"error":{"code":1}`: false, `"result":{},"error":{"code":1}`: false,
	} {
		b := newBench("key")
		b.says(dispatch.Client, prompt)
		b.says(dispatch.Agent, refusal)
		b.says(dispatch.Agent, `{"id":`+id(b.toAgent[1])+`,`+response+`}`)
		if isAgain, isRefused := len(b.toAgent) == 3, len(b.toClient) == 1; isAgain != works || isRefused == works {
			t.Errorf("after %s the agent gets %q, the client %q", response, b.toAgent, b.toClient)
		}
	}
}

// After a login that failed none is tried until the client has logged in itself.
func TestAFailedLoginIsNotTriedAgain(t *testing.T) {
	b := newBench("key")
	b.says(dispatch.Client, prompt)
	b.says(dispatch.Agent, refusal)
	b.says(dispatch.Agent, `{"id":`+id(b.toAgent[1])+`,"error":{"code":1,"message":"no"}}`)
	logins := func() (n int) {
		b.toAgent = nil
		b.says(dispatch.Client, prompt)
		b.says(dispatch.Agent, refusal)
		return strings.Count(strings.Join(b.toAgent, ""), "authenticate")
	}
	for _, test := range []struct {
		result string
		want   int
	}{{`"error":{"code":1,"message":"no"}`, 0}, {`"result":null`, 1}} {
		b.says(dispatch.Client, `{"id":2,"method":"authenticate","params":{"methodId":"other"}}`)
		b.says(dispatch.Agent, `{"id":2,`+test.result+`}`)
		if got := logins(); got != test.want {
			t.Errorf("after %s there are %d logins", test.result, got)
		}
	}
}

// What is kept to be sent again is bounded, and takes room while it is pending only.
func TestRequestsAreKeptUpToABound(t *testing.T) {
	b := newBench("key")
	long := func(id string) {
		line := `{"id":` + id + `,"method":"session/prompt","params":{"sessionId":"s"}`
		b.says(dispatch.Client, line+strings.Repeat(" ", 2200<<10)+"}")
	}
	for range 2 {
		long("null") // waits for no response
		long("1")
		long("2")
		b.toAgent, b.toClient = nil, nil
		b.says(dispatch.Agent, `{"id":2,"error":{"code":-32000,"message":"log in"}}`)
		if len(b.toAgent) != 0 || len(b.toClient) != 1 {
			t.Errorf("over the bound the agent gets %q, the client %q", b.toAgent, b.toClient)
		}
		b.says(dispatch.Agent, `{"id":1,"result":{}}`)
	}
	long("1")
	b.toAgent = nil
	if b.says(dispatch.Agent, refusal); len(b.toAgent) != 1 {
		t.Errorf("with room again the agent gets %q", b.toAgent)
	}
}

// A request that was pending when a login failed is refused in the agent's words.
func TestALoginThatFailedIsNotRepeatedForOthers(t *testing.T) {
	b := newBench("key")
	b.says(dispatch.Client, prompt)
	b.says(dispatch.Client, `{"id":2,"method":"session/new","params":{"cwd":"/"}}`)
	b.says(dispatch.Agent, refusal)
	b.says(dispatch.Agent, `{"id":`+id(b.toAgent[2])+`,"error":{"code":1,"message":"no"}}`)
	b.says(dispatch.Agent, `{"id":2,"error":{"code":-32000,"message":"log in"}}`)
	if len(b.toAgent) != 3 || len(b.toClient) != 2 || id(b.toClient[1]) != "2" {
		t.Errorf("the agent gets %q, the client %q", b.toAgent, b.toClient)
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
