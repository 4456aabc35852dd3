package choices

import (
	"acpshim/internal/dispatch"
)

// A heldPrompt waits until the options of its session are set.
type heldPrompt struct {
	held  *dispatch.Held
	timer *dispatch.Timer // ends the wait
}

// isSetting reports whether any session or request has a setup.
func (a *Adapter) isSetting() bool {
	for range a.wishes.All() {
		return true
	}
	for range a.setups.All() {
		return true
	}
	return false
}

// hold holds a prompt of a session whose options are being set.
func (a *Adapter) hold(m *dispatch.Message) {
	su := a.setupFor(m.Session)
	if su == nil || su.isLate {
		return
	}
	m.Because(whyWaits)
	h := m.Hold()
	if h == nil {
		return
	}
	session := m.Session
	a.waiting.Put(h.Request, heldPrompt{h, a.After(maxWait, func() {
		su.isLate = true
		a.release(session, whyLate)
	})}, 0) // its bytes count as those of a held message
}

// release lets the prompts of a session go on.
func (a *Adapter) release(id, why string) {
	for r, w := range a.waiting.All() {
		if r.Session == id {
			w.timer.Stop()
			a.waiting.Delete(r)
			w.held.Because(why).Continue(nil)
		}
	}
}
