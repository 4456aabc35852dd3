package repair

import (
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// OneReject is an adapter that leaves one option that rejects in a permission request, for clients
// that choose an option by its kind: they take the first or the last one. It keeps one that rejects
// only this call if there is one, and one with which the turn goes on. It removes no option of
// another kind, and none whose kind the protocol does not have, because that may allow the call.
//
//   - Settles: A rejected tool call ends the whole turn: the agent offers two ways to say no, and
//     the client takes one of them by its kind.
//   - For: acpx before 0.16, CodeCompanion, avante.nvim and kandev with codex-acp.
//   - Keys: repair.one_reject
//   - Seen: codex-acp 2.6.0
//   - Read: openclaw/acpx#535, openclaw/acpx#608, zed-industries/codex-acp#267
type OneReject struct{ repair }

// NewOneReject returns a OneReject adapter.
func NewOneReject(isOn IsOn) *OneReject {
	return &OneReject{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission}})}
}

// Handle implements dispatch.Adapter. It leaves options that it cannot read, or that share an id.
func (a *OneReject) Handle(m *dispatch.Message) {
	if m.Kind != dispatch.Request || m.Method != acp.SessionRequestPermission {
		return
	}
	options := readOptions(m.Params())
	kept := -1
	for i, o := range options {
		if rejects(o) && (kept < 0 || harm(o) < harm(options[kept])) {
			kept = i
		}
	}
	i := -1
	left := wire.MapElements(m.Params().Raw("options"), func(raw []byte) []byte {
		if i++; i < len(options) && i != kept && rejects(options[i]) {
			return nil
		}
		return raw
	})
	if left != nil {
		m.Because(whyOneReject)
		m.Edit(wire.Edit{Span: m.Params().Get("options").Value, With: left})
	}
}

func rejects(o permissionOption) bool { return o.kind == acp.RejectOnce || o.kind == acp.RejectAlways }

// harm says how much an option does beyond refusing this call. Codex-acp's "cancel" ends the turn.
func harm(o permissionOption) int {
	id := strings.ToLower(o.id)
	switch {
	case o.kind == acp.RejectAlways:
		return 3
	case strings.HasPrefix(id, "cancel"), strings.HasPrefix(id, "abort"):
		return 2
	case id == conversation.Decline:
		return 0
	}
	return 1
}
