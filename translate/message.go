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
	isPending := s.isPending(policy)
	return slices.ContainsFunc(s.plans, isPending)
}

// A Telling says to whom Messages tells documents. The zero value is for a client that draws no
// plans.
type Telling struct {
	// Draws says that the client draws the entries that the policy shows, so that a plan in JSON
	// need not repeat them, and what the agent asks, so that a proposed plan need not be told.
	Draws bool
	Asked bool // only documents that the agent asks about are told
}

// Messages returns the pending documents, those that say more than their entries or whose
// entries are not shown, and takes them as sent: each changed text is returned once. A step
// that moves on is no such change. Session is the session's id.
func (s *PlanSet) Messages(policy Policy, session string, t Telling) (messages []Message) {
	s.Settle()
	shown, isPending := s.shown(policy), s.isPending(policy)
	for _, p := range s.plans {
		d := &p.doc
		isAsked := d.asked
		d.asked = false
		switch {
		case !isPending(p) || t.Asked && !isAsked:
			continue
		case p.isProposed && t.Draws:
			if isAsked && d.drawn {
				d.pending, d.sent, d.sentIn = false, d.digest, s.turn
			}
			continue
		}
		d.pending = false
		if d.sent == d.digest {
			continue
		}
		text := document.Message(string(d.text), t.Draws && slices.Contains(shown, p))
		if d.more > 0 {
			text += fmt.Sprintf("\n\n… and %d more bytes", d.more)
		}
		messages = append(messages, s.message(session, p.id, d.digest, text))
		d.sent, d.sentAt, d.sentIn = d.digest, p.changed.clock, s.turn
	}
	return messages
}

// isPending returns what reports whether a plan is a document whose text has to be sent while the
// policy says which plans are shown. Of what has given way to a later document only the text is
// sent that says more than steps, and none in a later turn.
func (s *PlanSet) isPending(policy Policy) func(*plan) bool {
	shown, hasGivenWay := s.shown(policy), s.hasGivenWay()
	return func(p *plan) bool {
		isOld := policy == Checklists && hasGivenWay(p)
		return p.doc.pending && len(p.doc.text) > 0 && !(isOld && p.named < s.turn) &&
			(p.doc.prose || p.doc.growing || len(p.entries) > 0 && !isOld && !slices.Contains(shown, p))
	}
}

// Checklist returns the plan that the policy shows as a list in markdown, without the
// documents whose text has been sent in this turn, as it is now. It reports false if that is
// nothing.
// Session is the session's id.
func (s *PlanSet) Checklist(policy Policy, session string) (m Message, ok bool) {
	var list strings.Builder
	for _, p := range s.shown(policy) {
		if p.isDocument() && p.doc.sentAt == p.changed.clock && p.doc.sentIn == s.turn {
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
