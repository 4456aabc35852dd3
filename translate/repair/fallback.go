package repair

import (
	"bytes"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate/versions"
)

// FallbackOptions are those of a Fallback.
type FallbackOptions struct {
	Conversation *conversation.Conversation
	IsOn         IsOn

	// Own are acpshim's own requests to the agent; the second initialize is among them.
	Own *dispatch.OwnRequests
}

// Fallback is an adapter that asks initialize once more with version 1 where an agent refuses a
// newer version, and the client wrote the members of version 1, too. The protocol wants an agent to
// answer with the version that it knows, so the client gets that answer; without one it gets the
// refusal.
//
//   - Settles: A client offers version 2 of the protocol and knows version 1, too; the agent
//     answers with an error, not with version 1, and the client gives up.
//   - For: kit.
//   - Keys: repair.version
//   - Read: speakeasy-api/kit#213, speakeasy-api/kit#91
type Fallback struct {
	dispatch.Base
	opts   FallbackOptions
	offers *conversation.Slot[*conversation.Request, offer] // of initialize requests
}

// An offer is an initialize that offers a newer version than 1.
type offer struct {
	line []byte
	own  string // the id of the request with version 1; empty if it was not sent
}

// maxInitialize bounds the initialize that is kept, in bytes.
const maxInitialize = 256 << 10

// NewFallback returns a Fallback adapter.
func NewFallback(o FallbackOptions) *Fallback {
	return &Fallback{opts: o, offers: conversation.NewSlot[*conversation.Request, offer](o.Conversation)}
}

// Name implements dispatch.Adapter.
func (*Fallback) Name() string { return "repair" }

// Observe implements dispatch.Observer: nobody waits for version 1 any more.
func (a *Fallback) Observe(e conversation.Event) {
	if e.Kind == conversation.RequestEnded {
		if o, ok := a.offers.Get(e.Request); ok && o.own != "" {
			a.opts.Own.Forget(o.own)
		}
	}
}

// Handle implements dispatch.Adapter. Initialize and its response are given to every adapter.
func (a *Fallback) Handle(m *dispatch.Message) {
	if m.From == dispatch.Client {
		a.keep(m)
	} else if m.Request != nil && versions.Refuses(m, "1") {
		a.ask(m)
	}
}

// keep keeps an initialize that offers a newer version than 1, and has the members of 1.
func (a *Fallback) keep(m *dispatch.Message) {
	params := m.Params()
	client := conversation.ReadClient(params)
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	if client.Version > 1 && (params.Get("clientCapabilities") != nil || params.Get("clientInfo") != nil) &&
		len(m.Line) <= maxInitialize && a.opts.IsOn(client.Implementation, conversation.Implementation{}) {
		a.opts.Conversation.Lock()
		defer a.opts.Conversation.Unlock()
		a.offers.Put(r, offer{line: wire.EndLine(bytes.Clone(m.Line))}, len(m.Line))
	}
}

const whyAgain = "the agent refused the client's version, so acpshim tries version 1 (repair.version)"

// ask holds a refusal, and asks again with version 1. The client gets that response, or the
// refusal.
func (a *Fallback) ask(m *dispatch.Message) {
	c := a.opts.Conversation
	c.Lock()
	of, ok := a.offers.Take(m.Request)
	c.Unlock()
	if !ok {
		return
	}
	m.Because(whyAgain)
	h := m.Hold()
	if h == nil {
		return
	}
	h.Because("the agent got initialize again, with version 1")
	of.own = a.opts.Own.Begin("repair", func(result, _ []byte) []byte {
		var response []byte // nil is the refusal
		if wire.IsObject(result) {
			response = wire.Result(wire.Pointer{"id"}.Raw(h.Line()), result)
		}
		h.Continue(response)
		return nil
	})
	o, _ := wire.Parse(of.line, "params") // it was handled, so it can be read
	edits := o.Set(wire.Setting{Name: "id", Value: wire.Quote(nil, of.own)})
	edits = append(edits, o.Open("params").Set(wire.Setting{Name: "protocolVersion", Value: []byte("1")})...)
	c.Lock()
	defer c.Unlock()
	if !a.offers.Put(h.Request, offer{own: of.own}, 0) || !a.Send(dispatch.Agent, wire.Splice(nil, of.line, edits...), whyAgain) {
		a.opts.Own.Forget(of.own)
		h.ContinueLocked(nil)
	}
}
