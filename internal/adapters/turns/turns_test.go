package turns_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/turns"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

func newBench(set turns.Settings) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	a := turns.New(c, func(_, _ conversation.Implementation) turns.Settings { return set })
	return dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)
}

func prompt(id any, session string) string {
	return fmt.Sprintf(`{"id":%v,"method":"session/prompt","params":{"sessionId":%q}}`, id, session)
}

func cancel(session string) string {
	return fmt.Sprintf(`{"method":"session/cancel","params":{"sessionId":%q}}`, session)
}

// A turn that does not end gets a response after its grace. The agent's late response is dropped,
// and queued prompts are sent. A turn that ends in time gets the agent's response.
func TestATurnThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(turns.Settings{Queue: 1, CancelGrace: 5 * time.Second})
		b.Says(dispatch.Client, prompt(1, "s"))
		b.Says(dispatch.Client, prompt(2, "other"))
		b.Says(dispatch.Client, cancel("s"))
		b.Says(dispatch.Client, prompt(3, "s"))
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if toClient, toAgent := b.Sent(); len(toClient) != 0 || len(toAgent) != 3 {
			t.Errorf("before its time the client has %q, the agent %q", toClient, toAgent)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		toClient, toAgent := b.Sent()
		if got, want := strings.Join(toClient, ""), `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`+"\n"; got != want {
			t.Errorf("the client gets %s", got)
		}
		if got := strings.Join(toAgent, ""); got != prompt(3, "s")+"\n" {
			t.Errorf("then the agent gets %s", got)
		}
		b.Says(dispatch.Agent, `{"id":1,"result":{"stopReason":"end_turn"}}`)
		if !strings.Contains(b.Why, "already has a response") {
			t.Errorf("the late answer is dropped, as %q", b.Why)
		}
		b.Says(dispatch.Client, cancel("s"))
		b.Says(dispatch.Agent, `{"id":3,"result":{"stopReason":"cancelled","late":false}}`)
		b.Says(dispatch.Agent, `{"id":2,"result":{"stopReason":"end_turn"}}`)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, _ := b.Sent(); len(got) != 2 || !strings.Contains(got[0], "late") || !strings.Contains(got[1], `"id":2`) {
			t.Errorf("the client gets %q", got)
		}
		if b.Conversation.Busy() {
			t.Error("a prompt is still pending")
		}
	})
}

// If the agent responds just when the grace ends, the client gets one response.
func TestResponseAtTheEndOfTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(turns.Settings{CancelGrace: time.Second})
		b.Says(dispatch.Client, prompt(1, "s"))
		b.Says(dispatch.Client, cancel("s"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		b.Says(dispatch.Agent, `{"id":1,"result":{"stopReason":"end_turn"}}`)
		if got, _ := b.Sent(); len(got) != 1 || b.Conversation.Busy() {
			t.Errorf("the client gets %q", got)
		}
	})
}

// At the end of the client's input, waiting prompts are sent. If the agent does not read any more,
// they get a response.
func TestWaitingPromptsAreSentAtTheEnd(t *testing.T) {
	b := newBench(turns.Settings{Queue: 5})
	for i := range 3 {
		b.Says(dispatch.Client, prompt(i, "s"))
	}
	out, _ := b.Client.Flush(nil, false)
	if len(out) > 0 {
		t.Errorf("between two lines it sends %s", out)
	}
	out, by := b.Client.Flush(nil, true)
	if string(out) != prompt(1, "s")+"\n"+prompt(2, "s")+"\n" || len(by.Added) == 0 || by.Added[0].By[0].Why.Text == "" {
		t.Errorf("at the end it sends %s, by %+v", out, by)
	}
	b.Says(dispatch.Agent, `{"id":0,"result":{}}`)
	if toClient, toAgent := b.Sent(); len(toAgent) != 1 || len(toClient) != 1 {
		t.Errorf("behind the end the agent gets %q, the client %q", toAgent, toClient)
	}
	for _, response := range []string{`{"id":1,"result":{}}`, `{"id":1,"result":{},"result":{}}`} {
		b = newBench(turns.Settings{Queue: 5})
		b.Says(dispatch.Client, prompt(1, "s"))
		b.Says(dispatch.Client, prompt(2, "s"))
		b.Client.Close()
		b.Says(dispatch.Agent, response)
		if got := b.ToClient; len(got) != 2 || !strings.Contains(got[1], `"id":2,"error"`) || b.Conversation.Busy() {
			t.Errorf("the client gets %q", got)
		}
	}
}

// An unreadable response ends its turn. A response to no request ends none.
func TestUnreadResponseEndsItsTurn(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	b.Says(dispatch.Client, prompt(1, "s"))
	b.Says(dispatch.Client, prompt(2, "s"))
	b.Sent()
	for _, line := range []string{`{"id":7,"result":{},"result":{}}`, `{"id":1,"result":{},"result":{}}`} {
		if _, toAgent := b.Sent(); len(toAgent) != 0 {
			t.Errorf("before the response the agent gets %q", toAgent)
		}
		b.Says(dispatch.Agent, line)
	}
	if toClient, toAgent := b.Sent(); len(toClient) != 1 || len(toAgent) != 1 || toAgent[0] != prompt(2, "s")+"\n" {
		t.Errorf("the client gets %q, the agent %q", toClient, toAgent)
	}
}

// Without a queue, prompts go to the agent at once. A prompt without an id does so, too.
func TestWithoutAQueuePromptsPass(t *testing.T) {
	for _, test := range []struct {
		queue int
		line  string
	}{{0, prompt(2, "s")}, {1, `{"method":"session/prompt","params":{"sessionId":"s"}}`}} {
		b := newBench(turns.Settings{Queue: test.queue, CancelGrace: time.Second})
		b.Says(dispatch.Client, prompt(1, "s"))
		b.Sent()
		b.Says(dispatch.Client, test.line)
		if toClient, toAgent := b.Sent(); len(toClient) != 0 || len(toAgent) != 1 || toAgent[0] != test.line+"\n" {
			t.Errorf("the agent gets %q, the client %q", toAgent, toClient)
		}
	}
}

// A prompt that would overtake waiting ones is refused.
func TestAPromptWithoutRoomIsRefused(t *testing.T) {
	b := newBench(turns.Settings{Queue: 2})
	for i := range 5 {
		b.Says(dispatch.Client, prompt(i, "s"))
	}
	if !strings.Contains(b.Why, "too many prompts wait") {
		t.Errorf("the last one is refused, as %q", b.Why)
	}
	toClient, toAgent := b.Sent()
	if len(toAgent) != 1 || len(toClient) != 2 || !strings.Contains(toClient[0], `"id":3,"error"`) || !strings.Contains(toClient[1], `"id":4,"error"`) {
		t.Errorf("the agent gets %q, the client %q", toAgent, toClient)
	}
	b.Says(dispatch.Agent, `{"id":0,"result":{}}`)
	b.Says(dispatch.Client, prompt(5, "s"))
	if toClient, toAgent := b.Sent(); len(toClient) != 1 || len(toAgent) != 1 || toAgent[0] != prompt(1, "s")+"\n" {
		t.Errorf("then the agent gets %q, the client %q", toAgent, toClient)
	}
	b = newBench(turns.Settings{Queue: 2})
	for i, size := range []int{9 << 20, 9 << 20, 9 << 20, 7 << 20} { // the second and the last are 16 MiB
		line := prompt(6+i, "large")
		b.Says(dispatch.Client, line+strings.Repeat(" ", size-len(line)-1))
	}
	b.Says(dispatch.Client, prompt(10, "other"))
	b.Says(dispatch.Client, prompt(11, "other"))
	if toClient, toAgent := b.Sent(); len(toAgent) != 2 || len(toClient) != 2 || !strings.Contains(toClient[0], `"id":8,"error"`) || !strings.Contains(toClient[1], `"id":11,"error"`) {
		t.Errorf("of large prompts the agent gets %d, the client %d lines", len(toAgent), len(toClient))
	}
	b.Says(dispatch.Agent, `{"id":6,"result":{}}`)
	b.Says(dispatch.Client, prompt(12, "other"))
	if toClient, toAgent := b.Sent(); len(toAgent) != 1 || len(toClient) != 1 {
		t.Errorf("with room again the agent gets %d, the client %d lines", len(toAgent), len(toClient))
	}
}

// Without a grace, a cancelled turn has no timeout.
func TestATurnWithoutAGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(turns.Settings{Queue: 1})
		b.Says(dispatch.Client, prompt(1, "s"))
		b.Says(dispatch.Client, cancel("s"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if toClient, _ := b.Sent(); len(toClient) != 0 {
			t.Errorf("the client gets %q", toClient)
		}
	})
}

// Waiting prompts count in the conversation's limit.
func TestWaitingPromptsAreWeighed(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{}}`)
	b.Says(dispatch.Agent, `{"id":"n","result":{"sessionId":"s"}}`)
	b.Says(dispatch.Client, prompt(1, "s"))
	size := func() int {
		return b.Conversation.Size()
	}
	before := size()
	b.Says(dispatch.Client, prompt(2, "s")+strings.Repeat(" ", 1<<20))
	if got := size() - before; got < 1<<20 {
		t.Errorf("a prompt of 1 MiB that waits counts as %d bytes", got)
	}
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	if got := size() - before; got > 0 {
		t.Errorf("when it is sent, %d bytes are left", got)
	}
}

// A waiting prompt can be cancelled by its id.
func TestAPromptThatWaitsIsCancelled(t *testing.T) {
	b := newBench(turns.Settings{Queue: 2})
	for id := range 3 {
		b.Says(dispatch.Client, prompt(id, "s"))
	}
	b.Sent()
	b.Says(dispatch.Client, `{"method":"$/cancel_request","params":{"requestId":2}}`)
	if toClient, toAgent := b.Sent(); len(toAgent) != 0 || len(toClient) != 1 || !strings.Contains(toClient[0], `"id":2,"error":{"code":-32800`) || !strings.Contains(b.Why, "acpshim held the cancelled request") {
		t.Errorf("the agent gets %q, the client %q, as %q", toAgent, toClient, b.Why)
	}
	b.Says(dispatch.Client, `{"method":"$/cancel_request","params":{"requestId":0}}`)
	b.Says(dispatch.Agent, `{"id":0,"result":{}}`)
	if toClient, toAgent := b.Sent(); len(toAgent) != 2 || toAgent[1] != prompt(1, "s")+"\n" || len(toClient) != 1 {
		t.Errorf("then the agent gets %q, the client %q", toAgent, toClient)
	}
	if b.Says(dispatch.Agent, `{"id":1,"result":{}}`); b.Conversation.Busy() {
		t.Error("a prompt is still pending")
	}
}

// A prompt without a session passes at once.
func TestAPromptOfNoSessionPasses(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	for id := range 2 {
		b.Says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{}}`, id))
	}
	if toClient, toAgent := b.Sent(); len(toClient) != 0 || len(toAgent) != 2 {
		t.Errorf("the agent gets %q, the client %q", toAgent, toClient)
	}
}

// Waiting prompts are sent even if the running prompt is forgotten because its id was reused.
func TestReusedIDDoesNotStopTheQueue(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	for _, id := range []int{1, 2, 1} {
		b.Says(dispatch.Client, prompt(id, "s"))
	}
	if _, toAgent := b.Sent(); len(toAgent) != 2 || toAgent[1] != prompt(2, "s")+"\n" {
		t.Errorf("the agent gets %q", toAgent)
	}
	b.Says(dispatch.Agent, `{"id":2,"result":{}}`)
	if _, toAgent := b.Sent(); len(toAgent) != 1 || toAgent[0] != prompt(1, "s")+"\n" {
		t.Errorf("then the agent gets %q", toAgent)
	}
}

// In any order of prompts, cancels and responses, each prompt gets one response, the prompts of a
// session are sent in order, and the agent has one of a session at a time.
func TestOnePromptAtATime(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			b := newBench(turns.Settings{Queue: []int{1, 2, 1000}[random.IntN(3)], CancelGrace: time.Duration(random.IntN(3)) * time.Second})
			prompts, answered := 0, map[string]int{}
			var pending []string // what the agent has to answer: id and session
			last := map[string]int{}
			read := func() {
				toClient, toAgent := b.Sent()
				for _, line := range toClient {
					o, _ := wire.Parse([]byte(line))
					answered[string(o.Raw("id"))]++
				}
				for _, line := range toAgent {
					o, _ := wire.Parse([]byte(line), "params")
					if o.Raw("id") == nil {
						continue
					}
					session, _ := o.Open("params").Text("sessionId")
					var n int
					fmt.Sscan(string(o.Raw("id")), &n)
					if n <= last[session] {
						t.Fatalf("seed %d: prompt %d comes after %d", seed, n, last[session])
					}
					last[session] = n
					for _, other := range pending {
						if id, of, _ := strings.Cut(other, " "); of == session && answered[id] == 0 {
							t.Fatalf("seed %d: prompt %d is sent while %s runs", seed, n, id)
						}
					}
					pending = append(pending, fmt.Sprint(n, " ", session))
				}
			}
			answer := func() {
				i := random.IntN(len(pending))
				id, _, _ := strings.Cut(pending[i], " ")
				pending = append(pending[:i], pending[i+1:]...)
				b.Says(dispatch.Agent, `{"id":`+id+`,"result":{"stopReason":"end_turn"}}`)
				read()
			}
			for range 40 {
				session := []string{"a", "b"}[random.IntN(2)]
				switch n := random.IntN(8); {
				case n < 3:
					prompts++
					b.Says(dispatch.Client, prompt(prompts, session))
				case n == 3:
					b.Says(dispatch.Client, cancel(session))
				case n == 4 && prompts > 0:
					b.Says(dispatch.Client, fmt.Sprintf(`{"method":"$/cancel_request","params":{"requestId":%d}}`, 1+random.IntN(prompts)))
				case n == 5:
					time.Sleep(time.Second)
					synctest.Wait()
				case len(pending) > 0:
					answer()
				}
				read()
			}
			for len(pending) > 0 {
				answer()
			}
			for n := range prompts {
				if got := answered[fmt.Sprint(n+1)]; got != 1 {
					t.Fatalf("seed %d: prompt %d is answered %d times", seed, n+1, got)
				}
			}
			if b.Conversation.Busy() {
				t.Errorf("seed %d: a prompt is still pending", seed)
			}
		})
	}
}

// If prompts do not overlap, no byte changes.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`), []byte(`{"id":1,"result":{"stopReason":"end_turn"}}`), 3)
	f.Add([]byte(`{"method":"session/cancel","params":{"sessionId":"s"}}`), []byte(`{"id":1,"result":{}}`), 0)
	f.Fuzz(func(t *testing.T, request, response []byte, queue int) {
		if bytes.ContainsAny(request, "\n[") || bytes.ContainsAny(response, "\n") {
			return
		}
		b := newBench(turns.Settings{Queue: queue % 9})
		b.Passes(t, dispatch.Client, string(request))
		b.Passes(t, dispatch.Agent, string(response))
	})
}
