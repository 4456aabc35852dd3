package versions

import (
	"bytes"
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// In version 2, a session is idle before the response that closes it, and nothing of it follows. An
// agent of version 1 may end the turn later. So the response waits for the end of the turn.

// maxClosing is the time that the agent has to end the turn of a session that is closed.
const maxClosing = 3 * time.Second

// A closing is a request that closes a session and waits for the end of the turn.
type closing struct {
	held     *dispatch.Held // the request, or its response
	response []byte         // if the request is held; else nil
}

// close closes a session. If the agent has no method for it, close only cancels the turn.
func (a *Client) close(m *dispatch.Message) {
	session := m.Session
	a.cancelPrompts(session)
	a.cancelQuestions(session)
	p, isRunning := a.prompts.Get(a.running(session))
	if isRunning {
		p.isClosing = true
	}
	if !a.has(acp.SessionCapabilities, "close") {
		m.Because(whyNoClose)
		a.CancelTurn(session, whyClosed)
	} else if !isRunning || p.closings == nil {
		return
	}
	response := wire.Result(m.ID, []byte("{}"))
	if isRunning && a.holdClose(m, p, response) {
		return
	}
	a.endTurn(session)
	m.Answer(response)
	a.Make(whyClosed, func() []byte { return a.setClosed(session) })
	a.forgetEnded(session)
}

// closeResponse handles a response of the agent that closes a session.
func (a *Client) closeResponse(m *dispatch.Message) {
	session, line := m.Request.Session, m.Line
	if m.IsRefusal() {
		m.Because(whyGone)
	}
	if m.Result() == nil {
		line = wire.Result(m.ID, []byte("{}"))
	}
	if p, ok := a.prompts.Get(a.running(session)); ok {
		was := m.Line
		m.Line = line
		if a.holdClose(m, p, nil) {
			return
		}
		m.Line = was
	}
	m.Before(a.ended(session))
	a.forgetEnded(session)
	a.setClosed(session)
	if !bytes.Equal(line, m.Line) {
		m.Replace(line)
	}
}

// holdClose holds a request that closes a session, or its response, until a prompt ends. It reports
// false if there is no room.
func (a *Client) holdClose(m *dispatch.Message, p *prompt, response []byte) bool {
	held := m.HoldThroughCancel(dispatch.Unlimited) // until maxClosing has passed
	if held == nil {
		return false
	}
	m.Because(whyCloseHeld)
	if p.closings = append(p.closings, closing{held, response}); len(p.closings) > 1 {
		return true
	}
	session := held.Request.Session
	p.limit = a.After(maxClosing, func() {
		a.endTurn(session)
		a.endClosings(session, p, whyCloseLimit.With(maxClosing.String()))
		a.forgetEnded(session)
	})
	return true
}

// endClosings responds to the requests that waited for the end of a prompt.
func (a *Client) endClosings(session string, p *prompt, why wire.Reason) {
	p.limit.Stop()
	all := p.closings
	if p.closings = nil; all == nil {
		return
	}
	for _, of := range all {
		if of.held.Because(why); of.response != nil {
			of.held.Answer(of.response)
		} else {
			of.held.Continue(nil)
		}
	}
	a.Make(why, func() []byte { return a.setClosed(session) })
}

// setClosed drops what the agent still sends about a session. Call it after the conversation has
// the response that closes the session, because that removes the session. It returns no lines.
func (a *Client) setClosed(session string) (none []byte) {
	a.with(session, func(s *clientSession) { s.isClosed = true })
	return nil
}

// endTurn tells the client that the turn of a session that is closed has ended.
func (a *Client) endTurn(session string) {
	if lines := a.ended(session); lines != nil {
		a.Pass(dispatch.Agent, lines, whyClosed)
	}
}

// ended returns the lines that end the turn of a session that is closed.
func (a *Client) ended(session string) (lines []byte) {
	for _, r := range a.c.Prompts(session) {
		if p, ok := a.prompts.Get(r); ok && p.held == nil && !p.isEnded {
			lines = append(lines, a.accept(r)...)
			lines = append(lines, stateUpdate(session, acp.StateIdle, object(nil).text("stopReason", acp.StopCancelled))...)
			p.isEnded = true
		}
	}
	return lines
}

// forgetEnded drops the agent's later responses to the prompts whose turn has ended.
func (a *Client) forgetEnded(session string) {
	for _, r := range slices.Clone(a.c.Prompts(session)) {
		if p, ok := a.prompts.Get(r); ok && p.isEnded {
			a.Settle(r)
		}
	}
}
