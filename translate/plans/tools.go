package plans

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// caresForUpdate reports whether Handle needs a session update. It never needs updates of a call
// that is not a call of a todo tool, until a new call begins with the same id.
func (a *Adapter) caresForUpdate(h wire.Head) dispatch.Care {
	if h.SessionID == nil || a.translating && bytes.HasPrefix(h.SessionUpdate, []byte(acp.Plan)) {
		return dispatch.Yes
	}
	of, _ := a.c.Use(string(h.SessionID))
	s, _ := a.sessions.Get(of)
	switch {
	case s != nil && a.awaited[s]:
		return dispatch.Yes
	case s != nil && string(h.SessionUpdate) == acp.UserMessageChunk && a.c.Opening(s.ID):
		return dispatch.Yes
	case len(a.tools) == 0 || !bytes.HasPrefix(h.SessionUpdate, []byte(acp.ToolCall)) && !bytes.HasPrefix(h.SessionUpdate, []byte(acp.Plan)):
		return dispatch.No
	case s != nil && s.now.set.HasOwn() && s.replayed == nil:
		return dispatch.No // the agent's plans count, until the session is loaded again
	case s != nil && string(h.SessionUpdate) == acp.ToolCallUpdate && s.now.todos.Ignores(h.ToolCallID):
		return dispatch.Never
	}
	return dispatch.Yes
}

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
		a.after(m, a.showAfterCall(s, id))
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
		a.after(m, a.showOrWait(s))
	}
}

// readTodos calls read for the todo lists of the session, and reports whether one changed.
func (a *Adapter) readTodos(s *session, read func(*todo.Todos) (changed bool)) (some bool) {
	for _, p := range s.allPlans() {
		if p.set.HasOwn() || !read(&p.todos) {
			continue
		}
		a.applyTo(p, translate.Update{Kind: translate.Todo, Entries: p.todos.Entries()})
		some = true
	}
	a.updateState(s)
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

// showOrWait returns the line with the session's plan. If it cannot be shown now, it returns nil
// and the plan waits: for the client to know the session, for the next Flush, or for the next turn
// if this one was cancelled.
func (a *Adapter) showOrWait(s *session) []byte {
	if a.c.Ready(s.Session) && !a.isBurst(s) && !a.isQuiet(s) {
		return a.show(nil, s, s.envelope())
	}
	a.showLater(s)
	return nil
}

// showLater is showOrWait for a plan that must not be shown now.
func (a *Adapter) showLater(s *session) {
	if a.c.Ready(s.Session) && !a.isQuiet(s) {
		a.waitForFlush(s, s.envelope())
	} else if _, waits := a.waiting[s]; !waits {
		a.wait(s, s.envelope())
	}
}

// planForCapable handles a plan update for a capable client. The update passes unless it repeats a
// plan. From then on todo tools are ignored. Their plan is removed by an empty plan after the
// update, unless the update is a legacy plan, which replaces it.
func (a *Adapter) planForCapable(m *dispatch.Message, update *wire.Object) {
	s := a.session(m.Session)
	u, err := translate.Decode(update)
	switch {
	case err != nil || u.Kind == translate.Removed:
		s.agentsPassed = true
		return
	case u.Kind == translate.Legacy && a.repeats(s, u):
		m.Because(whyRepeats(m, u))
		m.Drop()
	case u.Kind == translate.Legacy:
		a.pass(m)
		fallthrough
	default:
		s.agentsPassed = true
	}
	had := s.current().set.HasOwn()
	for _, p := range s.allPlans() {
		if !u.ClearsTodos() {
			p.set.MarkOwn()
		}
		p.set.ClearTodos()
		p.todos = todo.Todos{}
	}
	a.updateState(s)
	switch {
	case had:
	case u.Kind == translate.Legacy:
		s.current().shown, s.current().shownIsOurs = entry.Digest{}, false
	default:
		m.Because(whyToolRemoved)
		a.after(m, a.showOrWait(s))
	}
}

// repeats reports whether a legacy plan of the agent can be dropped: acpshim has shown the same
// plan in this turn, or the client has no plan and this one is empty. A plan that the agent itself
// repeats is not dropped.
func (a *Adapter) repeats(s *session, u translate.Update) bool {
	p := s.current()
	switch digest := entry.DigestOf(u.Entries); {
	case !a.c.Ready(s.Session):
		return false
	case p.shownIsOurs && digest == p.shown && p.shownIn == p.set.Turn():
		p.shownIsOurs = false
		return true
	default:
		return u.ClearsTodos() && p.shown == entry.Digest{} && !p.set.HasOwn() && !s.agentsPassed
	}
}
