package versions

import (
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
)

// An agentStart says whether the agent was restarted for the second initialize.
type agentStart int

const (
	first  agentStart = iota // no
	wanted                   // not yet: it refused the second initialize and must be restarted
	fresh                    // yes
)

// maxRestart is the time that an agent has to end, to start again, and to respond.
const maxRestart = 30 * time.Second

// restart restarts an agent that accepts initialize only once, such as those with a router of the
// SDKs, and holds the first response in place of its refusal. It reports false if the refusal has
// another reason.
func (a *Agent) restart(m *dispatch.Message, of handshake) bool {
	if a.opts.Restart == nil || of.start != first || m.Code() != invalidRequest {
		return false
	}
	m.Because(whyRestarts)
	refusal := m.Line
	m.Line = of.answer // the response if the restart fails
	if of.held = m.Hold(maxRestart); of.held == nil {
		m.Line = refusal
		return false
	}
	a.restartFor(of.held.Request, of)
	return true
}

// restartsFirst reports whether each initialize needs another agent.
func (a *Agent) restartsFirst() bool { return a.opts.AsksOnce && a.opts.Restart != nil }

// restartFor restarts the agent for an initialize whose response is held.
func (a *Agent) restartFor(r *conversation.Request, of handshake) {
	of.start = wanted
	a.putHandshake(r, of)
	a.opts.Restart()
}

// Restarts reports whether an agent that ends now must be restarted, because it refused a version
// of initialize and has not responded to the other one. Another goroutine calls it.
func (a *Agent) Restarts() (isWanted bool) {
	a.Do(func() {
		_, of := a.pendingHandshake()
		isWanted = of.held != nil
	})
	return isWanted
}

// Restarted sends initialize in the other version to a restarted agent. If isFresh is false, the
// agent could not be started, and the client gets its first response at the end of the output.
// Another goroutine calls it.
func (a *Agent) Restarted(isFresh bool) {
	if isFresh {
		a.Do(a.restarted)
	}
}

func (a *Agent) restarted() {
	r, of := a.pendingHandshake()
	if of.held == nil {
		return
	}
	wasWanted := of.start == wanted
	of.start = fresh
	a.putHandshake(r, of)
	a.early.lost()
	of.held.Because(whyRestarted)
	if wasWanted {
		of.held.AgainAfter(of.after, of.line)
	} else {
		of.held.Extend(maxRestart)
		of.held.Repeat(of.after, of.line)
	}
}

// pendingHandshake returns the initialize that was sent in the other version to an agent that was
// not restarted.
func (a *Agent) pendingHandshake() (*conversation.Request, handshake) {
	for r, of := range a.handshakes.All() {
		if of.answer != nil && of.start != fresh {
			return r, of
		}
	}
	return nil, handshake{}
}

func (a *Agent) putHandshake(r *conversation.Request, of handshake) (isKept bool) {
	return a.handshakes.Put(r, of, len(of.line)+len(of.answer))
}
