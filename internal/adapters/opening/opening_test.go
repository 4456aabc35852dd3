package opening

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

// A world is two peers with the adapter between them.
type world struct{ *dispatchtest.Bench }

func newWorld(maxBytes int) world {
	c := conversation.New(conversation.Options{MaxBytes: maxBytes})
	a := New(c, func(conversation.Implementation, conversation.Implementation) Settings { return Settings{Hold: true} })
	return world{dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)}
}

// wants compares the lines that the client got, by their last member.
func (w world) wants(t *testing.T, want ...string) {
	t.Helper()
	w.Drain()
	var got []string
	for _, line := range w.ToClient {
		word := line[strings.LastIndex(strings.TrimRight(line, "}\n\""), `"`)+1:]
		got = append(got, strings.TrimRight(word, "}\n\""))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the client gets %.200q, want %.200q", got, want)
	}
}

func create(id int) string { return fmt.Sprintf(`{"id":%d,"method":"session/new","params":{}}`, id) }

func created(id int, session string) string {
	return fmt.Sprintf(`{"id":%d,"result":{"sessionId":"%s"}}`, id, session)
}

func update(session, word string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"x","text":"%s"}}}`, session, word)
}

// A login link that is sent while session/new waits for the login is forwarded after five seconds.
// Later updates do not wait again.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Agent, update("s", "link"))
		w.Says(dispatch.Agent, update("s", "code"))
		time.Sleep(5*time.Second - 1)
		w.wants(t)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		w.wants(t, "link", "code")
		w.Says(dispatch.Agent, update("s", "later"))
		w.Says(dispatch.Agent, created(1, "s"))
		w.wants(t, "link", "code", "later", "s")
	})
}

// Updates that move to another request after a refusal keep their timeout.
func TestARefusalDoesNotProlongTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Agent, update("s", "first"))
		time.Sleep(4 * time.Second)
		w.Says(dispatch.Client, create(2))
		w.Says(dispatch.Agent, update("s", "second"))
		w.Says(dispatch.Agent, `{"id":1,"error":{"code":-32000,"message":"refused"}}`)
		w.ToClient = nil
		time.Sleep(time.Second)
		synctest.Wait()
		w.wants(t, "first", "second")
	})
}

// A permission request follows its tool call.
func TestAPermissionRequestDoesNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Agent, update("sub", "call"))
		w.Says(dispatch.Agent, update("other", "waits"))
		w.Says(dispatch.Agent, `{"id":7,"method":"session/request_permission","params":{"sessionId":"sub","toolCall":{"toolCallId":"asked"}}}`)
		w.wants(t, "call", "asked")
	})
}

// Nothing overtakes what is held of its session.
func TestNothingOvertakesWhatIsHeld(t *testing.T) {
	for _, next := range []string{
		`{"id":7,"method":"elicitation/create","params":{"sessionId":"s","message":"asked"}}`,
		`{"id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"asked"}}`,
		`{"method":"_agent/note","params":{"sessionId":"s","text":"asked"}}`,
		`{"id":2,"result":{"stopReason":"asked"}}`,
		`{"id":3,"result":{"text":"asked"}}`,
		update("s", "asked"),
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(1 << 20)
			w.Says(dispatch.Client, create(1))
			w.Says(dispatch.Agent, update("s", "held"))
			w.Says(dispatch.Agent, update("other", "waits"))
			w.Says(dispatch.Client, `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
			w.Says(dispatch.Client, `{"id":3,"method":"session/load","params":{"sessionId":"s"}}`)
			w.Says(dispatch.Agent, next)
			w.wants(t, "held", "asked")
		})
	}
}

// The client knows a child session by the update that names it.
func TestAChildSessionDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Agent, `{"method":"session/update","params":{"sessionId":"parent","update":{"sessionUpdate":"subagent_update","sessionId":"child"}}}`)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Agent, update("child", "passes"))
		w.Says(dispatch.Agent, update("s", "waits"))
		w.wants(t, "child", "passes")
	})
}

// The updates of each session follow the response that opens it. The rest is sent when no session
// is created any more.
func TestUpdatesFollowTheirOwnResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Client, create(2))
		for _, s := range []string{"a", "b", "c"} {
			w.Says(dispatch.Agent, update(s, "of-"+s))
		}
		w.Says(dispatch.Agent, created(1, "b"))
		w.wants(t, "b", "of-b")
		w.Says(dispatch.Agent, update("b", "more"))
		w.Says(dispatch.Agent, update("a", "more"))
		w.wants(t, "b", "of-b", "more")
		w.Says(dispatch.Agent, created(2, "a"))
		w.wants(t, "b", "of-b", "more", "a", "of-a", "more", "of-c")
	})
}

// The backlog is bounded. If there is no room, nothing is lost, and the order is kept.
func TestBacklogIsBounded(t *testing.T) {
	for name, maxBytes := range map[string]int{"1 MiB": 64 << 20, "the common budget": 300 << 10} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(maxBytes)
			w.Says(dispatch.Client, create(1))
			var want []string
			for i := range 20 {
				word := fmt.Sprintf("%d-%s", i, strings.Repeat("x", 64<<10))
				w.Says(dispatch.Agent, update("s", word))
				want = append(want, word)
			}
			if len(w.ToClient) != len(want) {
				t.Errorf("%s: the client gets %d updates, want %d: there is no room for them", name, len(w.ToClient), len(want))
			}
			w.Says(dispatch.Agent, created(1, "s"))
			w.wants(t, append(want, "s")...)
		})
	}
}

// The backlog is sent when the agent ends.
func TestBacklogIsSentAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Agent, update("s", "last"))
		w.wants(t)
		out, _ := w.Agent.Flush(nil, true)
		w.ToClient = append(w.ToClient, string(out))
		w.wants(t, "last")
	})
}

// In a batch, held updates follow the response, and nothing of the batch overtakes them.
func TestUpdatesInABatchWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1 << 20)
		w.Says(dispatch.Client, create(1))
		w.Says(dispatch.Agent, "["+update("s", "one")+","+update("t", "two")+","+created(1, "s")+","+update("s", "three")+","+update("t", "four")+"]")
		w.Drain()
		want := "[" + created(1, "s") + "," + update("s", "one") + "," + update("t", "two") + "," + update("s", "three") + "," + update("t", "four") + "]\n"
		if got := strings.Join(w.ToClient, ""); got != want {
			t.Errorf("the client gets %s", got)
		}
	})
}
