package versions

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// This file translates the params and the result of initialize. Members of both versions, such as
// _meta, stay.

// unknownInfo is the info of a peer that sends none, because version 2 requires one.
const unknownInfo = `{"name":"unknown","version":"unknown"}`

func clientTo2(params *wire.Object) []byte {
	from := open(params.Raw(acp.ClientCapabilities), "auth")
	capabilities := object(nil)
	if isTrue(from.Open("auth").Raw("terminal")) {
		capabilities = capabilities.with("auth", []byte(`{"terminal":{}}`))
	}
	capabilities = capabilities.members(from, present, "elicitation", "session", "_meta")
	return object(nil).
		with("protocolVersion", []byte("2")).
		with("info", info(params.Raw("clientInfo"))).
		with("capabilities", capabilities.json()).
		with("_meta", params.Raw("_meta")).json()
}

// clientTo1 translates the params of initialize to version 1. It announces the capabilities that
// every client of version 2 has.
func clientTo1(params *wire.Object) []byte {
	from := open(params.Raw("capabilities"), "auth")
	capabilities := object(nil).
		with("fs", []byte(`{"readTextFile":false,"writeTextFile":false}`)).
		with("terminal", []byte("false"))
	if present(from.Open("auth").Raw("terminal")) != nil {
		capabilities = capabilities.with("auth", []byte(`{"terminal":true}`))
	}
	session := []byte(`{"configOptions":{"boolean":{}},"notices":{},"compaction":{}}`)
	if more := open(from.Raw("session")); more != nil {
		for _, m := range more.Members {
			session = wire.With(session, []string{m.Name}, more.Raw(m.Name))
		}
	}
	capabilities = capabilities.with("session", session).with(acp.CapabilityPlan, []byte("{}")).with("subagents", []byte("{}"))
	capabilities = capabilities.with("elicitation", present(from.Raw("elicitation")))
	if meta := wire.With(from.Raw("_meta"), []string{"terminal_output"}, []byte("true")); meta != nil {
		capabilities = capabilities.with("_meta", meta) // agents report terminals in the _meta of tool calls
	}
	return object(nil).
		with("protocolVersion", []byte("1")).
		with("clientInfo", present(params.Raw("info"))).
		with(acp.ClientCapabilities, capabilities.json()).
		with("_meta", params.Raw("_meta")).json()
}

// sharedCapabilities are the capabilities of sessions that have the same name in both versions.
var sharedCapabilities = []string{"delete", "additionalDirectories", "fork", "systemPrompt", "options", "archive", "status", "title", "subagents", "_meta"}

// agentTo1 translates the result of initialize to version 1. It announces the capabilities that
// every agent of version 2 has.
func agentTo1(result *wire.Object) []byte {
	from := open(result.Raw("capabilities"), "session", "session.prompt", "session.mcp", "auth")
	session := from.Open("session")
	prompt := object(nil).members(session.Open("prompt"), truth, "image", "audio", "embeddedContext")
	mcp := object(nil).members(session.Open("mcp"), truth, "http", "sse", "acp")
	sessions := object(nil)
	for _, name := range []string{"list", "resume", "close"} {
		sessions = sessions.with(name, []byte("{}"))
	}
	sessions = sessions.members(session, present, sharedCapabilities...)
	methods := mapElements(result.Raw("authMethods"), methodTo1)
	auth := object(nil).with("status", present(from.Open("auth").Raw("status")))
	if some, _ := wire.Elements(methods); len(some) > 0 {
		auth = auth.with("logout", []byte("{}"))
	}
	capabilities := object(nil).with("loadSession", []byte("true")).
		with(acp.PromptCapabilities, prompt.json()).
		with(acp.MCPCapabilities, mcp.json()).
		with(acp.SessionCapabilities, sessions.json()).
		with("auth", auth.json()).
		with("providers", present(from.Raw("providers"))).
		with("_meta", from.Raw("_meta"))
	return object(nil).with("protocolVersion", []byte("1")).
		with("agentInfo", present(result.Raw("info"))).
		with(acp.AgentCapabilities, capabilities.json()).
		with("authMethods", methods).
		with("_meta", result.Raw("_meta")).json()
}

func agentTo2(result *wire.Object) []byte {
	from := open(result.Raw(acp.AgentCapabilities), acp.PromptCapabilities, acp.MCPCapabilities, acp.SessionCapabilities, "auth")
	prompt := object(nil).members(from.Open(acp.PromptCapabilities), marker, "image", "audio", "embeddedContext")
	mcp := object(nil).with("stdio", []byte("{}")).members(from.Open(acp.MCPCapabilities), marker, "http", "acp")
	session := object(nil).with("prompt", prompt.json()).with("mcp", mcp.json()).
		members(from.Open(acp.SessionCapabilities), present, sharedCapabilities...)
	auth := object(nil).with("status", present(from.Open("auth").Raw("status")))
	capabilities := object(nil).with("session", session.json()).with("auth", auth.json()).
		with("providers", present(from.Raw("providers"))).
		with("_meta", from.Raw("_meta"))
	methods := []byte("[]")
	if raw := present(result.Raw("authMethods")); raw != nil {
		methods = mapElements(raw, methodTo2)
	}
	return object(nil).with("protocolVersion", []byte("2")).
		with("info", info(result.Raw("agentInfo"))).
		with("capabilities", capabilities.json()).
		with("authMethods", methods).
		with("_meta", result.Raw("_meta")).json()
}

// methodTo1 translates a login method to version 1, or returns nil for a type that version 1 does
// not have.
func methodTo1(method []byte) []byte {
	o := open(method)
	kind, _ := o.Text("type")
	if o == nil || kind != "agent" && kind != "terminal" {
		return nil
	}
	to := object(nil)
	if kind == "terminal" {
		to = to.text("type", kind)
	}
	to = to.with("id", o.Raw("methodId")).with("name", o.Raw("name")).with("description", present(o.Raw("description"))).with("args", present(o.Raw("args")))
	if pairs, ok := wire.Elements(o.Raw("env")); ok {
		env := []byte("{}")
		for _, pair := range pairs { // the last one of equal names counts
			if name, ok := open(pair).Text("name"); ok {
				env = wire.With(env, []string{name}, open(pair).Raw("value"))
			}
		}
		to = to.with("env", env)
	}
	return to.with("_meta", o.Raw("_meta")).json()
}

func methodTo2(method []byte) []byte {
	o := open(method)
	if o == nil {
		return nil
	}
	kind, _ := o.Text("type")
	if kind == "" {
		kind = "agent"
	}
	to := object(nil).text("type", kind).with("methodId", o.Raw("id"))
	for _, m := range o.Members {
		switch m.Name {
		case "id", "type", "methodId":
		case "env":
			var pairs [][]byte
			env := open(o.Raw("env"))
			if env == nil {
				continue
			}
			for _, pair := range env.Members {
				pairs = append(pairs, object(nil).text("name", pair.Name).with("value", env.Raw(pair.Name)).json())
			}
			to = to.with("env", wire.List(pairs))
		default:
			to = to.with(m.Name, present(o.Raw(m.Name)))
		}
	}
	return to.json()
}

// info returns the name and version of a peer, which version 2 requires.
func info(raw []byte) []byte {
	o := open(raw)
	if o == nil {
		return []byte(unknownInfo)
	}
	for _, name := range []string{"name", "version"} {
		if _, ok := o.Text(name); !ok {
			raw = wire.With(raw, []string{name}, []byte(`"unknown"`))
		}
	}
	return raw
}

// isTrue reports whether a peer of version 1 announces a capability.
func isTrue(raw []byte) bool { return string(raw) == "true" || wire.IsObject(raw) }

// truth translates a capability to version 1: true or false.
func truth(raw []byte) []byte {
	if wire.IsAbsent(raw) {
		return []byte("false")
	}
	return []byte("true")
}

// marker translates a capability to version 2: an object or nil.
func marker(raw []byte) []byte {
	if isTrue(raw) {
		return []byte("{}")
	}
	return nil
}
