package agents

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// judge judges what both sides of a process wrote. The process has to have ended.
func (p *process) judge() {
	p.alive()
	p.lines()
	p.responses()
	if p.protocol != 1 && p.protocol != 2 {
		return
	}
	h := p.History()
	p.schema(h)
	p.methods(h)
	if p.protocol == 1 {
		p.updates()
		p.late()
		p.booleans()
	}
}

// fromAgent returns the messages of the agent.
func (p *process) fromAgent() (messages []*peer.Message) {
	for _, m := range p.Messages() {
		if m.From == wire.Agent {
			messages = append(messages, m)
		}
	}
	return messages
}

// isOfTurn reports whether an update is a part of a turn, and not about the session.
func isOfTurn(update string) bool {
	switch update {
	case acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.ToolCall, acp.ToolCallUpdate, acp.Plan, acp.PlanUpdate, acp.PlanRemoved:
		return true
	}
	return false
}
