package plans

import (
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
)

// A session is the plans of one session: all of them for an old client, those of todo tools for a
// capable one. Its fields are protected by the conversation's lock.
type session struct {
	*conversation.Session
	now      *plans // those that count
	replayed *plans // of the updates since a session/load that is pending; nil if none is

	agentsPassed bool // an update of the agent's plans has passed to a capable client
	late         bool // a turn ended before its pending documents were sent
	isPaused     bool // its last turn was cancelled, and the next one has no update yet

	size  int // the estimated bytes, as the conversation was told them
	files int // file plans, as they are counted in Adapter.filed
}

// session returns the plans of the session of that id as the one used last, and adds it if it is
// not kept. The lock is held, here and below.
func (a *Adapter) session(id string) *session { return a.of(a.c.Session(id)) }

// use is session for one that is not to be added; nil if it is not kept.
func (a *Adapter) use(id string) *session {
	if of, ok := a.c.Use(id); ok {
		return a.of(of)
	}
	return nil
}

func (a *Adapter) of(of *conversation.Session) *session {
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &session{Session: of, now: &plans{}}
		a.sessions.Put(of, s, 0) // an evicted one is not kept
	}
	return s
}

// all are the sessions of which there are plans, the one used last at the end.
func (a *Adapter) all() (all []*session) {
	for _, s := range a.sessions.All() {
		all = append(all, s)
	}
	return all
}

// all are the plans that an update of the session changes: while a session/load is pending, its
// response will decide which of them count.
func (s *session) all() []*plans {
	if s.replayed != nil {
		return []*plans{s.now, s.replayed}
	}
	return []*plans{s.now}
}

// current are the plans that the client is shown: those of a replay while there is one.
func (s *session) current() *plans {
	if s.replayed != nil {
		return s.replayed
	}
	return s.now
}

// isQuiet reports whether nothing is to be added to what the agent sends: the turn was cancelled,
// and the client may wait for nothing but its end.
func (a *Adapter) isQuiet(s *session) bool { return s.isPaused || a.c.IsTurnOver(s.ID) }

// An envelope is a session/update without its update: what stands around it,
// so that a translated plan keeps the notification it came in.
type envelope struct {
	before, after []byte
	meta          []byte // the _meta of the update
}

// envelope returns the envelope of a notification that acpshim makes for the session.
func (s *session) envelope() envelope {
	line := wire.SessionUpdate(s.ID, nil)
	at := len(line) - len("}}\n")
	return envelope{before: line[:at], after: line[at:]}
}

// wait notes that the session's plan is to be shown later, in a copy of envelope e, or in one of
// acpshim's own if e is too long to be kept.
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

// waitForFlush is wait for a plan of a session that is ready, which the next Flush is to show.
func (a *Adapter) waitForFlush(s *session, e envelope) {
	a.c.Told(s.Session)
	a.due = true
	a.wait(s, e)
}

// show appends the session's plan in the envelope to dst, if it is due.
func (a *Adapter) show(dst []byte, s *session, e envelope) []byte {
	delete(a.waiting, s)
	p := s.current()
	entries := p.set.Compose(a.set.Policy)
	a.flawed(s)
	if digest := entry.DigestOf(entries); p.isDue(a.set.Policy, digest) {
		p.sent(digest, true)
		a.c.Told(s.Session)
		dst = append(dst, e.before...)
		dst = translate.AppendPlan(dst, entries, e.meta)
		dst = append(dst, e.after...)
	}
	a.weigh(s)
	return dst
}

// isLarge reports whether the session's plan is large enough to be shown once
// for many updates that are there at once.
func (s *session) isLarge() bool { return s.current().set.Size() > largePlan }

// isBurst reports whether the session's plan is to be shown by Flush, once for all lines that have
// arrived: it is large, or what is made of the line that is handled is.
func (a *Adapter) isBurst(s *session) bool { return s.isLarge() || a.Made(dispatch.Agent) > maxMade }

// largePlan is more than real plans have, in bytes. A small one is shown after
// each update, so that a conversation that is played again goes the same way.
const largePlan = 64 << 10

// maxMade is about how many bytes of plans and documents are made at once, of
// several sessions: the others follow.
const maxMade = 1 << 20

// release returns the plans that waited and may be shown at this moment, beginning with that of the
// session whose id is first, if there is one, and in Flush the documents that could not be shown at
// the end of a turn. For the rest it sets due.
func (a *Adapter) release(first string, at moment) (lines []byte) {
	if len(a.waiting) == 0 && !a.due {
		return nil
	}
	a.due = false
	sessions := a.all()
	of, _ := a.c.Find(first)
	if s, ok := a.sessions.Get(of); ok {
		sessions = slices.Insert(sessions, 0, s)
	}
	for _, s := range sessions {
		switch e, waits := a.waiting[s]; {
		case !waits && !s.late || !a.c.Ready(s.Session) || a.isQuiet(s):
		case len(lines) > maxMade || at != atFlush && !a.affords(s):
			a.due = true
		default:
			if n := len(lines); waits {
				lines = wire.EndLine(a.show(lines, s, e))
				a.Spend(dispatch.Agent, len(lines)-n)
			}
			if s.late && at == atFlush {
				lines = a.showDocuments(lines, s, at)
			}
			a.due = a.due || s.late
		}
	}
	return lines
}

// showAllDocuments appends the pending documents of all sessions.
func (a *Adapter) showAllDocuments(dst []byte, at moment) []byte {
	n := len(dst)
	if len(a.documents) == 0 {
		return dst
	}
	for _, s := range a.all() {
		if dst = a.showDocuments(dst, s, at); len(dst)-n > maxMade {
			break // the others are shown the next time
		}
	}
	return dst
}

// A moment is when pending documents are shown.
type moment int

const (
	atQuestion moment = iota // before a request: what is too large waits for the next moment
	atEnd                    // around a response: what is too large waits for the next Flush
	atFlush                  // in Flush: nothing is too large
)

// affords reports whether there is room for all of a session's plans before a request or response:
// else a large plan that changes by a byte is shown before some of many requests, and after the
// last.
func (a *Adapter) affords(s *session) bool {
	return a.Affords(dispatch.Agent, s.current().set.Size())
}

// showDocuments appends the pending documents of the session.
func (a *Adapter) showDocuments(dst []byte, s *session, at moment) []byte {
	switch {
	case !a.documents[s]:
		s.late = false
		return dst
	case !a.c.Ready(s.Session) || a.isQuiet(s):
		return dst
	case at != atFlush && !a.affords(s):
		if at == atEnd {
			s.late, a.due = true, true
		}
		return dst
	}
	s.late = false
	n := len(dst)
	a.setPending(s, s.awaitsFile())
	options := translate.MessageOptions{DrawsPlans: a.showAs().update() == "", OnlyAsked: !a.set.Prose}
	if a.set.Prose || !options.DrawsPlans {
		for _, t := range s.current().set.Messages(a.set.Policy, s.ID, options) {
			dst = append(dst, wire.SessionUpdate(s.ID, translate.AppendMessage(nil, "agent_message_chunk", t))...)
		}
	}
	a.flawed(s)
	dst = a.showAsText(dst, s)
	a.weigh(s)
	a.Spend(dispatch.Agent, len(dst)-n)
	return dst
}

// showAsText appends the session's plan as a text if it is shown as one, and due.
func (a *Adapter) showAsText(dst []byte, s *session) []byte {
	kind := a.showAs().update()
	if kind == "" || !a.isDue(s) {
		return dst
	}
	p := s.current()
	p.sent(entry.DigestOf(p.set.Compose(a.set.Policy)), true)
	if t, ok := p.set.Checklist(a.set.Policy, s.ID); ok {
		dst = append(dst, wire.SessionUpdate(s.ID, translate.AppendMessage(nil, kind, t))...)
	}
	return dst
}

// isDue reports whether the client is to be sent the session's plan.
func (a *Adapter) isDue(s *session) bool {
	return s.current().isDue(a.set.Policy, entry.DigestOf(s.current().set.Compose(a.set.Policy)))
}

// flawed reports what is wrong with the session's documents.
func (a *Adapter) flawed(s *session) {
	if err := s.current().set.Problem(); err != nil && a.opts.Events.Flawed != nil {
		a.opts.Events.Flawed(s.ID, err)
	}
}

// setPending sets whether the session has pending documents. An evicted session has none.
func (a *Adapter) setPending(s *session, pending bool) {
	delete(a.documents, s)
	if pending && !s.Evicted {
		a.documents[s] = true
	}
}

// notePending computes whether the session has pending documents. Large plans are not read for
// that: they count as pending, and it may turn out that there is nothing to show.
func (a *Adapter) notePending(s *session) {
	prose, text, set := a.set.Prose, a.showAs().update() != "", &s.current().set
	a.setPending(s, s.awaitsFile() || set.IsGrowing() || s.isLarge() && (prose || text) ||
		prose && set.HasMessages(a.set.Policy) || text && a.isDue(s))
	a.await(s)
}

// ShowAs says what an old client is shown of plans. Some know the legacy plan
// and draw nothing.
type ShowAs string

const (
	AsPlan    ShowAs = "plan"    // the legacy plan
	AsMessage ShowAs = "message" // a message of the agent, when the reader is needed
	AsThought ShowAs = "thought" // a thought of the agent, likewise
	AsNothing ShowAs = "none"
)

// showAs says what this client is shown: a capable one draws plans.
func (a *Adapter) showAs() ShowAs {
	if !a.translating {
		return AsPlan
	}
	return a.set.ShowAs
}

// update is the kind of session update that carries the plan as a text, "" if it is none.
func (s ShowAs) update() string {
	switch s {
	case AsMessage:
		return "agent_message_chunk"
	case AsThought:
		return "agent_thought_chunk"
	}
	return ""
}
