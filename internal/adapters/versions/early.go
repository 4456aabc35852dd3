package versions

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Early is the adapter that keeps requests which the client sends before it has the response to
// initialize. If acpshim starts the agent again to try the other version, it sends them to the new
// agent. Requests that come while acpshim tries the other version wait for the end of that, because
// only then it is known what they have to be translated to.
//
//   - Settles: The client sends session/new without waiting for the response to initialize, and
//     never gets a response, because the agent refuses the client's version and ends.
//   - For: Clients that do not wait for the response to initialize.
//   - Keys: version.bridge
type Early struct {
	dispatch.Base
	c          *conversation.Conversation
	initialize *conversation.Request // pending, and acpshim may send it again; or nil
	waits      bool                  // acpshim has sent it again
	isLost     bool                  // the agent was started again
	requests   *conversation.Slot[*conversation.Request, earlyRequest]
}

// An earlyRequest is a request that the agent got, or one that waits.
type earlyRequest struct {
	line []byte
	held *dispatch.Held // nil if the agent got it
}

// NewEarly returns an Early adapter. The [Agent] tells it when initialize begins.
func NewEarly(o Options) *Early {
	return &Early{c: o.Conversation, requests: conversation.NewSlot[*conversation.Request, earlyRequest](o.Conversation)}
}

// Name implements dispatch.Adapter.
func (*Early) Name() string { return "version" }

// Corrects implements dispatch.Corrector. Early changes nothing, but is nearer to the client than
// the [Client] adapter.
func (*Early) Corrects(from dispatch.Side) bool { return from == dispatch.Client }

// Wants implements dispatch.Adapter.
func (a *Early) Wants() []dispatch.Want {
	if a.initialize == nil {
		return nil
	}
	return []dispatch.Want{{From: dispatch.Client, Methods: []string{"*"}, Holds: true}}
}

// Handle implements dispatch.Adapter.
func (a *Early) Handle(m *dispatch.Message) {
	if m.From != dispatch.Client || m.Kind != dispatch.Request || m.Method == acp.Initialize || a.initialize == nil {
		return
	}
	r := a.c.Pending(dispatch.Client, m.ID)
	if a.waits {
		m.Because(whyVersionUnknown)
		if h := m.Hold(dispatch.Unlimited); h != nil { // it ends with initialize, which has a limit
			a.requests.Put(r, earlyRequest{held: h}, 0)
		}
	} else if len(m.Line) <= maxInitialize {
		a.requests.Put(r, earlyRequest{line: wire.EndLine(bytes.Clone(m.Line))}, len(m.Line))
	}
}

// begin begins to keep requests, until initialize ends.
func (a *Early) begin(initialize *conversation.Request) {
	a.initialize, a.waits, a.isLost = initialize, false, false
	a.c.ChangeWants()
}

// wait lets requests wait from now on.
func (a *Early) wait() { a.waits = true }

// lost notes that a new agent has not got the requests that the old one got.
func (a *Early) lost() { a.isLost = true }

// Observe implements dispatch.Observer: when initialize ends, the agent gets the requests.
func (a *Early) Observe(e conversation.Event) {
	if e.Kind != conversation.RequestEnded || e.Request != a.initialize || e.Request == nil {
		return
	}
	a.initialize = nil
	a.c.ChangeWants()
	for r, early := range a.requests.All() {
		a.requests.Delete(r)
		if early.held != nil {
			early.held.Because(whyVersionKnown).Continue(nil)
		} else if a.isLost && !r.HasResponse() {
			a.Pass(dispatch.Client, early.line, whyLostRequest)
		}
	}
}
