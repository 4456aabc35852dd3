package history

import (
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// Streams groups the chunks of streamed messages, because a peer sends a long text in pieces. The
// zero value is ready for use. Only one goroutine at a time may use it.
type Streams struct {
	withID    map[streamKey]*stream            // those with an id; other messages may come between their chunks
	withoutID map[string]map[streamKey]*stream // those without an id, by session
}

type streamKey struct {
	dir                        wire.Side
	update, stage, by, session string
}

type stream struct {
	first  *Message
	id     string
	latest uint64 // the number of the last chunk
}

// IsChunk reports whether the message is a chunk of a streamed message.
func (m *Message) IsChunk() bool {
	return m.Update == acp.AgentMessageChunk || m.Update == acp.AgentThoughtChunk || m.Update == acp.UserMessageChunk
}

// ChunkText returns the text of a chunk, or in brackets its type if it is not text. It returns
// "⋯" if the chunk cannot be read.
func (m *Message) ChunkText() string {
	msg, err := wire.Parse(m.JSON, "params", "params.update", "params.update.content")
	if err != nil {
		return "⋯"
	}
	content := msg.Open("params").Open("update").Open("content")
	if text, ok := content.Text("text"); ok {
		return text
	}
	var words []string
	for _, name := range []string{"type", "uri", "name"} {
		if word, _ := content.Text(name); word != "" && len(words) < 2 {
			words = append(words, word)
		}
	}
	return "[" + strings.Join(words, " ") + "]"
}

var messageID = wire.Pointer{"params", "update", "messageId"}

// Add adds a message, which must come in order. It returns the first chunk of the streamed message
// that m belongs to, perhaps m itself, or nil if m is not a chunk. Ended has the first chunks of
// the streamed messages that m ends: those of its session without an id, and the one before its
// own. If m was sent instead of a chunk, the streamed message of that chunk continues.
func (s *Streams) Add(m *Message) (first *Message, ended []*Message) {
	if !m.IsChunk() {
		return nil, s.Interrupt(m.Session)
	}
	if s.withID == nil {
		s.withID, s.withoutID = map[streamKey]*stream{}, map[string]map[streamKey]*stream{}
	}
	id, _ := wire.Text(messageID.Raw(m.JSON))
	key, open := keyOf(m), s.withID
	if id == "" {
		if open = s.withoutID[m.Session]; open == nil {
			open = map[streamKey]*stream{}
		}
	}
	if known := open[key]; known != nil && known.id == id {
		known.latest = m.Seq
		return known.first, nil
	}
	for k, other := range s.withoutID[m.Session] {
		if k == key || m.Of == nil || other.latest != m.Of.Seq {
			ended = append(ended, other.first)
			s.close(k)
		}
	}
	if other := s.withID[key]; other != nil {
		ended = append(ended, other.first)
		delete(s.withID, key)
	}
	if open[key] = (&stream{m, id, m.Seq}); id == "" {
		s.withoutID[m.Session] = open
	}
	return m, ended
}

func keyOf(m *Message) streamKey {
	return streamKey{m.Message.Dir, m.Update, m.Message.Stage, strings.Join(m.Message.By, "\x00"), m.Session}
}

// close forgets a streamed message without an id.
func (s *Streams) close(key streamKey) {
	of := s.withoutID[key.session]
	if delete(of, key); len(of) == 0 {
		delete(s.withoutID, key.session)
	}
}

// Interrupt ends the streamed messages without an id in a session, because another message came.
// The session "" means all sessions. It returns their first chunks.
func (s *Streams) Interrupt(session string) (ended []*Message) {
	if session == "" {
		for of := range s.withoutID {
			if of != "" {
				ended = append(ended, s.Interrupt(of)...)
			}
		}
	}
	for key, open := range s.withoutID[session] {
		ended = append(ended, open.first)
		s.close(key)
	}
	return ended
}

// End ends the streamed message whose first chunk is first.
func (s *Streams) End(first *Message) {
	key := keyOf(first)
	if open := s.withID[key]; open != nil && open.first == first {
		delete(s.withID, key)
	}
	if open := s.withoutID[key.session][key]; open != nil && open.first == first {
		s.close(key)
	}
}
