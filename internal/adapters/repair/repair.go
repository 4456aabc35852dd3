// Package repair has adapters that correct messages for strict or limited readers, one in each
// file: wrong members, words and ids, and messages that come twice, out of order, or not at all. A
// correct message stays as it is. Package shape has what a table of members can correct.
package repair

import (
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
)

// IsOn reports whether a repair is on for two peers.
type IsOn func(client, agent conversation.Implementation) bool

// A repair is the common part of the adapters here.
type repair struct{ dispatch.Switched[bool] }

func newRepair(isOn IsOn, wants ...dispatch.Want) repair {
	return repair{dispatch.Switched[bool]{For: isOn, Wanted: wants}}
}

// Name implements dispatch.Adapter.
func (*repair) Name() string { return "repair" }
