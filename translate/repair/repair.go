// Package repair has adapters that complete messages with which strict readers refuse a whole
// session or a turn, although their meaning is plain. A message that is right stays as it is.
package repair

import (
	"bytes"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
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

// each returns a JSON array with its elements as f returns them: nil takes one out. It is nil if
// nothing changed, or raw is no array.
func each(raw []byte, f func(element []byte) []byte) []byte {
	spans, err := wire.Batch(raw)
	if err != nil {
		return nil
	}
	with := make([][]byte, len(spans))
	changed, left := false, len(spans)
	for i, s := range spans {
		element := raw[s.Start:s.End]
		got := f(element)
		if bytes.Equal(got, element) {
			continue
		}
		changed = true
		if with[i] = got; got == nil {
			with[i] = []byte{}
			left--
		}
	}
	switch {
	case !changed:
		return nil
	case left == 0:
		return []byte("[]")
	}
	return wire.SpliceElements(nil, raw, spans, with)
}
