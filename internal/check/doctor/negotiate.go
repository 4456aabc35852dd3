package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// clientCapabilities returns an editor's capabilities, with those for plans under the given names.
func clientCapabilities(plans ...string) map[string]any {
	c := map[string]any{"fs": map[string]bool{"readTextFile": true, "writeTextFile": true}, "terminal": true}
	for _, name := range plans {
		c[name] = struct{}{}
	}
	return c
}

// initialize returns the params of an editor's initialize.
func (x *examination) initialize(capabilities map[string]any) map[string]any {
	info := map[string]string{"name": x.Client.Name, "version": cmp.Or(x.Client.Version, "0")}
	if info["name"] == "" {
		info = map[string]string{"name": "acpshim-doctor", "version": "1"}
	}
	return map[string]any{"protocolVersion": 1, "clientInfo": info, acp.ClientCapabilities: capabilities}
}

// negotiate starts the agent and sends initialize, first without plan support and then as acpshim
// changes it. It reports whether the agent responded.
func (x *examination) negotiate(ctx context.Context) bool {
	plain, _ := x.run(ctx, x.initialize(clientCapabilities()), x.firstRun)
	if plain == nil || ctx.Err() != nil {
		return ctx.Err() == nil && x.report.Agent != nil && x.Config.Version.Bridge // it speaks version 2
	}
	x.chain = newChain(x.Config, x.Client, x.Agent)
	announced := x.chain.toAgent(x.initialize(clientCapabilities()))
	x.chain.fromAgent(plain)
	x.plans(ctx, plain, announced)
	if x.Session && ctx.Err() == nil {
		x.run(ctx, params(announced), x.session)
	}
	if x.chain.failed != nil {
		x.problem("acpshim", fmt.Sprintf("this is a bug in acpshim: %v", x.chain.failed), "please report it")
	}
	if x.chain.agreed == nil {
		return false
	}
	x.plansCome = x.chain.agreed.Advertised
	return true
}

// params returns the params of a request.
func params(line []byte) json.RawMessage {
	o, err := wire.Parse(line)
	if err != nil {
		return json.RawMessage("{}")
	}
	return o.Raw("params")
}

// run starts the agent, sends initialize, calls then with the response, and ends the agent. It
// returns the result of initialize, or nil if there is none or then returns false. The error says
// why there is no response.
func (x *examination) run(ctx context.Context, params any, then func(context.Context, *peer.Process, *peer.Exchange, error) bool) (result []byte, err error) {
	p, err := x.start(ctx)
	if err != nil {
		x.problem("start", err.Error(), "")
		return nil, err
	}
	e, err := p.Ask(ctx, x.Timeout, acp.Initialize, params)
	if ctx.Err() == nil && then(ctx, p, e, err) {
		result = e.Result()
	}
	p.Stop()
	return result, err
}

// firstRun reports how the agent started and what it responded.
func (x *examination) firstRun(ctx context.Context, p *peer.Process, e *peer.Exchange, err error) bool {
	took := time.Since(p.Begun())
	if err != nil || e.Result() == nil {
		if err != nil {
			x.unanswered(p, err)
		} else if !versions.ReadRefusal(e.Failure()).Allows("2") || !x.versions(ctx, false) {
			x.refused(e.Failure())
		}
		x.keep(p)
		return false
	}
	if !x.described(ctx, e.Result(), took) {
		x.keep(p)
		return false
	}
	x.probe(ctx, p)
	return true
}

// probe reports which methods the agent knows, what else it writes, and how it ends.
func (x *examination) probe(ctx context.Context, p *peer.Process) {
	x.methods(ctx, p)
	x.saidLines(p)
	took := p.Stop()
	x.keep(p)
	if ctx.Err() == nil && took >= p.InputGrace() && x.Remote == nil {
		x.note("end", fmt.Sprintf("it does not end within %v after its input is closed", p.InputGrace()), "acpshim ends it after shutdown.input_grace")
	}
}

// keep adds to the report what the agent wrote besides messages.
func (x *examination) keep(p *peer.Process) {
	x.report.Junk, _, _ = p.Junk()
	x.report.Stderr = append([]string{}, x.lastLines(p.Stderr(), 20)...)
}

// saidLines reports lines of the agent that are not messages, if there are any.
func (x *examination) saidLines(p *peer.Process) {
	junk, first, _ := p.Junk()
	if junk == 0 {
		return
	}
	text := terminal.Count(junk, "line that is not a message", "lines that are not messages")
	f := Finding{Level: Note, Subject: "stdout", Text: text, Quote: []string{x.secretless(first)}}
	if policy := x.Config.Junk; policy == "pass" {
		f.Do = `if your editor breaks on them, set junk = "stderr"`
	} else {
		f.Level, f.Text = OK, text+fmt.Sprintf("; acpshim keeps them from the editor (junk = %q)", policy)
	}
	x.add(f)
}

// plans reports what plan support changes in the agent's response.
func (x *examination) plans(ctx context.Context, plain, announced []byte) {
	o, _ := wire.Parse(announced, "params", "params.clientCapabilities")
	if o.Open("params").Open(acp.ClientCapabilities).Get(acp.CapabilityPlan) == nil {
		x.note("plans", "acpshim does not announce plan support to the agent"+setBy(x.Config, "plan.advertise"),
			"set plan.advertise = true: some agents send plans only if it is announced")
		return
	}
	quiet := func(context.Context, *peer.Process, *peer.Exchange, error) bool { return true }
	with, err := x.run(ctx, params(announced), quiet)
	if ctx.Err() != nil {
		return
	}
	if with == nil {
		if err == nil {
			err = errors.New("it responds with an error")
		}
		x.problem("plans", fmt.Sprintf("initialize fails when plan support is announced: %v", err), "set plan.advertise = false in a profile for this agent")
		return
	}
	response := "same response"
	if x.report.Agent.PlanChanges = !same(plain, with); x.report.Agent.PlanChanges {
		one, _ := x.run(ctx, x.initialize(clientCapabilities(acp.CapabilityPlan)), quiet)
		switch {
		case one == nil:
			response = "another response"
		case same(one, with):
			response = "another response, it reads plan"
		default:
			response = "another response, it reads planCapabilities"
		}
	}
	x.ok("plans", "announced as plan and planCapabilities; "+response)
}

// same reports whether two results are equal apart from _meta, which may hold the time.
func same(a, b []byte) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	delete(x, "_meta")
	delete(y, "_meta")
	return reflect.DeepEqual(x, y)
}

// described reports what the agent says about itself. It returns false if it cannot read that.
func (x *examination) described(ctx context.Context, result []byte, took time.Duration) bool {
	o, err := wire.Parse(result)
	if err != nil {
		x.problem("agent", "its result of initialize is not an object", "is this an ACP agent?")
		return false
	}
	a := readAgent(o)
	if !x.spoken(ctx, a.Protocol) {
		return false
	}
	x.versions(ctx, true)
	version := "version 1"
	if x.speaks2 {
		version = "versions 1 and 2"
	}
	x.introduce(a, version, took)
	return true
}

// readAgent reads a result of initialize.
func readAgent(o *wire.Object) *Agent {
	peer := conversation.ReadAgent(o)
	a := &Agent{Name: peer.Name, Version: peer.Implementation.Version, Protocol: peer.Version, Capabilities: peer.Capabilities, AuthMethods: []string{}}
	id := "id"
	if a.Protocol == 2 {
		id = "methodId"
	}
	methods, _ := wire.Elements(o.Raw("authMethods"))
	for _, raw := range methods {
		if m, err := wire.Parse(raw); err == nil {
			a.AuthMethods = append(a.AuthMethods, m.Info(id))
		}
	}
	return a
}

// introduce reports what an agent says about itself.
func (x *examination) introduce(a *Agent, version string, took time.Duration) {
	x.report.Agent = a
	transport := "newline-delimited JSON"
	if x.Remote != nil {
		transport = x.Remote.Transport
	}
	x.ok("protocol", fmt.Sprintf("%s, %s, response after %.1f s", transport, version, took.Seconds()))
	name := strings.TrimSpace(a.Name + " " + a.Version)
	if a.Name == "" {
		info := "agentInfo"
		if a.Protocol == 2 {
			info = "info"
		}
		x.note("agent", fmt.Sprintf("it does not say its name (%s)", info), "profiles for it need --agent")
	}
	if name != "" {
		x.ok("agent", name)
	}
	if text := a.offers(); text != "" {
		x.detail("offers", text)
	}
}

// spoken reports whether the agent chose the requested version of the protocol.
func (x *examination) spoken(ctx context.Context, version int) bool {
	switch {
	case version == 1:
		return true
	case version == 2 && x.versions(ctx, false):
	case version > 1:
		x.problem("protocol", fmt.Sprintf("it chooses version %d for an editor that speaks version 1", version),
			"use an editor for that version, or an agent for version 1; acpshim translates only between 1 and 2")
	default:
		x.problem("protocol", "it does not say which version of the protocol it speaks (protocolVersion)", "is this an ACP agent?")
	}
	return false
}

// offers returns what prompts may hold and how the agent reaches MCP servers. Probing the methods
// shows the other capabilities.
func (a *Agent) offers() string {
	if len(a.Capabilities) == 0 {
		return ""
	}
	prompt, mcp := acp.PromptCapabilities, acp.MCPCapabilities
	if a.Protocol == 2 {
		prompt, mcp = "session.prompt", "session.mcp"
	}
	return "prompts: " + cmp.Or(strings.Join(a.has(prompt), ", "), "text only") +
		"; MCP servers: " + cmp.Or(strings.Join(a.has(mcp), ", "), "stdio only")
}

// has returns the names of the capabilities at a path that the agent announces, apart from stdio,
// which every agent has.
func (a *Agent) has(path string) (names []string) {
	o, _ := wire.Parse(a.Capabilities)
	for name := range strings.SplitSeq(path, ".") {
		o, _ = wire.Parse(o.Raw(name))
	}
	for i := 0; o != nil && i < len(o.Members); i++ {
		name := o.Members[i].Name
		if raw := o.Raw(name); name != "_meta" && name != "stdio" && (string(raw) == "true" || wire.IsObject(raw)) {
			names = append(names, name)
		}
	}
	return names
}
