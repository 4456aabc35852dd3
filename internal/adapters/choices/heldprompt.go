package choices

import (
	"time"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

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

// hold holds a prompt of a session whose options are being set. All prompts of a setup wait until
// the same time.
func (a *Adapter) hold(m *dispatch.Message) {
	su := a.setupFor(m.Session)
	if su == nil {
		return
	}
	if su.until.IsZero() {
		su.until = time.Now().Add(maxWait)
	}
	wait := time.Until(su.until)
	if wait <= 0 {
		return
	}
	m.Because(whyWaits)
	if h := m.Hold(wait); h != nil {
		a.waiting.Put(h.Request, h, 0) // its bytes count as those of a held message
	}
}

// release lets the prompts of a session go on.
func (a *Adapter) release(id string, why wire.Reason) {
	for r, h := range a.waiting.All() {
		if r.Session == id {
			a.waiting.Delete(r)
			h.Because(why).Continue(nil)
		}
	}
}
