package plans

import (
	"slices"

	"acpshim/internal/chain/dispatch"
)

// wait notes that the session's plan is pending, with a copy of envelope e, or another envelope if
// e is too long.
func (a *Adapter) wait(s *session, e envelope) {
	if s.Evicted {
		return
	}
	if len(e.before)+len(e.after)+len(e.meta) > maxEnvelope {
		e = s.envelope()
	}
	a.waiting[s] = envelope{slices.Clone(e.before), slices.Clone(e.after), slices.Clone(e.meta)}
	a.weigh(s)
}

// maxEnvelope is the maximum envelope of a waiting plan, in bytes.
const maxEnvelope = 64 << 10

// waitForFlush is wait for a session that is ready. The next Flush shows the plan.
func (a *Adapter) waitForFlush(s *session, e envelope) {
	a.c.Told(s.Session)
	a.flushDue = true
	a.wait(s, e)
}

// showLater is showOrWait for a plan that must not be shown now.
func (a *Adapter) showLater(s *session) {
	if a.c.Ready(s.Session) && !a.isQuiet(s) {
		a.waitForFlush(s, s.envelope())
	} else if _, waits := a.waiting[s]; !waits {
		a.wait(s, s.envelope())
	}
}

// showOrWait returns the line with the session's plan. If it cannot be shown now, it returns nil
// and the plan waits: for the client to know the session, for the next Flush, or for the next turn
// if this one was cancelled.
func (a *Adapter) showOrWait(s *session) []byte {
	if a.c.Ready(s.Session) && !a.isBurst(s) && !a.isQuiet(s) {
		return a.show(nil, s, s.envelope())
	}
	a.showLater(s)
	return nil
}

func (a *Adapter) setPending(s *session, pending bool) {
	delete(a.documents, s)
	if pending && !s.Evicted {
		a.documents[s] = true
	}
}

// notePending updates whether the session has pending documents. It does not read large plans, but
// counts them as pending.
func (a *Adapter) notePending(s *session) {
	prose, text, set := a.set.Prose, a.showAs().update() != "", &s.current().set
	a.setPending(s, s.awaitsFile() || set.IsGrowing() || s.isLarge() && (prose || text) ||
		prose && set.HasMessages(a.set.Policy) || text && a.isDue(s))
	a.await(s)
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

// isQuiet reports whether the adapter must not add lines, because the turn was cancelled and the
// client only waits for its end, or the client waits for the next turn.
func (a *Adapter) isQuiet(s *session) bool {
	return !a.hasEnded && (s.isPaused || a.c.IsTurnOver(s.ID))
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
