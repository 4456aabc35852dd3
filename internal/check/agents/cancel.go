package agents

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

const tooEarly = "the turn ended before the cancel arrived"

// cancel cancels a turn, and sends a prompt after it.
func (p *process) cancel(s *session) {
	rules := []string{"cancel", "cancel-order", "cancel-usable"}
	if !p.wants(rules...) {
		return
	}
	from := len(p.Messages())
	for attempt := range 2 {
		if !p.mayPrompt(rules...) {
			return
		}
		c := p.stopTurn(s.id, attempt > 0, func() { p.Notify(acp.SessionCancel, map[string]string{"sessionId": s.id}) })
		if p.ctx.Err() != nil {
			return
		}
		if !p.await(p.times.request, c.prompt) {
			if !p.isLost(rules...) {
				p.cancelFails = true
				p.fail("cancel", fault{sent: p.stopped(c, from, acp.SessionCancel), got: say(in(p.times.request)), text: wantCancelled})
				p.skip(say("the cancelled turn did not end"), rules...)
			}
			return
		}
		if stopReason(c.prompt) != acp.StopCancelled && wire.IsAbsent(c.prompt.Failure()) && c.crossed(p.times.early) {
			continue
		}
		p.judgeStop("cancel", c, p.stopped(c, from, acp.SessionCancel))
		p.tried("cancel-order")
		p.rest()
		p.after(s)
		return
	}
	p.skip(say(tooEarly), rules...)
}

const wantCancelled = `the turn MUST end with the stopReason "cancelled"`

// judgeStop judges the response to the prompt of a turn that was stopped.
func (p *process) judgeStop(rule string, c cancellation, sent phrase) {
	p.tried(rule)
	switch reason := stopReason(c.prompt); {
	case !wire.IsAbsent(c.prompt.Failure()):
		p.cancelFails = true
		p.fail(rule, fault{sent: sent, got: say(reply{Exchange: c.prompt}), text: wantCancelled})
	case reason != acp.StopCancelled:
		p.cancelFails = true
		p.fail(rule, fault{sent: sent, got: say(c.prompt.Response, " stopReason ", terminal.Quote(reason)), text: wantCancelled})
	}
}

// stopped says what stopped a turn: the message of a method after a place in the transcript.
func (p *process) stopped(c cancellation, from int, method string) phrase {
	var of *peer.Message
	for _, m := range p.Messages()[from:] {
		if m.From == wire.Client && m.Method == method {
			of = m // the last one
		}
	}
	sent := say(of, " ", method)
	if c.open != nil {
		sent = append(sent, " while your ", c.open, " ", c.open.Method, " was open")
	}
	return sent
}

// after sends a prompt after a cancelled one.
func (p *process) after(s *session) {
	const rule = "cancel-usable"
	if !p.wants(rule) || !p.mayPrompt(rule) {
		return
	}
	before := p.client.requests()
	e := p.prompt(s.id)
	switch ended := p.finishTurn(s.id, e); {
	case p.isLost(rule):
	case !ended:
		p.skip(say(p.noPrompts), rule)
	case p.isBroken(e, before):
		p.fail(rule, fault{sent: say(request{e}, " after the cancelled turn"), got: say(reply{Exchange: e}), text: "the session goes on"})
	default:
		p.tried(rule)
	}
}

// close closes a session while a prompt runs.
func (p *process) close(s *session) {
	const rule = "session-close"
	if !p.can("close") {
		return
	}
	if p.cancelFails {
		p.skip(say("the agent's cancelled turns do not end as cancelled either"), rule)
	}
	params := map[string]string{"sessionId": s.id}
	if p.cancelFails || !p.wants(rule) || !p.mayPrompt(rule) {
		if !p.isLost() {
			e, _ := p.ask(p.times.request, acp.SessionClose, params)
			p.isMissing(e)
		}
		return
	}
	from := len(p.Messages())
	var closing *peer.Exchange
	c := p.stopTurn(s.id, false, func() { closing = p.Begin(acp.SessionClose, params) })
	if closing == nil {
		p.skip(say("the turn ended before it could be closed"), rule)
		return
	}
	came := p.await(p.times.request, closing)
	switch {
	case p.isLost(rule), p.isMissing(closing):
		p.skip(say("the agent does not know session/close"), rule)
		return
	case !came || !wire.IsAbsent(closing.Failure()):
		p.fail(rule, fault{sent: p.stopped(c, from, acp.SessionClose), got: say(reply{closing, in(p.times.request)}), text: "an announced session/close works"})
		return
	}
	switch {
	case !p.await(p.times.request, c.prompt):
		if !p.isLost(rule) {
			p.fail(rule, fault{sent: p.stopped(c, from, acp.SessionClose), got: say("no response to ", request{c.prompt}, " in ", p.times.request), text: wantCancelled})
		}
	case stopReason(c.prompt) != acp.StopCancelled && wire.IsAbsent(c.prompt.Failure()) && c.crossed(p.times.early):
		p.skip(say("the turn ended before it was closed"), rule)
	default:
		p.judgeStop(rule, c, p.stopped(c, from, acp.SessionClose))
	}
}

// cancelIdle cancels a session without a turn.
func (p *process) cancelIdle(s *session) {
	from := len(p.Messages())
	p.Notify(acp.SessionCancel, map[string]string{"sessionId": s.id})
	p.untilStray(from)
}
