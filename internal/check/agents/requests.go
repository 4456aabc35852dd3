package agents

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate/schema"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// gone are methods that older schemas have.
var gone = []string{acp.SessionSetModel, acp.MCPConnect, acp.MCPDisconnect}

// methods judges the methods of the agent's requests and notifications.
func (p *process) methods(h *history.History) {
	for _, m := range h.Messages {
		isCall := m.Kind == history.Request || m.Kind == history.Notification
		switch {
		case m.Message.Dir != wire.Agent || !isCall:
		case p.isUnannounced(m.Method):
			p.fail("client-capabilities", fault{got: say(seq(m.Seq), " ", m.Method), text: "only if the client announces it; this client announced nothing"})
		case !isKnown(m.Method) && !strings.HasPrefix(m.Method, "_"):
			p.fail("extension-names", fault{got: say(seq(m.Seq), " ", terminal.Name(m.Method)), text: "methods of your own begin with _, so that they never clash with new ones"})
		}
	}
}

// isUnannounced reports whether an agent must not send a request to the client of this process.
func (p *process) isUnannounced(method string) bool {
	isTerminal := strings.HasPrefix(method, "terminal/") && isKnown(method)
	isOther := strings.HasPrefix(method, "fs/") && isKnown(method) || method == acp.ElicitationCreate
	hasTerminals := p.announces == everything && len(p.Rules) > 0 && p.wants("client-capabilities")
	return p.protocol == 1 && (isTerminal && !hasTerminals || isOther && p.announces == nothing)
}

// isKnown reports whether the protocol has a method, in any version.
func isKnown(method string) bool {
	for _, version := range schema.Load() {
		if version.Unstable.Methods[method] != nil {
			return true
		}
	}
	return slices.Contains(gone, method) || strings.HasPrefix(method, "$/")
}
