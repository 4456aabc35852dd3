package turns_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/turns"
)

// A bench is the two directions around the adapter, and what each peer was sent.
type bench struct {
	dispatcher        *dispatch.Dispatcher
	conversation      *conversation.Conversation
	client, agent     *dispatch.Direction
	toClient, toAgent []string
	why               string // why the last line was changed, or got others around it

	// mu is held by who calls the adapter: the goroutine of the test, or a timer's.
	mu sync.Mutex
}

func newBench(set turns.Settings) *bench {
	b := &bench{conversation: conversation.New(conversation.Options{})}
	a := turns.New(turns.Options{
		Conversation: b.conversation,
		For:          func(_, _ conversation.Implementation) turns.Settings { return set },
	})
	d := dispatch.New(b.conversation, dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	b.dispatcher, b.client, b.agent = d, d.FromClient(), d.FromAgent()
	b.says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	b.says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1}}`)
	b.toClient, b.toAgent = nil, nil
	return b
}

func (b *bench) add(to *[]string, lines []byte) {
	for line := range bytes.Lines(lines) {
		*to = append(*to, string(line))
	}
}

// says has a peer send a line. What changes it has a reason.
func (b *bench) says(from dispatch.Side, line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, to := b.client, &b.toAgent
	if from == dispatch.Agent {
		d, to = b.agent, &b.toClient
	}
	out, by := wire.Apply(d, nil, []byte(line+"\n"))
	causes := by.By
	for _, added := range by.Added {
		causes = append(causes, added.By...)
	}
	b.why = ""
	for _, c := range causes {
		b.why += c.Why
	}
	if string(out) != line+"\n" && slices.ContainsFunc(causes, func(c wire.Cause) bool { return c.Why == "" }) {
		panic("without a reason it became " + string(out))
	}
	b.add(to, out)
	b.drain()
}

// drain gives the peers what was made for them.
func (b *bench) drain() {
	for more := true; more; {
		toAgent, toClient := wire.DrainAll(b.client), wire.DrainAll(b.agent)
		b.add(&b.toAgent, toAgent)
		b.add(&b.toClient, toClient)
		more = len(toAgent)+len(toClient) > 0
	}
}

// sent returns what the peers were sent since the last call.
func (b *bench) sent() (toClient, toAgent []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drain()
	toClient, toAgent = b.toClient, b.toAgent
	b.toClient, b.toAgent = nil, nil
	return toClient, toAgent
}

func prompt(id any, session string) string {
	return fmt.Sprintf(`{"id":%v,"method":"session/prompt","params":{"sessionId":%q}}`, id, session)
}

func cancel(session string) string {
	return fmt.Sprintf(`{"method":"session/cancel","params":{"sessionId":%q}}`, session)
}

// A turn that does not end is answered when its time is over; the late answer is dropped, and what
// was queued meanwhile is sent. One that ends in time is answered by the agent.
func TestATurnThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(turns.Settings{Queue: 1, CancelGrace: 5 * time.Second})
		b.says(dispatch.Client, prompt(1, "s"))
		b.says(dispatch.Client, prompt(2, "other"))
		b.says(dispatch.Client, cancel("s"))
		b.says(dispatch.Client, prompt(3, "s"))
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if toClient, toAgent := b.sent(); len(toClient) != 0 || len(toAgent) != 3 {
			t.Errorf("before its time the client has %q, the agent %q", toClient, toAgent)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		toClient, toAgent := b.sent()
		if got, want := strings.Join(toClient, ""), `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`+"\n"; got != want {
			t.Errorf("the client gets %s", got)
		}
		if got := strings.Join(toAgent, ""); got != prompt(3, "s")+"\n" {
			t.Errorf("then the agent gets %s", got)
		}
		b.says(dispatch.Agent, `{"id":1,"result":{"stopReason":"end_turn"}}`)
		if !strings.Contains(b.why, "already has a response") {
			t.Errorf("the late answer is dropped, as %q", b.why)
		}
		b.says(dispatch.Client, cancel("s"))
		b.says(dispatch.Agent, `{"id":3,"result":{"stopReason":"cancelled","late":false}}`)
		b.says(dispatch.Agent, `{"id":2,"result":{"stopReason":"end_turn"}}`)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, _ := b.sent(); len(got) != 2 || !strings.Contains(got[0], "late") || !strings.Contains(got[1], `"id":2`) {
			t.Errorf("the client gets %q", got)
		}
		if b.conversation.Busy() {
			t.Error("a prompt is still pending")
		}
	})
}

// The agent may end the turn when the grace is over and the client was not told yet: it is told
// once.
func TestAnAnswerAtTheLastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(turns.Settings{CancelGrace: time.Second})
		b.says(dispatch.Client, prompt(1, "s"))
		b.says(dispatch.Client, cancel("s"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		b.says(dispatch.Agent, `{"id":1,"result":{"stopReason":"end_turn"}}`)
		if got, _ := b.sent(); len(got) != 1 || b.conversation.Busy() {
			t.Errorf("the client gets %q", got)
		}
	})
}

// At the end of the client's input nothing is kept; when the agent takes nothing more, who waits is
// told.
func TestNothingIsKeptAtTheEnd(t *testing.T) {
	b := newBench(turns.Settings{Queue: 5})
	for i := range 3 {
		b.says(dispatch.Client, prompt(i, "s"))
	}
	out, _ := b.client.Flush(nil, false)
	if len(out) > 0 {
		t.Errorf("between two lines it sends %s", out)
	}
	out, by := b.client.Flush(nil, true)
	if string(out) != prompt(1, "s")+"\n"+prompt(2, "s")+"\n" || len(by.Added) == 0 || by.Added[0].By[0].Why == "" {
		t.Errorf("at the end it sends %s, by %+v", out, by)
	}
	b.says(dispatch.Agent, `{"id":0,"result":{}}`)
	if toClient, toAgent := b.sent(); len(toAgent) != 1 || len(toClient) != 1 {
		t.Errorf("behind the end the agent gets %q, the client %q", toAgent, toClient)
	}
	for _, response := range []string{`{"id":1,"result":{}}`, `{"id":1,"result":{},"result":{}}`} {
		b = newBench(turns.Settings{Queue: 5})
		b.says(dispatch.Client, prompt(1, "s"))
		b.says(dispatch.Client, prompt(2, "s"))
		b.client.Close()
		b.says(dispatch.Agent, response)
		if got := b.toClient; len(got) != 2 || !strings.Contains(got[1], `"id":2,"error"`) || b.conversation.Busy() {
			t.Errorf("the client gets %q", got)
		}
	}
}

// A response that cannot be read ends its turn, too. What answers nothing ends none.
func TestAResponseThatCannotBeReadEndsItsTurn(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	b.says(dispatch.Client, prompt(1, "s"))
	b.says(dispatch.Client, prompt(2, "s"))
	b.sent()
	for _, line := range []string{`{"id":7,"result":{},"result":{}}`, `{"id":1,"result":{},"result":{}}`} {
		if _, toAgent := b.sent(); len(toAgent) != 0 {
			t.Errorf("before the response the agent gets %q", toAgent)
		}
		b.says(dispatch.Agent, line)
	}
	if toClient, toAgent := b.sent(); len(toClient) != 1 || len(toAgent) != 1 || toAgent[0] != prompt(2, "s")+"\n" {
		t.Errorf("the client gets %q, the agent %q", toClient, toAgent)
	}
}

// Without a queue each prompt goes to the agent at once, and so does one that waits for no
// response.
func TestWithoutAQueuePromptsPass(t *testing.T) {
	for _, test := range []struct {
		queue int
		line  string
	}{{0, prompt(2, "s")}, {1, `{"method":"session/prompt","params":{"sessionId":"s"}}`}} {
		b := newBench(turns.Settings{Queue: test.queue, CancelGrace: time.Second})
		b.says(dispatch.Client, prompt(1, "s"))
		b.sent()
		b.says(dispatch.Client, test.line)
		if toClient, toAgent := b.sent(); len(toClient) != 0 || len(toAgent) != 1 || toAgent[0] != test.line+"\n" {
			t.Errorf("the agent gets %q, the client %q", toAgent, toClient)
		}
	}
}

// A prompt that would overtake those that wait is refused, and no other one is.
func TestAPromptWithoutRoomIsRefused(t *testing.T) {
	b := newBench(turns.Settings{Queue: 2})
	for i := range 5 {
		b.says(dispatch.Client, prompt(i, "s"))
	}
	if !strings.Contains(b.why, "too many prompts wait") {
		t.Errorf("the last one is refused, as %q", b.why)
	}
	toClient, toAgent := b.sent()
	if len(toAgent) != 1 || len(toClient) != 2 || !strings.Contains(toClient[0], `"id":3,"error"`) || !strings.Contains(toClient[1], `"id":4,"error"`) {
		t.Errorf("the agent gets %q, the client %q", toAgent, toClient)
	}
	b.says(dispatch.Agent, `{"id":0,"result":{}}`)
	b.says(dispatch.Client, prompt(5, "s"))
	if toClient, toAgent := b.sent(); len(toClient) != 1 || len(toAgent) != 1 || toAgent[0] != prompt(1, "s")+"\n" {
		t.Errorf("then the agent gets %q, the client %q", toAgent, toClient)
	}
	b = newBench(turns.Settings{Queue: 2})
	for i, size := range []int{9 << 20, 9 << 20, 9 << 20, 7 << 20} { // the second and the last are 16 MiB
		line := prompt(6+i, "large")
		b.says(dispatch.Client, line+strings.Repeat(" ", size-len(line)-1))
	}
	b.says(dispatch.Client, prompt(10, "other"))
	b.says(dispatch.Client, prompt(11, "other"))
	if toClient, toAgent := b.sent(); len(toAgent) != 2 || len(toClient) != 2 || !strings.Contains(toClient[0], `"id":8,"error"`) || !strings.Contains(toClient[1], `"id":11,"error"`) {
		t.Errorf("of large prompts the agent gets %d, the client %d lines", len(toAgent), len(toClient))
	}
	b.says(dispatch.Agent, `{"id":6,"result":{}}`)
	b.says(dispatch.Client, prompt(12, "other"))
	if toClient, toAgent := b.sent(); len(toAgent) != 1 || len(toClient) != 1 {
		t.Errorf("with room again the agent gets %d, the client %d lines", len(toAgent), len(toClient))
	}
}

// Without a grace a cancelled turn has all the time that there is.
func TestATurnWithoutAGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(turns.Settings{Queue: 1})
		b.says(dispatch.Client, prompt(1, "s"))
		b.says(dispatch.Client, cancel("s"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if toClient, _ := b.sent(); len(toClient) != 0 {
			t.Errorf("the client gets %q", toClient)
		}
	})
}

// What waits counts in the bound of all state while it does.
func TestWhatWaitsCounts(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	b.says(dispatch.Client, `{"id":"n","method":"session/new","params":{}}`)
	b.says(dispatch.Agent, `{"id":"n","result":{"sessionId":"s"}}`)
	b.says(dispatch.Client, prompt(1, "s"))
	size := func() int {
		b.conversation.Lock()
		defer b.conversation.Unlock()
		return b.conversation.Size()
	}
	before := size()
	b.says(dispatch.Client, prompt(2, "s")+strings.Repeat(" ", 1<<20))
	if got := size() - before; got < 1<<20 {
		t.Errorf("a prompt of 1 MiB that waits counts as %d bytes", got)
	}
	b.says(dispatch.Agent, `{"id":1,"result":{}}`)
	if got := size() - before; got > 0 {
		t.Errorf("when it is sent, %d bytes are left", got)
	}
}

// A prompt that waits is cancelled by its id, and no other one with it.
func TestAPromptThatWaitsIsCancelled(t *testing.T) {
	b := newBench(turns.Settings{Queue: 2})
	for id := range 3 {
		b.says(dispatch.Client, prompt(id, "s"))
	}
	b.sent()
	b.says(dispatch.Client, `{"method":"$/cancel_request","params":{"requestId":2}}`)
	if toClient, toAgent := b.sent(); len(toAgent) != 0 || len(toClient) != 1 || !strings.Contains(toClient[0], `"id":2,"error":{"code":-32800`) || !strings.Contains(b.why, "acpshim held the cancelled request") {
		t.Errorf("the agent gets %q, the client %q, as %q", toAgent, toClient, b.why)
	}
	b.says(dispatch.Client, `{"method":"$/cancel_request","params":{"requestId":0}}`)
	b.says(dispatch.Agent, `{"id":0,"result":{}}`)
	if toClient, toAgent := b.sent(); len(toAgent) != 2 || toAgent[1] != prompt(1, "s")+"\n" || len(toClient) != 1 {
		t.Errorf("then the agent gets %q, the client %q", toAgent, toClient)
	}
	if b.says(dispatch.Agent, `{"id":1,"result":{}}`); b.conversation.Busy() {
		t.Error("a prompt is still pending")
	}
}

// A prompt that names no session may be any session's, and waits for none.
func TestAPromptOfNoSessionPasses(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	for id := range 2 {
		b.says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{}}`, id))
	}
	if toClient, toAgent := b.sent(); len(toClient) != 0 || len(toAgent) != 2 {
		t.Errorf("the agent gets %q, the client %q", toAgent, toClient)
	}
}

// Prompts that wait go on where the one that ran is known no longer, as its id was used again.
func TestAnIDThatIsUsedAgainStopsNothing(t *testing.T) {
	b := newBench(turns.Settings{Queue: 1})
	for _, id := range []int{1, 2, 1} {
		b.says(dispatch.Client, prompt(id, "s"))
	}
	if _, toAgent := b.sent(); len(toAgent) != 2 || toAgent[1] != prompt(2, "s")+"\n" {
		t.Errorf("the agent gets %q", toAgent)
	}
	b.says(dispatch.Agent, `{"id":2,"result":{}}`)
	if _, toAgent := b.sent(); len(toAgent) != 1 || toAgent[0] != prompt(1, "s")+"\n" {
		t.Errorf("then the agent gets %q", toAgent)
	}
}

// Whatever is sent, cancelled and answered: each prompt is answered once, the prompts of a session
// are sent in order, and the agent has one of each at a time.
func TestOnePromptAtATime(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			b := newBench(turns.Settings{Queue: []int{1, 2, 1000}[random.IntN(3)], CancelGrace: time.Duration(random.IntN(3)) * time.Second})
			prompts, answered := 0, map[string]int{}
			var pending []string // what the agent has to answer: id and session
			last := map[string]int{}
			read := func() {
				toClient, toAgent := b.sent()
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
				b.says(dispatch.Agent, `{"id":`+id+`,"result":{"stopReason":"end_turn"}}`)
				read()
			}
			for range 40 {
				session := []string{"a", "b"}[random.IntN(2)]
				switch n := random.IntN(8); {
				case n < 3:
					prompts++
					b.says(dispatch.Client, prompt(prompts, session))
				case n == 3:
					b.says(dispatch.Client, cancel(session))
				case n == 4 && prompts > 0:
					b.says(dispatch.Client, fmt.Sprintf(`{"method":"$/cancel_request","params":{"requestId":%d}}`, 1+random.IntN(prompts)))
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
			if b.conversation.Busy() {
				t.Errorf("seed %d: a prompt is still pending", seed)
			}
		})
	}
}

// FuzzNothingToDo: where one prompt follows the other, no byte changes.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`), []byte(`{"id":1,"result":{"stopReason":"end_turn"}}`), 3)
	f.Add([]byte(`{"method":"session/cancel","params":{"sessionId":"s"}}`), []byte(`{"id":1,"result":{}}`), 0)
	f.Fuzz(func(t *testing.T, request, response []byte, queue int) {
		if bytes.ContainsAny(request, "\n[") || bytes.ContainsAny(response, "\n") {
			return
		}
		b := newBench(turns.Settings{Queue: queue % 9})
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
