package commands

import (
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

// The state of a session counts once in the conversation's limit, and is removed with the session.
func TestStateIsRemoved(t *testing.T) {
	c := conversation.New(conversation.Options{})
	a := New(c, func(_, _ conversation.Implementation) []Command { return []Command{{Name: "a"}} })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)
	size := func() int {
		return c.Size()
	}
	b.Says(dispatch.Client, `{"id":1,"method":"session/load","params":{"sessionId":"s"}}`)
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	sizes := []int{size()}
	for range 2 {
		b.Says(dispatch.Agent, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"x"}]}}}`)
		sizes = append(sizes, size())
	}
	if sizes[1] <= sizes[0] || sizes[2] != sizes[1] {
		t.Errorf("it counts as %d bytes, then %d", sizes[1]-sizes[0], sizes[2]-sizes[0])
	}
	b.Says(dispatch.Client, `{"id":1,"method":"session/close","params":{"sessionId":"s"}}`)
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	for s := range a.own.All() {
		t.Errorf("then session %q is noted", s.ID)
	}
}
