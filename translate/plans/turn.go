package plans

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// turnBegan handles a prompt that begins a turn.
func (a *Adapter) turnBegan(prompt *conversation.Request) {
	sessions := a.c.Sessions() // the session of the prompt may be unknown
	if of, _ := a.c.Find(prompt.Session); prompt.Session != "" {
		sessions = []*conversation.Session{of}
	}
	for _, of := range sessions {
		if s, ok := a.sessions.Get(of); ok {
			s.beginTurn()
			a.await(s)
		}
	}
}

func (s *session) beginTurn() {
	for _, p := range s.allPlans() {
		p.set.BeginTurn()
	}
}

// turnEnded handles the end of a prompt. If it was cancelled, plans and documents wait for the next
// turn, because clients drop updates after a cancel, or take them for a turn that continues. They
// also wait if the client gets no updates between turns.
func (a *Adapter) turnEnded(prompt *conversation.Request) {
	of, _ := a.c.Find(prompt.Session)
	s, ok := a.sessions.Get(of)
	if !ok && of != nil && a.set.LateWait {
		s, ok = a.sessionFor(of), true
	}
	if ok {
		s.call.end()
		s.isPaused = s.isPaused || prompt.IsCancelled || a.set.LateWait
		if a.isRunning(s) {
			s.beginTurn() // the next prompt was already pending
		}
		a.await(s)
	}
	if a.wantsAll && len(a.awaited) == 0 {
		a.wantsAll = false
		a.c.ChangeWants()
	}
}

// await updates whether Handle needs the session's next update of any kind, because something has
// to be shown before it. Then Wants has all updates until a turn ends.
func (a *Adapter) await(s *session) {
	delete(a.awaited, s)
	if s.Evicted || !(s.isPaused && a.isRunning(s) || !s.isPaused && (s.call.isOpen() || s.current().set.IsGrowing())) {
		return
	}
	a.awaited[s] = true
	if !a.wantsAll {
		a.wantsAll = true
		a.c.ChangeWants()
	}
}

// isRunning reports whether the session has a turn that was not cancelled.
func (a *Adapter) isRunning(s *session) bool { return a.c.Prompting(s.ID) && !a.c.IsTurnOver(s.ID) }

// resume ends the pause of a session if its next turn has begun.
func (a *Adapter) resume(s *session) (resumed bool) {
	if !s.isPaused || !a.isRunning(s) {
		return false
	}
	s.isPaused = false
	a.await(s)
	return true
}

// showHeld shows plans and documents that waited for a session update before it: those of a
// cancelled turn, the plan of a todo tool's call that another message follows, the last line of a
// document that the agent has finished, and in a replay the documents of the turn that ends. Before
// a plan update it shows nothing, because the plan replaces that update.
func (a *Adapter) showHeld(m *dispatch.Message, isPlan bool) {
	s := a.find(m.Session)
	if s == nil {
		return
	}
	isReplayed := m.Update == acp.UserMessageChunk && a.c.Opening(s.ID)
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
	return update == acp.AgentMessageChunk || update == acp.AgentThoughtChunk || update == acp.ToolCall
}

// settle marks the session's documents as complete. If that changes the plan, the plan waits for
// release.
func (a *Adapter) settle(s *session) {
	changed := false
	for _, p := range s.allPlans() {
		changed = p.set.Settle() || changed
	}
	if !changed {
		return
	}
	a.updateState(s)
	if a.showAs() == AsPlan && (s.isLarge() || a.isDue(s)) {
		a.showLater(s)
	}
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
