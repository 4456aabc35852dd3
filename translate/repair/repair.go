// Package repair has adapters that complete messages with which strict readers refuse a whole
// session or a turn, although their meaning is plain. A message that is right stays as it is.
package repair

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
)

// IsOn reports whether a repair is made for two peers.
type IsOn func(client, agent conversation.Implementation) bool

// A repair is what the adapters here have in common: version 1 of the protocol only, and a switch.
type repair struct {
	dispatch.Base
	isOn  IsOn
	wants []dispatch.Want
	on    bool // since initialize was answered; under the conversation's lock
}

// Name implements dispatch.Adapter.
func (*repair) Name() string { return "repair" }

// Wants implements dispatch.Adapter.
func (r *repair) Wants() []dispatch.Want {
	if !r.on {
		return nil
	}
	return r.wants
}

// Observe implements dispatch.Adapter.
func (r *repair) Observe(e conversation.Event) {
	if e.Kind == conversation.Negotiated {
		r.on = e.Request.Agent.Version == 1 && r.isOn(e.Request.Client.Implementation, e.Request.Agent.Implementation)
	}
}
