package plans

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate/todo"
)

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "plan" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if !a.follows() {
		return nil
	}
	w := dispatch.Want{From: dispatch.Agent, Sessions: true, Responses: []string{
		acp.SessionPrompt, acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume, acp.SessionClose, acp.SessionDelete,
	}}
	if a.translating || len(a.tools) > 0 {
		w.Methods, w.Updates = []string{"*"}, []string{acp.Plan, acp.PlanUpdate, acp.PlanRemoved}
	}
	if len(a.tools) > 0 {
		w.Updates = append(w.Updates, acp.ToolCall, acp.ToolCallUpdate)
	}
	if a.wantsEveryUpdate {
		w.Updates = append(w.Updates, "*")
	}
	wants := []dispatch.Want{w, {
		From: dispatch.Agent, Updates: []string{acp.UserMessageChunk}, While: []string{acp.SessionLoad, acp.SessionResume},
	}}
	if a.translating {
		wants = append(wants, dispatch.Want{From: dispatch.Client, Responses: []string{acp.SessionRequestPermission}},
			dispatch.Want{From: dispatch.Agent, Calls: true, Text: acp.KindSwitchMode}) // for questions about plans
	}
	return wants
}

// follows reports whether the adapter tracks plans and sessions. It does until initialize has a
// response, and later if the client needs plans.
func (a *Adapter) follows() bool { return !a.negotiated || a.translating || len(a.tools) > 0 }

// Cares implements dispatch.Adapter.
func (a *Adapter) Cares(from dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	due := a.flushDue || len(a.heldDocuments) > 0 || len(a.heldPlans) > 0
	switch {
	case r != nil && from == dispatch.Client:
		if _, isAboutPlan := a.questions.Get(r); isAboutPlan {
			return dispatch.Yes
		}
		return dispatch.No
	case r != nil && r.IsPrompt() && !due && a.filePlans == 0 && !a.isAsking():
		return dispatch.No // nothing is held
	case r != nil:
		return dispatch.Yes
	case h.SessionUpdate != nil:
		return a.caresForUpdate(h)
	case due && !isForMachine(string(h.Method)), a.isToolMethod(string(h.Method)), a.translating && string(h.Method) == acp.SessionRequestPermission:
		return dispatch.Yes
	}
	return dispatch.No
}

// caresForUpdate reports whether Handle needs a session update. It never needs updates of a call
// that is not a call of a todo tool, until a new call begins with the same id.
func (a *Adapter) caresForUpdate(h wire.Head) dispatch.Care {
	if h.SessionID == nil || a.translating && bytes.HasPrefix(h.SessionUpdate, []byte(acp.Plan)) {
		return dispatch.Yes
	}
	of, _ := a.c.Use(string(h.SessionID))
	s, _ := a.sessions.Get(of)
	switch {
	case s != nil && a.wantsNext[s]:
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

// isForMachine reports whether a client responds to requests of a method without asking its user.
// No documents are shown before such requests.
func isForMachine(method string) bool {
	return strings.HasPrefix(method, "fs/") || strings.HasPrefix(method, "terminal/") || strings.HasPrefix(method, "mcp/")
}

// isToolMethod reports whether a todo tool has a method as its own.
func (a *Adapter) isToolMethod(method string) bool {
	return slices.ContainsFunc(a.tools, func(t *todo.Tool) bool { return t.Method() == method })
}

// updateWants is called when something changes that may have to be released before the session's
// next update: see Adapter.wantsNext.
func (a *Adapter) updateWants(s *session) {
	delete(a.wantsNext, s)
	if s.Evicted || !(s.isPaused && a.isRunning(s) || !s.isPaused && (s.call.isOpen() || s.current().set.IsGrowing())) {
		return
	}
	a.wantsNext[s] = true
	if !a.wantsEveryUpdate {
		a.wantsEveryUpdate = true
		a.c.ChangeWants()
	}
}
