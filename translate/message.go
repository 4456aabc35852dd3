package translate

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate/document"
)

// A Message is a text for the reader of a session: a document, or a plan.
type Message struct {
	MessageID string // unique in the session
	Text      string // markdown
}

// AppendMessage appends a message as a chunk of that kind of update, the object that goes
// under params.update, as one line of JSON. Clients that know no message ids put it behind
// the chunk before it and the next one behind it: blank lines keep it apart from both.
func AppendMessage(dst []byte, update string, m Message) []byte {
	dst = wire.Quote(append(dst, `{"sessionUpdate":`...), update)
	dst = wire.Quote(append(dst, `,"messageId":`...), m.MessageID)
	dst = append(dst, `,"content":{"type":"text","text":`...)
	dst = wire.Quote(dst, "\n\n"+strings.Trim(m.Text, "\n")+"\n\n")
	return append(dst, `}}`...)
}

// HasMessages reports whether Messages may return one. It may say so of a document in which
// only boxes were ticked.
func (s *PlanSet) HasMessages(policy Policy) bool {
	shown := s.shown(policy)
	return slices.ContainsFunc(s.plans, func(p *plan) bool { return p.isPending(shown) })
}

// Messages returns the pending documents, those that say more than their entries or whose
// entries are not shown, and takes them as sent: each changed text is returned once. A step
// that moves on is no such change. Drawn says that the client draws the entries that the
// policy shows, so that a plan in JSON need not repeat them. Session is the session's id.
func (s *PlanSet) Messages(policy Policy, session string, drawn bool) (messages []Message) {
	shown := s.shown(policy)
	for _, p := range s.plans {
		if !p.isPending(shown) {
			continue
		}
		d := &p.doc
		d.pending = false
		if d.sent == d.digest {
			continue
		}
		text := document.Message(string(d.text), drawn && slices.Contains(shown, p))
		if d.more > 0 {
			text += fmt.Sprintf("\n\n… and %d more bytes", d.more)
		}
		messages = append(messages, s.message(session, p.id, d.digest, text))
		d.sent, d.sentAt = d.digest, p.changed
	}
	return messages
}

// isPending reports whether the plan is a document whose text has to be sent while these
// plans are shown.
func (p *plan) isPending(shown []*plan) bool {
	return p.doc.pending && len(p.doc.text) > 0 &&
		(p.doc.prose || len(p.entries) > 0 && !slices.Contains(shown, p))
}

// Checklist returns the plan that the policy shows as a list in markdown, without the
// documents whose text has been sent as it is now. It reports false if that is nothing.
// Session is the session's id.
func (s *PlanSet) Checklist(policy Policy, session string) (m Message, ok bool) {
	var list strings.Builder
	for _, p := range s.shown(policy) {
		if p.isDocument() && p.doc.sentAt == p.changed {
			continue
		}
		for _, e := range p.entries {
			list.WriteString(e.Item())
		}
	}
	if list.Len() == 0 {
		return Message{}, false
	}
	text := "**Plan**\n\n" + list.String()
	return s.message(session, "", text, text), true
}

// message returns a message with an id that no message of the agent has, and another one
// each time.
func (s *PlanSet) message(session, plan, digest, text string) Message {
	s.sent++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", session, plan, s.sent, digest))
	return Message{fmt.Sprintf("acpshim-plan-%x", sum[:8]), text}
}
