package opening

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A world is a client and an agent with an Adapter between them.
type world struct {
	fromClient, fromAgent *dispatch.Direction
	client                []string // the lines that it got, by their last member
}

func newWorld(maxBytes int) *world {
	c := conversation.New(conversation.Options{MaxBytes: maxBytes})
	a := New(c, func(conversation.Implementation, conversation.Implementation) Settings { return Settings{Hold: true} })
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
	w := &world{fromClient: d.FromClient(), fromAgent: d.FromAgent()}
	w.says(w.fromClient, `{"id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	w.says(w.fromAgent, `{"id":0,"result":{"protocolVersion":1}}`)
	w.client = nil
	return w
}

func (w *world) says(from *dispatch.Direction, line string) {
	out, _ := wire.Apply(from, nil, []byte(line+"\n"))
	if from == w.fromAgent {
		w.gets(out)
	}
	w.drain()
}

func (w *world) drain() {
	for {
		out, _ := w.fromAgent.Drain(nil)
		if w.gets(out); len(out) == 0 {
			return
		}
	}
}

func (w *world) gets(lines []byte) {
	for line := range strings.Lines(string(lines)) {
		word := line[strings.LastIndex(strings.TrimRight(line, "}\n\""), `"`)+1:]
		w.client = append(w.client, strings.TrimRight(word, "}\n\""))
	}
}

func (w *world) wants(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(w.client, " "); got != strings.Join(want, " ") {
		t.Errorf("the client gets %.200s, want %s", got, strings.Join(want, " "))
	}
}

func create(id int) string { return fmt.Sprintf(`{"id":%d,"method":"session/new","params":{}}`, id) }

func created(id int, session string) string {
	return fmt.Sprintf(`{"id":%d,"result":{"sessionId":"%s"}}`, id, session)
}

func update(session, word string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"x","text":"%s"}}}`, session, word)
}

// A login link that is sent while session/new waits for the login is seen, after five seconds. What
// comes later does not wait again.
func TestUpdatesDoNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.says(w.fromClient, create(1))
		w.says(w.fromAgent, update("s", "link"))
		w.says(w.fromAgent, update("s", "code"))
		time.Sleep(5*time.Second - 1)
		w.drain()
		w.wants(t)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		w.drain()
		w.wants(t, "link", "code")
		w.says(w.fromAgent, update("s", "later"))
		w.says(w.fromAgent, created(1, "s"))
		w.wants(t, "link", "code", "later", "s")
	})
}

// Who waits for another request after a refusal does not wait five seconds more.
func TestARefusalDoesNotProlongTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.says(w.fromClient, create(1))
		w.says(w.fromAgent, update("s", "first"))
		time.Sleep(4 * time.Second)
		w.says(w.fromClient, create(2))
		w.says(w.fromAgent, update("s", "second"))
		w.says(w.fromAgent, `{"id":1,"error":{"code":-32000,"message":"refused"}}`)
		w.client = nil
		time.Sleep(time.Second)
		synctest.Wait()
		w.drain()
		w.wants(t, "first", "second")
	})
}

// A permission request is about a tool call that came before it, and follows it.
func TestAPermissionRequestDoesNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.says(w.fromClient, create(1))
		w.says(w.fromAgent, update("sub", "call"))
		w.says(w.fromAgent, update("other", "waits"))
		w.says(w.fromAgent, `{"id":7,"method":"session/request_permission","params":{"sessionId":"sub","toolCall":{"toolCallId":"asked"}}}`)
		w.wants(t, "call", "asked")
	})
}

// Of several sessions each one's updates follow the response that opens it, and what is left goes
// on when no session is created any more.
func TestUpdatesFollowTheirOwnResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.says(w.fromClient, create(1))
		w.says(w.fromClient, create(2))
		for _, s := range []string{"a", "b", "c"} {
			w.says(w.fromAgent, update(s, "of-"+s))
		}
		w.says(w.fromAgent, created(1, "b"))
		w.wants(t, "b", "of-b")
		w.says(w.fromAgent, update("b", "more"))
		w.says(w.fromAgent, update("a", "more"))
		w.wants(t, "b", "of-b", "more")
		w.says(w.fromAgent, created(2, "a"))
		w.wants(t, "b", "of-b", "more", "a", "of-a", "more", "of-c")
	})
}

// What waits is bounded. Where there is no more room, nothing is lost, and the order is kept.
func TestWhatWaitsIsBounded(t *testing.T) {
	for name, maxBytes := range map[string]int{"1 MiB": 64 << 20, "the common budget": 300 << 10} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(maxBytes)
			w.says(w.fromClient, create(1))
			var want []string
			for i := range 20 {
				word := fmt.Sprintf("%d-%s", i, strings.Repeat("x", 64<<10))
				w.says(w.fromAgent, update("s", word))
				want = append(want, word)
			}
			if len(w.client) != len(want) {
				t.Errorf("%s: the client gets %d updates, want %d: there is no room for them", name, len(w.client), len(want))
			}
			w.says(w.fromAgent, created(1, "s"))
			w.wants(t, append(want, "s")...)
		})
	}
}

// What waits when the agent ends is not lost.
func TestWhatWaitsAtTheEndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.says(w.fromClient, create(1))
		w.says(w.fromAgent, update("s", "last"))
		w.wants(t)
		out, _ := w.fromAgent.Flush(nil, true)
		w.gets(out)
		w.wants(t, "last")
	})
}

// In an array, what waits follows the array with the response.
func TestUpdatesInABatchWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.says(w.fromClient, create(1))
		w.says(w.fromAgent, "["+update("s", "one")+","+update("t", "two")+","+created(1, "s")+"]")
		w.wants(t, "}}]", "one", "two")
	})
}
