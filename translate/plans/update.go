package plans

import (
	"errors"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
)

// isForMachine reports whether a client responds to requests of a method without asking its user.
// No documents are shown before such requests.
func isForMachine(method string) bool {
	return strings.HasPrefix(method, "fs/") || strings.HasPrefix(method, "terminal/") || strings.HasPrefix(method, "mcp/")
}

func (a *Adapter) update(m *dispatch.Message) {
	params := m.Params()
	update := params.Get("update")
	if !wire.IsString(params.Raw("sessionId")) || len(m.Session) > conversation.MaxSessionID || update == nil || update.Object == nil {
		return
	}
	isPlan := strings.HasPrefix(m.Update, acp.Plan)
	a.showHeld(m, isPlan)
	switch {
	case isPlan && a.translating:
		a.planForOld(m, update)
	case isPlan:
		a.planForCapable(m, update.Object)
	case strings.HasPrefix(m.Update, acp.ToolCall) && len(a.tools) > 0:
		a.toolCall(m, update.Object)
	}
}

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
		u.Text, err = a.read(m.Session, u.URI)
	}
	s := a.session(m.Session)
	for _, p := range s.allPlans() {
		p.note(u, m.Number)
	}
	if u.Kind == translate.File {
		a.applyFile(s, s.allPlans(), u, err, false)
	} else {
		for _, p := range s.allPlans() {
			a.applyTo(p, u)
		}
		a.updateState(s)
	}
	e := envelope{m.Line[:update.Value.Start], m.Line[update.Value.End:], u.Meta}
	if m.Kind == dispatch.Request && (!a.c.Ready(s.Session) || a.isBurst(s)) {
		e = s.envelope() // without the id, because the request itself passes
	}
	a.replace(m, s, u, e, errors.Is(err, ErrLater))
}

// replace replaces the plan update u, which was applied to s, by the session's plan in envelope e.
// It drops the update if no plan is shown now. Later says that the text of a file is pending.
func (a *Adapter) replace(m *dispatch.Message, s *session, u translate.Update, e envelope, later bool) {
	switch {
	case a.showAs() != AsPlan:
		m.Because(a.whyNotAsPlan())
	case u.Kind == translate.Legacy && s.current().set.OnlyLegacy() && a.repeats(s, u):
		m.Because(whyRepeats(m, u))
	case a.set.LateWait && s.isPaused && !a.c.Prompting(s.ID):
		m.Because(whyWaitsForTurn)
		a.wait(s, e)
	case u.Kind == translate.Legacy && s.current().set.OnlyLegacy() && !u.Flawed:
		delete(a.waiting, s)
		s.call.end()
		s.current().markSent(entry.DigestOf(u.Entries), false)
		a.c.Told(s.Session)
		a.weigh(s)
		a.pass(m)
		return
	case !a.c.Ready(s.Session):
		m.Because(whyWaitsToOpen)
		a.wait(s, e)
	case s.current().set.IsDraft(u) && !s.call.isOpen():
		m.Because(whyOnlyTitle)
	case later:
		m.Because(whyWaitsForFile)
	case a.isBurst(s):
		m.Because(whyLarge)
		a.waitForFlush(s, e)
	default:
		if line := a.show(nil, s, e); len(line) > 0 {
			m.Because(a.whyPlan(s))
			a.place(m, line)
			return
		}
		m.Because(a.whyNothing(m, s, u))
	}
	m.Drop()
}
