package repair

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// MCP is an adapter that completes the entries of mcpServers. The schema requires args and env, or
// headers, as lists.
//
//   - Settles: The agent refuses a session: the client sends MCP servers without args, env or
//     headers, or with an object instead of the list.
//   - For: Every client and agent.
//   - Keys: repair.mcp_servers
//   - Seen: claude-agent-acp 0.101.0, cline 3.0.65, codex-acp 2.6.0, gemini-cli 0.61.0, opencode
//     1.18.33, pi-acp 0.0.34
//   - Read: github/copilot-cli#3889, MoonshotAI/kimi-code#2834, QwenLM/qwen-code#3472
type MCP struct{ repair }

// NewMCP returns an MCP adapter.
func NewMCP(isOn IsOn) *MCP {
	return &MCP{newRepair(isOn,
		dispatch.Want{From: dispatch.Client, Methods: []string{acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork}})}
}

// Handle implements dispatch.Adapter.
func (*MCP) Handle(m *dispatch.Message) {
	if m.From != dispatch.Client || m.Method == acp.Initialize || m.Params() == nil {
		return
	}
	servers := m.Params().Raw("mcpServers")
	value := wire.MapElements(servers, completeServer)
	if wire.IsAbsent(servers) && m.Method != acp.SessionFork {
		value = []byte("[]")
	}
	if value != nil {
		m.Because(whyServers)
		m.Edit(m.Params().Set(wire.Setting{Name: "mcpServers", Value: value})...)
	}
}

// completeServer returns an entry with the lists that its type requires.
func completeServer(raw []byte) []byte {
	server, err := wire.Parse(raw)
	if err != nil {
		return raw
	}
	var settings []wire.Setting
	list := func(name string) {
		if value := server.Raw(name); wire.IsAbsent(value) {
			settings = append(settings, wire.Setting{Name: name, Value: []byte("[]")})
		} else if wire.IsObject(value) && name != "args" {
			settings = append(settings, wire.Setting{Name: name, Value: pairs(value)})
		}
	}
	switch kind, _ := server.Text("type"); {
	case kind == "http" || kind == "sse":
		list("headers")
	case server.Raw("command") != nil && (kind == "" || kind == "stdio"):
		list("args")
		list("env")
	}
	return wire.Splice(nil, raw, server.Set(settings...)...)
}

// pairs returns an object of names and values as a list of objects.
func pairs(object []byte) []byte {
	o, err := wire.Parse(object)
	if err != nil {
		return object
	}
	var list [][]byte
	for _, m := range o.Members {
		list = append(list, fmt.Appendf(nil, `{"name":%s,"value":%s}`, wire.Quote(nil, m.Name), o.Raw(m.Name)))
	}
	return wire.List(list)
}
