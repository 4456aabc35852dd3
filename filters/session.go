package filters

import (
	"slices"

	"acpshim/translate"
	"acpshim/wire"
)

// session is what is known of one session: of an old client all of it, else
// what the agent's todo tools wrote.
type session struct {
	id    string
	roots []string // folders that the client opened it with
	known bool     // its session/new has been answered

	board translate.Board
	todos translate.Todos
	files map[translate.FilePlan]file // of the board
	size  int                         // bytes that these keep
	shown []translate.Entry           // the plan the client was sent last
	owes  bool                        // the board has documents to tell
	held  *envelope                   // the plan changed before the client knew the session
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

func (e envelope) clone() *envelope {
	return &envelope{slices.Clone(e.before), slices.Clone(e.after), slices.Clone(e.meta)}
}

// show appends the session's plan in the envelope, if it differs from the one
// the client was sent last.
func (c *Conversation) show(dst []byte, s *session, e envelope) []byte {
	entries := s.board.Compose(c.set.Policy)
	if translate.Equal(entries, s.shown) {
		return dst
	}
	s.shown = entries
	dst = append(dst, e.before...)
	dst = translate.AppendPlan(dst, entries, e.meta)
	return append(dst, e.after...)
}

// release appends the plans that waited for the client to know their session.
func (c *Conversation) release(dst []byte) []byte {
	for _, s := range c.sessions.Values() {
		if s.held != nil && c.ready(s) {
			dst = endLine(c.show(dst, s, *s.held))
			s.held = nil
		}
	}
	return dst
}

// rootsOf returns the folders that plan files of the session are in. One that
// the agent has not named yet has those of the requests that make one.
func (c *Conversation) rootsOf(s *session) []string {
	roots := slices.Clone(s.roots)
	if !s.known && c.creating > 0 {
		for _, r := range c.pending.Values() {
			if r.creates() {
				roots = append(roots, r.roots...)
			}
		}
	}
	return roots
}

// forgetHeld forgets the sessions that the client does not know and whose plans
// waited for that.
func (c *Conversation) forgetHeld() {
	for _, s := range c.sessions.Values() {
		if s.held != nil && !s.known {
			c.sessions.Remove(s.id)
		}
	}
}

// tellAll appends the documents that any session's reader is owed.
func (c *Conversation) tellAll(dst []byte) []byte {
	for _, s := range c.sessions.Values() {
		dst = c.tell(dst, s)
	}
	return dst
}

// tell appends the documents that the session's reader is owed.
func (c *Conversation) tell(dst []byte, s *session) []byte {
	if !s.owes || !c.ready(s) {
		return dst
	}
	c.owe(s, s.awaitsFile())
	var told []translate.Telling
	if c.set.Prose {
		told = s.board.Tell(c.set.Policy, s.id)
	}
	for _, t := range told {
		dst = s.appendMessage(dst, "agent_message_chunk", t)
	}
	entries := s.board.Compose(c.set.Policy)
	if !c.showAs().isText() || translate.Equal(entries, s.shown) {
		return dst
	}
	s.shown = entries
	if len(entries) == 0 || len(told) > 0 && s.board.OnlyDocuments(c.set.Policy) {
		return dst // nothing to say, or it has just been said in full
	}
	return s.appendMessage(dst, c.showAs().update(), s.board.Checklist(c.set.Policy, s.id))
}

// appendMessage appends a message of ours for the session, of that kind of
// update.
func (s *session) appendMessage(dst []byte, update string, t translate.Telling) []byte {
	e := s.envelope()
	dst = append(dst, e.before...)
	dst = translate.AppendMessage(dst, update, t)
	return append(dst, e.after...)
}

// owes reports whether the session's reader is to be told something.
func (c *Conversation) owes(s *session) bool {
	return s.awaitsFile() || c.set.Prose && s.board.Owed(c.set.Policy) ||
		c.showAs().isText() && !translate.Equal(s.board.Compose(c.set.Policy), s.shown)
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
