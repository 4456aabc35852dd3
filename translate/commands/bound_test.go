package commands

import (
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// What is noted of a session counts in the bound of all state, once, and goes with the session.
func TestWhatIsNotedOfASessionGoesWithIt(t *testing.T) {
	c := conversation.New(conversation.Options{})
	a := New(Options{Conversation: c, For: func(_, _ conversation.Implementation) []Command { return []Command{{Name: "a"}} }})
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	size := func() int {
		c.Lock()
		defer c.Unlock()
		return c.Size()
	}
	client := func(line string) { wire.Apply(d.FromClient(), nil, []byte(line+"\n")) }
	agent := func(line string) { wire.Apply(d.FromAgent(), nil, []byte(line+"\n")) }
	client(`{"id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	agent(`{"id":1,"result":{"protocolVersion":1}}`)
	client(`{"id":1,"method":"session/load","params":{"sessionId":"s"}}`)
	agent(`{"id":1,"result":{}}`)
	sizes := []int{size()}
	for range 2 {
		agent(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"x"}]}}}`)
		sizes = append(sizes, size())
	}
	if sizes[1] <= sizes[0] || sizes[2] != sizes[1] {
		t.Errorf("it counts as %d bytes, then %d", sizes[1]-sizes[0], sizes[2]-sizes[0])
	}
	client(`{"id":1,"method":"session/close","params":{"sessionId":"s"}}`)
	agent(`{"id":1,"result":{}}`)
	c.Lock()
	defer c.Unlock()
	for s := range a.own.All() {
		t.Errorf("then session %q is noted", s.ID)
	}
}
