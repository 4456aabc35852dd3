package plans

import (
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
)

// An openCall is the call of a todo tool whose plan waits for the end of the call. Some clients
// group only neighbours, so a plan between the updates of a call would split it. The plan follows
// the call, or comes before the next message of the session that is not about the call. The zero
// value is no call.
type openCall struct {
	id    string
	timer *dispatch.Timer // shows the plan of a call that does not end
}

// callPatience is how long a plan waits for the end of its call.
const callPatience = time.Second

func (c *openCall) isOpen() bool { return c.timer != nil }

func (c *openCall) end() {
	if c.isOpen() {
		c.timer.Stop()
	}
	*c = openCall{}
}

// has reports whether a message is an update of the call.
func (c *openCall) has(m *dispatch.Message) bool {
	id, _ := m.Params().Open("update").Text("toolCallId")
	return m.Update == acp.ToolCallUpdate && id == c.id
}

// showAfterCall returns the line with the plan that a todo tool's call has changed, if that call
// has ended. Otherwise the plan waits.
func (a *Adapter) showAfterCall(s *session, id string) []byte {
	s.call.end()
	if !s.current().todos.IsOpen(id) || !a.c.Ready(s.Session) || a.isQuiet(s) {
		return a.showOrWait(s)
	}
	s.call = openCall{id, a.After(callPatience, func() { a.callTimedOut(s) })}
	a.wait(s, s.envelope())
	a.await(s)
	return nil
}

func (a *Adapter) callTimedOut(s *session) {
	a.Make(whyCall, func() []byte {
		defer a.reportFiles()
		if !s.call.isOpen() {
			return nil
		}
		return a.showAfterCall(s, "")
	})
}
