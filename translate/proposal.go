package translate

import (
	"bytes"
	"slices"
	"strings"
)

// AskAbout notes that the agent asks the user about a plan. Text is the plan's text in the
// question.
//
//   - If a live document has this text, the question is about that document.
//   - If none has, AskAbout adds a proposal: a document that exists until the next proposal, the
//     next document of the agent, or the next turn.
//   - If text is empty, the question is about each document that this turn mentions.
//
// Lists that the agent has not sent in this turn are replaced, until Refuse is called for the
// question. Messages returns the text again if it was sent in an earlier turn. IsDrawn says that
// the question itself shows the text.
func (s *PlanSet) AskAbout(text string, isDrawn bool) (question int) {
	s.CompleteDocuments()
	s.asked++
	var match *plan // the newest one with the text
	for _, p := range s.plans {
		switch {
		case !p.isDocument():
		case text == "" && p.mentioned == s.turn:
			s.ask(p, isDrawn)
		case text != "" && p.hasText(text) && (match == nil || p.mentioned >= match.mentioned):
			match = p
		}
	}
	if match == nil && text != "" {
		match = s.propose(text)
	}
	if match != nil {
		s.ask(match, isDrawn)
	}
	return s.asked
}

// Refuse notes that the user has not accepted what a question is about: the lists that it replaced
// count again. It reports whether there are any.
func (s *PlanSet) Refuse(question int) (changed bool) {
	for _, p := range s.plans {
		if p.supersededBy == question {
			p.supersededBy, changed = 0, true
		}
	}
	return changed
}

// propose sets the text of the proposal, and returns the proposal. It adds one if the set has none.
func (s *PlanSet) propose(text string) *plan {
	u := Update{Kind: Markdown, Text: text}
	i := slices.IndexFunc(s.plans, func(p *plan) bool { return p.isProposed })
	if i >= 0 {
		s.change(s.plans[i], u)
		s.plans[i].added = s.plans[i].changed
	} else {
		i = len(s.plans)
		s.plans = append(s.plans, &plan{})
		s.change(s.plans[i], u)
	}
	if s.plans[i].draft != nil {
		s.plans[i].adopt()
	}
	s.plans[i].isProposed = true
	s.plans[i].doc.complete()
	return s.plans[i]
}

// ask notes that the agent asks about a document in this turn.
func (s *PlanSet) ask(p *plan, isDrawn bool) {
	s.mention(p, s.isBack(p))
	for _, other := range s.plans {
		if !other.isDocument() && other.mentioned < s.turn && other.supersededBy == 0 {
			other.supersededBy = s.asked
		}
	}
	d := &p.doc
	d.asked, d.drawn = true, isDrawn
	if d.sentIn != s.turn {
		d.pending, d.sent = true, ""
	}
}

// hasText reports whether a document has this text. Space around it does not count.
func (p *plan) hasText(text string) bool {
	return p.doc.more == 0 && string(bytes.TrimSpace(p.doc.text)) == strings.TrimSpace(text)
}

// endProposal ends the proposal, if there is one, before a document update. The proposal
// becomes the document of the update if that is new, or has the same text. Else it is removed.
// IsTarget reports whether a plan is the document of the update. A file that was read again and has
// not changed is not an update of the agent.
func (s *PlanSet) endProposal(u Update, isTarget func(*plan) bool) {
	i := slices.IndexFunc(s.plans, func(p *plan) bool { return p.isProposed })
	target := slices.IndexFunc(s.plans, isTarget)
	isNew := target < 0
	if i < 0 || u.IsRead && !isNew && s.plans[target].hasText(u.Text) {
		return
	}
	proposal := s.plans[i]
	s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p == proposal || proposal.hasText(u.Text) && isTarget(p) })
	if isNew || proposal.hasText(u.Text) {
		proposal.id, proposal.isProposed = strings.Clone(u.ID), false
		s.plans = append(s.plans, proposal)
		if u.Delta {
			proposal.doc.text, proposal.doc.more = nil, 0 // the update begins a new document
		}
	}
}
