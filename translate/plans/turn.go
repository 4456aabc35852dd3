package plans

import (
	"acpshim/internal/chain/conversation"
	"acpshim/translate/entry"
)

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	switch r := e.Request; {
	case e.Kind == conversation.SessionRemoved:
		a.sessionRemoved(e.Session)
	case e.Kind == conversation.RequestEnded && r.From == conversation.Agent:
		a.questionEnded(r)
	case e.Kind == conversation.PeersChanged || r.From == conversation.Agent || !a.follows():
		return
	case e.Kind == conversation.RequestBegan && r.Method == "session/load":
		s := a.session(r.Session)
		if s.replayed == nil {
			s.replayed = &plans{} // they count if the agent accepts the load
		}
		s.isPaused = false
		a.notePending(s)
		a.weigh(s)
	case e.Kind == conversation.RequestBegan && a.c.BeginsTurn(r):
		a.turnBegan(r)
	case e.Kind == conversation.RequestEnded && r.Prompts():
		a.turnEnded(r)
	case e.Kind == conversation.RequestEnded && r.Opens() && !a.c.Opening(r.Session):
		a.finishOpening(r.Session)
	}
	if r := e.Request; r != nil && (r.Prompts() || r.Creates() || r.Opens()) {
		a.filesChanged = a.filesChanged || a.filePlans > 0
	}
	a.reportFiles()
}

// sessionRemoved removes the state of an evicted or closed session.
func (a *Adapter) sessionRemoved(of *conversation.Session) {
	s, ok := a.sessions.Get(of)
	if !ok {
		return
	}
	a.filesChanged = a.filesChanged || s.files > 0
	a.filePlans -= s.files
	delete(a.documents, s)
	delete(a.waiting, s)
	delete(a.awaited, s)
	s.call.end()
}

// finishOpening decides which plans of a session count, after all requests that open it have a
// response. If the agent accepted a load, the replayed plans count. Otherwise the plans from before
// count, and they are shown again.
func (a *Adapter) finishOpening(id string) {
	of, _ := a.c.Find(id)
	s, ok := a.sessions.Get(of)
	if !ok || s.replayed == nil {
		return
	}
	replayed := s.replayed
	s.replayed = nil
	if s.Loaded {
		s.now, a.filesChanged = replayed, true
	} else if replayed.shown != (entry.Digest{}) {
		s.now.shown, s.now.shownIsOurs = replayed.shown, true
	}
	if a.showAs() == AsPlan && a.isDue(s) {
		a.showLater(s)
	}
	a.notePending(s)
	a.count(s)
}

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
