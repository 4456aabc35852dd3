package agents

import (
	"slices"
	"time"

	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// Requests and notifications that no agent knows. The first two begin as extensions do.
const (
	unknownExtension    = "_acpshim.dev/none"
	unknownNotification = "_acpshim.dev/note"
	unknownMethod       = "session/none"
)

// unknownMethods sends unknown requests with ids of other types.
func (p *process) unknownMethods() {
	const text, large = `"7001"`, "9007199254740991" // the largest integer of JavaScript
	asked := []*peer.Exchange{
		p.BeginAs(text, unknownExtension, map[string]any{}),
		p.BeginAs(large, unknownMethod, map[string]any{}),
	}
	deadline := time.Now().Add(p.times.request)
	for _, e := range asked {
		if !p.awaitUntil(deadline, e) {
			p.run.probe = acp.SessionNew
			if p.isLost("unknown-method", "response-id") {
				return
			}
			p.skip(say("an unknown request got no response"), "response-id")
			p.fail("unknown-method", fault{sent: say(request{e}), got: say(in(p.times.request)), text: "each request gets a response; for an unknown one, it is error -32601"})
			continue
		}
		p.tried("unknown-method", "response-id")
		if e.Response.Code() != wire.MethodNotFound {
			p.fail("unknown-method", fault{sent: say(request{e}), got: say(reply{Exchange: e}), text: "-32601 tells clients to go on", isAdvice: true})
		}
	}
}

// notifications sends an unknown notification, and a cancel for a session that does not exist.
func (p *process) notifications() {
	before := len(p.Messages())
	p.Notify(unknownNotification, map[string]any{})
	if p.protocol == 1 {
		p.Notify(acp.SessionCancel, map[string]any{"sessionId": noSession})
	}
	p.untilStray(before)
	p.tried("notification-silent")
}

// untilStray waits a moment for a response to a notification.
func (p *process) untilStray(from int) {
	p.Until(p.ctx, time.Now().Add(p.times.quiet), from, isStray)
}

// isStray reports whether a message is a response with the id null.
func isStray(m *peer.Message) bool {
	return m.From == wire.Agent && m.IsResponse() && wire.ID(m.ID) == ""
}

// badLine sends a line that is not JSON, and then a request.
func (p *process) badLine() {
	p.expects = false // this case judges whether it ends
	if e, ok := p.ask(p.times.start, acp.Initialize, p.introduction(p.protocol)); !ok {
		p.skip(say(reply{Exchange: e, nothing: in(p.times.start) + " after initialize"}), "bad-line")
		return
	}
	p.Send([]byte(`{"jsonrpc":"2.0","id":7,"method":`))
	e, ok := p.ask(p.times.request, p.probe, map[string]any{"cwd": p.cwd, "mcpServers": []any{}})
	p.tried("bad-line")
	if ok {
		return
	}
	got := say(in(p.times.request))
	if p.lost != nil {
		p.Stop()
		got = p.died()
	}
	p.fail("bad-line", fault{sent: say("a line that is not JSON, and ", request{e}), got: got, text: "the agent must serve the next request; error -32700 with the id null is right, silence too"})
}

// version asks for a version that no agent has, with the members of both versions that exist.
func (p *process) version() {
	const asked = 9999
	params := p.introduction(asked)
	params["info"], params["capabilities"] = params["clientInfo"], map[string]any{}
	e, ok := p.ask(p.times.start, acp.Initialize, params)
	p.expects = !ok // an agent may end after it has refused
	if !ok {
		if !p.isLost("version") {
			p.fail("version", fault{sent: say(request{e}, " with protocolVersion 9999"), got: say(in(p.times.start)), text: wantVersion})
		}
		return
	}
	p.tried("version")
	result, _ := wire.Parse(e.Result())
	code := e.Response.Code()
	isRefusal := slices.Contains([]string{"-32022", "-32600", "-32602"}, code) && versions.ReadRefusal(e.Failure()) != nil
	switch raw := wire.ID(result.Raw("protocolVersion")); {
	case result != nil && raw == "9999":
		p.fail("version", fault{sent: say(request{e}, " with protocolVersion 9999"), got: say(e.Response, " protocolVersion 9999"), text: wantVersion})
	case result == nil && !isRefusal:
		p.fail("version", fault{sent: say(request{e}, " with protocolVersion 9999"), got: say(reply{Exchange: e}), text: wantVersion})
	}
}

const wantVersion = "the agent names the latest version that it has"
