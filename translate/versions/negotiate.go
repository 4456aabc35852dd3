package versions

import (
	"bytes"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// An offer is an initialize that was sent to the agent.
type offer struct {
	line    []byte // as the agent got it
	version int    // that the client asked for
	wasOn   bool   // the adapter beside the client was on before

	// Once the agent has answered, and is asked in the other version:
	answer []byte           // its first one
	behind dispatch.Adapter // that the second one is sent behind
	held   *dispatch.Held   // the answer
	begins start            // of the agent that is asked
}

// maxInitialize bounds the initialize and the answer that are kept, in bytes.
const maxInitialize = 256 << 10

// keep keeps an initialize, to ask in the other version if the agent does not speak this one. The
// agent is never asked in a version that is not the client's unless it has refused that: some
// agents read a body that they half understand without a word.
func (a *Agent) keep(m *dispatch.Message) {
	c := a.opts.Conversation
	r := c.Pending(dispatch.Client, m.ID)
	if r == nil || r.Client == nil || len(m.Line) > maxInitialize || !a.opts.IsOn(r.Client.Implementation, conversation.Implementation{}) {
		return
	}
	c.Lock()
	defer c.Unlock()
	params := m.Params()
	knowsBoth := r.Client.Version != 1 && (params.Get("clientCapabilities") != nil || params.Get("clientInfo") != nil)
	if _, isAgain := a.offers.Get(r); !isAgain && !knowsBoth {
		a.offers.Put(r, offer{line: wire.EndLine(bytes.Clone(m.Line)), version: r.Client.Version}, len(m.Line))
	}
}

// negotiate takes in the agent's answer to initialize: it asks once more in the other version if
// the agent does not speak the client's.
func (a *Agent) negotiate(m *dispatch.Message) {
	c := a.opts.Conversation
	c.Lock()
	of, ok := a.offers.Take(m.Request)
	c.Unlock()
	switch {
	case !ok && m.IsRefusal():
	case !ok:
		a.turnOff() // nothing was kept to ask again
	case of.answer != nil:
		if !a.restart(m, of) {
			a.second(m, of)
		}
	case of.version == 1 && speaksOther(m, 1, "2"):
		a.again(m, of, a, clientTo2)
	case of.version == 2 && speaksOther(m, 2, "1"):
		a.again(m, of, a.beside, clientTo1)
	case !m.IsRefusal():
		a.turnOff() // the two have a version in common
	}
}

// turnOff has no version bridged from now on.
func (a *Agent) turnOff() {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	if a.beside.begin(false); a.isOn {
		a.isOn = false
		c.ChangeWants()
	}
}

// speaksOther reports whether an answer to an initialize of one version says that the agent speaks
// the other one: by its result, or by a refusal that the other version may remedy.
func speaksOther(m *dispatch.Message, version int, other string) bool {
	if result := m.Result(); result != nil && !m.IsRefusal() {
		return conversation.ReadAgent(result).Version != version && wire.ID(result.Raw("protocolVersion")) == other
	}
	return Refuses(m, other)
}

// Refuses reports whether a response is an error that refuses the version of an initialize, by an
// agent that may know another one.
func Refuses(m *dispatch.Message, other string) bool {
	raw := m.Object.Raw("error")
	switch m.Code() {
	case unsupportedVersion:
		supported, isList := wire.Elements(wire.Pointer{"data", "supported"}.Raw(raw))
		return !isList || slices.ContainsFunc(supported, func(v []byte) bool { return wire.ID(v) == other })
	case invalidRequest:
		return bytes.Contains(bytes.ToLower(raw), []byte("version"))
	case invalidParams:
		return true
	}
	return false
}

// Codes of errors with which agents refuse a version.
const (
	unsupportedVersion = "-32022"
	invalidRequest     = "-32600" // if the text says so
	invalidParams      = "-32602" // the members of the newer version may be what is wrong
)

// again holds the agent's answer, and asks in the other version, behind an adapter.
func (a *Agent) again(m *dispatch.Message, of offer, behind dispatch.Adapter, other func(params *wire.Object) []byte) {
	if len(m.Line) > maxInitialize {
		return
	}
	m.Because("the agent does not speak the client's version, so acpshim tries the other one")
	h := m.Hold()
	if h == nil {
		return
	}
	c := a.opts.Conversation
	o, _ := wire.Parse(of.line, "params", "params.clientCapabilities")
	params := other(o.Open("params"))
	line := wire.Splice(nil, of.line, o.Set(wire.Setting{Name: "params", Value: params})...)
	c.Lock()
	wasOn := a.beside.isOn
	if of.version == 2 { // to all adapters the client speaks version 1 now
		c.Introduce(h.Request, open(params, "clientCapabilities"))
		a.beside.begin(true)
	}
	of = offer{version: of.version, wasOn: wasOn, line: line, behind: behind, answer: h.Line(), held: h}
	isKept := a.offers.Put(h.Request, of, len(h.Line())+len(line))
	c.Unlock()
	h.Because("acpshim sends initialize again in the other version")
	if !isKept || !h.AgainAfter(behind, line) {
		h.Continue(nil)
	}
}

// second takes in the answer to the second initialize: the client gets what it says in its own
// version, or the first answer.
func (a *Agent) second(m *dispatch.Message, of offer) {
	result := m.Result()
	if of.version == 2 {
		if m.IsRefusal() || result == nil {
			if first := open(of.answer); first.Get("result") == nil {
				c := a.opts.Conversation
				c.Lock()
				a.beside.begin(of.wasOn)
				c.Unlock()
			}
			m.Because("the agent refused both versions; this is its first response")
			m.Replace(of.answer)
		}
		return // the adapter beside the client does the rest
	}
	if m.IsRefusal() || result == nil || wire.ID(result.Raw("protocolVersion")) != "2" {
		m.Because("the agent refused both versions; this is its first response")
		m.Replace(of.answer)
		return
	}
	if open(result.Raw("capabilities")).Raw("session") == nil {
		m.Because("the agent has no sessions, which version 1 cannot say")
		m.Replace(wire.Refusal(m.ID, -32603, "the agent speaks version 2 of the protocol, and announces no sessions: version 1 is nothing without"))
		return
	}
	m.Because("the agent speaks version 2, and the client version 1")
	m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: agentTo1(result)})...)
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	a.isOn = true
	c.ChangeWants()
	if a.opts.Bridged != nil {
		a.opts.Bridged(of.version, 2)
	}
}
