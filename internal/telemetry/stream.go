package telemetry

import (
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A stream knows the pieces of what an agent says that make no difference to spans, so that most
// messages need not be read: those of thoughts, and those of a message that follow another one.
type stream struct {
	session string // whose message the latest line that was read is a piece of; "" for other lines
}

// goesOn reports whether a line makes no difference, with contents or without.
func (s *stream) goesOn(m *record.Message, contents bool) bool {
	head, _ := wire.PeekHead(m.Line, func(h wire.Head) bool { return h.SessionUpdate != nil })
	update := string(head.SessionUpdate)
	passed := m.Dir == record.Agent && m.Stage == "" && string(head.Method) == "session/update"
	if passed && (update == "agent_thought_chunk" || update == "user_message_chunk") {
		return true
	}
	session := ""
	if passed && update == "agent_message_chunk" {
		session = string(head.SessionID)
	}
	again := session != "" && session == s.session
	s.session = session
	return again && !contents
}
