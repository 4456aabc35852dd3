package plans

import (
	"slices"

	"acpshim/internal/chain/dispatch"
)

// canGet reports whether the client can get lines of the session at all. It cannot before it knows
// the session. After a cancel it only waits for the end of the turn: see session.isPaused.
func (a *Adapter) canGet(s *session) bool {
	return a.c.Ready(s.Session) && (a.hasEnded || !s.isPaused && !a.c.IsTurnCancelled(s.ID))
}

// isRunning reports whether the session has a turn that was not cancelled.
func (a *Adapter) isRunning(s *session) bool {
	return a.c.Prompting(s.ID) && !a.c.IsTurnCancelled(s.ID)
}

// endPause ends the pause of a session if its next turn has begun.
func (a *Adapter) endPause(s *session) (resumed bool) {
	if !s.isPaused || !a.isRunning(s) {
		return false
	}
	s.isPaused = false
	a.updateWants(s)
	return true
}

// showOrHold returns the line with the session's plan, or holds the plan and returns nil.
func (a *Adapter) showOrHold(s *session) []byte {
	if a.canGet(s) && !a.isBurst(s) {
		return a.showPlan(nil, s, s.envelope())
	}
	a.holdChange(s)
	return nil
}

// holdChange holds the session's plan after a change that comes without an envelope. It is released
// by the next Flush, or before it with what else must come first, or when the client can get it.
func (a *Adapter) holdChange(s *session) {
	if a.canGet(s) {
		a.holdUntilFlush(s, s.envelope())
	} else if _, isHeld := a.heldPlans[s]; !isHeld {
		a.hold(s, s.envelope())
	}
}

// holdUntilFlush is hold for a session that the client knows. The next Flush releases the plan.
func (a *Adapter) holdUntilFlush(s *session, e envelope) {
	a.c.Told(s.Session)
	a.flushDue = true
	a.hold(s, e)
}

// hold holds the session's plan, with a copy of envelope e, or another envelope if e is too long.
func (a *Adapter) hold(s *session, e envelope) {
	if s.Evicted {
		return
	}
	if len(e.before)+len(e.after)+len(e.meta) > maxEnvelope {
		e = s.envelope()
	}
	a.heldPlans[s] = envelope{slices.Clone(e.before), slices.Clone(e.after), slices.Clone(e.meta)}
	a.weigh(s)
}

// maxEnvelope is the maximum envelope of a held plan, in bytes.
const maxEnvelope = 64 << 10

// endHold ends the hold of the session's plan, because the client gets it or has it.
func (a *Adapter) endHold(s *session) {
	delete(a.heldPlans, s)
	s.call.end()
}

// holdDocuments holds the session's documents if something of them may have to be shown. It does
// not read large plans, but counts them as documents to show.
func (a *Adapter) holdDocuments(s *session) {
	prose, text, set := a.set.Prose, a.showAs().chunk() != "", &s.current().set
	a.setHeldDocuments(s, s.awaitsFile() || set.IsGrowing() || s.isLarge() && (prose || text) ||
		prose && set.HasMessages(a.set.Policy) || text && a.isDue(s))
	a.updateWants(s)
}

func (a *Adapter) setHeldDocuments(s *session, areHeld bool) {
	delete(a.heldDocuments, s)
	if areHeld && !s.Evicted {
		a.heldDocuments[s] = true
	}
}

// completeDocuments marks the session's documents as complete. If that changes the plan, the plan
// is held, and the caller releases it.
func (a *Adapter) completeDocuments(s *session) {
	changed := false
	for _, p := range s.allPlans() {
		changed = p.set.CompleteDocuments() || changed
	}
	if !changed {
		return
	}
	a.plansChanged(s)
	if a.showAs() == AsPlan && (s.isLarge() || a.isDue(s)) {
		a.holdChange(s)
	}
}

// isLarge reports whether the session's plan is so large that it is shown once for many updates.
func (s *session) isLarge() bool { return s.current().set.Size() > largePlan }

// isBurst reports whether the next Flush has to show the session's plan, because the plan or the
// output for the current line is large.
func (a *Adapter) isBurst(s *session) bool { return s.isLarge() || a.Made(dispatch.Agent) > maxMade }

// largePlan is in bytes, more than real plans have. Smaller plans are shown after each update, so
// that a replay of the conversation has the same result.
const largePlan = 64 << 10

// maxMade is the approximate number of bytes of plans and documents that are shown at once.
const maxMade = 1 << 20

// affords reports whether the session's plans may be shown now. Without this limit, a large plan
// that changes by a byte would be repeated before each of many requests.
func (a *Adapter) affords(s *session) bool {
	return a.Affords(dispatch.Agent, s.current().set.Size())
}
