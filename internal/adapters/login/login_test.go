package login_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/adapters/login"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

func newBench(method string) *dispatchtest.Bench {
	c, own := conversation.New(conversation.Options{}), dispatch.NewOwnRequests("own-")
	a := login.New(c, own, func(_, _ conversation.Implementation) string { return method })
	return dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own}).Negotiate(1)
}

func id(line string) string {
	o, _ := wire.Parse([]byte(line))
	return string(o.Raw("id"))
}

// In any order of responses, each request of the client gets one response of the agent, and
// authenticate is never pending twice.
func TestEachRequestHasOneResponse(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBench("key")
		sent, answered, logins := 0, map[string]int{}, 0
		var pending []string // ids of what the agent has to answer
		read := func() {
			for _, line := range b.ToAgent {
				if strings.Contains(line, `"authenticate"`) {
					logins++
				}
				pending = append(pending, id(line))
			}
			for _, line := range b.ToClient {
				answered[id(line)]++
				if strings.Contains(line, "own-") {
					t.Fatalf("seed %d: the client gets %s", seed, line)
				}
			}
			b.ToAgent, b.ToClient = nil, nil
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
			b.Says(dispatch.Agent, `{"id":`+of+[]string{
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
			b.Says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":%q,"params":{"sessionId":"s","cwd":"/"}}`, sent,
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

// A request whose id is reused while the login is pending is forgotten, and takes no room.
func TestRequestsThatEndedTakeNoRoom(t *testing.T) {
	b := newBench("key")
	for n := range 100 {
		b.Says(dispatch.Client, `{"id":1,"method":"session/new","params":{"cwd":"/"}}`)
		b.ToAgent = nil
		b.Says(dispatch.Agent, refusal)
		if len(b.ToAgent) != 1 || !strings.Contains(b.ToAgent[0], `"authenticate"`) {
			t.Fatalf("after %d logins the agent gets %q", n, b.ToAgent)
		}
		b.Says(dispatch.Client, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`)
		b.Says(dispatch.Agent, `{"id":`+id(b.ToAgent[0])+`,"result":{}}`)
		b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	}
}

const (
	prompt  = `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`
	refusal = `{"id":1,"error":{"code":-32000,"message":"log in"}}`
)

// If authenticate cannot be sent, the refusal goes on.
func TestLoginThatCannotBeSent(t *testing.T) {
	b := newBench("key")
	b.Says(dispatch.Client, prompt)
	b.Client.Close()
	b.Says(dispatch.Agent, refusal)
	if len(b.ToClient) != 1 || b.ToClient[0] != refusal+"\n" || b.Conversation.Busy() {
		t.Errorf("the client gets %q, pending: %v", b.ToClient, b.Conversation.Busy())
	}
}

// After a failed login, another agent may get a login, unless it has another version.
func TestAnotherAgentIsAskedAnew(t *testing.T) {
	for version, want := range map[string]int{"1": 1, "2": 0} {
		b := newBench("key")
		b.Says(dispatch.Client, prompt)
		b.Says(dispatch.Agent, refusal)
		b.Says(dispatch.Agent, `{"id":`+id(b.ToAgent[1])+`,"error":{"code":1,"message":"no"}}`)
		b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1}}`)
		b.Says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":`+version+`}}`)
		b.Says(dispatch.Client, prompt)
		b.ToAgent = nil
		if b.Says(dispatch.Agent, refusal); len(b.ToAgent) != want {
			t.Errorf("version %s: the agent gets %q", version, b.ToAgent)
		}
	}
}

// A prompt that is cancelled while it waits has ended, and is not sent again.
func TestACancelledPromptIsNotSentAgain(t *testing.T) {
	b := newBench("key")
	b.Says(dispatch.Client, prompt)
	b.Says(dispatch.Agent, refusal)
	b.Says(dispatch.Client, `{"method":"session/cancel","params":{"sessionId":"other"}}`)
	if len(b.ToClient) != 0 || !b.Conversation.Busy() {
		t.Errorf("before it is cancelled the client gets %q", b.ToClient)
	}
	b.Says(dispatch.Client, `{"method":"session/cancel","params":{"sessionId":"s"}}`)
	if len(b.ToClient) != 1 || !strings.Contains(b.ToClient[0], `"id":1,"result":{"stopReason":"cancelled"}`) || b.Conversation.Busy() {
		t.Errorf("the client gets %q, pending: %v", b.ToClient, b.Conversation.Busy())
	}
	login := id(b.ToAgent[1])
	b.ToAgent = nil
	if b.Says(dispatch.Agent, `{"id":`+login+`,"result":{}}`); len(b.ToAgent) != 0 {
		t.Errorf("the agent gets %q", b.ToAgent)
	}
}

// A login that works but does not help is not tried again.
func TestALoginThatDoesNotHelp(t *testing.T) {
	b := newBench("key")
	b.Says(dispatch.Client, prompt)
	b.Says(dispatch.Agent, refusal)
	b.Says(dispatch.Agent, `{"id":`+id(b.ToAgent[1])+`,"result":{}}`)
	for n := range 2 { // the request that was sent again, and one more
		b.ToAgent = nil
		b.Says(dispatch.Agent, refusal)
		if len(b.ToAgent) != 0 || len(b.ToClient) != n+1 {
			t.Errorf("the agent gets %q, the client %q", b.ToAgent, b.ToClient)
		}
		b.Says(dispatch.Client, prompt)
	}
}

// The client gets the first refusal, unless the login has clearly worked.
func TestOnlyALoginThatWorkedCounts(t *testing.T) {
	for response, works := range map[string]bool{
		`"result":{}`: true, `"result":null`: true, `"result":{},"error":null`: true,
		`"error":{"code":1}`: false, `"result":null,"error":{"code":1}`: false, `"result":{},"error":{"code":1}`: false,
	} {
		b := newBench("key")
		b.Says(dispatch.Client, prompt)
		b.Says(dispatch.Agent, refusal)
		b.Says(dispatch.Agent, `{"id":`+id(b.ToAgent[1])+`,`+response+`}`)
		if isAgain, isRefused := len(b.ToAgent) == 3, len(b.ToClient) == 1; isAgain != works || isRefused == works {
			t.Errorf("after %s the agent gets %q, the client %q", response, b.ToAgent, b.ToClient)
		}
	}
}

// After a failed login, there is no other one until the client has logged in itself.
func TestAFailedLoginIsNotTriedAgain(t *testing.T) {
	b := newBench("key")
	b.Says(dispatch.Client, prompt)
	b.Says(dispatch.Agent, refusal)
	b.Says(dispatch.Agent, `{"id":`+id(b.ToAgent[1])+`,"error":{"code":1,"message":"no"}}`)
	logins := func() (n int) {
		b.ToAgent = nil
		b.Says(dispatch.Client, prompt)
		b.Says(dispatch.Agent, refusal)
		return strings.Count(strings.Join(b.ToAgent, ""), "authenticate")
	}
	for _, test := range []struct {
		result string
		want   int
	}{{`"error":{"code":1,"message":"no"}`, 0}, {`"result":null`, 1}} {
		b.Says(dispatch.Client, `{"id":2,"method":"authenticate","params":{"methodId":"other"}}`)
		b.Says(dispatch.Agent, `{"id":2,`+test.result+`}`)
		if got := logins(); got != test.want {
			t.Errorf("after %s there are %d logins", test.result, got)
		}
	}
}

// Kept requests are bounded, and take room only while they are pending.
func TestRequestsAreKeptUpToABound(t *testing.T) {
	b := newBench("key")
	long := func(id string) {
		line := `{"id":` + id + `,"method":"session/prompt","params":{"sessionId":"s"}`
		b.Says(dispatch.Client, line+strings.Repeat(" ", 2200<<10)+"}")
	}
	for range 2 {
		long("null") // waits for no response
		long("1")
		long("2")
		b.ToAgent, b.ToClient = nil, nil
		b.Says(dispatch.Agent, `{"id":2,"error":{"code":-32000,"message":"log in"}}`)
		if len(b.ToAgent) != 0 || len(b.ToClient) != 1 {
			t.Errorf("over the bound the agent gets %q, the client %q", b.ToAgent, b.ToClient)
		}
		b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	}
	long("1")
	b.ToAgent = nil
	if b.Says(dispatch.Agent, refusal); len(b.ToAgent) != 1 {
		t.Errorf("with room again the agent gets %q", b.ToAgent)
	}
}

// Requests that were pending when a login failed get the agent's refusal.
func TestALoginThatFailedIsNotRepeatedForOthers(t *testing.T) {
	b := newBench("key")
	b.Says(dispatch.Client, prompt)
	b.Says(dispatch.Client, `{"id":2,"method":"session/new","params":{"cwd":"/"}}`)
	b.Says(dispatch.Agent, refusal)
	b.Says(dispatch.Agent, `{"id":`+id(b.ToAgent[2])+`,"error":{"code":1,"message":"no"}}`)
	b.Says(dispatch.Agent, `{"id":2,"error":{"code":-32000,"message":"log in"}}`)
	if len(b.ToAgent) != 3 || len(b.ToClient) != 2 || id(b.ToClient[1]) != "2" {
		t.Errorf("the agent gets %q, the client %q", b.ToAgent, b.ToClient)
	}
}

// Without a method, and for other errors, no byte changes.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`), []byte(`{"id":1,"error":{"code":-32603}}`), true)
	f.Add([]byte(`[{"id":1,"method":"session/new"}]`), []byte(`[{"id":1,"result":{"sessionId":"\u0073"}}]`), false)
	f.Fuzz(func(t *testing.T, request, response []byte, on bool) {
		if bytes.ContainsAny(request, "\n") || bytes.ContainsAny(response, "\n") || bytes.Contains(request, []byte("cancel")) ||
			bytes.Contains(response, []byte("own-")) || bytes.Contains(response, []byte("32000")) || bytes.Contains(response, []byte(`\u`)) {
			return
		}
		b := newBench(map[bool]string{true: "key"}[on])
		b.Passes(t, dispatch.Client, string(request))
		b.Passes(t, dispatch.Agent, string(response))
	})
}
