package plans

import (
	"acpshim/internal/chain/acp"
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
	case e.Kind == conversation.RequestBegan && r.Method == acp.SessionLoad:
		s := a.session(r.Session)
		if s.replayed == nil {
			s.replayed = &plans{}
		}
		s.isPaused = false
		a.holdDocuments(s)
		a.weigh(s)
	case e.Kind == conversation.RequestBegan && a.c.BeginsTurn(r):
		a.turnBegan(r)
	case e.Kind == conversation.RequestEnded && r.IsPrompt():
		a.turnEnded(r)
	case e.Kind == conversation.RequestEnded && r.Opens() && !a.c.Opening(r.Session):
		a.finishOpening(r.Session)
	}
	if r := e.Request; r != nil && (r.IsPrompt() || r.Creates() || r.Opens()) {
		a.filesChanged = a.filesChanged || a.filePlans > 0
	}
	a.reportFiles()
}

func (a *Adapter) sessionRemoved(of *conversation.Session) {
	s, ok := a.sessions.Get(of)
	if !ok {
		return
	}
	a.filesChanged = a.filesChanged || s.files > 0
	a.filePlans -= s.files
	delete(a.heldDocuments, s)
	delete(a.heldPlans, s)
	delete(a.wantsNext, s)
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
		a.holdChange(s)
	}
	a.holdDocuments(s)
	a.count(s)
}

func (a *Adapter) turnBegan(prompt *conversation.Request) {
	sessions := a.c.Sessions() // the session of the prompt may be unknown
	if of, _ := a.c.Find(prompt.Session); prompt.Session != "" {
		sessions = []*conversation.Session{of}
	}
	for _, of := range sessions {
		if s, ok := a.sessions.Get(of); ok {
			s.beginTurn()
			a.updateWants(s)
		}
	}
}

func (s *session) beginTurn() {
	for _, p := range s.allPlans() {
		p.set.BeginTurn()
	}
}

// turnEnded handles the end of a prompt. It begins the pause of the session if its plans and
// documents have to be held until the next turn: see session.isPaused.
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
		a.updateWants(s)
	}
	if a.wantsEveryUpdate && len(a.wantsNext) == 0 {
		a.wantsEveryUpdate = false
		a.c.ChangeWants()
	}
}
