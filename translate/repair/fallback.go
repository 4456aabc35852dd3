package repair

import (
	"bytes"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/versions"
)

// Fallback is an adapter that sends initialize again with version 1, if an agent refuses a newer
// version and the client's initialize has the members of version 1, too. If the agent accepts that,
// the client gets its response; otherwise it gets the refusal.
//
//   - Settles: The connection fails at the start: the client offers version 2 of the protocol and
//     also knows version 1, but the agent returns an error instead of choosing version 1.
//   - For: kit (speakeasy-api/kit).
//   - Keys: repair.version
//   - Read: speakeasy-api/kit#213, speakeasy-api/kit#91
type Fallback struct {
	dispatch.Base
	conversation *conversation.Conversation
	own          *dispatch.OwnRequests
	isOn         IsOn
	offers       *conversation.Slot[*conversation.Request, offer] // by initialize
}

// An offer is an initialize that offers a version newer than 1.
type offer struct {
	line []byte
	own  string // the id of the request with version 1; empty before it is sent
}

// maxInitialize is the longest initialize that is kept, in bytes.
const maxInitialize = 256 << 10

// NewFallback returns a Fallback adapter. Own are the requests that acpshim itself sends to the
// agent.
func NewFallback(c *conversation.Conversation, own *dispatch.OwnRequests, isOn IsOn) *Fallback {
	return &Fallback{conversation: c, own: own, isOn: isOn, offers: conversation.NewSlot[*conversation.Request, offer](c)}
}

// Name implements dispatch.Adapter.
func (*Fallback) Name() string { return "repair" }

// Observe implements dispatch.Observer: it forgets acpshim's request when the client's has ended.
func (a *Fallback) Observe(e conversation.Event) {
	if e.Kind == conversation.RequestEnded {
		if o, ok := a.offers.Get(e.Request); ok && o.own != "" {
			a.own.Forget(o.own)
		}
	}
}

// Handle implements dispatch.Adapter. Every adapter gets initialize and its response.
func (a *Fallback) Handle(m *dispatch.Message) {
	if m.From == dispatch.Client {
		a.keep(m)
	} else if m.Request != nil && versions.Refuses(m, "1") {
		a.ask(m)
	}
}

// keep keeps an initialize that offers a newer version and has members of version 1.
func (a *Fallback) keep(m *dispatch.Message) {
	params := m.Params()
	client := conversation.ReadClient(params)
	r := a.conversation.Pending(dispatch.Client, m.ID)
	if client.Version > 1 && (params.Get("clientCapabilities") != nil || params.Get("clientInfo") != nil) &&
		len(m.Line) <= maxInitialize && a.isOn(client.Implementation, conversation.Implementation{}) {
		a.offers.Put(r, offer{line: wire.EndLine(bytes.Clone(m.Line))}, len(m.Line))
	}
}

// maxTrial is the time that an agent has to respond in another version.
const maxTrial = 5 * time.Second

const whyAgain = "the agent refused the client's version, so acpshim tries version 1 (repair.version)"

// ask holds a refusal and sends initialize with version 1.
func (a *Fallback) ask(m *dispatch.Message) {
	of, ok := a.offers.Take(m.Request)
	if !ok {
		return
	}
	m.Because(whyAgain)
	h := m.Hold(maxTrial)
	if h == nil {
		return
	}
	h.Because("the agent got initialize again, with version 1")
	of.own = a.own.Begin("repair", func(result, _ []byte) []byte {
		var response []byte // nil lets the refusal go on
		if wire.IsObject(result) {
			response = wire.Result(wire.Pointer{"id"}.Raw(h.Line()), result)
		}
		h.Continue(response)
		return nil
	})
	o, _ := wire.Parse(of.line, "params") // it was parsed before
	edits := o.Set(wire.Setting{Name: "id", Value: wire.Quote(nil, of.own)})
	edits = append(edits, o.Open("params").Set(wire.Setting{Name: "protocolVersion", Value: []byte("1")})...)
	if !a.offers.Put(h.Request, offer{own: of.own}, 0) || !a.Send(dispatch.Agent, wire.Splice(nil, of.line, edits...), whyAgain) {
		a.own.Forget(of.own)
		h.Continue(nil)
	}
}
