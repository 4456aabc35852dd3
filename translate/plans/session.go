package plans

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
)

// A session has the plans of one session: all plans for an old client, and those of todo tools for
// a capable client.
type session struct {
	*conversation.Session
	now      *plans // the plans that count
	replayed *plans // the plans since a pending session/load began, or nil

	agentsPassed bool // an update of the agent's plans has passed to a capable client
	late         bool // a turn ended before its pending documents were sent
	isPaused     bool // its last turn was cancelled, and the next one has no update yet: see Settings.LateWait
	call         openCall

	size  int // its size in the conversation's budget
	files int // its file plans in Adapter.filePlans
}

// session returns the session with that id as the one used last, and adds it if it is new.
func (a *Adapter) session(id string) *session { return a.sessionFor(a.c.Session(id)) }

// find is session, but returns nil for a new session.
func (a *Adapter) find(id string) *session {
	if of, ok := a.c.Use(id); ok {
		return a.sessionFor(of)
	}
	return nil
}

func (a *Adapter) sessionFor(of *conversation.Session) *session {
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &session{Session: of, now: &plans{}}
		a.sessions.Put(of, s, 0) // fails if it is evicted
	}
	return s
}

// allSessions returns the sessions with plans, the one used last at the end.
func (a *Adapter) allSessions() (all []*session) {
	for _, s := range a.sessions.All() {
		all = append(all, s)
	}
	return all
}

// allPlans returns the plans that an update changes. While a session/load is pending, there are
// two, and the response decides which one counts.
func (s *session) allPlans() []*plans {
	if s.replayed != nil {
		return []*plans{s.now, s.replayed}
	}
	return []*plans{s.now}
}

// current returns the plans that the client sees.
func (s *session) current() *plans {
	if s.replayed != nil {
		return s.replayed
	}
	return s.now
}

// isQuiet reports whether the adapter must not add lines, because the turn was cancelled and the
// client only waits for its end, or the client waits for the next turn.
func (a *Adapter) isQuiet(s *session) bool {
	return !a.hasEnded && (s.isPaused || a.c.IsTurnOver(s.ID))
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

// wait notes that the session's plan is pending, with a copy of envelope e, or another envelope if
// e is too long.
func (a *Adapter) wait(s *session, e envelope) {
	if s.Evicted {
		return
	}
	if len(e.before)+len(e.after)+len(e.meta) > maxEnvelope {
		e = s.envelope()
	}
	a.waiting[s] = envelope{slices.Clone(e.before), slices.Clone(e.after), slices.Clone(e.meta)}
	a.weigh(s)
}

// waitForFlush is wait for a session that is ready. The next Flush shows the plan.
func (a *Adapter) waitForFlush(s *session, e envelope) {
	a.c.Told(s.Session)
	a.flushDue = true
	a.wait(s, e)
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

// isLarge reports whether the session's plan is so large that it is shown once for many updates.
func (s *session) isLarge() bool { return s.current().set.Size() > largePlan }

// isBurst reports whether the next Flush has to show the session's plan, because the plan or the
// output for the current line is large.
func (a *Adapter) isBurst(s *session) bool { return s.isLarge() || a.Made(dispatch.Agent) > maxMade }

// largePlan is in bytes, more than real plans have. Smaller plans are shown after each update, so
// that a replay of the conversation has the same result.
const largePlan = 64 << 10

// maxMade is the approximate number of bytes of plans and documents that are shown at once.
const maxMade = 1 << 20

// release returns the waiting plans that may be shown at this moment. It begins with the session
// whose id is first. In Flush it also returns late documents. It sets flushDue if something is
// left.
func (a *Adapter) release(first string, at moment) (lines []byte) {
	if len(a.waiting) == 0 && !a.flushDue {
		return nil
	}
	a.flushDue = false
	sessions := a.allSessions()
	of, _ := a.c.Find(first)
	if s, ok := a.sessions.Get(of); ok {
		sessions = slices.Insert(sessions, 0, s)
	}
	for _, s := range sessions {
		switch e, waits := a.waiting[s]; {
		case !waits && !s.late || !a.c.Ready(s.Session) || a.isQuiet(s):
		case s.call.isOpen() && !a.hasEnded && (at == atFlush || first != s.ID && (first != "" || at == atEnd)):
		case len(lines) > maxMade || at != atFlush && !a.affords(s):
			a.flushDue = true
		default:
			if n := len(lines); waits {
				lines = wire.EndLine(a.show(lines, s, e))
				a.Spend(dispatch.Agent, len(lines)-n)
			}
			if s.late && at == atFlush {
				lines = a.showDocuments(lines, s, at)
			}
			a.flushDue = a.flushDue || s.late
		}
	}
	return lines
}

// showAllDocuments appends the pending documents of all sessions to dst.
func (a *Adapter) showAllDocuments(dst []byte, at moment) []byte {
	n := len(dst)
	if len(a.documents) == 0 {
		return dst
	}
	for _, s := range a.allSessions() {
		if dst = a.showDocuments(dst, s, at); len(dst)-n > maxMade {
			break // the next call shows the others
		}
	}
	return dst
}

// A moment is when pending documents are shown.
type moment int

const (
	atQuestion moment = iota // before a request; large documents wait for the next moment
	atEnd                    // before or after a response; large documents wait for the next Flush
	atFlush                  // in Flush; nothing is too large
)

// affords reports whether the session's plans may be shown now. Without this limit, a large plan
// that changes by a byte would be repeated before each of many requests.
func (a *Adapter) affords(s *session) bool {
	return a.Affords(dispatch.Agent, s.current().set.Size())
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
			dst = append(dst, wire.SessionUpdate(s.ID, translate.AppendMessage(nil, acp.AgentMessageChunk, t))...)
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

func (a *Adapter) reportProblem(s *session) {
	if err := s.current().set.Problem(); err != nil && a.opts.Events.Flawed != nil {
		a.opts.Events.Flawed(s.ID, err)
	}
}

func (a *Adapter) setPending(s *session, pending bool) {
	delete(a.documents, s)
	if pending && !s.Evicted {
		a.documents[s] = true
	}
}

// notePending updates whether the session has pending documents. It does not read large plans, but
// counts them as pending.
func (a *Adapter) notePending(s *session) {
	prose, text, set := a.set.Prose, a.showAs().update() != "", &s.current().set
	a.setPending(s, s.awaitsFile() || set.IsGrowing() || s.isLarge() && (prose || text) ||
		prose && set.HasMessages(a.set.Policy) || text && a.isDue(s))
	a.await(s)
}

// ShowAs says how an old client gets plans. Some clients accept the legacy plan, but do not draw
// it.
type ShowAs string

const (
	AsPlan    ShowAs = "plan"    // as the legacy plan
	AsMessage ShowAs = "message" // as a message of the agent, before questions and at the end of a turn
	AsThought ShowAs = "thought" // as a thought of the agent, at the same moments
	AsNothing ShowAs = "none"
)

func (a *Adapter) showAs() ShowAs {
	if !a.translating {
		return AsPlan
	}
	return a.set.ShowAs
}

// update returns the kind of session update for a plan as text, or "".
func (s ShowAs) update() string {
	switch s {
	case AsMessage:
		return acp.AgentMessageChunk
	case AsThought:
		return acp.AgentThoughtChunk
	}
	return ""
}
