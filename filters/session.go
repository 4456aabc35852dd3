package filters

import (
	"slices"

	"acpshim/internal/wire"
	"acpshim/translate"
)

// session is what is known of one session: of an old client all of it, else
// what the agent's todo tools wrote.
type session struct {
	now      *plans // what the reader is shown and told
	replayed *plans // what came since a session/load that is not settled; nil if none is
	loaded   bool   // that load has been accepted

	id      string
	roots   []string         // folders that the client opened it with
	known   bool             // the client knows it: what opens it has been answered, or it was sent something
	shown   translate.Digest // of the plan the client was sent last
	ours    bool             // that plan was made here, it did not pass
	theirs  bool             // an update of the agent's plans has passed to a capable client
	owes    bool             // the board has documents to tell
	waiting *envelope        // the plan changed, and the client has not been shown it yet
	left    bool             // it is kept no longer
	late    bool             // a turn has ended without what it owes

	used  int  // the clock of kept when it was used last
	size  int  // what kept counts of it
	filed bool // kept counts that it has files
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
	before = wire.Quote(before, s.id)
	return envelope{before: append(before, `,"update":`...), after: []byte("}}\n")}
}

// wait keeps the envelope of a plan that cannot be shown yet. One that is too
// long to be kept is replaced by one of ours.
func (c *Conversation) wait(s *session, e envelope) {
	if len(e.before)+len(e.after)+len(e.meta) > maxEnvelope {
		e = s.envelope()
	}
	s.waiting = &envelope{slices.Clone(e.before), slices.Clone(e.after), slices.Clone(e.meta)}
	c.weigh(s)
}

// waitForFlush is wait for a client that knows the session: the plan is shown with the
// next Flush.
func (c *Conversation) waitForFlush(s *session, e envelope) {
	s.known, c.due = true, true
	c.wait(s, e)
}

// show appends the session's plan in the envelope, if it differs from the one
// the client was sent last.
func (c *Conversation) show(dst []byte, s *session, e envelope) []byte {
	s.waiting = nil
	n := len(dst)
	entries := s.now.board.Compose(c.set.Policy)
	c.flawed(s)
	if digest := translate.DigestOf(entries); digest != s.shown {
		s.shown, s.ours, s.known = digest, true, true
		dst = append(dst, e.before...)
		dst = translate.AppendPlan(dst, entries, e.meta)
		dst = append(dst, e.after...)
	}
	c.made += len(dst) - n
	c.weigh(s)
	return dst
}

// isLarge reports whether the session's plan is large enough to be shown once
// for many updates that are there at once.
func (s *session) isLarge() bool { return s.now.board.Size() > largePlan }

// isBurst reports whether the session's plan is to wait for the lines that are there
// at once: it is large, or the line is a batch that has become much already.
func (c *Conversation) isBurst(s *session) bool { return s.isLarge() || c.made > maxMade }

// largePlan is more than real plans have, in bytes. A small one is shown after
// each update, so that a conversation that is played again goes the same way.
const largePlan = 64 << 10

// maxMade is about how many bytes of plans and documents are made at once, of
// several sessions: the others follow.
const maxMade = 1 << 20

// release appends the plans that waited for the client to know their session,
// or for the lines that were there at once, of the session first that is named.
func (c *Conversation) release(dst []byte, first string, at moment) []byte {
	c.due = false
	n := len(dst)
	sessions := c.kept.sessions.Values()
	if s, ok := c.kept.sessions.Peek(first); ok {
		sessions = slices.Insert(sessions, 0, s)
	}
	for _, s := range sessions {
		c.due = c.due || s.late
		switch {
		case s.waiting == nil || !c.ready(s):
		case len(dst)-n > maxMade || at != atFlush && !c.affords(s):
			c.due = true
		default:
			from := len(dst)
			dst = endLine(c.show(dst, s, *s.waiting))
			c.spend(len(dst) - from)
		}
	}
	return dst
}

// tellLate appends the documents that could not be told at the end of a turn.
func (c *Conversation) tellLate(dst []byte) []byte {
	n := len(dst)
	if !c.due {
		return dst
	}
	c.due = false
	for _, s := range c.kept.sessions.Values() {
		c.due = c.due || s.waiting != nil && c.ready(s)
		switch {
		case !s.late:
		case len(dst)-n > maxMade:
			c.due = true
		default:
			dst = c.tell(dst, s, atFlush)
		}
	}
	return dst
}

// rootsOf returns the folders that plan files of the session are in. One that
// is being opened has those of the requests that open it, or may do so.
func (c *Conversation) rootsOf(s *session) []string {
	roots := slices.Clone(s.roots)
	if !s.known && c.creating > 0 {
		if c.newRoots == nil {
			c.newRoots = c.rootsOfRequests(request.creates)
		}
		roots = append(roots, c.newRoots...)
	}
	if c.opening[s.id] > 0 {
		roots = append(roots, c.rootsOfRequests(func(r request) bool { return r.opens() && r.session == s.id })...)
	}
	return roots[:min(len(roots), 4*maxRoots)]
}

// rootsOfRequests are the folders of some requests that wait for their answers.
func (c *Conversation) rootsOfRequests(of func(request) bool) []string {
	roots := []string{}
	for _, r := range c.kept.requests.Values() {
		if of(r.request) && len(roots) < 4*maxRoots {
			roots = append(roots, r.roots...)
		}
	}
	return roots
}

// forgetHeld forgets the sessions that the client does not know and whose plans
// waited for that.
func (c *Conversation) forgetHeld() {
	for _, s := range c.kept.sessions.Values() {
		if s.waiting != nil && !s.known {
			c.kept.sessions.Remove(s.id)
		}
	}
}

// tellAll appends the documents that any session's reader is owed.
func (c *Conversation) tellAll(dst []byte, at moment) []byte {
	n := len(dst)
	if c.owing == 0 {
		return dst
	}
	for _, s := range c.kept.sessions.Values() {
		if dst = c.tell(dst, s, at); len(dst)-n > maxMade {
			break // the others are told the next time
		}
	}
	return dst
}

// A moment is when a reader is told what he is owed.
type moment int

const (
	atQuestion moment = iota // what is put off may be told at the next one, or at the end
	atEnd                    // of a turn: what is put off follows with the next Flush
	atFlush                  // nothing is put off
)

// What may be shown and told before questions and answers is limited by what the agent
// sends: a large plan that changes by a byte before each of many is shown before some of
// them, and behind the last.
const (
	firstCredit   = 1 << 20 // bytes
	maxCredit     = 4 << 20
	creditForByte = 16
)

// begin notes that a line of the agent's is to be rewritten.
func (c *Conversation) begin(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = 0
	c.credit = min(maxCredit, c.credit+creditForByte*len(line))
}

// affords reports whether all of a session's plans may be shown at a question.
func (c *Conversation) affords(s *session) bool { return s.now.board.Size() <= c.credit }

func (c *Conversation) spend(bytes int) { c.credit = max(0, c.credit-bytes) }

// tell appends the documents that the session's reader is owed.
func (c *Conversation) tell(dst []byte, s *session, at moment) []byte {
	switch {
	case !s.owes:
		s.late = false
		return dst
	case !c.ready(s):
		return dst
	case at != atFlush && !c.affords(s):
		if at == atEnd {
			s.late, c.due = true, true
		}
		return dst
	}
	s.late = false
	defer func(n int) {
		c.weigh(s)
		c.spend(len(dst) - n)
	}(len(dst))
	c.owe(s, s.awaitsFile())
	if c.set.Prose {
		for _, t := range s.now.board.Messages(c.set.Policy, s.id, c.showAs() == AsPlan) {
			dst = s.appendMessage(dst, "agent_message_chunk", t)
		}
	}
	c.flawed(s)
	if !c.showAs().isText() || !c.news(s) {
		return dst
	}
	s.shown = translate.DigestOf(s.now.board.Compose(c.set.Policy))
	if t, ok := s.now.board.Checklist(c.set.Policy, s.id); ok {
		dst = s.appendMessage(dst, c.showAs().update(), t)
	}
	return dst
}

// flawed tells what is wrong with the session's documents.
func (c *Conversation) flawed(s *session) {
	if err := s.now.board.Problem(); err != nil && c.opts.Events.Flawed != nil {
		c.opts.Events.Flawed(s.id, err)
	}
}

// news reports whether the session's plan is not the one on show.
func (c *Conversation) news(s *session) bool {
	return translate.DigestOf(s.now.board.Compose(c.set.Policy)) != s.shown
}

// appendMessage appends a message of ours for the session, of that kind of
// update.
func (s *session) appendMessage(dst []byte, update string, t translate.Message) []byte {
	e := s.envelope()
	dst = append(dst, e.before...)
	dst = translate.AppendMessage(dst, update, t)
	return append(dst, e.after...)
}

// oweWhat notes whether the session's reader is to be told something. Of large
// plans it is not looked: it may turn out that there is nothing to tell.
func (c *Conversation) oweWhat(s *session) {
	text := c.showAs().isText()
	switch {
	case s.awaitsFile():
		c.owe(s, true)
	case !c.set.Prose && !text:
		c.owe(s, false)
	case s.isLarge():
		c.owe(s, true)
	default:
		c.owe(s, c.set.Prose && s.now.board.HasMessages(c.set.Policy) || text && c.news(s))
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
func (c *Conversation) showAs() ShowAs {
	if !c.handshake.translating {
		return AsPlan
	}
	return c.set.ShowAs
}

func (s ShowAs) isText() bool { return s == AsMessage || s == AsThought }

// update is the kind of session update that carries the text.
func (s ShowAs) update() string {
	if s == AsThought {
		return "agent_thought_chunk"
	}
	return "agent_message_chunk"
}

// endLine ends a line that has not been ended.
func endLine(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '\n' {
		dst = append(dst, '\n')
	}
	return dst
}
