package versions

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A handshake is an initialize that was sent to the agent.
type handshake struct {
	line    []byte // the last initialize that the agent got
	version int    // the client's version
	wasOn   bool   // the adapter next to the client was on before
	isBoth  bool   // the client speaks both versions, so it gets no translation

	// The following is set when acpshim sends initialize in the other version.
	answer []byte           // the agent's first response
	after  dispatch.Adapter // the second initialize begins after this adapter
	held   *dispatch.Held   // the response
	start  agentStart
}

// maxInitialize is the maximum initialize, or response to it, that is kept, in bytes.
const maxInitialize = 256 << 10

// keepRequest keeps an initialize, so that acpshim can send it again in the other version. That
// happens only if the agent refuses the client's version, because some agents accept a version
// that they only half understand.
func (a *Agent) keepRequest(m *dispatch.Message) {
	r := a.c.Pending(dispatch.Client, m.ID)
	if r == nil || r.Client == nil || len(m.Line) > maxInitialize || !a.opts.IsOn(r.Client.Implementation, conversation.Implementation{}) {
		return
	}
	params := m.Params()
	isBoth := r.Client.Version != 1 && (params.Get("clientCapabilities") != nil || params.Get("clientInfo") != nil)
	if _, isAgain := a.handshakes.Get(r); !isAgain {
		a.handshakes.Put(r, handshake{line: wire.EndLine(bytes.Clone(m.Line)), version: r.Client.Version, isBoth: isBoth}, len(m.Line))
	}
}

// negotiate handles the agent's response to initialize. If the agent does not speak the client's
// version, acpshim sends initialize again in the other version.
func (a *Agent) negotiate(m *dispatch.Message) {
	of, ok := a.handshakes.Take(m.Request)
	switch {
	case !ok && m.IsRefusal():
	case !ok:
		a.turnOff() // no request was kept
	case of.answer != nil:
		if !a.restart(m, of) {
			a.secondResponse(m, of)
		}
	case of.version == 1 && speaksOther(m, "2"):
		a.tryOther(m, of, a, clientTo2)
	case of.version == 2 && !of.isBoth && speaksOther(m, "1"):
		a.tryOther(m, of, a.clientSide, clientTo1)
	case !m.IsRefusal():
		a.turnOff() // both peers speak the same version
		nameVersion(m)
	}
}

// nameVersion gives a response to initialize the version that the agent speaks as its number.
func nameVersion(m *dispatch.Message) {
	if line := named(m.Line); line != nil {
		m.Because("the agent's response names version 2 but has the members of version 1, so it speaks version 1")
		m.Replace(line)
	}
}

// named returns a response to initialize with the version that the agent speaks as its number, or
// nil if it has that.
func named(line []byte) []byte {
	o, _ := wire.Parse(line, "result")
	result := o.Open("result")
	if result == nil {
		return nil
	}
	version := strconv.Itoa(conversation.ReadAgent(result).Version)
	if version != "1" || wire.ID(result.Raw("protocolVersion")) == version {
		return nil
	}
	return wire.With(line, []string{"result", "protocolVersion"}, []byte(version))
}

func (a *Agent) turnOff() {
	if a.clientSide.begin(false); a.isOn {
		a.isOn = false
		a.c.ChangeWants()
	}
}

// speaksOther reports whether a response to initialize says that the agent may speak the other
// version: as a result, or as an error.
func speaksOther(m *dispatch.Message, other string) bool {
	if result := m.Result(); result != nil && !m.IsRefusal() {
		return strconv.Itoa(conversation.ReadAgent(result).Version) == other
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

// The error codes with which agents refuse a version.
const (
	unsupportedVersion = "-32022"
	invalidRequest     = "-32600" // if the text mentions the version
	invalidParams      = "-32602" // the agent may not know the members of the other version
)

// maxTrial is the time that an agent has to respond in the other version.
const maxTrial = 5 * time.Second

// tryOther holds the agent's response, and sends initialize again in the other version. The request
// begins at the adapters after the given one.
func (a *Agent) tryOther(m *dispatch.Message, of handshake, after dispatch.Adapter, other func(params *wire.Object) []byte) {
	if len(m.Line) > maxInitialize {
		return
	}
	m.Because("the agent does not speak the client's version, so acpshim tries the other one")
	h := m.Hold(maxTrial)
	if h == nil {
		return
	}
	o, _ := wire.Parse(of.line, "params", "params.clientCapabilities")
	params := other(o.Open("params"))
	line := wire.Splice(nil, of.line, o.Set(wire.Setting{Name: "params", Value: params})...)
	wasOn := a.clientSide.isOn
	if of.version == 2 { // for all adapters the client speaks version 1 now
		a.c.Introduce(h.Request, open(params, "clientCapabilities"))
		a.clientSide.begin(true)
	}
	of = handshake{version: of.version, wasOn: wasOn, line: line, after: after, answer: h.Line(), held: h}
	if line := named(of.answer); line != nil {
		of.answer = line
	}
	isKept := a.handshakes.Put(h.Request, of, len(h.Line())+len(line))
	h.Because("acpshim sends initialize again in the other version")
	if !isKept || !h.AgainAfter(after, line) {
		h.Continue(nil)
	}
}

// secondResponse handles the response to the second initialize. The client gets it in its own
// version, or the first response if the agent refuses both versions.
func (a *Agent) secondResponse(m *dispatch.Message, of handshake) {
	result := m.Result()
	if of.version == 2 {
		if m.IsRefusal() || result == nil {
			if first := open(of.answer); first.Get("result") == nil {
				a.clientSide.begin(of.wasOn)
			}
			m.Because("the agent refused the second initialize; this is its first response")
			m.Replace(of.answer)
		} else {
			nameVersion(m)
		}
		return // the adapter next to the client translates it
	}
	if m.IsRefusal() || result == nil || !speaksOther(m, "2") {
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
	a.isOn = true
	a.c.ChangeWants()
	if a.opts.Bridged != nil {
		a.opts.Bridged(of.version, 2)
	}
}
