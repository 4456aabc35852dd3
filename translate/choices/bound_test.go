package choices

import (
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// What is kept of a session and of a call goes with it.
func TestNothingIsKeptOfWhatIsGone(t *testing.T) {
	c := conversation.New(conversation.Options{})
	a := New(Options{Conversation: c, IsOn: func(_, _ conversation.Implementation) bool { return true }})
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	for _, step := range []struct {
		request, result string
		pending, kept   int // calls, then sessions behind the response
	}{
		{`"initialize","params":{"protocolVersion":1}`, `{"protocolVersion":1}`, 0, 0},
		{`"session/load","params":{"sessionId":"s"}`, `{"modes":{"currentModeId":"a","availableModes":[{"id":"a"}]}}`, 0, 1},
		{`"session/set_mode","params":{"sessionId":"s","modeId":"a"}`, `{}`, 1, 1},
		{`"session/close","params":{"sessionId":"s"}`, `{}`, 0, 0},
	} {
		wire.Apply(d.FromClient(), nil, []byte(`{"id":1,"method":`+step.request+`}`))
		if len(a.calls) != step.pending {
			t.Errorf("%s: %d calls are pending", step.request, len(a.calls))
		}
		wire.Apply(d.FromAgent(), nil, []byte(`{"id":1,"result":`+step.result+`}`))
		if len(a.calls) != 0 || len(a.sessions) != step.kept {
			t.Errorf("%s: then %d calls are pending, and %d sessions kept", step.request, len(a.calls), len(a.sessions))
		}
	}
}
