package translate

import (
	"bytes"
	"slices"
	"strings"
)

// AskAbout notes that the agent is about to ask the reader about a plan. Its text, if the question
// has it, is that of a live document, or of a plan that is proposed: a document until the next
// proposal, the next document of the agent or the next turn. Lists that the agent has not sent in
// this turn give way to it. Messages returns the text again if it was sent in an earlier turn;
// without a text, that of each document that this turn has named. IsDrawn says that the question
// shows the text itself.
func (s *PlanSet) AskAbout(text string, isDrawn bool) {
	s.Settle()
	var said *plan // the newest of those that say it
	for _, p := range s.plans {
		switch {
		case !p.isDocument():
		case text == "" && p.named == s.turn:
			s.ask(p, isDrawn)
		case text != "" && p.says(text) && (said == nil || p.named >= said.named):
			said = p
		}
	}
	if said == nil && text != "" {
		said = s.propose(text)
	}
	if said != nil {
		s.ask(said, isDrawn)
	}
}

// propose returns the plan that is proposed, with this text.
func (s *PlanSet) propose(text string) *plan {
	u := Update{Kind: Markdown, Text: text}
	i := slices.IndexFunc(s.plans, func(p *plan) bool { return p.isProposed })
	if i >= 0 {
		s.change(s.plans[i], u)
		s.plans[i].came = s.plans[i].changed
	} else {
		s.add(u)
		i = len(s.plans) - 1
	}
	s.plans[i].isProposed = true
	s.plans[i].doc.settle()
	return s.plans[i]
}

// ask notes that the agent asks about a document in this turn.
func (s *PlanSet) ask(p *plan, isDrawn bool) {
	s.name(p, s.isBack(p))
	for _, other := range s.plans {
		other.gaveWay = other.gaveWay || !other.isDocument() && other.named < s.turn
	}
	d := &p.doc
	d.asked, d.drawn = true, isDrawn
	if d.sentIn != s.turn {
		d.pending, d.sent = true, ""
	}
}

// says reports whether a document has this text, but for space around it.
func (p *plan) says(text string) bool {
	return p.doc.more == 0 && string(bytes.TrimSpace(p.doc.text)) == strings.TrimSpace(text)
}

// settleProposal has the proposed plan, if there is one, become the document that an update is
// about: that is new, or gets the text of the proposal. Any other document takes its place.
func (s *PlanSet) settleProposal(u Update, is func(*plan) bool) {
	i := slices.IndexFunc(s.plans, func(p *plan) bool { return p.isProposed })
	if i < 0 {
		return
	}
	proposal := s.plans[i]
	isNew := !slices.ContainsFunc(s.plans, is)
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p == proposal || proposal.says(u.Text) && is(p) })
	if isNew || proposal.says(u.Text) {
		proposal.id, proposal.isProposed = strings.Clone(u.ID), false
		s.plans = append(s.plans, proposal)
		if u.Delta {
			proposal.doc.text, proposal.doc.more = nil, 0 // another document begins
		}
	}
}
