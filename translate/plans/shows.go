package plans

import (
	"slices"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
)

// ShowAs says how an old client gets plans. Some clients accept the legacy plan, but do not draw
// it.
type ShowAs string

const (
	AsPlan    ShowAs = "plan"    // as the legacy plan
	AsMessage ShowAs = "message" // as a message of the agent, before questions and at the end of a turn
	AsThought ShowAs = "thought" // as a thought of the agent, at the same moments
	AsNothing ShowAs = "none"
)

// update returns the kind of session update for a plan as text, or "".
func (s ShowAs) update() string {
	switch s {
	case AsMessage:
		return "agent_message_chunk"
	case AsThought:
		return "agent_thought_chunk"
	}
	return ""
}

func (a *Adapter) showAs() ShowAs {
	if !a.translating {
		return AsPlan
	}
	return a.set.ShowAs
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

// show appends the session's plan in the envelope to dst, if it is due. The plan does not wait any
// more.
func (a *Adapter) show(dst []byte, s *session, e envelope) []byte {
	delete(a.waiting, s)
	s.call.end()
	p := s.current()
	entries := p.set.Compose(a.set.Policy)
	a.reportProblem(s)
	if digest := entry.DigestOf(entries); p.isDue(a.set.Policy, digest) {
		p.markSent(digest, true)
		names, _ := p.set.Names(a.set.Policy)
		a.tell(p, names...)
		a.c.Told(s.Session)
		dst = append(dst, e.before...)
		dst = translate.AppendPlan(dst, entries, e.meta)
		dst = append(dst, e.after...)
	}
	a.weigh(s)
	return dst
}

// showDocuments appends the pending documents of the session to dst.
func (a *Adapter) showDocuments(dst []byte, s *session, at moment) []byte {
	switch {
	case !a.documents[s]:
		s.late = false
		return dst
	case !a.c.Ready(s.Session) || a.isQuiet(s):
		return dst
	case at == atEnd && !a.affords(s):
		s.late, a.flushDue = true, true
		return dst
	}
	isShort := at == atFlush || a.affords(s) // otherwise only what the agent asks about is shown
	s.late = false
	n := len(dst)
	a.setPending(s, s.awaitsFile() || !isShort)
	options := translate.MessageOptions{DrawsPlans: a.showAs().update() == "", OnlyAsked: !a.set.Prose || !isShort}
	if a.set.Prose || !options.DrawsPlans {
		for _, t := range s.current().set.Messages(a.set.Policy, s.ID, options) {
			dst = append(dst, wire.SessionUpdate(s.ID, translate.AppendMessage(nil, "agent_message_chunk", t))...)
			a.tell(s.current(), t.Plan)
		}
	}
	a.reportProblem(s)
	dst = a.showAsText(dst, s)
	a.weigh(s)
	a.Spend(dispatch.Agent, len(dst)-n)
	return dst
}

// showAsText appends the session's plan as text to dst, if plan.show_as says so and it is due.
func (a *Adapter) showAsText(dst []byte, s *session) []byte {
	kind := a.showAs().update()
	if kind == "" || !a.isDue(s) {
		return dst
	}
	p := s.current()
	p.markSent(entry.DigestOf(p.set.Compose(a.set.Policy)), true)
	if t, ok := p.set.Checklist(a.set.Policy, s.ID); ok {
		dst = append(dst, wire.SessionUpdate(s.ID, translate.AppendMessage(nil, kind, t))...)
		names, _ := p.set.Names(a.set.Policy)
		a.tell(p, names...)
	}
	return dst
}

func (a *Adapter) isDue(s *session) bool {
	return s.current().isDue(a.set.Policy, entry.DigestOf(s.current().set.Compose(a.set.Policy)))
}

// isDue reports whether the client needs the plan that the policy shows, because it has another
// one, or because it got none in this turn, which has an update about the plan. Some clients draw
// plans turn by turn.
func (p *plans) isDue(policy translate.Policy, digest entry.Digest) bool {
	return digest != p.shown || p.shownIn != p.set.Turn() && p.set.IsMentioned(policy)
}

// markSent notes the plan that the client has.
func (p *plans) markSent(digest entry.Digest, isOurs bool) {
	p.shown, p.shownIsOurs, p.shownIn = digest, isOurs, p.set.Turn()
}

// tell notes that the client gets the state of these plans.
func (a *Adapter) tell(p *plans, names ...string) {
	for _, name := range names {
		if number, ok := p.numbers[name]; ok {
			a.Shows(number)
		}
	}
}

// An envelope is a session/update without the update in it. A translated plan keeps the envelope
// of its update.
type envelope struct {
	before, after []byte
	meta          []byte // the _meta of the update
}

// envelope returns the envelope for an update of acpshim itself.
func (s *session) envelope() envelope {
	line := wire.SessionUpdate(s.ID, nil)
	at := len(line) - len("}}\n")
	return envelope{before: line[:at], after: line[at:]}
}

// Lines before or after a message of a batch are written before or after the whole array. The
// client must get the newest plan last. So once a plan goes after the array, all later ones do,
// too. And once a plan is in the array, none goes before it.

// place replaces a message by a line with a plan, or adds the line after the batch.
func (a *Adapter) place(m *dispatch.Message, line []byte) {
	if a.goesAfterBatch(m) {
		a.after(m, wire.EndLine(line))
		m.Replace()
		return
	}
	a.planLine = m.Number
	m.Replace(line)
}

// pass lets a plan of the agent pass, or moves it after the batch.
func (a *Adapter) pass(m *dispatch.Message) {
	if a.goesAfterBatch(m) {
		a.place(m, slices.Clone(m.Line))
		return
	}
	a.planLine = m.Number
}

// after adds lines with plans after a message.
func (a *Adapter) after(m *dispatch.Message, lines []byte) {
	if len(lines) > 0 && m.InBatch() {
		a.batchWithPlans = m.Number
	}
	m.After(lines)
}

func (a *Adapter) goesAfterBatch(m *dispatch.Message) bool {
	return m.InBatch() && a.batchWithPlans == m.Number
}
