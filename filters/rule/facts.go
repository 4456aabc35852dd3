package rule

import (
	"cmp"

	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// facts are what is known of the peers. What is not known yet makes every
// condition on it fail, negated ones included.
type facts struct {
	conversation.Peers
	knownClient, knownAgent Peer // until they name themselves; either may be zero
}

// A Peer is what one side calls itself; fields may be empty.
type Peer conversation.Implementation

// Or returns p, or what is known about the peer if p has no name.
func (p Peer) Or(known Peer) Peer {
	if p.Name == "" {
		return Peer{Name: known.Name, Version: cmp.Or(p.Version, known.Version)}
	}
	return p
}

// peerOf returns what a side calls itself; the zero Peer if that is not known yet.
func peerOf(p *conversation.Peer) Peer {
	if p == nil {
		return Peer{}
	}
	return Peer(p.Implementation)
}

// A named is a peer by its own name, or by the one that facts has for it.
type named struct {
	Peer
	known bool
}

func (f *facts) client() named { return nameOf(f.Client, f.knownClient) }
func (f *facts) agent() named  { return nameOf(f.Agent, f.knownAgent) }

func nameOf(p *conversation.Peer, known Peer) named {
	return named{peerOf(p).Or(known), p != nil || known.Name != ""}
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
