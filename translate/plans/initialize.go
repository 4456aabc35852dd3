package plans

import (
	"cmp"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

// A Negotiation is the result of initialize.
type Negotiation struct {
	Client, Agent conversation.Implementation
	Version       int  // of the protocol
	Old           bool // the client did not announce plan support
	Advertised    bool // acpshim announced plan support for the client
	Bridged       bool // acpshim repeated the client's announcement in the other spelling
	ReadsFiles    bool // the client offers fs/read_text_file
	ShowAs        ShowAs
}

// isOld reports whether a client does not announce plan support.
func isOld(client *conversation.Peer) bool {
	return !wire.IsObject(client.Capability(acp.CapabilityPlan)) && !wire.IsObject(client.Capability(acp.PlanCapabilities))
}

// initialize announces plan support to the agent for an old client of version 1, in both spellings.
func (a *Adapter) initialize(m *dispatch.Message) {
	client := conversation.ReadClient(m.Params())
	set := a.settings(client.Implementation, conversation.Implementation{})
	// Without an id there is no response.
	if !set.Advertise || !isOld(client) || client.Version != 1 || wire.ID(m.ID) == "" {
		return
	}
	empty := []byte(`{}`)
	if m.Offer(wire.Setting{Name: acp.CapabilityPlan, Value: empty}, wire.Setting{Name: acp.PlanCapabilities, Value: empty}) {
		m.Announce()
		m.Because(whyAnnounced)
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	old := isOld(r.Client)
	n := Negotiation{
		Client: r.Client.Implementation, Agent: r.Agent.Implementation, Version: r.Agent.Version,
		Old: old, Advertised: old && r.Announced, Bridged: !old && r.Announced,
		ReadsFiles: string(r.Client.Capability("fs", "readTextFile")) == "true",
	}
	a.set = a.settings(n.Client, n.Agent)
	n.ShowAs = a.set.ShowAs
	a.negotiated = true
	a.translating = old && n.Version == 1 // in version 2 every client knows plan updates
	if a.translating && a.set.ShowAs == AsNothing {
		a.set.Prose = false
	}
	a.tools = nil
	for _, tool := range a.set.Tools {
		if n.Version == 1 && tool.Serves(n.Agent.Name) {
			a.tools = append(a.tools, tool)
		}
	}
	if a.opts.Events.Negotiated != nil {
		a.opts.Events.Negotiated(n)
	}
}

// settings returns the settings for two peers, with defaults. The agent is empty before its
// response to initialize.
func (a *Adapter) settings(client, agent conversation.Implementation) Settings {
	s := a.opts.For(client, agent)
	s.Policy = cmp.Or(s.Policy, translate.Checklists)
	s.ShowAs = cmp.Or(s.ShowAs, AsPlan)
	return s
}
