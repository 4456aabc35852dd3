package history

import (
	"slices"

	"acpshim/internal/record"
	"acpshim/translate"
)

// arrivals find the messages with which plan updates reached the client. acpshim records with each
// line that it makes of plans which updates it shows; records of earlier versions do not say it.
// The zero value is ready for use.
type arrivals struct {
	waiting map[planKey][]*Message // the updates of a plan that the client has not got
	plans   map[uint64][]planKey   // of these updates, by their numbers
	count   int
}

// A planKey identifies a plan.
type planKey struct{ session, name string }

// byPlans is the name, in records, of the adapter that shows plans to old clients.
const byPlans = "plan"

// add takes in a message, and sets Arrived of the updates that it brings to the client.
func (a *arrivals) add(m *Message) {
	isReceived := m.Message.Received()
	switch {
	case m.Message.Dir != record.Agent:
	case m.IsPlan() && isReceived && m.Message.Sent():
		m.Arrived = m
	case m.IsPlan() && isReceived:
		if u, err := m.Plan(); err == nil && u.Kind != translate.Removed && a.count < maxKnown {
			a.wait(m, planKey{m.Session, u.Name()})
		}
	case m.Message.Sent():
		for _, r := range m.Message.Reasons {
			for _, number := range r.Shows {
				a.bring(m, number)
				delete(a.plans, number)
			}
		}
	}
}

func (a *arrivals) wait(m *Message, of planKey) {
	if a.waiting == nil {
		a.waiting, a.plans = map[planKey][]*Message{}, map[uint64][]planKey{}
	}
	a.waiting[of] = append(a.waiting[of], m)
	a.plans[m.Seq] = append(a.plans[m.Seq], of)
	a.count++
}

// bring sets Arrived of the updates of a plan up to that number.
func (a *arrivals) bring(m *Message, number uint64) {
	for _, of := range a.plans[number] {
		if of.session != m.Session {
			continue
		}
		a.waiting[of] = slices.DeleteFunc(a.waiting[of], func(update *Message) bool {
			if update.Seq > number {
				return false
			}
			update.Arrived = m
			a.count--
			return true
		})
	}
}
