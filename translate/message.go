package translate

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/translate/document"
)

// A Message is a text that acpshim adds to a session: a document, or a plan as text.
type Message struct {
	MessageID string // unique in the session
	Text      string // markdown
	Plan      string // the name of the plan; "" for several
}

// AppendMessage appends a message to dst as the value of params.update, on one line of JSON.
// The sessionUpdate is update, such as agent_message_chunk. Clients without support for
// message ids join it with the chunks before and after it, so blank lines surround the text.
func AppendMessage(dst []byte, update string, m Message) []byte {
	dst = wire.Quote(append(dst, `{"sessionUpdate":`...), update)
	dst = wire.Quote(append(dst, `,"messageId":`...), m.MessageID)
	dst = append(dst, `,"content":{"type":"text","text":`...)
	dst = wire.Quote(dst, "\n\n"+strings.Trim(m.Text, "\n")+"\n\n")
	return append(dst, `}}`...)
}

// HasMessages reports whether Messages may return a message. It can be true for a document in
// which only boxes were ticked, although Messages then returns nothing.
func (s *PlanSet) HasMessages(policy Policy) bool {
	isPending := s.isPending(policy)
	return slices.ContainsFunc(s.plans, isPending)
}

// MessageOptions select the documents that Messages returns. The zero value is for a client
// that does not draw plans.
type MessageOptions struct {
	// DrawsPlans says that the client draws the entries that the policy shows and the agent's
	// questions. Then Messages omits entries in JSON and plans that only a question has.
	DrawsPlans bool
	OnlyAsked  bool // only documents that the agent asks about
}

// Messages returns the pending documents and marks them as sent. A document is pending if it
// has more text than its entries, or if its entries are not shown. Each text is returned once;
// a change of status alone does not make it pending again. Session is the session's id.
func (s *PlanSet) Messages(policy Policy, session string, o MessageOptions) (messages []Message) {
	s.CompleteDocuments()
	shown, isPending, needsText := s.shown(policy), s.isPending(policy), s.needsText(policy)
	for _, p := range s.plans {
		isDue, isAsked := isPending(p) && !(o.OnlyAsked && !p.doc.asked), p.doc.asked
		switch {
		case isDue && p.isProposed && o.DrawsPlans:
			if isAsked && p.doc.drawn {
				p.doc.pending, p.doc.sent, p.doc.sentIn = false, p.doc.digest, s.turn
			}
		case isDue:
			if text := s.take(p, needsText(p), o.DrawsPlans && slices.Contains(shown, p)); text != "" {
				made := s.message(session, p.id, p.doc.digest, text)
				made.Plan = p.name()
				messages = append(messages, made)
			}
		}
		p.doc.asked = false
	}
	return messages
}

// take returns what people get of a pending document, and marks it as sent. IsDrawn says that they
// see its entries.
func (s *PlanSet) take(p *plan, needsText, isDrawn bool) (text string) {
	d := &p.doc
	d.pending = false
	if needsText && d.sent != d.digest {
		text = document.Message(string(d.text), isDrawn)
		if d.more > 0 {
			text += fmt.Sprintf("\n\n… and %d more bytes", d.more)
		}
		d.sent, d.sentAt, d.sentIn = d.digest, p.changed.clock, s.turn
	}
	return d.withPath(text)
}

// withPath adds the path of the document's file to a text that does not have it, once.
func (d *documentState) withPath(text string) string {
	if !d.hasNewPath() {
		return text
	}
	d.toldPath = d.path
	if strings.Contains(text, d.path) {
		return text
	}
	return strings.TrimLeft(strings.TrimRight(text, "\n")+"\n\nPlan file: "+strings.Join(strings.Fields(d.path), " "), "\n")
}

func (d *documentState) hasNewPath() bool { return d.path != "" && d.path != d.toldPath }

// isPending returns a function that reports whether a plan is a document of which something has to
// be sent: its text, see needsText, or the path of its file. An outdated document is pending only
// in the turn that mentions it.
func (s *PlanSet) isPending(policy Policy) func(*plan) bool {
	needsText, isOutdated := s.needsText(policy), s.outdated()
	return func(p *plan) bool {
		isOld := policy == Checklists && isOutdated(p)
		return p.doc.pending && len(p.doc.text) > 0 && !(isOld && p.mentioned < s.turn) && (needsText(p) || p.doc.hasNewPath())
	}
}

// needsText returns a function that reports whether a document has more than entries that are
// shown. The entries of an outdated document are not shown again as text.
func (s *PlanSet) needsText(policy Policy) func(*plan) bool {
	shown, isOutdated := s.shown(policy), s.outdated()
	return func(p *plan) bool {
		isOld := policy == Checklists && isOutdated(p)
		return p.doc.prose || p.doc.growing || p.doc.asked && document.Hides(string(p.doc.text)) || len(p.entries) > 0 && !isOld && !slices.Contains(shown, p)
	}
}

// Checklist returns the plans that the policy shows as a list in markdown. It omits documents
// whose current text was sent in this turn. It reports false if nothing is left. Session is
// the session's id.
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

// message returns a message with a new id that no message of the agent has.
func (s *PlanSet) message(session, plan, digest, text string) Message {
	s.sent++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", session, plan, s.sent, digest))
	return Message{MessageID: fmt.Sprintf("acpshim-plan-%x", sum[:8]), Text: text}
}
