package telemetry

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
)

// A stream finds lines that do not change spans, so that most lines of an agent need not be parsed:
// chunks of thoughts, and without contents chunks of a message after its first one.
type stream struct {
	session string // of the last line, if it is a chunk of a message; or ""
}

// goesOn reports whether a line does not change spans.
func (s *stream) goesOn(m *record.Message, contents bool) bool {
	head, _ := wire.PeekHead(m.Line, func(h wire.Head) bool { return h.SessionUpdate != nil })
	update := string(head.SessionUpdate)
	passed := m.Dir == record.Agent && m.Stage == "" && string(head.Method) == acp.SessionUpdate
	if passed && (update == acp.AgentThoughtChunk || update == acp.UserMessageChunk) {
		return true
	}
	session := ""
	if passed && update == acp.AgentMessageChunk {
		session = string(head.SessionID)
	}
	follows := session != "" && session == s.session
	s.session = session
	return follows && !contents
}
