package plans

import (
	"errors"
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	defer a.reportFiles()
	switch {
	case m.From == dispatch.Client && m.Kind == dispatch.Response:
		a.questionResponse(m)
		return
	case m.From == dispatch.Client:
		a.initialize(m)
		return
	case m.Kind == dispatch.Response:
		a.response(m)
		return
	}
	switch {
	case m.Method == acp.SessionUpdate:
		a.sessionUpdate(m)
	case a.isToolMethod(m.Method):
		a.toolMessage(m)
	case m.Kind == dispatch.Request && !isForMachine(m.Method):
		a.ask(m)
	}
}

// sessionUpdate handles a session update, after it has released what was held until this update. A
// plan only ends the pause, because what is held is shown in its place.
func (a *Adapter) sessionUpdate(m *dispatch.Message) {
	params := m.Params()
	update := params.Get("update")
	if !wire.IsString(params.Raw("sessionId")) || len(m.Session) > conversation.MaxSessionID || update == nil || update.Object == nil {
		return
	}
	isPlan := strings.HasPrefix(m.Update, acp.Plan)
	if s := a.find(m.Session); s != nil {
		if resumed := a.endPause(s); !isPlan {
			a.releaseBeforeUpdate(m, s, resumed)
		}
	}
	switch {
	case isPlan && a.translating:
		a.planForOld(m, update)
	case isPlan:
		a.planForCapable(m, update.Object)
	case strings.HasPrefix(m.Update, acp.ToolCall) && len(a.tools) > 0:
		a.toolCall(m, update.Object)
	}
}

// planForOld applies a plan update to the plans of its session, and replaces it by what an old
// client gets.
func (a *Adapter) planForOld(m *dispatch.Message, update *wire.Member) {
	u, err := translate.Decode(update.Object)
	switch {
	case err != nil && (u.Kind == translate.Legacy || m.Kind == dispatch.Request):
		return
	case err != nil:
		if a.opts.Events.Dropped != nil {
			a.opts.Events.Dropped(m.Session, err)
		}
		m.Because(whyRefused(m, u))
		m.Drop()
		return
	}
	if u.Kind == translate.File {
		u.Text, err = a.readFile(m.Session, u.URI)
	}
	s := a.session(m.Session)
	for _, p := range s.allPlans() {
		p.noteUpdate(u, m.Number)
	}
	if u.Kind == translate.File {
		a.applyFile(s, s.allPlans(), u, err, false)
	} else {
		for _, p := range s.allPlans() {
			a.apply(p, u)
		}
		a.plansChanged(s)
	}
	e := envelope{m.Line[:update.Value.Start], m.Line[update.Value.End:], u.Meta}
	if m.Kind == dispatch.Request && (!a.c.Ready(s.Session) || a.isBurst(s)) {
		e = s.envelope() // without the id, because the request itself passes
	}
	a.replace(m, s, u, e, errors.Is(err, ErrLater))
}

// planForCapable handles a plan update for a capable client. The update passes unless it repeats a
// plan. From then on todo tools are ignored. Their plan is removed by an empty plan after the
// update, unless the update is a legacy plan, which replaces it.
func (a *Adapter) planForCapable(m *dispatch.Message, update *wire.Object) {
	s := a.session(m.Session)
	u, err := translate.Decode(update)
	switch {
	case err != nil || u.Kind == translate.Removed:
		s.hasAgentPassed = true
		return
	case u.Kind == translate.Legacy && a.repeats(s, u):
		m.Because(whyRepeats(m, u))
		m.Drop()
	case u.Kind == translate.Legacy:
		a.pass(m)
		fallthrough
	default:
		s.hasAgentPassed = true
	}
	had := s.current().set.HasOwn()
	for _, p := range s.allPlans() {
		if !u.ClearsTodos() {
			p.set.MarkOwn()
		}
		p.set.ClearTodos()
		p.todos = todo.Todos{}
	}
	a.plansChanged(s)
	switch {
	case had:
	case u.Kind == translate.Legacy:
		s.current().shown, s.current().shownIsOurs = entry.Digest{}, false
	default:
		m.Because(whyToolRemoved)
		a.placeAfter(m, a.showOrHold(s))
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
		return u.ClearsTodos() && p.shown == entry.Digest{} && !p.set.HasOwn() && !s.hasAgentPassed
	}
}

func (a *Adapter) apply(p *plans, u translate.Update) {
	if p.set.Apply(u) {
		a.c.Evict(fmt.Sprintf("a plan: at most %d of a session are kept", translate.MaxPlans))
	}
	if p.set.HasOwn() || u.ClearsTodos() {
		p.todos = todo.Todos{}
	}
}

// plansChanged updates the state of a session after its plans have changed.
func (a *Adapter) plansChanged(s *session) {
	a.holdDocuments(s)
	if !s.isLarge() {
		a.reportProblem(s)
	}
	a.weigh(s)
}

func (a *Adapter) reportProblem(s *session) {
	if err := s.current().set.Problem(); err != nil && a.opts.Events.Flawed != nil {
		a.opts.Events.Flawed(s.ID, err)
	}
}
