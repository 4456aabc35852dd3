package plans

import (
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/todo"
)

// toolCall handles a tool_call or a tool_call_update. The message passes. If it changes the todo
// list, the plan follows.
func (a *Adapter) toolCall(m *dispatch.Message, update *wire.Object) {
	if m.Update == acp.ToolCall {
		m.Forget() // it can have the id of an ignored call
	}
	s := a.session(m.Session)
	changed := a.readTodos(s, func(t *todo.Todos) bool { return t.Read(a.tools, update) })
	if id, _ := update.Text("toolCallId"); (changed || s.call.isOpen() && s.call.id == id) && a.showAs() == AsPlan {
		m.Because(whyFromTool)
		a.placeAfter(m, a.showAfterCall(s, id))
	}
}

// toolMessage handles a message of a todo tool's own method, such as cursor/update_todos. The
// message passes. If it changes the todo list, the plan follows.
func (a *Adapter) toolMessage(m *dispatch.Message) {
	params := m.Params()
	s := a.sessionOf(params)
	if s == nil {
		return
	}
	changed := a.readTodos(s, func(t *todo.Todos) bool {
		return slices.ContainsFunc(a.tools, func(tool *todo.Tool) bool {
			return tool.Method() == m.Method && t.ReadParams(tool, params)
		})
	})
	if changed && a.showAs() == AsPlan {
		m.Because(whyFromTool)
		a.placeAfter(m, a.showOrHold(s))
	}
}

// readTodos calls read for the todo lists of the session, and reports whether one changed.
func (a *Adapter) readTodos(s *session, read func(*todo.Todos) (changed bool)) (some bool) {
	for _, p := range s.allPlans() {
		if p.set.HasOwn() || !read(&p.todos) {
			continue
		}
		a.apply(p, translate.Update{Kind: translate.Todo, Entries: p.todos.Entries()})
		some = true
	}
	a.plansChanged(s)
	return some
}

// sessionOf returns the session of a message of a todo tool's own method, or nil. If the message
// has no session id, like Cursor's, it is the session of its tool call, else the only one with a
// pending prompt, else the only one.
func (a *Adapter) sessionOf(params *wire.Object) *session {
	if id, ok := params.Text("sessionId"); ok {
		if len(id) > conversation.MaxSessionID {
			return nil
		}
		return a.session(id)
	}
	sessions := a.allSessions()
	call, _ := params.Text("toolCallId")
	if i := slices.IndexFunc(sessions, func(s *session) bool { return s.current().todos.Knows(call) }); i >= 0 {
		return a.session(sessions[i].ID)
	}
	if id, ok := a.c.OnlyPrompt(); ok {
		return a.session(id)
	}
	if len(sessions) == 1 {
		return a.session(sessions[0].ID)
	}
	return nil
}

// An openCall is the call of a todo tool whose plan is held until the call ends. Some clients
// group only neighbours, so a plan between the updates of a call would split it. The plan follows
// the call, or comes before the next message of the session that is not about the call. The zero
// value is no call.
type openCall struct {
	id    string
	timer *dispatch.Timer // shows the plan of a call that does not end
}

// callPatience is how long a plan is held for a call that does not end.
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
// has ended. Otherwise it holds the plan.
func (a *Adapter) showAfterCall(s *session, id string) []byte {
	s.call.end()
	if !s.current().todos.IsOpen(id) || !a.canGet(s) {
		return a.showOrHold(s)
	}
	s.call = openCall{id, a.After(callPatience, func() { a.callTimedOut(s) })}
	a.hold(s, s.envelope())
	a.updateWants(s)
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
