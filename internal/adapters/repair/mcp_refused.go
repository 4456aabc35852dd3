package repair

import (
	"bytes"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// MCPRefusal is an adapter that opens a session without MCP servers if the agent refuses it because
// of them. It tries that once, and only without any servers.
//
//   - Settles: The agent refuses every session with MCP servers, so you cannot use it in an editor
//     that has MCP servers.
//   - For: Old versions of jcode, and any agent whose error says that it refuses MCP servers.
//   - Keys: repair.mcp_refused
//   - Read: 1jehuang/jcode#887
type MCPRefusal struct {
	repair
	conversation *conversation.Conversation
	retried      func(refusal string)
	sent         *conversation.Slot[*conversation.Request, []byte]
}

// maxSent is the longest request that is kept, in bytes.
const maxSent = 256 << 10

// NewMCPRefusal returns an MCPRefusal adapter. Retried gets the text of the agent's error when a
// session is tried again; it must not block, and may be nil.
func NewMCPRefusal(c *conversation.Conversation, retried func(refusal string), isOn IsOn) *MCPRefusal {
	methods := []string{acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork}
	return &MCPRefusal{
		conversation: c, retried: retried, sent: conversation.NewSlot[*conversation.Request, []byte](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Client, Methods: methods},
			dispatch.Want{From: dispatch.Agent, Responses: methods}),
	}
}

// Handle implements dispatch.Adapter.
func (a *MCPRefusal) Handle(m *dispatch.Message) {
	switch {
	case m.Method == acp.Initialize || m.Request != nil && m.Request.Method == acp.Initialize:
	case m.From == dispatch.Client:
		a.keep(m)
	case m.Request != nil && m.IsRefusal():
		a.retry(m)
	}
}

// keep keeps a request with MCP servers, without them.
func (a *MCPRefusal) keep(m *dispatch.Message) {
	servers, _ := wire.Elements(m.Params().Raw("mcpServers"))
	if len(servers) == 0 || len(m.Line) > maxSent {
		return
	}
	r := a.conversation.Pending(dispatch.Client, m.ID)
	line := wire.Splice(nil, m.Line, m.Params().Set(wire.Setting{Name: "mcpServers", Value: []byte("[]")})...)
	a.sent.Put(r, line, len(line))
}

// retry sends a request again without MCP servers, if the agent refused it because of them.
func (a *MCPRefusal) retry(m *dispatch.Message) {
	line, ok := a.sent.Take(m.Request)
	refusal := m.Object.Raw("error")
	const authRequired = "-32000" // the login is missing, whatever the text says
	if !ok || m.Code() == authRequired || !bytes.Contains(bytes.ToLower(refusal), []byte("mcp")) {
		return
	}
	words, _ := wire.Parse(refusal)
	text, _ := words.Text("message")
	m.Because(whyServersRefused)
	h := m.Hold(dispatch.Unlimited)
	if h == nil || !h.Because(whyWithoutServers).Again(line) {
		return
	}
	if a.retried != nil {
		a.retried(strings.ToValidUTF8(text, "\ufffd"))
	}
}
