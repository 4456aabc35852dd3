package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Version is an adapter that corrects the version of a client's initialize.
//
//   - Settles: The agent rejects the client's messages: the client announces version 2 of the
//     protocol but speaks version 1.
//   - For: buzz (block/buzz).
//   - Keys: repair.version
//   - Read: block/buzz#4728, block/buzz#7384
type Version struct{ repair }

// NewVersion returns a Version adapter.
func NewVersion(isOn IsOn) *Version { return &Version{newRepair(isOn)} }

// Corrects implements dispatch.Corrector: other adapters see a client of version 1.
func (*Version) Corrects(from dispatch.Side) bool { return from == dispatch.Client }

// Handle implements dispatch.Adapter. Every adapter gets initialize. A client with members of both
// versions may speak both, so its initialize stays as it is.
func (a *Version) Handle(m *dispatch.Message) {
	params := m.Params()
	if m.From != dispatch.Client || m.Method != acp.Initialize || wire.ID(params.Raw("protocolVersion")) != "2" {
		return
	}
	isOld := params.Get(acp.ClientCapabilities) != nil || params.Get("clientInfo") != nil
	isNew := params.Get("capabilities") != nil || params.Get("info") != nil
	if isOld && !isNew && a.For(conversation.ReadClient(params).Implementation, conversation.Implementation{}) {
		m.Because(whyVersion)
		m.Edit(params.Set(wire.Setting{Name: "protocolVersion", Value: []byte("1")})...)
	}
}
