package dispatch_test

import (
	"fmt"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Reasons for records.
var (
	whyWaits = wire.Reason{Code: "queue.waits", Text: "another prompt of the session runs"}
	whyNext  = wire.Reason{Code: "queue.next", Text: "the prompt before it ended"}
)

// A queue sends the prompts of a session one at a time, while there is room to hold the others.
type queue struct {
	dispatch.Base
	conversation *conversation.Conversation

	// prompts has every pending prompt: what Hold returned, or nil if the agent has the prompt.
	prompts *conversation.Slot[*conversation.Request, *dispatch.Held]
}

func newQueue(c *conversation.Conversation) *queue {
	return &queue{conversation: c, prompts: conversation.NewSlot[*conversation.Request, *dispatch.Held](c)}
}

func (*queue) Name() string { return "queue" }

// Wants implements dispatch.Adapter.
func (*queue) Wants() []dispatch.Want {
	return []dispatch.Want{{From: dispatch.Client, Methods: []string{"session/prompt"}, Sessions: true}}
}

// Handle holds a prompt while another one of its session runs.
func (q *queue) Handle(m *dispatch.Message) {
	r := q.conversation.Pending(dispatch.Client, m.ID)
	if m.Method != "session/prompt" || r == nil {
		return
	}
	var held *dispatch.Held
	if q.runs(r.Session) {
		m.Because(whyWaits)
		held = m.Hold(dispatch.Unlimited) // nil if there is no room; then the agent gets a second prompt
	}
	q.prompts.Put(r, held, 0) // Hold has counted the bytes; it is false only if r has ended
}

// Observe implements dispatch.Observer. After a prompt, the next one continues.
func (q *queue) Observe(e conversation.Event) {
	if e.Kind == conversation.RequestEnded && e.Request.IsPrompt() {
		q.prompts.Delete(e.Request)
		q.next(e.Request.Session)
	}
}

// runs reports whether the agent has a prompt of a session.
func (q *queue) runs(session string) bool {
	for r, held := range q.prompts.All() {
		if r.Session == session && held == nil {
			return true
		}
	}
	return false
}

// next continues the first held prompt of a session, if no other one runs.
func (q *queue) next(session string) {
	for r, held := range q.prompts.All() {
		if r.Session == session && !q.runs(session) {
			q.prompts.Put(r, nil, 0)
			held.Because(whyNext).Continue(nil)
		}
	}
}

func ExampleMessage_Hold() {
	c := conversation.New(conversation.Options{})
	q := newQueue(c)
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{q}})
	client, agent := d.FromClient(), d.FromAgent()
	send := func(to string, from wire.Interceptor, line string) {
		out, _ := wire.Apply(from, nil, []byte(line+"\n"))
		if len(out) > 0 {
			fmt.Printf("to the %s: %s", to, out)
		}
	}
	send("agent", client, `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`)
	send("agent", client, `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
	send("client", agent, `{"id":1,"result":{"stopReason":"end_turn"}}`)
	fmt.Printf("to the agent: %s", wire.DrainAll(client))
	// Output:
	// to the agent: {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
	// to the client: {"id":1,"result":{"stopReason":"end_turn"}}
	// to the agent: {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
}
