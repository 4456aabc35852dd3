package conversation

import (
	"bytes"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// An Implementation is a clientInfo or an agentInfo; its fields may be empty.
type Implementation struct{ Name, Version string }

// A Peer is what a side said about itself in initialize.
type Peer struct {
	Implementation
	Capabilities []byte // a JSON object as the peer sent it; nil if it is too long
	Version      int    // the peer's protocolVersion; -1 if it is not a whole number
}

// Peers holds the peers as initialize described them; nil means not known yet.
type Peers struct {
	Client, Agent *Peer
	Version       int // of the protocol, from the agent's response; 0 before it
}

// maxCapabilities bounds the capabilities of a peer, in bytes. Longer ones count as absent.
const maxCapabilities = 256 << 10

// Peers returns the peers of the last initialize.
func (c *Conversation) Peers() Peers { return c.peers }

// ReadClient reads the client from the params of an initialize request.
func ReadClient(params *wire.Object) *Peer {
	return readPeer(params, "clientInfo", acp.ClientCapabilities)
}

// ReadAgent reads the agent from the result of initialize. Some agents repeat the client's version,
// so one that names version 2 but has only members of version 1 speaks version 1.
func ReadAgent(result *wire.Object) *Peer {
	p := readPeer(result, "agentInfo", acp.AgentCapabilities)
	has := func(a, b string) bool { return result.Get(a) != nil || result.Get(b) != nil }
	if p.Version == 2 && has("agentInfo", acp.AgentCapabilities) && !has("info", "capabilities") {
		p.Version = 1
	}
	return p
}

// readPeer reads a peer from the members of version 1, or of version 2 if those are missing.
func readPeer(o *wire.Object, info, capabilities string) *Peer {
	if o.Get(info) == nil && o.Get(capabilities) == nil {
		info, capabilities = "info", "capabilities"
	}
	p := &Peer{Version: -1}
	if raw := o.Raw(capabilities); len(raw) <= maxCapabilities {
		p.Capabilities = bytes.Clone(raw)
	}
	i, _ := wire.Parse(o.Raw(info)) // an ambiguous info counts as absent
	p.Name, p.Implementation.Version = i.Info("name"), i.Info("version")
	if n, err := strconv.Atoi(wire.ID(o.Raw("protocolVersion"))); err == nil {
		p.Version = n
	}
	return p
}

// Capability returns the raw value at a path below the peer's capabilities, or nil.
func (p *Peer) Capability(path ...string) []byte {
	raw := p.Capabilities
	for _, name := range path {
		o, err := wire.Parse(raw)
		if err != nil {
			return nil
		}
		raw = o.Raw(name)
	}
	return raw
}

// SetClient sets the client of a new initialize request. The agent is unknown until it responds.
func (c *Conversation) SetClient(client *Peer) {
	c.setClient(client)
}

func (c *Conversation) setClient(client *Peer) {
	c.peers = Peers{Client: client}
	c.observe(Event{Kind: PeersChanged})
}

// Introduce notes that initialize request r is sent again with other params, which describe the
// client.
func (c *Conversation) Introduce(r *Request, params *wire.Object) {
	before := r.size()
	if r.Client = ReadClient(params); r.isPending() {
		c.size += r.size() - before
	}
	c.setClient(r.Client)
}

// Negotiate sets the agent from the corrected result of initialize request r. If an earlier
// initialize had a response, it removes all sessions. A nil result, of an error, changes nothing.
func (c *Conversation) Negotiate(r *Request, result *wire.Object) {
	if r == nil || r.Client == nil || result == nil {
		return
	}
	if c.answered > 0 {
		for _, s := range c.sessions.Values() {
			s.IsOver = true
		}
		c.sessions.Purge()
	}
	c.answered++
	r.Agent = ReadAgent(result)
	c.peers.Agent, c.peers.Version = r.Agent, r.Agent.Version
	c.observe(Event{Kind: Negotiated, Request: r})
}
