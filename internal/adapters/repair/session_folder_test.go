package repair_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// newFolders returns a bench for an agent that lists its sessions, or does not.
func newFolders(lists bool) *dispatchtest.Bench {
	c, own := conversation.New(conversation.Options{}), dispatch.NewOwnRequests("own-")
	a := repair.NewSessionFolder(c, own, func(_, _ conversation.Implementation) bool { return true })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own})
	b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1}}`)
	b.Says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1,"agentCapabilities":{`+map[bool]string{true: `"sessionCapabilities":{"list":{}}`}[lists]+`}}}`)
	b.Sent()
	return b
}

func load(id int, session, cwd string) string {
	return fmt.Sprintf(`{"id":%d,"method":"session/load","params":{"sessionId":%q,"cwd":%q}}`, id, session, cwd)
}

const noFolder = `{"id":1,"error":{"code":-32602,"message":"another folder"}}`

// The listed folder has to contain the folder of the client, or be the same in another spelling.
func TestFoldersOfSessions(t *testing.T) {
	for _, test := range []struct {
		cwd, listed string
		isTried     bool
	}{
		{"/home/ann/app/src", "/home/ann/app", true},
		{"/home/ann/app/src", "/", true},
		{"/home/ann/app/", "/home/ann/app", true},
		{"/home/ann//app/../app", "/home/ann/app", true},
		{"/home/ann/app", "/home/ann/app/", true},
		{"/home/ann/app", "/home/ann/app", false}, // it was refused for another reason
		{"/home/ann/app2", "/home/ann/app", false},
		{"/home/ann", "/home/ann/app", false},
		{"/home/ann/app", "/home/ann/App", false},
		{"/home/ann/app/../../bob", "/home/ann", false},
		{`C:\Src\app\x`, `c:\src\APP`, true},
		{`C:\src\app`, "C:/src/app", true},
		{`C:\src`, `C:\`, true},
		{`C:\src`, `D:\`, false},
		{`\\host\share\app\x`, `\\HOST\share\app`, true},
		{`\\host\share`, "/", false},
		{"app/src", "app", false},
		{"/home/ann", "", false},
	} {
		b := newFolders(true)
		b.Says(dispatch.Client, load(1, "s", test.cwd))
		b.Says(dispatch.Agent, noFolder)
		b.Sent()
		b.Says(dispatch.Agent, fmt.Sprintf(`{"id":"own-1","result":{"sessions":[{"sessionId":"t","cwd":"/"},{"sessionId":"s","cwd":%q}]}}`, test.listed))
		toClient, toAgent := b.Sent()
		want := load(1, "s", test.listed)
		if isTried := len(toAgent) == 1 && strings.TrimSpace(toAgent[0]) == want; isTried != test.isTried || !isTried && strings.TrimSpace(strings.Join(toClient, "")) != noFolder {
			t.Errorf("%q with %q listed: the agent gets %q, the client %q", test.cwd, test.listed, toAgent, toClient)
		}
	}
}

// Without session/list, for other errors, and for new sessions, no byte changes.
func TestOtherRefusalsOfSessions(t *testing.T) {
	for _, test := range []struct {
		lists        bool
		sent, answer string
	}{
		{false, load(1, "s", "/a/b"), noFolder},
		{true, load(1, "s", "/a/b"), `{"id":1,"error":{"code":-32603,"message":"another folder"}}`},
		{true, load(1, "s", "/a/b"), `{"id":1,"result":{}}`},
		{true, `{"id":1,"method":"session/new","params":{"cwd":"/a"}}`, noFolder},
		{true, `{"id":1,"method":"session/load","params":{"cwd":"/a"}}`, noFolder},
	} {
		b := newFolders(test.lists)
		b.Passes(t, dispatch.Client, test.sent)
		b.Passes(t, dispatch.Agent, test.answer)
	}
}

// An agent that does not list its sessions, and one that never ends its list, keep nobody waiting.
func TestTheSearchForAFolderEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFolders(true)
		b.Says(dispatch.Client, load(1, "s", "/a/b"))
		b.Says(dispatch.Agent, noFolder)
		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		if b.Drain(); len(b.ToClient) > 0 {
			t.Errorf("too early the client gets %q", b.ToClient)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		b.Drain()
		b.Says(dispatch.Agent, `{"id":"own-1","result":{"sessions":[{"sessionId":"s","cwd":"/a"}]}}`)
		if toClient, toAgent := b.Sent(); strings.Join(toClient, "") != noFolder+"\n" || len(toAgent) != 2 {
			t.Errorf("after ten seconds the client gets %q, the agent %q", toClient, toAgent)
		}
	})
	b := newFolders(true)
	b.Says(dispatch.Client, load(1, "s", "/a/b"))
	b.Says(dispatch.Agent, noFolder)
	pages := 0
	for ; len(b.ToClient) == 0 && pages < 100; pages++ {
		b.Says(dispatch.Agent, fmt.Sprintf(`{"id":"own-%d","result":{"sessions":[],"nextCursor":"more"}}`, pages+1))
	}
	if pages != 16 || b.Conversation.Size() > 8<<10 {
		t.Errorf("the client waits for %d pages, and %d bytes are kept", pages, b.Conversation.Size())
	}
}

// In any order of responses and cancels, each request of the client gets one response, and is sent
// twice at most.
func TestEachLoadHasOneResponse(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 2))
		b := newFolders(true)
		sent, responses, tries := 0, map[string]int{}, map[string]int{}
		var waiting []string // raw ids that the agent has to answer
		read := func() {
			toClient, toAgent := b.Sent()
			for _, line := range toClient {
				o, _ := wire.Parse([]byte(line))
				responses[wire.ID(o.Raw("id"))]++
			}
			for _, line := range toAgent {
				o, _ := wire.Parse([]byte(line))
				if id := string(o.Raw("id")); id != "" {
					waiting = append(waiting, id)
					tries[id]++
				}
			}
		}
		answer := func() {
			i := random.IntN(len(waiting))
			id := waiting[i]
			waiting = append(waiting[:i], waiting[i+1:]...)
			b.Says(dispatch.Agent, `{"id":`+id+[]string{
				`,"result":{}}`, `,"result":{"sessions":[{"sessionId":"s","cwd":"/a"}]}}`, `,"result":{"sessions":[],"nextCursor":"c"}}`,
				`,"error":{"code":-32602,"message":"no"}}`, `,"error":{"code":-32602,"message":"no"}}`,
			}[random.IntN(5)])
			read()
		}
		for range 30 {
			switch n := random.IntN(5); {
			case n == 0:
				b.Says(dispatch.Client, fmt.Sprintf(`{"method":"$/cancel_request","params":{"requestId":%d}}`, random.IntN(sent+1)))
			case n == 1 || len(waiting) == 0:
				sent++
				b.Says(dispatch.Client, load(sent, []string{"s", "t"}[random.IntN(2)], "/a/b"))
			default:
				answer()
				continue
			}
			read()
		}
		for len(waiting) > 0 {
			answer()
		}
		for n := range sent {
			if id := fmt.Sprint(n + 1); responses[id] != 1 || tries[id] > 2 {
				t.Fatalf("seed %d: request %s gets %d responses, the agent gets it %d times", seed, id, responses[id], tries[id])
			}
		}
	}
}
