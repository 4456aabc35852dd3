package choices

import (
	"time"

	"acpshim/internal/dispatch"
)

// A heldPrompt waits until the options of its session are set.
type heldPrompt struct {
	held  *dispatch.Held
	timer *time.Timer // ends the wait
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

// hold holds a prompt of a session whose options are being set. The lock is not held.
func (a *Adapter) hold(m *dispatch.Message) {
	c := a.conversation
	c.Lock()
	su := a.setupFor(m.Session)
	waits := su != nil && !su.isLate
	c.Unlock()
	if !waits {
		return
	}
	m.Because(whyWaits)
	h := m.Hold()
	if h == nil {
		return
	}
	c.Lock()
	defer c.Unlock()
	if a.setupFor(m.Session) != su { // it has ended meanwhile
		h.Because(whyReady).ContinueLocked(nil)
		return
	}
	session := m.Session
	a.waiting.Put(h.Request, heldPrompt{h, time.AfterFunc(maxWait, func() {
		c.Lock()
		defer c.Unlock()
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
			w.held.Because(why).ContinueLocked(nil)
		}
	}
}
