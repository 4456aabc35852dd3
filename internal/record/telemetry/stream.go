package telemetry

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
)

// A chunkFilter finds lines that do not change spans, so that most lines of an agent are not
// parsed. These are chunks of thoughts, and without contents all chunks of a message after its
// first.
type chunkFilter struct {
	session string // of the last line if it is a chunk of a message, or ""
}

// canSkip reports whether a line does not change spans. Lines must come in order.
func (s *chunkFilter) canSkip(m *record.Message, contents bool) bool {
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
