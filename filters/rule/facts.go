package rule

import (
	"cmp"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// facts are what is known of the peers. Every condition on a fact that is unknown fails, also a
// negated one.
type facts struct {
	conversation.Peers
	knownClient, knownAgent Peer // Options.Client and Options.Agent
}

// A Peer is the name and version of a client or an agent. Fields may be empty.
type Peer conversation.Implementation

// Or returns p, or the name and version of known if p has no name.
func (p Peer) Or(known Peer) Peer {
	if p.Name == "" {
		return Peer{Name: known.Name, Version: cmp.Or(p.Version, known.Version)}
	}
	return p
}

// peerOf returns the name and version of a peer, or the zero Peer if it is unknown.
func peerOf(p *conversation.Peer) Peer {
	if p == nil {
		return Peer{}
	}
	return Peer(p.Implementation)
}

// An identity is a peer's own name, or the one in facts.
type identity struct {
	Peer
	known bool
}

func (f *facts) client() identity { return identify(f.Client, f.knownClient) }
func (f *facts) agent() identity  { return identify(f.Agent, f.knownAgent) }

func identify(p *conversation.Peer, known Peer) identity {
	return identity{peerOf(p).Or(known), p != nil || known.Name != ""}
}

// announces reports whether a peer has a capability. null and false do not count.
func announces(p *conversation.Peer, capability wire.Selector) bool {
	for at, err := range capability.Each(p.Capabilities) {
		raw := string(p.Capabilities[at.Start:at.End])
		if err == nil && raw != "null" && raw != "false" && raw != "" {
			return true
		}
	}
	return false
}
