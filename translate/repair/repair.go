// Package repair has adapters that complete messages with which strict readers refuse a whole
// session or a turn, although their meaning is plain. A message that is right stays as it is.
package repair

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
)

// IsOn reports whether a repair is made for two peers.
type IsOn func(client, agent conversation.Implementation) bool

// A repair is what the adapters here have in common.
type repair struct{ dispatch.Switched[bool] }

func newRepair(isOn IsOn, wants ...dispatch.Want) repair {
	return repair{dispatch.Switched[bool]{For: isOn, Wanted: wants}}
}

// Name implements dispatch.Adapter.
func (*repair) Name() string { return "repair" }
