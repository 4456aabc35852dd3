package deadlines

import (
	"time"

	"acpshim/internal/chain/dispatch"
)

// A turn is a session with a pending prompt.
type turn struct {
	prompts int       // pending ones
	heard   time.Time // when the agent last sent something
	isTold  bool      // the silence since then was logged
	timer   *dispatch.Timer
}

// beginTurn adds a pending prompt to a session.
func (a *Adapter) beginTurn(session string) {
	t, ok := a.turns[session]
	if !ok {
		t = &turn{heard: time.Now()}
		a.turns[session] = t
		a.listen(session, t, a.on.Silence)
	}
	t.prompts++
}

// endTurn removes a pending prompt. For the next one, the silence begins anew.
func (a *Adapter) endTurn(session string) {
	t, ok := a.turns[session]
	if !ok {
		return
	}
	t.heard, t.isTold = time.Now(), false
	if t.prompts--; t.prompts == 0 {
		t.timer.Stop()
		delete(a.turns, session)
	}
}

// hear notes a message of the agent. One about a session without a turn, such as that of a
// subagent, counts for all turns.
func (a *Adapter) hear(session string) {
	if len(a.turns) == 0 {
		return
	}
	now := time.Now()
	if t, ok := a.turns[session]; ok {
		t.heard, t.isTold = now, false
		return
	}
	for _, t := range a.turns {
		t.heard, t.isTold = now, false
	}
}

// listen checks after a time whether the agent has been silent in a turn.
func (a *Adapter) listen(session string, t *turn, wait time.Duration) {
	t.timer = a.After(wait, func() {
		left := a.on.Silence - time.Since(t.heard)
		switch {
		case a.on.Silence == 0: // a later initialize
			return
		case a.isAsking(session) || t.isTold:
			left = a.on.Silence
		case left <= 0:
			a.tell(session, t)
			left = a.on.Silence
		}
		a.listen(session, t, left)
	})
}

// isAsking reports whether the agent waits for a response of the client, in a session or in none.
func (a *Adapter) isAsking(session string) bool {
	for _, r := range a.o.Conversation.AllPending(dispatch.Agent) {
		if _, hasTurn := a.turns[r.Session]; r.Session == session || !hasTurn {
			return true
		}
	}
	return false
}

// tell logs that the agent is silent, and cancels the turn if the settings say so.
func (a *Adapter) tell(session string, t *turn) {
	t.isTold = true
	if a.on.Cancel {
		a.CancelTurn(session, whySilent)
	}
	if a.o.Silent != nil {
		a.o.Silent(session, a.on.Silence, a.on.Cancel)
	}
}
