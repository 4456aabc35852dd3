package dispatch

import (
	"slices"
	"time"
)

// due has the holds with a limit, the earliest end first. There is one timer for all of them: the
// timers of two holds that end at the same time would not keep the order of their messages.
type due struct {
	limited []*Held
	timer   *time.Timer
}

// add adds a hold whose end is set.
func (u *due) add(h *Held, end func()) {
	i := len(u.limited)
	for i > 0 && u.limited[i-1].ends.After(h.ends) {
		i--
	}
	u.limited = slices.Insert(u.limited, i, h)
	if i > 0 {
		return
	}
	if u.timer == nil {
		u.timer = time.AfterFunc(time.Until(h.ends), end)
		return
	}
	u.timer.Reset(time.Until(h.ends))
}

func (u *due) remove(h *Held) {
	i, found := slices.BinarySearchFunc(u.limited, h, func(a, b *Held) int { return a.ends.Compare(b.ends) })
	for found && i < len(u.limited) && u.limited[i] != h {
		i++
	}
	if i < len(u.limited) && u.limited[i] == h {
		u.limited = slices.Delete(u.limited, i, i+1)
	}
}

// next removes the first hold, if its end has come.
func (u *due) next() *Held {
	if len(u.limited) == 0 || time.Until(u.limited[0].ends) > 0 {
		return nil
	}
	h := u.limited[0]
	u.limited = slices.Delete(u.limited, 0, 1)
	return h
}

// endDue ends the holds whose limit has passed.
func (d *Dispatcher) endDue() {
	d.Do(func() {
		for h := d.due.next(); h != nil; h = d.due.next() {
			h.Because(whyLimit.With(h.limit.String())).goOn()
		}
		if len(d.due.limited) > 0 {
			d.due.timer.Reset(time.Until(d.due.limited[0].ends))
		}
	})
}
