package versions

import (
	"bytes"
	"strconv"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A handshake is an initialize that was sent to the agent. If the client speaks both versions, it
// is sent again with version 1 to an agent that refuses the client's version.
//
//   - Settles: The connection fails at the start: the client offers version 2 of the protocol and
//     also knows version 1, but the agent returns an error instead of choosing version 1.
//   - For: kit (speakeasy-api/kit).
//   - Keys: repair.version
//   - Read: speakeasy-api/kit#213, speakeasy-api/kit#91
type handshake struct {
	line    []byte // the last initialize that the agent got
	version int    // the client's version
	wasOn   bool   // the adapter next to the client was on before
	isBoth  bool   // the client speaks both versions, so it gets no translation
	falls   bool   // it is sent with version 1 if the agent refuses a later one

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
	if r == nil || r.Client == nil || len(m.Line) > maxInitialize {
		return
	}
	params, client := m.Params(), r.Client.Implementation
	of := handshake{version: r.Client.Version}
	of.isBoth = of.version != 1 && (params.Get(acp.ClientCapabilities) != nil || params.Get("clientInfo") != nil)
	of.falls = of.isBoth && of.version > 1 && a.opts.FallsBack(client, conversation.Implementation{})
	if !of.falls && !a.opts.IsOn(client, conversation.Implementation{}) {
		return
	}
	if _, isAgain := a.handshakes.Get(r); !isAgain {
		of.line = wire.EndLine(bytes.Clone(m.Line))
		a.putHandshake(r, of)
		a.early.begin(r)
	}
}

// negotiate handles the agent's response to initialize. If the agent does not speak the client's
// version, acpshim sends initialize again in the other version.
func (a *Agent) negotiate(m *dispatch.Message) {
	of, ok := a.handshakes.Take(m.Request)
	switch {
	case !ok && !agree(m): // the request was not kept, so the last one that was counts
	case !ok:
		a.turnOff()
		a.correctNumber(m)
	case of.answer != nil:
		if !a.restart(m, of) {
			a.secondResponse(m, of)
		}
	case of.version == 1 && speaksOther(m, "2"):
		a.tryOther(m, of, a, clientTo2)
	case of.version == 2 && !of.isBoth && speaksOther(m, "1"):
		a.tryOther(m, of, a.clientSide, clientTo1)
	case of.falls && m.IsRefusal() && speaksOther(m, "1"):
		a.tryOther(m, of, a, nil)
	case !m.IsRefusal():
		a.turnOff() // both peers speak the same version
		a.correctNumber(m)
	}
}

// agree reports whether the agent's response to initialize has the version of the client.
func agree(m *dispatch.Message) bool {
	client, result := m.Request.Client, m.Result()
	return client != nil && result != nil && conversation.ReadAgent(result).Version == client.Version
}

// correctNumber is nameVersion for a client that speaks the version of the agent. It is a repair.
func (a *Agent) correctNumber(m *dispatch.Message) {
	if client := m.Request.Client; client != nil && a.opts.FallsBack(client.Implementation, conversation.Implementation{}) {
		nameVersion(m)
	}
}

// nameVersion gives a response to initialize the version that the agent speaks as its number.
func nameVersion(m *dispatch.Message) {
	if line := named(m.Line); line != nil {
		m.Because(whyNamesVersion2)
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
	return ReadRefusal(m.Object.Raw("error")).Allows(other)
}

// maxTrial is the time that an agent has to respond in the other version.
const maxTrial = 5 * time.Second

// tryOther holds the agent's response, and sends initialize again in the other version. The request
// begins at the adapters after the given one. translate translates its params; nil changes only
// their version.
func (a *Agent) tryOther(m *dispatch.Message, of handshake, after dispatch.Adapter, translate func(params *wire.Object) []byte) {
	if len(m.Line) > maxInitialize {
		return
	}
	limit := maxTrial
	if a.restartsFirst() {
		limit = maxRestart
	}
	m.Because(whyVersionsDiffer)
	if line := named(m.Line); line != nil {
		m.Line = line
	}
	h := m.Hold(limit)
	if h == nil {
		return
	}
	o, _ := wire.Parse(of.line, "params", "params.clientCapabilities")
	params := wire.With(o.Raw("params"), []string{"protocolVersion"}, []byte("1"))
	if translate != nil {
		params = translate(o.Open("params"))
	}
	of.line = wire.Splice(nil, of.line, o.Set(wire.Setting{Name: "params", Value: params})...)
	of.answer, of.after, of.held, of.wasOn = h.Line(), after, h, a.clientSide.isOn
	if after == a.clientSide { // for all adapters the client speaks version 1 now
		a.c.Introduce(h.Request, open(params, acp.ClientCapabilities))
		a.clientSide.begin(true)
	}
	a.early.wait()
	h.Because(whyOtherVersion)
	switch isKept := a.putHandshake(h.Request, of); {
	case !isKept:
		h.Continue(nil)
	case a.restartsFirst():
		a.restartFor(h.Request, of)
	default:
		h.AgainAfter(after, of.line)
	}
}

// secondResponse handles the response to the second initialize. The client gets it in its own
// version, or the first response if the agent refuses both versions.
func (a *Agent) secondResponse(m *dispatch.Message, of handshake) {
	result := m.Result()
	switch {
	case m.IsRefusal() || result == nil || of.version == 1 && !speaksOther(m, "2"):
		m.Because(whyRefusedBoth)
		m.Replace(a.firstResponse(of))
	case of.isBoth:
		a.turnOff()
		nameVersion(m)
	case of.version == 2:
		nameVersion(m) // the adapter next to the client translates it
	case wire.IsAbsent(open(result.Raw("capabilities")).Raw("session")):
		m.Because(whyNoSessions)
		m.Replace(wire.Refusal(m.ID, -32603, "the agent speaks version 2 of the protocol and announces no sessions, but version 1 needs sessions"))
	default:
		m.Because(whyAgentIs2)
		m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: agentTo1(result)})...)
		a.isOn = true
		a.c.ChangeWants()
		if a.opts.Bridged != nil {
			a.opts.Bridged(of.version, 2)
		}
	}
}

// firstResponse returns the agent's first response, which says why the agent cannot be used, and
// undoes the translation that was prepared for the second one.
func (a *Agent) firstResponse(of handshake) []byte {
	if of.after == a.clientSide && open(of.answer).Get("result") == nil {
		a.clientSide.begin(of.wasOn)
	}
	return of.answer
}
