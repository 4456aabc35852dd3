package versions

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
)

// A start says whether an agent that is asked in the other version is the one that was asked first.
type start int

const (
	first  start = iota // it is
	wanted              // it refused to be asked again: it is to be started afresh
	fresh               // it was
)

// restart holds a refusal to be asked a second time on one connection, and has the agent started
// afresh. Routers of the SDKs refuse so.
func (a *Agent) restart(m *dispatch.Message, of offer) bool {
	if a.opts.Restart == nil || of.begins != first || m.Code() != invalidRequest {
		return false
	}
	m.Because("the agent accepts initialize only once, so acpshim restarts it")
	h := m.Hold()
	if h == nil {
		return false
	}
	of.held, of.begins = h, wanted
	c := a.opts.Conversation
	c.Lock()
	a.offers.Put(h.Request, of, len(of.line)+len(of.answer))
	c.Unlock()
	a.opts.Restart()
	return true
}

// Restarts reports whether an agent that ends now is to be started afresh: it has refused a version
// of initialize, and has not answered the other one. It may be called from any goroutine.
func (a *Agent) Restarts() bool {
	_, of := a.awaited()
	return of.held != nil
}

// Restarted has an agent that was started afresh asked in the other version. If it could not be
// started, the client gets its first answer. It may be called from any goroutine.
func (a *Agent) Restarted(isFresh bool) {
	r, of := a.awaited()
	if of.held == nil {
		return
	}
	wasWanted := of.begins == wanted
	if !isFresh {
		if wasWanted {
			of.held.Continue(of.answer)
		}
		return
	}
	of.begins = fresh
	c := a.opts.Conversation
	c.Lock()
	a.offers.Put(r, of, len(of.line)+len(of.answer))
	c.Unlock()
	of.held.Because("acpshim restarted the agent and tries the other version")
	if wasWanted {
		of.held.AgainAfter(of.behind, of.line)
	} else {
		of.held.Repeat(of.behind, of.line)
	}
}

// awaited is the initialize that an agent, which was not started afresh for it, is asked in the
// other version.
func (a *Agent) awaited() (*conversation.Request, offer) {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	for r, of := range a.offers.All() {
		if of.answer != nil && of.begins != fresh {
			return r, of
		}
	}
	return nil, offer{}
}
