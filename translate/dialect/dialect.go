// Package dialect translates between the two spellings of plan updates: a client announces plan or
// planCapabilities, and the id of a plan is planId or id. Peers that know one spelling ignore the
// other, so the adapter writes both.
package dialect

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter adds the other spelling of capabilities and of ids.
//
//   - Settles: You see no plan: client and agent spell the capability differently,
//     "planCapabilities" or "plan", or the id of a plan, "planId" or "id".
//   - For: Clients with plan support, such as those with JetBrains' Kotlin SDK.
//   - Keys: plan.bridge
//   - Seen: clients with the TypeScript SDK 0.23 to 2.4
//   - Read: omnimind-ai/OmniBot#526
type Adapter struct {
	dispatch.Base
	isOn     func(client conversation.Implementation) bool
	bridging bool // set by the response to initialize
}

// Reasons for records.
var (
	whyAnnounced = wire.Reason{Code: "dialect.announced", Text: "acpshim announces plan updates in both spellings (plan.bridge)"}
	whyIDs       = wire.Reason{Code: "dialect.ids", Text: "acpshim writes the plan's id in both spellings (plan.bridge)"}
)

// New returns an Adapter. IsOn reports whether it is on for a client. It must not block.
func New(isOn func(client conversation.Implementation) bool) *Adapter { return &Adapter{isOn: isOn} }

// Name implements dispatch.Adapter. The adapter in package plans has the same name.
func (a *Adapter) Name() string { return "plan" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if !a.bridging {
		return nil
	}
	return []dispatch.Want{{From: dispatch.Agent, Updates: []string{acp.PlanUpdate, acp.PlanRemoved}}}
}

// Negotiated implements dispatch.Negotiator. The adapter adds ids if it has added the capability.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.bridging = r.Announced && r.Agent.Version == 1 &&
		(wire.IsObject(r.Client.Capability(acp.CapabilityPlan)) || wire.IsObject(r.Client.Capability(acp.PlanCapabilities)))
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.From == dispatch.Agent {
		bridge(m)
		return
	}
	client := conversation.ReadClient(m.Params())
	missing, ok := both(m.Params().Open(acp.ClientCapabilities), wire.IsObject, acp.CapabilityPlan, acp.PlanCapabilities)
	if ok && client.Version == 1 && a.isOn(client.Implementation) && m.Offer(missing) {
		m.Because(whyAnnounced)
		m.Announce()
	}
}

// bridge writes the plan's id of a session update in both spellings.
func bridge(m *dispatch.Message) {
	named := m.Params().Open("update") // the object with the id
	if m.Update == acp.PlanUpdate {
		named = named.Open("plan")
	}
	m.Because(whyIDs)
	if missing, ok := both(named, wire.IsString, "id", "planId"); ok {
		m.Edit(named.Set(missing)...)
	}
}

// both returns the missing one of two members, with the value of the other one. It reports false if
// both or none are there.
func both(o *wire.Object, is func(raw []byte) bool, one, other string) (missing wire.Setting, ok bool) {
	switch a, b := o.Raw(one), o.Raw(other); {
	case is(a) && !is(b):
		return wire.Setting{Name: other, Value: a}, true
	case is(b) && !is(a):
		return wire.Setting{Name: one, Value: b}, true
	}
	return wire.Setting{}, false
}
