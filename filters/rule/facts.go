package rule

import (
	"bytes"
	"strconv"
	"strings"

	"acpshim/wire"
)

// Facts are what an initialize and its answer told. What is not known yet makes
// every condition on it fail, negated ones included.
type Facts struct {
	Client, Agent *Peer  // nil: not known yet
	AgentName     string // while Agent is not known; may be empty
	Protocol      int    // 0: not known yet

	// ResponseTo is for [Set.Explain]: the method of the request that an
	// explained response answers.
	ResponseTo string
}

// A Peer is what one side told of itself; fields may be empty.
type Peer struct {
	Name, Version string
	Capabilities  []byte // a JSON object
}

// Bounds on what is remembered of a peer, in bytes. Longer capabilities are none.
const (
	maxCapabilities = 256 << 10
	maxInfo         = 256
)

// peer reads a Peer from the params of initialize, or from its result.
func peer(o *wire.Object, info, capabilities string) *Peer {
	p := &Peer{}
	if raw := o.Raw(capabilities); len(raw) <= maxCapabilities {
		p.Capabilities = bytes.Clone(raw)
	}
	i, _ := wire.Parse(o.Raw(info)) // what is unclear is not known
	p.Name, _ = i.Text("name")
	p.Version, _ = i.Text("version")
	p.Name, p.Version = clip(p.Name), clip(p.Version)
	return p
}

func clip(info string) string {
	return strings.ToValidUTF8(info[:min(len(info), maxInfo)], "")
}

// orZero is the zero Peer if the peer is not known.
func (p *Peer) orZero() Peer {
	if p == nil {
		return Peer{}
	}
	return *p
}

// named is the agent as far as its name is asked for.
func (f *Facts) named() *Peer {
	if f.Agent == nil && f.AgentName != "" {
		return &Peer{Name: f.AgentName}
	}
	return f.Agent
}

// has reports whether the capability is there, and neither null nor false.
func (p *Peer) has(capability wire.Pointer) bool {
	raw := capability.Raw(p.Capabilities)
	return !isNull(raw) && string(raw) != "false"
}

// offered are the facts after a request to initialize.
func (f Facts) offered(m *message) Facts {
	params, err := wire.Parse(m.object.Raw("params"))
	if err != nil {
		return f
	}
	return Facts{Client: peer(params, "clientInfo", "clientCapabilities"), AgentName: f.AgentName, ResponseTo: f.ResponseTo}
}

// settled are the facts after the answer to it. One that failed settles
// nothing.
func (f Facts) settled(m *message) Facts {
	result, err := wire.Parse(m.object.Raw("result"))
	if err != nil {
		return f
	}
	f.Agent = peer(result, "agentInfo", "agentCapabilities")
	f.Protocol, _ = strconv.Atoi(wire.ID(result.Raw("protocolVersion")))
	return f
}
