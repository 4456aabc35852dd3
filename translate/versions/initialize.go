package versions

import (
	"acpshim/internal/wire"
)

// Bodies of initialize and of its result in the other version. What a body says of the protocol in
// members of its own, such as _meta, stays.

// unknownInfo stands for a client or an agent that does not say who it is: version 2 wants a name.
const unknownInfo = `{"name":"unknown","version":"unknown"}`

// clientTo2 returns the params of an initialize of version 1 for an agent of version 2.
func clientTo2(params *wire.Object) []byte {
	from := open(params.Raw("clientCapabilities"), "auth")
	capabilities := object(nil)
	if isTrue(from.Open("auth").Raw("terminal")) {
		capabilities = capabilities.with("auth", []byte(`{"terminal":{}}`))
	}
	for _, name := range []string{"elicitation", "session", "_meta"} {
		capabilities = capabilities.with(name, present(from.Raw(name)))
	}
	return object(nil).
		with("protocolVersion", []byte("2")).
		with("info", info(params.Raw("clientInfo"))).
		with("capabilities", capabilities.json()).
		with("_meta", params.Raw("_meta")).json()
}

// clientTo1 returns the params of an initialize of version 2 for an agent of version 1. What
// version 2 takes for granted of a client is announced.
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
	capabilities = capabilities.with("session", session).with("plan", []byte("{}")).with("subagents", []byte("{}"))
	capabilities = capabilities.with("elicitation", present(from.Raw("elicitation")))
	if meta := wire.With(from.Raw("_meta"), []string{"terminal_output"}, []byte("true")); meta != nil {
		capabilities = capabilities.with("_meta", meta) // terminals are reported among the _meta of tool calls
	}
	return object(nil).
		with("protocolVersion", []byte("1")).
		with("clientInfo", present(params.Raw("info"))).
		with("clientCapabilities", capabilities.json()).
		with("_meta", params.Raw("_meta")).json()
}

// copied are capabilities of sessions that both versions have under one name.
var copied = []string{"delete", "additionalDirectories", "fork", "systemPrompt", "archive", "status", "title", "subagents", "_meta"}

// agentTo1 returns the result of initialize of an agent of version 2 for a client of version 1.
// What version 2 takes for granted of an agent is announced.
func agentTo1(result *wire.Object) []byte {
	from := open(result.Raw("capabilities"), "session", "session.prompt", "session.mcp", "auth")
	session := from.Open("session")
	prompt, mcp := object(nil), object(nil)
	for _, name := range []string{"image", "audio", "embeddedContext"} {
		prompt = prompt.with(name, truth(session.Open("prompt").Raw(name)))
	}
	for _, name := range []string{"http", "sse", "acp"} {
		mcp = mcp.with(name, truth(session.Open("mcp").Raw(name)))
	}
	sessions := object(nil)
	for _, name := range []string{"list", "resume", "close"} {
		sessions = sessions.with(name, []byte("{}"))
	}
	for _, name := range copied {
		sessions = sessions.with(name, present(session.Raw(name)))
	}
	methods := mapped(result.Raw("authMethods"), methodTo1)
	auth := object(nil).with("status", present(from.Open("auth").Raw("status")))
	if some, _ := wire.Elements(methods); len(some) > 0 {
		auth = auth.with("logout", []byte("{}"))
	}
	capabilities := object(nil).with("loadSession", []byte("true")).
		with("promptCapabilities", prompt.json()).
		with("mcpCapabilities", mcp.json()).
		with("sessionCapabilities", sessions.json()).
		with("auth", auth.json()).
		with("providers", present(from.Raw("providers"))).
		with("_meta", from.Raw("_meta"))
	return object(nil).with("protocolVersion", []byte("1")).
		with("agentInfo", present(result.Raw("info"))).
		with("agentCapabilities", capabilities.json()).
		with("authMethods", methods).
		with("_meta", result.Raw("_meta")).json()
}

// agentTo2 is agentTo1 the other way.
func agentTo2(result *wire.Object) []byte {
	from := open(result.Raw("agentCapabilities"), "promptCapabilities", "mcpCapabilities", "sessionCapabilities", "auth")
	prompt, mcp := object(nil), object(nil).with("stdio", []byte("{}"))
	for _, name := range []string{"image", "audio", "embeddedContext"} {
		prompt = prompt.with(name, marker(from.Open("promptCapabilities").Raw(name)))
	}
	for _, name := range []string{"http", "acp"} {
		mcp = mcp.with(name, marker(from.Open("mcpCapabilities").Raw(name)))
	}
	session := object(nil).with("prompt", prompt.json()).with("mcp", mcp.json())
	for _, name := range copied {
		session = session.with(name, present(from.Open("sessionCapabilities").Raw(name)))
	}
	auth := object(nil).with("status", present(from.Open("auth").Raw("status")))
	capabilities := object(nil).with("session", session.json()).with("auth", auth.json()).
		with("providers", present(from.Raw("providers"))).
		with("_meta", from.Raw("_meta"))
	methods := []byte("[]")
	if raw := present(result.Raw("authMethods")); raw != nil {
		methods = mapped(raw, methodTo2)
	}
	return object(nil).with("protocolVersion", []byte("2")).
		with("info", info(result.Raw("agentInfo"))).
		with("capabilities", capabilities.json()).
		with("authMethods", methods).
		with("_meta", result.Raw("_meta")).json()
}

// methodTo1 returns a way to log in for version 1, which has two types; nil for another.
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
		for _, pair := range pairs { // of a name that is there twice, the last one counts
			if name, ok := open(pair).Text("name"); ok {
				env = wire.With(env, []string{name}, open(pair).Raw("value"))
			}
		}
		to = to.with("env", env)
	}
	return to.with("_meta", o.Raw("_meta")).json()
}

// methodTo2 is methodTo1 the other way.
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
			to = to.with("env", list(pairs))
		default:
			to = to.with(m.Name, present(o.Raw(m.Name)))
		}
	}
	return to.json()
}

// info is who a peer is, with what version 2 wants of it.
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

// isTrue reports whether a capability of version 1 is there.
func isTrue(raw []byte) bool { return string(raw) == "true" || wire.IsObject(raw) }

// truth is a capability of version 2 as version 1 has it.
func truth(raw []byte) []byte {
	if wire.IsAbsent(raw) {
		return []byte("false")
	}
	return []byte("true")
}

// marker is a capability of version 1 as version 2 has it, or nil.
func marker(raw []byte) []byte {
	if isTrue(raw) {
		return []byte("{}")
	}
	return nil
}
