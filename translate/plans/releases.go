package plans

import (
	"slices"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A moment is when pending documents are shown.
type moment int

const (
	atQuestion moment = iota // before a request; large documents wait for the next moment
	atEnd                    // before or after a response; large documents wait for the next Flush
	atFlush                  // in Flush; nothing is too large
)

// showHeld shows plans and documents that waited for a session update before it: those of a
// cancelled turn, the plan of a todo tool's call that another message follows, the last line of a
// document that the agent has finished, and in a replay the documents of the turn that ends. Before
// a plan update it shows nothing, because the plan replaces that update.
func (a *Adapter) showHeld(m *dispatch.Message, isPlan bool) {
	s := a.find(m.Session)
	if s == nil {
		return
	}
	isReplayed := m.Update == userMessage && a.c.Opening(s.ID)
	resumed := a.resume(s)
	endsCall := s.call.isOpen() && !s.call.has(m)
	if isPlan || !isReplayed && !resumed && !endsCall && !endsDocuments(m.Update) {
		return
	}
	m.Because(whyUpdate)
	if s.call.isOpen() && !endsCall {
		return // the plan follows the call
	}
	lines := a.settleLines(s, resumed || isReplayed)
	if resumed || isReplayed {
		lines = a.showDocuments(lines, s, atQuestion)
	}
	m.Before(lines)
	if isReplayed {
		s.beginTurn()
	}
}

// endsDocuments reports whether an update shows that the agent has finished its document.
func endsDocuments(update string) bool {
	return update == "agent_message_chunk" || update == "agent_thought_chunk" || update == "tool_call"
}

// settleLines calls settle, and returns the session's waiting plan. A large plan waits for the next
// Flush, unless now is true.
func (a *Adapter) settleLines(s *session, now bool) (lines []byte) {
	a.settle(s)
	if e, waits := a.waiting[s]; waits && (now || !s.isLarge()) && a.c.Ready(s.Session) && !a.isQuiet(s) && a.affords(s) {
		lines = wire.EndLine(a.show(nil, s, e))
		a.Spend(dispatch.Agent, len(lines))
	}
	return lines
}

// showBefore shows the waiting plans before a message. If documents is true, it also shows the
// pending documents of the session with that id, or of all sessions if the id is "".
func (a *Adapter) showBefore(m *dispatch.Message, id string, documents bool, at moment) {
	var files []readResult
	if documents {
		files = a.readFiles(id, at)
	}
	a.applyReads(files)
	s := a.find(id)
	for _, of := range a.allSessions() {
		if documents && (id == "" || of == s) {
			a.resume(of)
			a.settle(of)
		}
	}
	lines := a.releaseBefore(m, id, at)
	if documents && id == "" {
		lines = a.showAllDocuments(lines, at)
	} else if documents && s != nil {
		lines = a.showDocuments(lines, s, at)
	}
	m.Before(lines)
}

// response shows the plans and documents that waited for a response: those of the ended turn before
// it, and those of a session that it opens after it.
func (a *Adapter) response(m *dispatch.Message) {
	r := m.Request
	m.Because(whyTurnEnd)
	if r.Prompts() {
		a.turnLeaves(r.Session)
	}
	if !r.Creates() && !r.IsCancelled {
		a.showBefore(m, r.Session, r.Prompts() || r.Opens() && !m.IsRefusal(), atEnd)
	}
	if r.Creates() || r.Opens() {
		m.Because(whyOpened)
	}
	s := a.find(r.Session)
	switch {
	case r.Creates() && m.Opened() == "" && !a.c.Creating():
		a.removeWaiting()
	case s != nil && r.Opens():
		a.updateState(s)
	}
	if r.Opens() && !a.c.Opening(r.Session) {
		a.finishOpening(r.Session)
	}
	lines := a.release(r.Session, atEnd)
	if a.after(m, lines); r.Creates() || r.Opens() {
		a.planLine = m.Number
	}
}

// removeWaiting removes the sessions with waiting plans that the client does not know, because the
// agent has not created them.
func (a *Adapter) removeWaiting() {
	for s := range a.waiting {
		if !s.Known && !s.Named {
			a.c.Remove(s.Session)
		}
	}
}

// Flush implements dispatch.Flusher. It shows the delayed plans, and at the end of the input the
// pending documents.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if m.From == dispatch.Client || !end && !a.flushDue {
		return
	}
	defer a.reportFiles()
	a.hasEnded = end
	m.Because(whyPause)
	for _, s := range a.allSessions() {
		if end && !a.isQuiet(s) {
			a.settle(s)
		}
	}
	lines := a.release("", atFlush)
	if end && len(lines) == 0 {
		lines = a.showAllDocuments(nil, atFlush)
	}
	m.After(lines)
}

// Unread implements dispatch.UnreadHandler. An unread response can open a session, too, so the
// plans that wait for it are shown by the next Flush.
func (a *Adapter) Unread(m *dispatch.Message, err error) {
	if m.Request != nil && m.From == dispatch.Agent {
		a.flushDue = true
		a.filesChanged = a.filesChanged || a.filePlans > 0
		a.reportFiles()
	}
}

// release returns the waiting plans that may be shown at this moment. It begins with the session
// whose id is first. In Flush it also returns late documents. It sets flushDue if something is
// left.
func (a *Adapter) release(first string, at moment) (lines []byte) {
	if len(a.waiting) == 0 && !a.flushDue {
		return nil
	}
	a.flushDue = false
	sessions := a.allSessions()
	of, _ := a.c.Find(first)
	if s, ok := a.sessions.Get(of); ok {
		sessions = slices.Insert(sessions, 0, s)
	}
	for _, s := range sessions {
		switch e, waits := a.waiting[s]; {
		case !waits && !s.late || !a.c.Ready(s.Session) || a.isQuiet(s):
		case s.call.isOpen() && !a.hasEnded && (at == atFlush || first != s.ID && (first != "" || at == atEnd)):
		case len(lines) > maxMade || at != atFlush && !a.affords(s):
			a.flushDue = true
		default:
			if n := len(lines); waits {
				lines = wire.EndLine(a.show(lines, s, e))
				a.Spend(dispatch.Agent, len(lines)-n)
			}
			if s.late && at == atFlush {
				lines = a.showDocuments(lines, s, at)
			}
			a.flushDue = a.flushDue || s.late
		}
	}
	return lines
}

// releaseBefore is release for lines before a message. They wait for the next Flush if the message
// is in a batch that has a plan, opened a session, or has a plan after it.
func (a *Adapter) releaseBefore(m *dispatch.Message, first string, at moment) []byte {
	if m.InBatch() && (a.planLine == m.Number || a.goesAfterBatch(m)) {
		a.flushDue = a.flushDue || len(a.waiting) > 0
		return nil
	}
	return a.release(first, at)
}

// showAllDocuments appends the pending documents of all sessions to dst.
func (a *Adapter) showAllDocuments(dst []byte, at moment) []byte {
	n := len(dst)
	if len(a.documents) == 0 {
		return dst
	}
	for _, s := range a.allSessions() {
		if dst = a.showDocuments(dst, s, at); len(dst)-n > maxMade {
			break // the next call shows the others
		}
	}
	return dst
}
