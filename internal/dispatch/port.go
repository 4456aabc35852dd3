package dispatch

import (
	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Port lets an adapter act outside of Handle. Its methods never block and keep their order. They
// return false if the direction has ended. The lines have line ends, and the Port owns their bytes
// from then on.
type Port struct {
	dispatcher *Dispatcher
	adapter    Adapter
}

func (p *Port) cause(why string) wire.Cause { return wire.Cause{Name: p.adapter.Name(), Why: why} }

// Pass passes a line to the next adapters on its way to a peer. The lock may be held.
func (p *Port) Pass(to Side, line []byte, why string) bool {
	from := to.Other()
	return p.dispatcher.post(from, post{at: p.dispatcher.indexOf(from, p.adapter) + 1, line: line, by: p.cause(why)})
}

// Send sends a line to a peer past all adapters: a request of acpshim's own, or a notification
// about one. The lock may be held.
func (p *Port) Send(to Side, line []byte, why string) bool {
	return p.dispatcher.post(to.Other(), post{at: len(p.dispatcher.opts.Adapters), line: line, by: p.cause(why)})
}

// Make calls produce between two lines of the agent and passes its lines to the next adapters, on
// their way to the client. The lock may be held by the caller, but is not while produce runs.
func (p *Port) Make(why string, produce func() (lines []byte)) bool {
	return p.dispatcher.Make(p.adapter, why, produce)
}

// Respond responds to a pending request that its receiver has got. A later response of the receiver
// is dropped. Respond returns false if there already is a response. The lock is held.
func (p *Port) Respond(r *conversation.Request, response []byte, why string) bool {
	d := p.dispatcher
	return d.conversation.ClaimSent(r) && d.respond(r.From, d.indexOf(r.From, p.adapter), response, p.cause(why), r)
}
