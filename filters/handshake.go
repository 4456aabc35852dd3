package filters

import (
	"strconv"

	"acpshim/internal/wire"
	"acpshim/translate"
)

// A Negotiation is what an answered initialize settled.
type Negotiation struct {
	Client, Agent Implementation
	Version       int  // of the protocol
	Old           bool // the client did not announce plan support
	Advertised    bool // it was announced to the agent for the client
	Bridged       bool // the client's announcement was repeated in the other spelling
	ReadsFiles    bool // the client offers fs/read_text_file
}

// Translates reports whether plan updates are translated: for an old client on
// version 1. In version 2 every client knows them.
func (n Negotiation) Translates() bool { return n.Old && n.Version == 1 }

// An Implementation is a clientInfo or an agentInfo; its fields may be empty.
type Implementation struct{ Name, Version string }

// handshake is the state of initialize. What the client said counts from the
// agent's answer on: an initialize that failed may be followed by another.
type handshake struct {
	settled     bool              // one was answered with success
	number      uint32            // of those that were
	translating bool              // as the last one of these settled it
	bridging    bool              // likewise: the client is capable and may speak another dialect
	closed      gates             // likewise: what is kept from the client
	tools       []*translate.Tool // likewise: the todo tools that the agent may have
	tracking    bool              // sessions are noted: something may yet be said in them
}

// initialize reads the client's request, and adds to what goes to the agent
// that plans can be shown, by both names that agents know (protocol.md
// section 2). Only version 1 has these names.
func (c *Conversation) initialize(line []byte, msg *wire.Object) []byte {
	params := msg.Open("params")
	capabilities := params.Open("clientCapabilities")
	n := Negotiation{
		Client: implementation(params.Raw("clientInfo")),
		Old:    !wire.IsObject(capabilities.Raw("plan")) && !wire.IsObject(capabilities.Raw("planCapabilities")),
	}
	if fs, err := wire.Parse(capabilities.Raw("fs")); err == nil {
		n.ReadsFiles = string(fs.Raw("readTextFile")) == "true"
	}
	set := c.opts.settings(n.Client, Implementation{})
	var edits []wire.Edit
	if set.Bridge && !n.Old && version(params) == 1 {
		edits = mirror(capabilities)
		n.Bridged = edits != nil
	}
	// An answer that cannot be recognised settles nothing: then nothing is said.
	if set.Advertise && n.Old && params != nil && version(params) == 1 && wire.ID(msg.Raw("id")) != "" {
		switch raw := params.Raw("clientCapabilities"); {
		case capabilities != nil:
			edits = capabilities.Set(
				wire.Setting{Name: "plan", Value: []byte(`{}`)},
				wire.Setting{Name: "planCapabilities", Value: []byte(`{}`)})
		case raw == nil || string(raw) == "null":
			edits = params.Set(wire.Setting{Name: "clientCapabilities", Value: []byte(`{"plan":{},"planCapabilities":{}}`)})
		}
		n.Advertised = edits != nil
	}
	c.handshake.tracking = true
	c.await(msg.Raw("id"), request{method: "initialize", offer: n, shut: shut(params.Raw("clientCapabilities"))})
	return wire.Splice(nil, line, edits...)
}

// initialized reads the agent's result for it; nil if it is an error.
func (c *Conversation) initialized(r request, result *wire.Object) {
	if result == nil {
		return
	}
	n := r.offer
	n.Agent = implementation(result.Raw("agentInfo"))
	n.Version = version(result)
	c.set = c.opts.settings(n.Client, n.Agent)
	if c.handshake.settled {
		c.kept.sessions.Purge() // a new start
	}
	c.handshake.settled = true
	c.handshake.number++
	c.handshake.translating = n.Translates()
	c.handshake.bridging = n.Bridged && n.Version == 1
	if c.handshake.closed = (gates{}); n.Version == 1 {
		c.handshake.closed = closed(c.set.Gates, r.shut)
	}
	c.handshake.tools = nil
	for _, tool := range c.set.Tools {
		if n.Version == 1 && tool.Serves(n.Agent.Name) {
			c.handshake.tools = append(c.handshake.tools, tool)
		}
	}
	c.handshake.tracking = n.Translates() || len(c.handshake.tools) > 0 || len(c.handshake.closed.options) > 0
	if !c.handshake.tracking {
		for _, id := range c.kept.requests.Keys() {
			if r, _ := c.kept.request(id); r.method != "session/prompt" {
				c.kept.requests.Remove(id)
			}
		}
	}
	if c.opts.Events.Negotiated != nil {
		c.opts.Events.Negotiated(n)
	}
}

func implementation(raw []byte) Implementation {
	o, _ := wire.Parse(raw) // for the log only: what is unclear may be
	return Implementation{o.Info("name"), o.Info("version")}
}

// version is the protocolVersion, or -1 if it is no whole number.
func version(o *wire.Object) int {
	n, err := strconv.Atoi(wire.ID(o.Raw("protocolVersion")))
	if err != nil {
		return -1
	}
	return n
}
