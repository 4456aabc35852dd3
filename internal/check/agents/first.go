package agents

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
	"acpshim/internal/check/peer"
)

// firstName is the name of the process in which most rules are tried.
const firstName = "main"

// first tries everything that needs one process. It calls beside when the agent has responded to
// initialize, and wait before it judges how the agent ends: on a slow machine, the start of other
// processes would delay that. The error says why the agent was not started.
func (r *run) first(ctx context.Context, beside, wait func()) error {
	p, err := r.start(ctx, firstName, nothing)
	if err != nil {
		return err
	}
	e := p.initialize(1)
	if p.HasEnded() && p.Err() != nil {
		return p.Err()
	}
	if r.protocol != 1 && (r.protocol == 2 || versions.ReadRefusal(e.Failure()).Allows("2")) {
		p.isJudged = true // it was asked in a version that it does not have
		p.finish()
		if p, err = r.start(ctx, firstName+"2", nothing); err != nil {
			return err
		}
		e = p.initialize(2)
	}
	p.described(e)
	if p.lost == nil {
		p.unknownMethods()
		beside()
	}
	if p.lost == nil {
		p.notifications()
	}
	if p.lost == nil && r.protocol == 1 && r.ended == "" {
		p.sessions()
	}
	wait()
	p.end()
	p.finish()
	if p.lost != nil && r.ended == "" {
		r.ended = p.lost.String()
	}
	return nil
}

// initialize asks for a version of the protocol, and notes what the agent says about itself.
func (p *process) initialize(version int) *peer.Exchange {
	begun := time.Now()
	e, _ := p.ask(p.times.start, acp.Initialize, p.introduction(version))
	result, _ := wire.Parse(e.Result())
	if result == nil {
		return e
	}
	// The next processes start side by side, so on a slow machine each of them takes longer.
	p.run.times.start += 2 * time.Since(begun).Round(time.Second)
	agent := conversation.ReadAgent(result)
	p.run.protocol = agent.Version
	p.run.agent = agent.Capabilities
	p.run.peer = conformance.Peer{Name: agent.Name, Version: agent.Implementation.Version, Protocol: max(agent.Version, 0)}
	return e
}

// introduction returns the params of initialize.
func (p *process) introduction(version int) map[string]any {
	info := map[string]string{"name": "acpshim-check", "version": p.Version}
	if version == 2 {
		return map[string]any{"protocolVersion": 2, "capabilities": map[string]any{}, "info": info}
	}
	return map[string]any{"protocolVersion": version, "clientInfo": info, acp.ClientCapabilities: p.capabilities()}
}

// capabilities returns what the client announces.
func (p *process) capabilities() map[string]any {
	if p.announces == nothing {
		return map[string]any{}
	}
	on := struct{}{}
	return map[string]any{
		"fs":               map[string]bool{"readTextFile": true, "writeTextFile": true},
		"terminal":         len(p.Rules) > 0 && p.wants("client-capabilities"),
		"elicitation":      map[string]any{"form": on, "url": on},
		acp.CapabilityPlan: on, acp.PlanCapabilities: on, "subagents": on,
		"session": map[string]any{"notices": on, "compaction": on, "configOptions": map[string]any{"boolean": on}},
	}
}

// described judges the response to initialize.
func (p *process) described(e *peer.Exchange) {
	result, err := wire.Parse(e.Result())
	switch {
	case p.lost != nil:
		p.run.ended = p.lost.String()
		return
	case e.Response == nil:
		p.fail("initialize", fault{sent: say(request{e}), got: say(in(p.times.start))})
		p.run.ended = "there is no response to initialize"
		p.lose(p.run.ended)
		return
	case !wire.IsAbsent(e.Failure()) || err != nil:
		p.fail("initialize", fault{sent: say(request{e}), got: say(reply{Exchange: e}), text: "the result is an object with protocolVersion"})
		p.run.ended = "initialize failed"
		p.lose(p.run.ended)
		return
	}
	p.tried("initialize", "capabilities")
	p.version1(e, result)
	p.introduced(e, result)
	p.logins(e, result)
}

// version1 judges the version in the result of initialize. An agent that has another version than
// the one that was asked for is not tried further.
func (p *process) version1(e *peer.Exchange, result *wire.Object) {
	raw := result.Raw("protocolVersion")
	if _, err := strconv.Atoi(string(raw)); err != nil {
		what := say(e.Response, " protocolVersion ", short(raw, 40))
		if wire.IsString(raw) {
			what = append(what, " (a string)")
		}
		p.fail("initialize", fault{sent: say(request{e}), got: what, text: "protocolVersion MUST be an integer"})
		p.run.protocol = 1 // the rest can be tried
		return
	}
	switch p.protocol {
	case 1:
	case 2:
		p.run.ended = "the agent speaks only version 2 of the protocol; acp-tck --protocol-version 2 tests it"
	default:
		p.run.ended = fmt.Sprintf("the agent speaks only version %d of the protocol", p.protocol)
		p.lose(p.run.ended)
	}
}

// introduced judges agentInfo.
func (p *process) introduced(e *peer.Exchange, result *wire.Object) {
	name := "agentInfo"
	if p.protocol == 2 {
		name = "info"
	}
	p.tried("agent-info")
	info, _ := wire.Parse(result.Raw(name))
	if info == nil {
		p.fail("agent-info", fault{sent: say(request{e}), got: say(e.Response, " without ", name)})
		return
	}
	for _, member := range []string{"name", "version"} {
		if info.Info(member) == "" {
			p.fail("agent-info", fault{sent: say(request{e}), got: say(e.Response, " ", name, " without a ", member)})
		}
	}
}

// logins judges authMethods.
func (p *process) logins(e *peer.Exchange, result *wire.Object) {
	if p.protocol != 1 {
		return
	}
	p.tried("auth")
	methods, _ := wire.Elements(result.Raw("authMethods"))
	seen := map[string]bool{}
	for _, raw := range methods {
		m, _ := wire.Parse(raw)
		id := m.Info("id")
		if kind, _ := m.Text("type"); kind == acp.ContentTerminal {
			p.fail("auth", fault{sent: say(request{e}, " without clientCapabilities.auth.terminal"), got: say(e.Response, " the login method ", strconv.Quote(id), " of type terminal"),
				text: "terminal logins are only for clients that announce clientCapabilities.auth.terminal"})
		}
		if seen[id] {
			p.fail("auth", fault{sent: say(request{e}), got: say(e.Response, " two login methods with the id ", strconv.Quote(id)), text: "the ids of authMethods are unique", isAdvice: true})
		}
		seen[id] = true
	}
	p.login = login{len(methods), ""}
	if len(methods) > 0 {
		m, _ := wire.Parse(methods[0])
		p.login.first = m.Info("id")
	}
}

// needsLogin reports whether an exchange failed because the user has to log in. Then nothing that
// needs a session is tried any more.
func (p *process) needsLogin(e *peer.Exchange) bool {
	if e.Response == nil || e.Response.Code() != "-32000" {
		return false
	}
	way := "log in"
	if p.login.first != "" {
		way += " with " + p.login.first
	}
	if p.login.methods == 0 {
		p.fail("auth", fault{sent: say(request{e}), got: say(reply{Exchange: e}, ", but initialize named no authMethods"), text: "an agent that needs a login names a way to log in", isAdvice: true})
	}
	p.run.ended = fmt.Sprintf("%s needs a login (-32000); %s and run again", e.Method, way)
	return true
}

// A login is what the agent says about logging in.
type login struct {
	methods int
	first   string // the id of the first one
}
