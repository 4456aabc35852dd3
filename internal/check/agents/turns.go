package agents

import (
	"net/url"
	"path/filepath"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// ofTurns are the rules that need a turn.
var ofTurns = []string{
	"session-load", "session-resume", "session-close", "prompt", "baseline-content", "updates", "gated-updates", "plan", "tool-calls",
	"absolute-paths", "permission", "client-capabilities", "extension-names", "late-updates", "cancel", "cancel-order", "cancel-usable",
}

// mayPrompt reports whether another prompt may be sent. If not, it skips rules.
func (p *process) mayPrompt(rules ...string) bool {
	why := p.noPrompts
	if why == "" && p.prompts >= maxPrompts {
		why = "five prompts were sent already"
	}
	if why != "" {
		p.skip(say(why), rules...)
	}
	return why == "" && !p.isLost(rules...)
}

// prompt sends a prompt.
func (p *process) prompt(session string, more ...any) *peer.Exchange {
	if p.prompts == 0 && p.Prompting != nil {
		p.Prompting()
	}
	p.run.prompts++
	content := append([]any{map[string]string{"type": acp.ContentText, "text": p.Prompt}}, more...)
	return p.Begin(acp.SessionPrompt, map[string]any{"sessionId": session, "prompt": content})
}

// link returns a link to the file in the folder.
func (p *process) link() map[string]string {
	path := filepath.ToSlash(filepath.Join(p.cwd, notes))
	if path[0] != '/' {
		path = "/" + path
	}
	return map[string]string{"type": acp.ContentResourceLink, "name": notes, "uri": (&url.URL{Scheme: "file", Path: path}).String()}
}

// turns tries a turn, a cancelled one, and one after that. They are turns of the other session if a
// cancel without a turn has broken the first one.
func (p *process) turns(s, other *session) {
	if !p.wants(ofTurns...) || !p.mayPrompt(ofTurns...) {
		return
	}
	before := p.client.requests()
	e := p.prompt(s.id, p.link())
	ended := p.finishTurn(s.id, e)
	if ended && e.Response.Code() == "-32602" {
		links := e
		if e = p.prompt(s.id); p.finishTurn(s.id, e) && e.Result() != nil {
			p.fail("baseline-content", fault{sent: say(request{links}, " with text and a ", acp.ContentResourceLink), got: say(reply{Exchange: links}, ", but ", reply{Exchange: e}, " for text alone"), text: "every agent accepts text and resource links"})
		}
		ended = e.Response != nil
	}
	if ended && e.Response.Code() != "-32000" && p.isBroken(e, before) {
		fresh := p.prompt(other.id, p.link())
		if p.finishTurn(other.id, fresh) && !p.isBroken(fresh, before) {
			p.fail("cancel-usable", fault{sent: say(p.stopped(cancellation{}, 0, acp.SessionCancel), " without a turn, and ", request{e}), got: say(reply{Exchange: e}, ", but ", reply{Exchange: fresh}, " in another session"),
				text: "a cancel without a turn changes nothing", isAdvice: !wire.IsAbsent(e.Failure())}) // the model may have failed once
			s, e = other, fresh
		}
	}
	if !ended || !p.ranTurn(e) {
		return
	}
	if p.stopsByItself(e, before) {
		p.fail("prompt", fault{sent: say(request{e}), got: say(reply{Exchange: e}), text: "a turn ends as cancelled only if the client cancels it"})
		p.run.noPrompts = "turns end as cancelled, although nothing cancels them"
		return
	}
	p.run.asks = p.client.requests() > before
	if reason := stopReason(e); reason != acp.StopCancelled && reason != acp.StopRefusal {
		p.run.turn = &turn{s.id, p.cwd}
	} else {
		p.skip(say("the turn ended as ", reason), "session-load", "session-resume")
	}
	p.rest()
	p.cancel(s)
}

// isBroken reports whether a turn failed, or stopped by itself.
func (p *process) isBroken(e *peer.Exchange, before int) bool {
	return !wire.IsAbsent(e.Failure()) || p.stopsByItself(e, before)
}

// stopsByItself reports whether a turn ended as cancelled although the client cancelled nothing.
// An agent may stop a turn in which the client has refused a permission.
func (p *process) stopsByItself(e *peer.Exchange, before int) bool {
	return stopReason(e) == acp.StopCancelled && p.client.requests() == before
}

// stopReason returns the reason why a turn stopped, or "".
func stopReason(e *peer.Exchange) string {
	result, _ := wire.Parse(e.Result())
	reason, _ := result.Text("stopReason")
	return reason
}

// ranTurn judges the response to the first prompt. It reports whether there was a turn.
func (p *process) ranTurn(e *peer.Exchange) bool {
	switch {
	case p.lost != nil:
		return false
	case e.Response.Code() == "-32000":
		p.run.noPrompts = say(acp.SessionPrompt, " needs a login: ", failure(e.Failure())).String()
	case !wire.IsAbsent(e.Failure()):
		p.run.noPrompts = say(acp.SessionPrompt, " fails: ", failure(e.Failure())).String()
	default:
		p.tried("prompt", "baseline-content", "updates", "gated-updates", "client-capabilities", "extension-names", "late-updates")
		return true
	}
	p.skip(say(p.run.noPrompts), ofTurns...)
	return false
}

// rest waits a moment, so that what comes late is seen.
func (p *process) rest() {
	p.Until(p.ctx, time.Now().Add(p.times.quiet), len(p.Messages()), func(*peer.Message) bool { return false })
}

// finishTurn waits for the end of a turn, and cancels one that takes too long. It reports whether
// the turn ended by itself.
func (p *process) finishTurn(session string, e *peer.Exchange) bool {
	if p.await(p.times.prompt, e) {
		return true
	}
	if p.isLost() {
		return false
	}
	p.Notify(acp.SessionCancel, map[string]string{"sessionId": session})
	if p.await(p.times.request, e) {
		p.run.noPrompts = say("a turn took longer than ", p.times.prompt, " and ended when it was cancelled: is the model slow or missing?").String()
	} else if p.lost == nil {
		p.fail("prompt", fault{sent: say(request{e}), got: say(in(p.times.prompt), ", nor in ", p.times.request, " after ", acp.SessionCancel), text: "each turn ends with a response"})
		p.run.noPrompts = "a turn did not end"
	}
	return false
}

// A cancellation is a turn that was stopped on purpose.
type cancellation struct {
	prompt *peer.Exchange
	open   *peer.Message // the permission that waited when the turn was stopped, or nil
	at     time.Time     // when it was stopped; zero if the turn ended before
}

// stopTurn sends a prompt and stops the turn: while the agent waits for a permission, or at its
// first update, or after a moment.
func (p *process) stopTurn(session string, atOnce bool, stop func()) cancellation {
	from := len(p.Messages())
	p.client.hold()
	c := cancellation{prompt: p.prompt(session)}
	within := p.times.cancel
	if p.asks {
		within = p.times.prompt
	}
	isPermission := func(m *peer.Message) bool {
		return m.From == wire.Agent && m.IsRequest() && m.Method == acp.SessionRequestPermission
	}
	first := (*peer.Message)(nil)
	if !atOnce || p.asks {
		first = p.Until(p.ctx, time.Now().Add(within), from, func(m *peer.Message) bool {
			isUpdate := m.From == wire.Agent && m.Session == session && isOfTurn(m.Update)
			return isPermission(m) || c.prompt.HasCome() || isUpdate && !p.asks
		})
	}
	if first != nil && isPermission(first) {
		select {
		case c.open = <-p.client.asked:
		case <-time.After(p.times.request):
		}
	}
	if c.prompt.HasCome() {
		p.client.release()
		return c
	}
	stop()
	c.at = time.Now()
	if held := p.client.release(); held != nil {
		p.Send(wire.Result(held.ID, []byte(cancelled)))
	}
	return c
}

// crossed reports whether the turn may have ended before it was stopped.
func (c cancellation) crossed(early time.Duration) bool {
	return c.open == nil && (c.at.IsZero() || c.prompt.Response.At.Sub(c.at) < early)
}
