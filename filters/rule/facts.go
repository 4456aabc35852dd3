package rule

import (
	"bytes"
	"strconv"

	"acpshim/internal/wire"
)

// Facts are what an initialize and its answer told. What is not known yet makes
// every condition on it fail, negated ones included.
type Facts struct {
	Client, Agent *Peer // nil: not known yet
	Protocol      int   // 0: not known yet

	// What the two are called as long as they have not named themselves; either
	// may be empty.
	ClientName, AgentName string

	// ResponseTo is for [Set.Explain]: the method of the request that an
	// explained response answers.
	ResponseTo string
}

// A Peer is what one side told of itself; fields may be empty.
type Peer struct {
	Name, Version string
	Capabilities  []byte // a JSON object
}

// maxCapabilities bounds what is remembered of a peer, in bytes. Longer ones are none.
const maxCapabilities = 256 << 10

// peer reads a Peer from the params of initialize, or from its result.
func peer(o *wire.Object, info, capabilities string) *Peer {
	p := &Peer{}
	if raw := o.Raw(capabilities); len(raw) <= maxCapabilities {
		p.Capabilities = bytes.Clone(raw)
	}
	i, _ := wire.Parse(o.Raw(info)) // what is unclear is not known
	p.Name, p.Version = i.Info("name"), i.Info("version")
	return p
}

// orZero is the zero Peer if the peer is not known.
func (p *Peer) orZero() Peer {
	if p == nil {
		return Peer{}
	}
	return *p
}

// namedClient is the client as far as its name is asked for.
func (f *Facts) namedClient() *Peer { return f.Client.or(f.ClientName) }

// namedAgent is the agent as far as its name is asked for.
func (f *Facts) namedAgent() *Peer { return f.Agent.or(f.AgentName) }

// or is the peer, of that name if it has none of its own.
func (p *Peer) or(name string) *Peer {
	if name == "" || p != nil && p.Name != "" {
		return p
	}
	named := p.orZero()
	named.Name = name
	return &named
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
	f.Client, f.Agent, f.Protocol = peer(params, "clientInfo", "clientCapabilities"), nil, 0
	return f
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
