package rule

import (
	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// Facts are what an initialize and its answer told. What is not known yet makes
// every condition on it fail, negated ones included.
type Facts struct {
	conversation.Peers

	// What the two are called as long as they have not named themselves; either
	// may be empty.
	ClientName, AgentName string

	// ResponseTo is for [Set.Explain]: the method of the request that an
	// explained response answers.
	ResponseTo string
}

// A Peer is what one side calls itself; fields may be empty.
type Peer conversation.Implementation

// peerOf returns what a side calls itself; the zero Peer if that is not known yet.
func peerOf(p *conversation.Peer) Peer {
	if p == nil {
		return Peer{}
	}
	return Peer(p.Implementation)
}

// A named is a peer by its own name, or by the one that Facts has for it.
type named struct {
	Peer
	known bool
}

func (f *Facts) client() named { return nameOf(f.Client, f.ClientName) }
func (f *Facts) agent() named  { return nameOf(f.Agent, f.AgentName) }

func nameOf(p *conversation.Peer, name string) named {
	n := named{peerOf(p), p != nil || name != ""}
	if n.Name == "" {
		n.Name = name
	}
	return n
}

// announces reports whether a peer has a capability that is neither null nor false.
func announces(p *conversation.Peer, capability wire.Selector) bool {
	for at, err := range capability.Each(p.Capabilities) {
		raw := string(p.Capabilities[at.Start:at.End])
		if err == nil && raw != "null" && raw != "false" && raw != "" {
			return true
		}
	}
	return false
}
