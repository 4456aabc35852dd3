package agents

import (
	"context"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// again resumes and loads the session of the first turn in a new process.
func (r *run) again(ctx context.Context) {
	const load, resume = "session-load", "session-resume"
	if r.turn == nil || !(r.loads() && r.wants(load) || r.can("resume") && r.wants(resume)) {
		return
	}
	p := r.reopened(ctx, "again")
	if p == nil {
		return
	}
	if r.can("resume") && r.wants(resume) {
		p.resume()
	}
	if r.loads() && r.wants(load) {
		if !p.load() {
			p.finish()
			if p = r.reopened(ctx, "again2"); p == nil { // perhaps it does not load what is open
				return
			}
			if !p.load() {
				p.unloaded()
			}
		}
	}
	p.finish()
}

// reopened returns a new process that has responded to initialize, or nil.
func (r *run) reopened(ctx context.Context, name string) *process {
	p, err := r.start(ctx, name, nothing)
	if err != nil {
		return nil
	}
	if e, ok := p.ask(p.times.start, acp.Initialize, p.introduction(1)); !ok || e.Result() == nil {
		p.skip(say("initialize failed in a new process"), "session-load", "session-resume")
		p.finish()
		return nil
	}
	return p
}

// reopen sends a request that opens the session of the first turn.
func (p *process) reopen(method string) (e *peer.Exchange, ok bool) {

	params := p.in(p.turn.session)
	params["cwd"] = p.turn.cwd
	e, ok = p.ask(p.times.start, method, params)
	return e, ok
}

// resume resumes the session.
func (p *process) resume() {
	const rule = "session-resume"
	e, ok := p.reopen(acp.SessionResume)
	switch {
	case p.isLost(rule):
		return
	case p.isMissing(e):
		p.skip(say("the agent does not know session/resume"), rule)
		return
	case !ok || !wire.IsAbsent(e.Failure()):
		p.fail(rule, fault{sent: say(request{e}, " of a session with a turn"), got: say(reply{e, in(p.times.start)}), text: "an announced session/resume opens a session of the agent"})
		return
	}
	p.tried(rule)
	before, _ := p.around(e)
	if chunk := firstOf(before, isChunk); chunk != nil {
		p.fail(rule, fault{sent: say(request{e}), got: say(chunk, " ", chunk.Update, " before the response ", e.Response), text: "session/resume MUST NOT replay the conversation"})
	}
}

// load loads the session. It reports false if the agent refuses that.
func (p *process) load() bool {
	const rule = "session-load"
	e, ok := p.reopen(acp.SessionLoad)
	p.loaded = e
	switch {
	case p.isLost(rule):
		return true
	case p.isMissing(e):
		p.skip(say("the agent does not know session/load"), rule)
		return true
	case !ok || !wire.IsAbsent(e.Failure()):
		return false
	}
	p.rest()
	p.tried(rule)
	before, after := p.around(e)
	late := firstOf(after, isChunk)
	switch {
	case late != nil:
		p.fail(rule, fault{sent: say(request{e}), got: say(late, " ", late.Update, " after the response ", e.Response), text: "the whole conversation MUST come before the response"})
	case firstOf(before, func(m *peer.Message) bool { return isOfTurn(m.Update) }) == nil:
		p.fail(rule, fault{sent: say(request{e}, " of a session with a turn"), got: say("the response ", e.Response, " and no part of the conversation before it"), text: "the agent MUST replay the conversation"})
	case firstOf(before, func(m *peer.Message) bool { return m.Update == acp.UserMessageChunk }) == nil:
		p.fail(rule, fault{sent: say(request{e}, " of a session with a turn"), got: say("no ", acp.UserMessageChunk, " before the response ", e.Response), text: "the conversation has the user's messages, too", isAdvice: true})
	}
	return true
}

// unloaded notes that the session could not be loaded.
func (p *process) unloaded() {
	p.fail("session-load", fault{sent: say(request{p.loaded}, " of the session ", terminal.Quote(p.turn.session)), got: say(reply{p.loaded, in(p.times.start)}), text: "an announced session/load opens a session of the agent"})
}

// around returns the updates for a session between a request about it and its response, and after
// that.
func (p *process) around(e *peer.Exchange) (before, after []*peer.Message) {
	to, isOver := &before, false
	for _, m := range p.Messages() {
		switch {
		case m == e.Request:
			before = nil
		case m == e.Response:
			to, isOver = &after, true
		case m.From == wire.Client && isOver:
			return before, after
		case m.From == wire.Agent && m.Method == acp.SessionUpdate && m.Session == p.turn.session:
			*to = append(*to, m)
		}
	}
	return before, after
}

func firstOf(messages []*peer.Message, is func(*peer.Message) bool) *peer.Message {
	for _, m := range messages {
		if is(m) {
			return m
		}
	}
	return nil
}

// isChunk reports whether a message is a piece of a message of the conversation.
func isChunk(m *peer.Message) bool {
	return m.Update == acp.UserMessageChunk || m.Update == acp.AgentMessageChunk || m.Update == acp.AgentThoughtChunk
}

// announced runs a turn for a client that announces everything.
func (r *run) announced(ctx context.Context) {
	if r.turn == nil || r.noPrompts != "" || r.prompts >= maxPrompts || !r.wants("gated-updates", "updates", "plan", "tool-calls", "absolute-paths", "permission", "client-capabilities") {
		return
	}
	p, err := r.start(ctx, "announced", everything)
	if err != nil {
		return
	}
	defer p.finish()
	if e, ok := p.ask(p.times.start, acp.Initialize, p.introduction(1)); !ok || e.Result() == nil {
		return
	}
	e, ok := p.ask(p.times.start, acp.SessionNew, map[string]any{"cwd": p.cwd, "mcpServers": []any{}})
	result, _ := wire.Parse(e.Result())
	id, isText := result.Text("sessionId")
	if !ok || !isText {
		return
	}
	p.finishTurn(id, p.prompt(id))
	p.rest()
}
