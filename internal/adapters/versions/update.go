package versions

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// update translates a session/update to version 1.
func (a *Agent) update(m *dispatch.Message) {
	update := m.Params().Open("update")
	if update == nil {
		return
	}
	m.Because(whyAgent2)
	if a.subagents > 0 {
		a.beforeUpdate(m, update)
	}
	if of := a.hidden(m.Session); of != nil {
		a.with(m.Session, func(s *session) { a.hiddenUpdate(m, s, update) })
		return
	}
	if m.Update == acp.StateUpdate {
		a.showGrowing(m, m.Session)
	}
	a.with(m.Session, func(s *session) {
		s.turn.hasSpoken = s.turn.hasSpoken || isSpeech(m.Update)
		if m.Update == acp.ToolCallUpdate || strings.HasPrefix(m.Update, "plan_") {
			s.messages.last = "" // it separates two messages
		}
		switch m.Update {
		case acp.StateUpdate:
			s.turn.state(update, m.Line[update.Start:update.End], a.c.Prompting(m.Session))
			if s.subagent != nil && s.links {
				a.childState(m, s.subagent, update)
				return
			}
			m.Drop()
		case acp.ReplayComplete:
			m.Drop()
		case acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk:
			a.chunk(m, s, update)
		case acp.UserMessage, acp.AgentMessage, acp.AgentThought:
			a.wholeMessage(m, s, update)
		case acp.ToolCallUpdate:
			a.replaceUpdate(m, update, s.updateTo1(update))
		case acp.ToolCallContentChunk:
			if s.isLink(update.Raw("content")) {
				m.Because(whyNoLinks)
				m.Drop()
				return
			}
			isMuch := s.chunk(update)
			if a.delay(m, s); isMuch {
				lines, _ := s.due(m.Session, true)
				m.Before(lines)
			}
		case acp.TerminalUpdate, acp.TerminalOutputChunk:
			a.terminal(m, s, update)
		case acp.AvailableCommandsUpdate:
			s.noteSkills(update.Raw("availableCommands"))
			setMember(m, update, "availableCommands", commandsTo1(update.Raw("availableCommands")))
		case acp.ConfigOptionUpdate:
			s.noteMode(update.Raw("configOptions"))
			setMember(m, update, "configOptions", a.optionsTo1(update.Raw("configOptions")))
		case acp.Notice:
			a.notice(m, s, update)
		case acp.CompactionUpdate, acp.CompactionSummaryChunk:
			a.compaction(m, s, update)
		case acp.PromptSuggestionsUpdate:
			a.gated(m, update, "session", "promptSuggestions")
		case acp.CursorUpdate:
			a.gated(m, update, "session", "cursors")
		case acp.SubagentUpdate:
			a.subagent(m, s, update)
		case acp.SessionMessage, acp.SessionMessageChunk:
			a.gated(m, update, "subagents")
		case acp.PlanUpdate:
			fit(m, update, sharedTo1[m.Update])
		default:
			if !slices.Contains(sharedUpdates, m.Update) {
				m.Because(whyNoUpdate)
				m.Drop()
			}
		}
	})
}

// isSpeech reports whether an update of a kind is part of a turn.
func isSpeech(kind string) bool {
	return kind == acp.ToolCallUpdate || strings.HasPrefix(kind, "agent_")
}

func isChunk(kind string) bool {
	return strings.HasSuffix(kind, "_message_chunk") || kind == acp.AgentThoughtChunk
}

// replaceUpdate replaces the update of a message, or drops the message if with is nil.
func (a *Agent) replaceUpdate(m *dispatch.Message, update *wire.Object, with []byte) {
	if with == nil {
		m.Because(whyNoMessage)
		m.Drop()
		return
	}
	m.Edit(wire.Edit{Span: update.Span, With: with})
}

// gated translates an update of a kind that both versions have. It drops the update if the client
// does not announce its capability.
func (a *Agent) gated(m *dispatch.Message, update *wire.Object, capability ...string) {
	if !a.announces(capability...) {
		m.Because(whyNotAnnounced.With(strings.Join(capability, ".")))
		m.Drop()
		return
	}
	fit(m, update, sharedTo1[m.Update])
}

// announces reports whether the client announces a capability.
func (a *Agent) announces(capability ...string) bool {
	return a.client != nil && wire.IsObject(a.client.Capability(capability...))
}

// chunk handles a chunk of a message. It separates messages that a client would join.
func (a *Agent) chunk(m *dispatch.Message, s *session, update *wire.Object) {
	content := blockTo1(update.Raw("content"))
	c := readChunk(m.Update, update, content)
	if content == nil {
		m.Because(whyNoContent)
		m.Drop()
		return
	}
	if m.Update == acp.UserMessageChunk && !a.c.Opening(m.Session) {
		m.Because(whyOwnMessage)
		m.Drop()
		return
	}
	if s.messages.take(c) && m.Update != acp.UserMessageChunk {
		m.Because(whyNextMessage)
		content = withBlankLine(c.block, content)
	}
	setMember(m, update, "content", content)
}

// wholeMessage replaces a complete message with the chunks that the client does not have yet. It
// drops a message of the user, unless the session is being loaded, because the client has it.
func (a *Agent) wholeMessage(m *dispatch.Message, s *session, update *wire.Object) {
	if m.Update == acp.UserMessage && !a.c.Opening(m.Session) {
		m.Because(whyOwnMessage)
		m.Drop()
		return
	}
	chunks, ok := s.messages.wholeMessage(update, m.Update+"_chunk")
	if !ok {
		m.Because(whyFinal)
	}
	var lines [][]byte
	for i, c := range chunks {
		if i == 0 { // the rest of the line is sent once
			lines = append(lines, wire.Splice(nil, m.Line, wire.Edit{Span: update.Span, With: c}))
		} else if s.charge(len(m.Session) + len(c)) {
			lines = append(lines, wire.SessionUpdate(m.Session, c))
		} else {
			m.Because(whyTooLarge)
			break
		}
	}
	m.Replace(lines...)
}

// terminal handles an update of a terminal. A client that draws terminals gets the new output in an
// update of the tool call that shows it. Other clients get the output as text.
func (a *Agent) terminal(m *dispatch.Message, s *session, update *wire.Object) {
	t, id := s.terminals.take(update)
	if t != nil && t.isSent {
		before := t.size()
		meta := t.report(nil, id)
		s.terminals.bytes += t.size() - before
		if meta == nil {
			m.Drop()
			return
		}
		a.replaceUpdate(m, update, object(nil).text("sessionUpdate", acp.ToolCallUpdate).text("toolCallId", t.shownIn.id).with("_meta", meta).json())
		return
	}
	if t != nil && !s.draws {
		s.calls.touch(t, id)
	}
	a.delay(m, s)
}

// delay drops an update whose content is shown later.
func (a *Agent) delay(m *dispatch.Message, s *session) {
	m.Because(whyGrowing)
	a.growing[s] = m.Session
	m.Drop()
}

// showGrowing shows the delayed content of a session before a message.
func (a *Agent) showGrowing(m *dispatch.Message, id string) {
	if id == "" { // a form without a session
		return
	}
	a.with(id, func(s *session) {
		if _, ok := a.growing[s]; !ok {
			return
		}
		lines, isAll := s.due(id, true)
		m.Before(lines)
		if isAll {
			delete(a.growing, s)
		}
	})
}

// Flush implements dispatch.Flusher. It shows the delayed content of all sessions. What it has no
// room for follows in the next Flush.
func (a *Agent) Flush(m *dispatch.Message, end bool) {
	if lines := a.takeNewcomers(); lines != nil {
		m.Because(whyAsCall)
		m.After(lines)
	}
	if len(a.growing) == 0 {
		return
	}
	m.Because(whyGrown)
	for s, id := range a.growing {
		lines, isAll := s.due(id, end)
		if m.After(lines); !isAll {
			return
		}
		if end {
			delete(a.growing, s)
		}
	}
}
