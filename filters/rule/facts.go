package rule

import (
	"acpshim/internal/conversation"
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

// factsOf returns what the peers said of themselves.
func factsOf(p conversation.Peers) Facts {
	f := Facts{Client: peerOf(p.Client), Agent: peerOf(p.Agent)}
	if p.Version > 0 {
		f.Protocol = p.Version
	}
	return f
}

func peerOf(p *conversation.Peer) *Peer {
	if p == nil {
		return nil
	}
	return &Peer{Name: p.Name, Version: p.Implementation.Version, Capabilities: p.Capabilities}
}

// peers is the inverse of factsOf.
func (f Facts) peers() conversation.Peers {
	return conversation.Peers{Client: f.Client.toConversation(), Agent: f.Agent.toConversation(), Version: f.Protocol}
}

// toConversation returns the peer as package conversation has it.
func (p *Peer) toConversation() *conversation.Peer {
	if p == nil {
		return nil
	}
	return &conversation.Peer{Implementation: conversation.Implementation{Name: p.Name, Version: p.Version}, Capabilities: p.Capabilities}
}

// orZero returns the peer, or the zero Peer if it is nil.
func (p *Peer) orZero() Peer {
	if p == nil {
		return Peer{}
	}
	return *p
}

// namedClient returns the client, called ClientName if it has not named itself; nil if neither is
// known.
func (f *Facts) namedClient() *Peer { return f.Client.or(f.ClientName) }

// namedAgent is namedClient for the agent.
func (f *Facts) namedAgent() *Peer { return f.Agent.or(f.AgentName) }

// or returns the peer, with that name if it has none of its own.
func (p *Peer) or(name string) *Peer {
	if name == "" || p != nil && p.Name != "" {
		return p
	}
	named := p.orZero()
	named.Name = name
	return &named
}

// has reports whether a capability is there that is neither null nor false.
func (p *Peer) has(capability wire.Selector) bool {
	for at, err := range capability.Each(p.Capabilities) {
		raw := string(p.Capabilities[at.Start:at.End])
		if err == nil && raw != "null" && raw != "false" && raw != "" {
			return true
		}
	}
	return false
}
