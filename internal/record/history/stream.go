package history

import (
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// Streams finds the pieces of streamed messages: a peer sends a long text as chunks. Messages have
// to come in order. The zero Streams is ready for use by one goroutine at a time.
type Streams struct {
	named    map[streamKey]*stream            // with an id; other messages may come between the pieces
	nameless map[string]map[streamKey]*stream // by session
}

type streamKey struct {
	dir                        wire.Side
	update, stage, by, session string
}

type stream struct {
	first  *Message
	id     string
	latest uint64 // the number of the last piece
}

// Streamed reports whether a message is a piece of a streamed one.
func (m *Message) Streamed() bool {
	return m.Update == acp.AgentMessageChunk || m.Update == acp.AgentThoughtChunk || m.Update == acp.UserMessageChunk
}

// Piece is the text of a piece of a streamed message, or in brackets its type if it is not a text.
// It is "⋯" for a piece that cannot be read.
func (m *Message) Piece() string {
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

// Add returns the first piece of the streamed message that m is a piece of, which may be m; nil if
// m is not a piece. Ended are the first pieces of the streamed messages that m ends: those of its
// session without an id, and the one before its own. If m was sent instead of a piece, the streamed
// message of that piece continues.
func (s *Streams) Add(m *Message) (first *Message, ended []*Message) {
	if !m.Streamed() {
		return nil, s.Interrupt(m.Session)
	}
	if s.named == nil {
		s.named, s.nameless = map[streamKey]*stream{}, map[string]map[streamKey]*stream{}
	}
	id, _ := wire.Text(messageID.Raw(m.JSON))
	key, open := keyOf(m), s.named
	if id == "" {
		if open = s.nameless[m.Session]; open == nil {
			open = map[streamKey]*stream{}
		}
	}
	if known := open[key]; known != nil && known.id == id {
		known.latest = m.Seq
		return known.first, nil
	}
	for k, other := range s.nameless[m.Session] {
		if k == key || m.Of == nil || other.latest != m.Of.Seq {
			ended = append(ended, other.first)
			s.close(k)
		}
	}
	if other := s.named[key]; other != nil {
		ended = append(ended, other.first)
		delete(s.named, key)
	}
	if open[key] = (&stream{m, id, m.Seq}); id == "" {
		s.nameless[m.Session] = open
	}
	return m, ended
}

func keyOf(m *Message) streamKey {
	return streamKey{m.Message.Dir, m.Update, m.Message.Stage, strings.Join(m.Message.By, "\x00"), m.Session}
}

// close forgets a streamed message without an id.
func (s *Streams) close(key streamKey) {
	of := s.nameless[key.session]
	if delete(of, key); len(of) == 0 {
		delete(s.nameless, key.session)
	}
}

// Interrupt ends the streamed messages without an id of a session, or of all sessions if that is
// "", because something else came. It returns their first pieces.
func (s *Streams) Interrupt(session string) (ended []*Message) {
	if session == "" {
		for of := range s.nameless {
			if of != "" {
				ended = append(ended, s.Interrupt(of)...)
			}
		}
	}
	for key, open := range s.nameless[session] {
		ended = append(ended, open.first)
		s.close(key)
	}
	return ended
}

// End ends the streamed message that began with first.
func (s *Streams) End(first *Message) {
	key := keyOf(first)
	if open := s.named[key]; open != nil && open.first == first {
		delete(s.named, key)
	}
	if open := s.nameless[key.session][key]; open != nil && open.first == first {
		s.close(key)
	}
}
