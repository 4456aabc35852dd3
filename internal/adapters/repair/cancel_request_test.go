package repair_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/adapters/turns"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// In any order, each request of the client gets one response, every cancel gets null, and the agent
// gets a cancel only while it has a prompt of the session.
func TestCancelRequestsNeverHitTheNextPrompt(t *testing.T) {
	isOn := func(_, _ conversation.Implementation) bool { return true }
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := conversation.New(conversation.Options{})
		queue := turns.Settings{Queue: random.IntN(3)}
		b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{
			turns.New(c, func(_, _ conversation.Implementation) turns.Settings { return queue }),
			repair.NewCancel(c, isOn),
			repair.NewCancelRequest(isOn),
		}}).Negotiate(1)
		sent, responses, cancels := 0, map[string]int{}, map[string]bool{}
		running := map[string][]string{} // ids of prompts, by session
		read := func() {
			toClient, toAgent := b.Sent()
			for _, line := range toClient {
				o, _ := wire.Parse([]byte(line))
				id := wire.ID(o.Raw("id"))
				responses[id]++
				if cancels[id] && string(o.Raw("result")) != "null" {
					t.Fatalf("seed %d: the cancel gets %s", seed, line)
				}
			}
			for _, line := range toAgent {
				o, _ := wire.Parse([]byte(line), "params")
				session, _ := o.Open("params").Text("sessionId")
				switch method, _ := o.Text("method"); {
				case method == "session/prompt":
					running[session] = append(running[session], string(o.Raw("id")))
				case o.Raw("id") != nil || len(running[session]) == 0:
					t.Fatalf("seed %d: the agent gets %s, prompts: %v", seed, line, running)
				}
			}
		}
		for range 40 {
			session := fmt.Sprint("s", random.IntN(2))
			switch random.IntN(3) {
			case 0:
				sent++
				b.Says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`, sent, session))
			case 1:
				sent++
				cancels[fmt.Sprint(sent)] = true
				b.Says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":"session/cancel","params":{"sessionId":%q}}`, sent, session))
			default:
				if ids := running[session]; len(ids) > 0 {
					running[session] = ids[1:]
					b.Says(dispatch.Agent, `{"id":`+ids[0]+`,"result":{"stopReason":"end_turn"}}`)
				}
			}
			read()
		}
		for _, session := range []string{"s0", "s1"} {
			for len(running[session]) > 0 {
				id := running[session][0]
				running[session] = running[session][1:]
				b.Says(dispatch.Agent, `{"id":`+id+`,"result":{"stopReason":"end_turn"}}`)
				read()
			}
		}
		for n := range sent {
			if got := responses[fmt.Sprint(n+1)]; got != 1 {
				t.Fatalf("seed %d: request %d gets %d responses", seed, n+1, got)
			}
		}
	}
}

// A batch loses the request. With the repair off, nothing changes.
func TestCancelRequestsInABatch(t *testing.T) {
	cancel := `{"id":3,"method":"session/cancel","params":{"sessionId":"s"}}`
	for _, isOn := range []bool{true, false} {
		b := newSession(func(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
			return repair.NewCancelRequest(isOn)
		}, isOn)
		b.Sent()
		b.Says(dispatch.Client, `[{"id":2,"method":"session/prompt","params":{"sessionId":"s"}},`+cancel+`]`)
		toClient, toAgent := b.Sent()
		if got := strings.Join(toAgent, ""); strings.Contains(got, `"id":3`) == isOn || !strings.Contains(got, "session/cancel") || len(toClient) != map[bool]int{true: 1}[isOn] {
			t.Errorf("on: %t: the agent gets %q, the client %q", isOn, toAgent, toClient)
		}
	}
}
