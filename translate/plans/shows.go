package plans

import (
	"slices"

	"acpshim/internal/chain/acp"
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

// chunk returns the kind of session update for a plan as text, or "".
func (s ShowAs) chunk() string {
	switch s {
	case AsMessage:
		return acp.AgentMessageChunk
	case AsThought:
		return acp.AgentThoughtChunk
	}
	return ""
}

// showAs returns how the client of this connection gets plans.
func (a *Adapter) showAs() ShowAs {
	if !a.translating {
		return AsPlan
	}
	return a.set.ShowAs
}

// replace replaces the plan update u, which was applied to s, by the session's plan in envelope e.
// It drops the update if no plan is shown now. Later says that the text of its file comes later.
func (a *Adapter) replace(m *dispatch.Message, s *session, u translate.Update, e envelope, later bool) {
	isOnlyPlan := u.Kind == translate.Legacy && s.current().set.OnlyLegacy()
	switch {
	case a.showAs() != AsPlan:
		m.Because(a.whyNotAsPlan())
	case isOnlyPlan && a.repeats(s, u):
		m.Because(whyRepeats(m, u))
	case a.set.LateWait && s.isPaused && !a.c.Prompting(s.ID):
		m.Because(whyWaitsForTurn)
		a.hold(s, e)
	case isOnlyPlan && !u.Flawed:
		a.endHold(s)
		s.current().markShown(entry.DigestOf(u.Entries), false)
		a.c.Told(s.Session)
		a.weigh(s)
		a.pass(m)
		return
	case !a.c.Ready(s.Session):
		m.Because(whyWaitsToOpen)
		a.hold(s, e)
	case s.current().set.IsDraft(u) && !s.call.isOpen():
		m.Because(whyOnlyTitle)
	case later:
		m.Because(whyWaitsForFile)
	case a.isBurst(s):
		m.Because(whyLarge)
		a.holdUntilFlush(s, e)
	default:
		if line := a.showPlan(nil, s, e); len(line) > 0 {
			m.Because(a.whyPlan(s))
			a.place(m, line)
			return
		}
		m.Because(a.whyNothing(m, s, u))
	}
	m.Drop()
}

// showPlan appends the session's plan in the envelope to dst, if it is due, and ends its hold.
func (a *Adapter) showPlan(dst []byte, s *session, e envelope) []byte {
	a.endHold(s)
	p := s.current()
	entries := p.set.Compose(a.set.Policy)
	a.reportProblem(s)
	if digest := entry.DigestOf(entries); p.isDue(a.set.Policy, digest) {
		p.markShown(digest, true)
		a.c.Told(s.Session)
		n := len(dst)
		dst = append(dst, e.before...)
		dst = translate.AppendPlan(dst, entries, e.meta)
		dst = append(dst, e.after...)
		names, _ := p.set.Names(a.set.Policy)
		a.recordUpdates(dst[n:], p, names...)
	}
	a.weigh(s)
	return dst
}

// showDocuments appends the session's documents as messages to dst, and its plan if it is shown as
// text. If onlyAsked is true, it omits the documents that the agent does not ask about, and they
// stay held.
func (a *Adapter) showDocuments(dst []byte, s *session, onlyAsked bool) []byte {
	n := len(dst)
	a.setHeldDocuments(s, s.awaitsFile() || onlyAsked)
	options := translate.MessageOptions{DrawsPlans: a.showAs().chunk() == "", OnlyAsked: !a.set.Prose || onlyAsked}
	if a.set.Prose || !options.DrawsPlans {
		for _, t := range s.current().set.Messages(a.set.Policy, s.ID, options) {
			line := wire.SessionUpdate(s.ID, translate.AppendMessage(nil, acp.AgentMessageChunk, t))
			dst = append(dst, line...)
			a.recordUpdates(line, s.current(), t.Plan)
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
	kind := a.showAs().chunk()
	if kind == "" || !a.isDue(s) {
		return dst
	}
	p := s.current()
	p.markShown(entry.DigestOf(p.set.Compose(a.set.Policy)), true)
	if t, ok := p.set.Checklist(a.set.Policy, s.ID); ok {
		line := wire.SessionUpdate(s.ID, translate.AppendMessage(nil, kind, t))
		dst = append(dst, line...)
		names, _ := p.set.Names(a.set.Policy)
		a.recordUpdates(line, p, names...)
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

func (p *plans) markShown(digest entry.Digest, isOurs bool) {
	p.shown, p.shownIsOurs, p.shownIn = digest, isOurs, p.set.Turn()
}

// recordUpdates says for records which updates of the agent a line with these plans has: see
// plans.numbers.
func (a *Adapter) recordUpdates(line []byte, p *plans, names ...string) {
	for _, name := range names {
		if number, ok := p.numbers[name]; ok {
			a.Shows(line, number)
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

// place replaces a message by a line with a plan, or adds the line after the batch.
func (a *Adapter) place(m *dispatch.Message, line []byte) {
	if a.goesAfterBatch(m) {
		a.placeAfter(m, wire.EndLine(line))
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

func (a *Adapter) placeAfter(m *dispatch.Message, lines []byte) {
	if len(lines) > 0 && m.InBatch() {
		a.batchWithPlans = m.Number
	}
	m.After(lines)
}

// goesAfterBatch reports whether plans for a message go after its batch: see Adapter.planLine.
func (a *Adapter) goesAfterBatch(m *dispatch.Message) bool {
	return m.InBatch() && a.batchWithPlans == m.Number
}
