package plans

import (
	"bytes"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// caresForUpdate decides a session update by what it may say about plans and todo tools. Of a call
// that is known to be no todo tool's no update is ever wanted, until another starts with its id.
// The lock is held.
func (a *Adapter) caresForUpdate(h wire.Head) dispatch.Care {
	if h.SessionID == nil || a.translating && bytes.HasPrefix(h.SessionUpdate, []byte("plan")) {
		return dispatch.Yes
	}
	of, _ := a.c.Use(string(h.SessionID))
	s, _ := a.sessions.Get(of)
	switch {
	case s != nil && a.awaited[s]:
		return dispatch.Yes
	case s != nil && string(h.SessionUpdate) == userMessage && a.c.Opening(s.ID):
		return dispatch.Yes
	case len(a.tools) == 0 || !bytes.HasPrefix(h.SessionUpdate, []byte("tool_call")) && !bytes.HasPrefix(h.SessionUpdate, []byte("plan")):
		return dispatch.No
	case s != nil && s.now.set.HasOwn() && s.replayed == nil:
		return dispatch.No // until the session begins anew
	case s != nil && string(h.SessionUpdate) == "tool_call_update" && s.now.todos.Ignores(h.ToolCallID):
		return dispatch.Never
	}
	return dispatch.Yes
}

// toolCall handles a tool_call or a tool_call_update. It passes; after it comes the plan that
// changed by it, if one did.
func (a *Adapter) toolCall(m *dispatch.Message, update *wire.Object) {
	if m.Update == "tool_call" {
		m.Forget() // it may use again the id of one that was ignored
	}
	defer a.lock()()
	a.readTodos(m, a.session(m.Session), func(t *todo.Todos) bool { return t.Read(a.tools, update) })
}

// toolMessage handles a message of a method that a todo tool names, such as cursor/update_todos. It
// passes; after it comes the plan that changed by it, if one did.
func (a *Adapter) toolMessage(m *dispatch.Message) {
	defer a.lock()()
	params := m.Params()
	s := a.sessionOf(params)
	if s == nil {
		return
	}
	a.readTodos(m, s, func(t *todo.Todos) bool {
		return slices.ContainsFunc(a.tools, func(tool *todo.Tool) bool {
			return tool.Method() == m.Method && t.ReadParams(tool, params)
		})
	})
}

// readTodos calls read for the todo lists of the session. After the message comes the plan, if read
// reports for one of them that it changed and the plan is to be shown now.
func (a *Adapter) readTodos(m *dispatch.Message, s *session, read func(*todo.Todos) (written bool)) {
	some := false
	for _, p := range s.all() {
		if p.set.HasOwn() || !read(&p.todos) {
			continue
		}
		a.applyTo(p, translate.Update{Kind: translate.Todo, Entries: p.todos.Entries()})
		some = true
	}
	a.applied(s)
	if some && a.showAs() == AsPlan {
		m.Because("acpshim made this plan from a todo tool's call (plan.tools)")
		a.after(m, a.showOrWait(s))
	}
}

// sessionOf returns the session that a message of a method of the agent's own
// is about, or nil. Cursor's names no session, but a tool call; else it is the
// only one with a prompt, or the only one.
func (a *Adapter) sessionOf(params *wire.Object) *session {
	if id, ok := params.Text("sessionId"); ok {
		if len(id) > conversation.MaxSessionID {
			return nil
		}
		return a.session(id)
	}
	sessions := a.all()
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

// showOrWait returns the line that shows the session's plan. If it cannot be shown now, it returns
// nil, and release shows it when the client knows the session, with the next Flush, or after a turn
// that was cancelled in the next one.
func (a *Adapter) showOrWait(s *session) []byte {
	if a.c.Ready(s.Session) && !a.isBurst(s) && !a.isQuiet(s) {
		return a.show(nil, s, s.envelope())
	}
	a.showLater(s)
	return nil
}

// showLater is showOrWait for a plan that is not to be shown now.
func (a *Adapter) showLater(s *session) {
	if a.c.Ready(s.Session) && !a.isQuiet(s) {
		a.waitForFlush(s, s.envelope())
	} else if _, waits := a.waiting[s]; !waits {
		a.wait(s, s.envelope())
	}
}

// planForCapable handles a plan update for a capable client. It passes unless it need not be shown:
// see repeats. From then on the agent's todo tools are ignored. The plan that was made of them is
// removed by an empty one after the update, unless the update is a legacy plan, which replaces it.
func (a *Adapter) planForCapable(m *dispatch.Message, update *wire.Object) {
	defer a.lock()()
	s := a.session(m.Session)
	u, err := translate.Decode(update)
	switch {
	case err != nil || u.Kind == translate.Removed:
		s.agentsPassed = true
		return
	case u.Kind == translate.Legacy && a.repeats(s, u):
		m.Because(whyRepeated)
		m.Drop()
	case u.Kind == translate.Legacy:
		a.pass(m)
		fallthrough
	default:
		s.agentsPassed = true
	}
	had := s.current().set.HasOwn()
	for _, p := range s.all() {
		if !u.ClearsTodos() {
			p.set.MarkOwn()
		}
		p.set.ClearTodos()
		p.todos = todo.Todos{}
	}
	a.applied(s)
	switch {
	case had:
	case u.Kind == translate.Legacy:
		s.current().shown, s.current().shownIsMade = entry.Digest{}, false
	default:
		m.Because("the agent sends plans itself, so the plan from its todo tool is removed")
		a.after(m, a.showOrWait(s))
	}
}

// repeats reports whether a legacy plan of the agent's need not be shown: the
// client has been shown the same in this turn, made of todo tools or other plans, or there
// was none and this one is empty. Where the agent says it twice, it has a reason.
func (a *Adapter) repeats(s *session, u translate.Update) bool {
	p := s.current()
	switch digest := entry.DigestOf(u.Entries); {
	case !a.c.Ready(s.Session):
		return false
	case p.shownIsMade && digest == p.shown && p.shownIn == p.set.Turn():
		p.shownIsMade = false
		return true
	default:
		return u.ClearsTodos() && p.shown == entry.Digest{} && !p.set.HasOwn() && !s.agentsPassed
	}
}
