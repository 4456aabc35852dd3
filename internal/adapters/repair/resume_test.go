package repair_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// newBench returns two peers with one adapter between them, after initialize.
func newBench(adapter adapterOf, isOn bool) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	a := adapter(c, func(_, _ conversation.Implementation) bool { return isOn })
	return dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)
}

func resume(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewResume(c, isOn)
}

// If the session's id follows the update, the whole update is read.
func TestAReplayThatNamesItsSessionLast(t *testing.T) {
	for session, want := range map[string]bool{"a": false, "b": true} {
		b := newBench(resume, true)
		wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/resume","params":{"sessionId":"a"}}`))
		line := `{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},"sessionId":"` + session + `"}}`
		if got := apply(b.Agent, line); (got == line) != want {
			t.Errorf("of %s: %q", session, got)
		}
	}
}

// A chunk is dropped exactly if its session is being resumed, is not being loaded, and has no turn.
func TestResumeAtRandom(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBench(resume, true)
		pending := map[int]string{} // method and session by id
		for range 80 {
			id, session := random.IntN(5), []string{"a", "b"}[random.IntN(2)]
			if _, is := pending[id]; is {
				delete(pending, id)
				wire.Apply(b.Agent, nil, fmt.Appendf(nil, `{"id":%d,%s}`, id, []string{`"result":{}`, `"error":{"code":1}`}[random.IntN(2)]))
			} else {
				method := []string{"session/resume", "session/load", "session/prompt"}[random.IntN(3)]
				pending[id] = method + " " + session
				wire.Apply(b.Client, nil, fmt.Appendf(nil, `{"id":%d,"method":%q,"params":{"sessionId":%q}}`, id, method, session))
			}
			is := map[string]bool{}
			for _, p := range pending {
				is[p] = true
			}
			for _, session := range []string{"a", "b"} {
				line := fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk"}}}`, session)
				out, _ := wire.Apply(b.Agent, nil, []byte(line))
				if isKept, want := len(out) == 0, is["session/resume "+session] && !is["session/load "+session] && !is["session/prompt "+session]; isKept != want {
					t.Fatalf("seed %d: while %v are pending, %s is kept: %v", seed, pending, line, isKept)
				}
			}
		}
	}
}

// Only updates of a resumed session are held.
func TestOtherSessionsStreamOn(t *testing.T) {
	b := newBench(resume, true)
	b.Client.Rewrite(nil, []byte(`{"id":1,"method":"session/resume","params":{"sessionId":"a"}}`))
	for session, want := range map[string]wire.Verdict{"a": wire.Hold, "b": wire.Pass} {
		head := `{"method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"agent_message_chunk","content":`
		if got := b.Agent.Inspect([]byte(head), false); got != want {
			t.Errorf("%s: %v, want %v", session, got, want)
		}
	}
}

// Without a resume, or if it is off, no byte changes.
func FuzzNothingToResume(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/load","params":{"sessionId":"s"}}`), []byte(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}`), true)
	f.Add([]byte(`{"id":1,"method":"session/resume","params":{"sessionId":"s"}}`), []byte(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}`), false)
	f.Fuzz(func(t *testing.T, request, line []byte, isOn bool) {
		if bytes.ContainsAny(request, "\n") || bytes.ContainsAny(line, "\n") || isOn && strings.Contains(string(request), "resume") || bytes.Contains(request, []byte(`\u`)) {
			return
		}
		b := newBench(resume, isOn)
		b.Passes(t, dispatch.Client, string(request))
		b.Passes(t, dispatch.Agent, string(line))
	})
}
