package versions

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// maxNewcomers is the maximum number of subagents whose tool calls wait.
const maxNewcomers = 64

// beforeUpdate shows the newcomers before an update, unless it may belong to the beginning of a
// subagent's work. If it is a tool call of the agent for a newcomer, that call stands for it.
func (a *Agent) beforeUpdate(m *dispatch.Message, update *wire.Object) {
	if len(a.newcomers) == 0 {
		return
	}
	of := a.hidden(m.Session)
	switch m.Update {
	case acp.SubagentUpdate, acp.SessionMessage, acp.SessionMessageChunk:
		return
	case acp.StateUpdate:
		if of != nil {
			return
		}
	case acp.ToolCallUpdate:
		if of == nil {
			elements, _ := wire.Elements(update.Raw("content"))
			for _, element := range elements {
				a.found(referredSession(element))
			}
			return
		}
	case acp.ToolCallContentChunk:
		if of == nil {
			a.found(referredSession(update.Raw("content")))
			return
		}
	}
	a.showNewcomers(m)
}

// found notes that a tool call of the agent refers to a session.
func (a *Agent) found(id string) {
	if i := slices.Index(a.newcomers, id); i >= 0 {
		a.newcomers = slices.Delete(a.newcomers, i, i+1)
		a.with(id, func(s *session) {
			if s.subagent != nil {
				s.subagent.hasCall = true
			}
		})
	}
}

// showNewcomers shows the newcomers before a message.
func (a *Agent) showNewcomers(m *dispatch.Message) { m.Before(a.takeNewcomers()) }

// takeNewcomers returns the lines that show the newcomers.
func (a *Agent) takeNewcomers() (lines []byte) {
	ids := a.newcomers
	a.newcomers = nil
	for _, id := range ids {
		if of := a.hidden(id); of != nil && of.shown == nil {
			a.with(id, func(*session) { lines = append(lines, of.call()...) })
			a.with(of.root, func(s *session) { s.messages.last = "" })
		}
	}
	return lines
}
