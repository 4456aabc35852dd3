package dispatch

import (
	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Port is how an adapter acts when it is given no message. Its methods never wait. What they take
// in is handled and written after what was taken in before, or the direction is over: then they
// report false. The lines have their ends, and the Port owns their bytes from then on.
type Port struct {
	dispatcher *Dispatcher
	adapter    Adapter
}

func (p *Port) cause(why string) wire.Cause { return wire.Cause{Name: p.adapter.Name(), Why: why} }

// Pass gives a line to the adapters after this one, on its way to a peer. The lock may be held.
func (p *Port) Pass(to Side, line []byte, why string) bool {
	from := to.Other()
	return p.dispatcher.post(from, post{at: p.dispatcher.indexOf(from, p.adapter) + 1, line: line, by: p.cause(why)})
}

// Send sends a line to a peer past all adapters: it is a request of acpshim's own, or what belongs
// to one. The lock may be held.
func (p *Port) Send(to Side, line []byte, why string) bool {
	return p.dispatcher.post(to.Other(), post{at: len(p.dispatcher.opts.Adapters), line: line, by: p.cause(why)})
}

// Make has produce make lines to the client when the agent's direction handles no line, and gives
// them to the adapters after this one. The lock may be held; it is not when produce is called.
func (p *Port) Make(why string, produce func() (lines []byte)) bool {
	return p.dispatcher.Make(p.adapter, why, produce)
}

// Respond responds to a pending request that its peer has got, for the adapters after this one; a
// response of the peer is dropped when it comes. It reports false if somebody has responded
// already. The lock is held.
func (p *Port) Respond(r *conversation.Request, response []byte, why string) bool {
	d := p.dispatcher
	return d.conversation.ClaimSent(r) && d.respond(r.From, d.indexOf(r.From, p.adapter), response, p.cause(why), r)
}
