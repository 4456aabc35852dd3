package choices

import (
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// State is removed with its session or call.
func TestStateIsRemoved(t *testing.T) {
	c := conversation.New(conversation.Options{})
	a := New(c, dispatch.NewOwnRequests("own-"), func(_, _ conversation.Implementation) bool { return true })
	d := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
	for _, step := range []struct {
		request, result string
		pending, kept   int // calls, then sessions after the response
	}{
		{`"initialize","params":{"protocolVersion":1}`, `{"protocolVersion":1}`, 0, 0},
		{`"session/load","params":{"sessionId":"s"}`, `{"modes":{"currentModeId":"a","availableModes":[{"id":"a"}]}}`, 0, 1},
		{`"session/set_mode","params":{"sessionId":"s","modeId":"a"}`, `{}`, 1, 1},
		{`"session/close","params":{"sessionId":"s"}`, `{}`, 0, 0},
	} {
		wire.Apply(d.Client, nil, []byte(`{"id":1,"method":`+step.request+`}`))
		if calls, _ := kept(c, a); calls != step.pending {
			t.Errorf("%s: %d calls are pending", step.request, calls)
		}
		wire.Apply(d.Agent, nil, []byte(`{"id":1,"result":`+step.result+`}`))
		if calls, sessions := kept(c, a); calls != 0 || sessions != step.kept {
			t.Errorf("%s: then %d calls are pending, and %d sessions kept", step.request, calls, sessions)
		}
	}
}

// kept is of how many calls and sessions something is kept.
func kept(c *conversation.Conversation, a *Adapter) (calls, sessions int) {
	for range a.calls.All() {
		calls++
	}
	for range a.sessions.All() {
		sessions++
	}
	return calls, sessions
}
