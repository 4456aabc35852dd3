package plans

import (
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
)

// session is what is known of the plans of one session: of an old client all of it, else what the
// agent's todo tools wrote.
type session struct {
	*conversation.Session
	now      *plans // what the reader is shown
	replayed *plans // what came since a session/load whose response is pending; nil if none is

	shown   entry.Digest // of the plan the client was sent last
	ours    bool         // that plan was made here, it did not pass
	theirs  bool         // an update of the agent's plans has passed to a capable client
	pending bool         // the set has pending documents
	waiting *envelope    // the plan changed, and the client has not been shown it yet
	late    bool         // a turn has ended without its pending documents

	size  int  // about how many bytes all this takes
	filed bool // it is counted as one that has files
}

// session returns the plans of a session in use; it is made if the client has not opened it here.
func (a *Adapter) session(id string) *session { return a.of(a.c.Session(id)) }

// use returns the plans of a session that is kept, as the one used last.
func (a *Adapter) use(id string) (*session, bool) {
	if of, ok := a.c.Use(id); ok {
		return a.of(of), true
	}
	return nil, false
}

func (a *Adapter) of(of *conversation.Session) *session {
	s := a.sessions[of]
	if s == nil {
		s = &session{Session: of, now: &plans{}}
		if !of.Evicted {
			a.sessions[of] = s
		}
	}
	return s
}

// all are the sessions of which there are plans, the one used last at the end.
func (a *Adapter) all() []*session {
	all := make([]*session, 0, len(a.sessions))
	for _, of := range a.c.Sessions() {
		if s := a.sessions[of]; s != nil {
			all = append(all, s)
		}
	}
	return all
}

// all are the plans that an update of the session changes: while a session/load
// waits for its answer it is not known which of them will count.
func (s *session) all() []*plans {
	if s.replayed != nil {
		return []*plans{s.now, s.replayed}
	}
	return []*plans{s.now}
}

// An envelope is a session/update without its update: what stands around it,
// so that a translated plan keeps the notification it came in.
type envelope struct {
	before, after []byte
	meta          []byte // the _meta of the update
}

// envelopeOf returns what stands around the update in line. The bytes are
// those of line.
func envelopeOf(line []byte, update wire.Span, meta []byte) envelope {
	return envelope{before: line[:update.Start], after: line[update.End:], meta: meta}
}

// envelope returns what stands around an update of ours.
func (s *session) envelope() envelope {
	before := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`)
	before = wire.Quote(before, s.ID)
	return envelope{before: append(before, `,"update":`...), after: []byte("}}\n")}
}

// wait keeps the envelope of a plan that cannot be shown yet. One that is too
// long to be kept is replaced by one of ours.
func (a *Adapter) wait(s *session, e envelope) {
	if len(e.before)+len(e.after)+len(e.meta) > maxEnvelope {
		e = s.envelope()
	}
	a.waitFor(s, &envelope{slices.Clone(e.before), slices.Clone(e.after), slices.Clone(e.meta)})
	a.weigh(s)
}

// waitFor notes in what the session's plan waits to be shown; nil if it does not.
func (a *Adapter) waitFor(s *session, e *envelope) {
	if s.Evicted && e != nil {
		return
	}
	if s.waiting == nil && e != nil {
		a.waiting++
	} else if s.waiting != nil && e == nil {
		a.waiting--
	}
	s.waiting = e
}

// waitForFlush is wait for a client that knows the session: the plan is shown with the
// next Flush.
func (a *Adapter) waitForFlush(s *session, e envelope) {
	s.Known, a.due = true, true
	a.wait(s, e)
}

// show appends the session's plan in the envelope, if it differs from the one
// the client was sent last.
func (a *Adapter) show(dst []byte, s *session, e envelope) []byte {
	a.waitFor(s, nil)
	n := len(dst)
	entries := s.now.set.Compose(a.set.Policy)
	a.flawed(s)
	if digest := entry.DigestOf(entries); digest != s.shown {
		s.shown, s.ours, s.Known = digest, true, true
		dst = append(dst, e.before...)
		dst = translate.AppendPlan(dst, entries, e.meta)
		dst = append(dst, e.after...)
	}
	a.made += len(dst) - n
	a.weigh(s)
	return dst
}

// isLarge reports whether the session's plan is large enough to be shown once
// for many updates that are there at once.
func (s *session) isLarge() bool { return s.now.set.Size() > largePlan }

// isBurst reports whether the session's plan is to wait for the lines that are there
// at once: it is large, or the line is a batch that has become much already.
func (a *Adapter) isBurst(s *session) bool { return s.isLarge() || a.made > maxMade }

// largePlan is more than real plans have, in bytes. A small one is shown after
// each update, so that a conversation that is played again goes the same way.
const largePlan = 64 << 10

// maxMade is about how many bytes of plans and documents are made at once, of
// several sessions: the others follow.
const maxMade = 1 << 20

// release appends the plans that waited for the client to know their session,
// or for the lines that were there at once, of the session first that is named.
func (a *Adapter) release(dst []byte, first string, at moment) []byte {
	n := len(dst)
	if a.waiting == 0 && !a.due {
		return dst
	}
	a.due = false
	sessions := a.all()
	if of, ok := a.c.Find(first); ok && a.sessions[of] != nil {
		sessions = slices.Insert(sessions, 0, a.sessions[of])
	}
	for _, s := range sessions {
		a.due = a.due || s.late
		switch {
		case s.waiting == nil || !a.c.Ready(s.Session):
		case len(dst)-n > maxMade || at != atFlush && !a.affords(s):
			a.due = true
		default:
			from := len(dst)
			dst = wire.EndLine(a.show(dst, s, *s.waiting))
			a.spend(len(dst) - from)
		}
	}
	return dst
}

// showLateDocuments appends the documents that could not be shown at the end of a turn.
func (a *Adapter) showLateDocuments(dst []byte) []byte {
	n := len(dst)
	if !a.due {
		return dst
	}
	a.due = false
	for _, s := range a.all() {
		a.due = a.due || s.waiting != nil && a.c.Ready(s.Session)
		switch {
		case !s.late:
		case len(dst)-n > maxMade:
			a.due = true
		default:
			dst = a.showDocuments(dst, s, atFlush)
		}
	}
	return dst
}

// showAllDocuments appends the pending documents of all sessions.
func (a *Adapter) showAllDocuments(dst []byte, at moment) []byte {
	n := len(dst)
	if a.documents == 0 {
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
	atQuestion moment = iota // what is put off may be shown at the next one, or at the end
	atEnd                    // of a turn: what is put off follows with the next Flush
	atFlush                  // nothing is put off
)

// What may be shown before questions and responses is limited by what the agent
// sends: a large plan that changes by a byte before each of many is shown before some of
// them, and behind the last.
const (
	firstCredit   = 1 << 20 // bytes
	maxCredit     = 4 << 20
	creditForByte = 16
)

// begin notes that a line of the agent's is handled.
func (a *Adapter) begin(m *dispatch.Message) {
	a.c.Lock()
	defer a.c.Unlock()
	if m.Number != a.line {
		a.line, a.made = m.Number, 0
		a.credit = min(maxCredit, a.credit+creditForByte*m.Size)
	}
}

// affords reports whether all of a session's plans may be shown at a question.
func (a *Adapter) affords(s *session) bool { return s.now.set.Size() <= a.credit }

func (a *Adapter) spend(bytes int) { a.credit = max(0, a.credit-bytes) }

// showDocuments appends the pending documents of the session.
func (a *Adapter) showDocuments(dst []byte, s *session, at moment) []byte {
	switch {
	case !s.pending:
		s.late = false
		return dst
	case !a.c.Ready(s.Session):
		return dst
	case at != atFlush && !a.affords(s):
		if at == atEnd {
			s.late, a.due = true, true
		}
		return dst
	}
	s.late = false
	defer func(n int) {
		a.weigh(s)
		a.spend(len(dst) - n)
	}(len(dst))
	a.setPending(s, s.awaitsFile())
	if a.set.Prose {
		for _, t := range s.now.set.Messages(a.set.Policy, s.ID, a.showAs() == AsPlan) {
			dst = s.appendMessage(dst, "agent_message_chunk", t)
		}
	}
	a.flawed(s)
	if !a.showAs().isText() || !a.news(s) {
		return dst
	}
	s.shown = entry.DigestOf(s.now.set.Compose(a.set.Policy))
	if t, ok := s.now.set.Checklist(a.set.Policy, s.ID); ok {
		dst = s.appendMessage(dst, a.showAs().update(), t)
	}
	return dst
}

// flawed reports what is wrong with the session's documents.
func (a *Adapter) flawed(s *session) {
	if err := s.now.set.Problem(); err != nil && a.opts.Events.Flawed != nil {
		a.opts.Events.Flawed(s.ID, err)
	}
}

// news reports whether the session's plan is not the one on show.
func (a *Adapter) news(s *session) bool {
	return entry.DigestOf(s.now.set.Compose(a.set.Policy)) != s.shown
}

// appendMessage appends a message of ours for the session, of that kind of
// update.
func (s *session) appendMessage(dst []byte, update string, t translate.Message) []byte {
	e := s.envelope()
	dst = append(dst, e.before...)
	dst = translate.AppendMessage(dst, update, t)
	return append(dst, e.after...)
}

// owe notes whether the session has pending documents. One that is not kept has none.
func (a *Adapter) setPending(s *session, pending bool) {
	pending = pending && !s.Evicted
	if pending && !s.pending {
		a.documents++
	} else if !pending && s.pending {
		a.documents--
	}
	s.pending = pending
}

// notePending notes whether the session has pending documents. Of large plans it is not looked: it
// may turn out that there is nothing to show.
func (a *Adapter) notePending(s *session) {
	text := a.showAs().isText()
	switch {
	case s.awaitsFile():
		a.setPending(s, true)
	case !a.set.Prose && !text:
		a.setPending(s, false)
	case s.isLarge():
		a.setPending(s, true)
	default:
		a.setPending(s, a.set.Prose && s.now.set.HasMessages(a.set.Policy) || text && a.news(s))
	}
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

func (s ShowAs) isText() bool { return s == AsMessage || s == AsThought }

// update is the kind of session update that carries the text.
func (s ShowAs) update() string {
	if s == AsThought {
		return "agent_thought_chunk"
	}
	return "agent_message_chunk"
}
