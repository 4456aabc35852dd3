package plans

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A moment is when something is released. It says how much is too large for it.
type moment int

const (
	atQuestion moment = iota // before a request; large documents wait for the next moment
	atEnd                    // before or after a response; large documents wait for the next Flush
	atFlush                  // in Flush; nothing is too large
)

// releaseBeforeUpdate releases before a session update that is not a plan: what was held in a
// cancelled turn, the plan of a todo tool's call that another message follows, the last line of a
// document that the agent has finished, and in a replay the documents of the turn that ends.
// Resumed says that the update is the first one after a pause.
func (a *Adapter) releaseBeforeUpdate(m *dispatch.Message, s *session, resumed bool) {
	isReplayed := m.Update == acp.UserMessageChunk && a.c.Opening(s.ID)
	endsCall := s.call.isOpen() && !s.call.has(m)
	if !isReplayed && !resumed && !endsCall && !endsDocuments(m.Update) {
		return
	}
	m.Because(whyUpdate)
	if s.call.isOpen() && !endsCall {
		return // the plan follows the call
	}
	a.completeDocuments(s)
	lines := a.releasePlan(s, resumed || isReplayed)
	if resumed || isReplayed {
		lines = a.releaseDocuments(lines, s, atQuestion)
	}
	m.Before(lines)
	if isReplayed {
		s.beginTurn()
	}
}

// endsDocuments reports whether an update shows that the agent has finished its document.
func endsDocuments(update string) bool {
	return update == acp.AgentMessageChunk || update == acp.AgentThoughtChunk || update == acp.ToolCall
}

// releaseBefore releases plans and documents before a message: those of the session with that id,
// or of all sessions if the id is "".
func (a *Adapter) releaseBefore(m *dispatch.Message, id string, at moment) {
	a.applyReads(a.readFiles(id, at))
	s := a.find(id)
	for _, of := range a.allSessions() {
		if id == "" || of == s {
			a.endPause(of)
			a.completeDocuments(of)
		}
	}
	lines := a.releasePlansBefore(m, id, at)
	if id == "" {
		lines = a.releaseAllDocuments(lines, at)
	} else if s != nil {
		lines = a.releaseDocuments(lines, s, at)
	}
	m.Before(lines)
}

// response releases what was held until a response: that of the ended turn before it, and that of a
// session that it opens after it.
func (a *Adapter) response(m *dispatch.Message) {
	r := m.Request
	m.Because(whyTurnEnd)
	if r.IsPrompt() {
		a.endQuestions(r.Session)
	}
	switch {
	case r.Creates() || r.IsCancelled:
	case r.IsPrompt() || r.Opens() && !m.IsRefusal():
		a.releaseBefore(m, r.Session, atEnd)
	default:
		m.Before(a.releasePlansBefore(m, r.Session, atEnd))
	}
	if r.Creates() || r.Opens() {
		m.Because(whyOpened)
	}
	s := a.find(r.Session)
	switch {
	case r.Creates() && m.Opened() == "" && !a.c.Creating():
		a.removeUncreated()
	case s != nil && r.Opens():
		a.plansChanged(s)
	}
	if r.Opens() && !a.c.Opening(r.Session) {
		a.finishOpening(r.Session)
	}
	lines := a.releasePlans(r.Session, atEnd)
	if a.placeAfter(m, lines); r.Creates() || r.Opens() {
		a.planLine = m.Number
	}
}

// removeUncreated removes the sessions with held plans that the client does not know, because the
// agent has not created them.
func (a *Adapter) removeUncreated() {
	for s := range a.heldPlans {
		if !s.Known && !s.Named {
			a.c.Remove(s.Session)
		}
	}
}

// Unread implements dispatch.UnreadHandler. An unread response can open a session, too, so the
// next Flush releases the plans that were held until then.
func (a *Adapter) Unread(m *dispatch.Message, err error) {
	if m.Request != nil && m.From == dispatch.Agent {
		a.flushDue = true
		a.filesChanged = a.filesChanged || a.filePlans > 0
		a.reportFiles()
	}
}

// Flush implements dispatch.Flusher. It releases what was held until a pause, and at the end of the
// input everything.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if m.From == dispatch.Client || !end && !a.flushDue {
		return
	}
	defer a.reportFiles()
	a.hasEnded = end
	m.Because(whyPause)
	if end {
		for _, s := range a.allSessions() {
			a.completeDocuments(s)
		}
	}
	lines := a.releasePlans("", atFlush)
	if end && len(lines) == 0 {
		lines = a.releaseAllDocuments(nil, atFlush)
	}
	m.After(lines)
}

// releasePlan returns the session's held plan. A large plan stays held until the next Flush, unless
// now is true.
func (a *Adapter) releasePlan(s *session, now bool) (lines []byte) {
	if e, isHeld := a.heldPlans[s]; isHeld && (now || !s.isLarge()) && a.canGet(s) && a.affords(s) {
		lines = wire.EndLine(a.showPlan(nil, s, e))
		a.Spend(dispatch.Agent, len(lines))
	}
	return lines
}

// releasePlansBefore is releasePlans for lines before a message. They stay held until the next
// Flush if the message is in a batch that has a plan, opened a session, or has a plan after it.
func (a *Adapter) releasePlansBefore(m *dispatch.Message, first string, at moment) []byte {
	if m.InBatch() && (a.planLine == m.Number || a.goesAfterBatch(m)) {
		a.flushDue = a.flushDue || len(a.heldPlans) > 0
		return nil
	}
	return a.releasePlans(first, at)
}

// releasePlans returns the held plans that may be shown at this moment. It begins with the session
// whose id is first. In Flush it also returns overdue documents. It sets flushDue if something is
// left.
func (a *Adapter) releasePlans(first string, at moment) (lines []byte) {
	if len(a.heldPlans) == 0 && !a.flushDue {
		return nil
	}
	a.flushDue = false
	sessions := a.allSessions()
	of, _ := a.c.Find(first)
	if s, ok := a.sessions.Get(of); ok {
		sessions = slices.Insert(sessions, 0, s)
	}
	for _, s := range sessions {
		switch e, isHeld := a.heldPlans[s]; {
		case !isHeld && !s.isOverdue || !a.canGet(s):
		case s.call.isOpen() && !a.hasEnded && (at == atFlush || first != s.ID && (first != "" || at == atEnd)):
		case len(lines) > maxMade || at != atFlush && !a.affords(s):
			a.flushDue = true
		default:
			if n := len(lines); isHeld {
				lines = wire.EndLine(a.showPlan(lines, s, e))
				a.Spend(dispatch.Agent, len(lines)-n)
			}
			if s.isOverdue && at == atFlush {
				lines = a.releaseDocuments(lines, s, at)
			}
			a.flushDue = a.flushDue || s.isOverdue
		}
	}
	return lines
}

// releaseDocuments appends the held documents of the session to dst, if this is the moment for
// them.
func (a *Adapter) releaseDocuments(dst []byte, s *session, at moment) []byte {
	switch {
	case !a.heldDocuments[s]:
		s.isOverdue = false
		return dst
	case !a.canGet(s):
		return dst
	case at == atEnd && !a.affords(s):
		s.isOverdue, a.flushDue = true, true
		return dst
	}
	s.isOverdue = false
	return a.showDocuments(dst, s, at != atFlush && !a.affords(s))
}

// releaseAllDocuments appends the held documents of all sessions to dst.
func (a *Adapter) releaseAllDocuments(dst []byte, at moment) []byte {
	n := len(dst)
	if len(a.heldDocuments) == 0 {
		return dst
	}
	for _, s := range a.allSessions() {
		if dst = a.releaseDocuments(dst, s, at); len(dst)-n > maxMade {
			break // the next call shows the others
		}
	}
	return dst
}
