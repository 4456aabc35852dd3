package history

import (
	"slices"

	"acpshim/internal/record"
	"acpshim/translate"
)

// arrivals finds the message with which each plan update reached the client. The record says which
// updates a line shows that acpshim made. Records of earlier versions do not. The zero value is
// ready for use.
type arrivals struct {
	waiting map[planKey][]*Message // the updates of a plan that have not reached the client
	plans   map[uint64][]planKey   // the plans of each waiting update, by its number
	count   int                    // of waiting updates
}

// A planKey identifies a plan.
type planKey struct{ session, name string }

// planAdapter is the name of the adapter that shows plans to old clients, as records have it.
const planAdapter = "plan"

// add adds a message, and sets Arrived of the updates that it brings to the client.
func (a *arrivals) add(m *Message) {
	isReceived := m.Message.Received()
	switch {
	case m.Message.Dir != record.Agent:
	case m.IsPlan() && isReceived && m.Message.Sent():
		m.Arrived = m
	case m.IsPlan() && isReceived:
		if u, err := m.Plan(); err == nil && u.Kind != translate.Removed && a.count < maxKnown {
			a.addWaiting(m, planKey{m.Session, u.Name()})
		}
	case m.Message.Sent():
		for _, r := range m.Message.Reasons {
			for _, number := range r.Shows {
				a.setArrived(m, number)
				delete(a.plans, number)
			}
		}
	}
}

// addWaiting adds an update of a plan that has not reached the client.
func (a *arrivals) addWaiting(m *Message, of planKey) {
	if a.waiting == nil {
		a.waiting, a.plans = map[planKey][]*Message{}, map[uint64][]planKey{}
	}
	a.waiting[of] = append(a.waiting[of], m)
	a.plans[m.Seq] = append(a.plans[m.Seq], of)
	a.count++
}

// setArrived sets Arrived of the waiting updates of a plan up to a number: m brought them.
func (a *arrivals) setArrived(m *Message, number uint64) {
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
