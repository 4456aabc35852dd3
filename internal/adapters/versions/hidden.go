package versions

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// hidden returns the subagent of a session that the client does not know, or nil.
func (a *Agent) hidden(id string) *subagent {
	if a.subagents == 0 {
		return nil
	}
	of, _ := a.c.Find(id)
	s, ok := a.sessions.Get(of)
	if !ok || s.links || of.Known || of.Named {
		return nil
	}
	return s.subagent
}

// mayBeHidden reports whether an update may be of a hidden session. Id is nil if the head of the
// line does not have it.
func (a *Agent) mayBeHidden(id []byte) bool {
	return a.subagents > 0 && (id == nil || a.hidden(string(id)) != nil)
}

// hiddenUpdate handles an update of a hidden session with state s. The client gets the updates of
// the tool calls about which the subagent asked.
func (a *Agent) hiddenUpdate(m *dispatch.Message, s *session, update *wire.Object) {
	m.Because(whyHidden)
	id, _ := update.Text("toolCallId")
	switch m.Update {
	case acp.SubagentUpdate:
		a.subagent(m, s, update)
		return
	case acp.StateUpdate:
		s.turn.state(update, m.Line[update.Start:update.End], a.c.Prompting(m.Session)) // the client may have prompted it
		s.subagent.apply(update)
		a.changeCall(m, s.subagent)
		return
	case acp.ToolCallUpdate:
		if of := s.calls.byID[id]; of != nil && of.isAsked {
			m.Because(whyCallOfChild)
			with := wire.With(s.updateTo1(update), []string{"toolCallId"}, wire.Quote(nil, s.subagent.callID(id)))
			m.Edit(append(m.Params().Set(wire.Setting{Name: "sessionId", Value: wire.Quote(nil, s.subagent.root)}), wire.Edit{Span: update.Span, With: with})...)
			a.with(s.subagent.root, func(root *session) { root.messages.last = "" })
			return
		}
		if id != "" && len(id) <= maxID {
			of, _ := s.calls.use(id)
			s.take(nil, update, of)
			of.isCharged = false
			s.calls.trimUnseen(of)
		}
	case acp.ToolCallContentChunk:
		if s.chunk(update); id != "" && len(id) <= maxID {
			of, _ := s.calls.use(id)
			s.calls.trimUnseen(of)
		}
	case acp.TerminalUpdate, acp.TerminalOutputChunk:
		if t, terminal := s.terminals.take(update); t != nil {
			s.calls.touch(t, terminal)
		}
	}
	m.Drop()
}

// ask notes that the client is asked about a tool call of a hidden session. It returns the members
// of the request with the call's id for the client, and that id.
func (s *session) ask(set []wire.Setting) (_ []wire.Setting, id string) {
	for i, member := range set {
		if call, ok := open(member.Value).Text("toolCallId"); member.Name == "toolCall" && ok {
			if of := s.calls.byID[call]; of != nil {
				of.isAsked = true
			}
			id = s.subagent.callID(call)
			set[i].Value = wire.With(member.Value, []string{"toolCallId"}, wire.Quote(nil, id))
		}
	}
	return set, id
}

// isLink reports whether an element of content is a reference that the client must not get.
func (s *session) isLink(element []byte) bool {
	return !s.links && referredSession(element) != ""
}

// withoutLinks returns the content of a tool call without references to sessions, unless the client
// announces support for subagents. It returns nil if nothing else is left.
func (s *session) withoutLinks(content []byte) []byte {
	if s.links {
		return content
	}
	return withoutSessions(content)
}
