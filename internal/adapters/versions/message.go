package versions

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A sentMessage is the part of a message of the agent that the client has.
type sentMessage struct {
	sentText // of its text blocks
	id       string
	blocks   int // other blocks
}

// maxSent is the maximum number of messages in a session's state.
const maxSent = 256

// messages are the recent messages of a session.
type messages struct {
	sent  []sentMessage // the newest at the end
	last  string        // the kind and the id of the last chunk, or "" after another update
	bytes int           // approximate memory
}

func (m *messages) of(id string) *sentMessage {
	if i := slices.IndexFunc(m.sent, func(s sentMessage) bool { return s.id == id }); i >= 0 {
		return &m.sent[i]
	}
	if len(m.sent) == maxSent {
		m.bytes -= 64 + len(m.sent[0].id)
		m.sent = slices.Delete(m.sent, 0, 1)
	}
	m.sent = append(m.sent, sentMessage{id: id})
	m.bytes += 64 + len(id)
	return &m.sent[len(m.sent)-1]
}

func (s *sentMessage) take(block *wire.Object) {
	if text, ok := blockText(block); ok {
		s.add(text)
	} else {
		s.blocks++
	}
}

func blockText(block *wire.Object) (text string, ok bool) {
	if textOf(block, "type") != acp.ContentText {
		return "", false
	}
	return block.Text("text")
}

// A chunk is a piece of a message.
type chunk struct {
	kind, id string
	block    *wire.Object
}

func readChunk(kind string, update *wire.Object, content []byte) chunk {
	id, _ := update.Text("messageId")
	return chunk{kind, id[:min(len(id), maxID)], open(content)}
}

// take notes a chunk that the client gets. It reports whether the chunk begins a new message
// directly after one of the same kind. Clients without support for message ids join the two.
func (m *messages) take(c chunk) (joins bool) {
	m.of(c.kind + "\x00" + c.id).take(c.block)
	now := c.kind + "\x00" + c.id
	joins = m.last != now && strings.HasPrefix(m.last, c.kind+"\x00")
	m.last = now
	return joins
}

// withBlankLine adds a blank line to the beginning of a text block that does not begin with a
// newline. It returns other blocks as they are.
func withBlankLine(block *wire.Object, raw []byte) []byte {
	text, ok := blockText(block)
	if !ok || strings.HasPrefix(text, "\n") {
		return raw
	}
	return wire.Splice(nil, raw, block.Set(wire.Setting{Name: "text", Value: wire.Quote(nil, "\n\n"+text)})...)
}

// wholeMessage returns the chunks of a complete message that the client does not have yet. It
// reports false if the client has other text, because version 1 cannot undo that.
func (m *messages) wholeMessage(update *wire.Object, chunkKind string) (chunks [][]byte, ok bool) {
	id, _ := update.Text("messageId")
	id = id[:min(len(id), maxID)]
	sent := *m.of(chunkKind + "\x00" + id)
	elements, _ := wire.Elements(each(blockTo1)(update.Raw("content")))
	var text strings.Builder
	others := 0
	for _, raw := range elements {
		if t, isText := blockText(open(raw)); isText {
			text.WriteString(t)
		} else {
			others++
		}
	}
	if len(elements) == 0 {
		return nil, sent.length == 0 && sent.blocks == 0
	}
	if !sent.isBeginningOf(text.String()) || others < sent.blocks {
		return nil, false
	}
	rest, blocks := sent.length, sent.blocks
	for _, raw := range elements {
		block := open(raw)
		switch t, isText := blockText(block); {
		case isText && rest >= len(t):
			rest -= len(t)
			continue
		case isText && rest > 0:
			raw, rest = textBlock(t[rest:]), 0
		case isText:
		case blocks > 0:
			blocks--
			continue
		}
		if block = open(raw); m.take(chunk{chunkKind, id, block}) {
			raw = withBlankLine(block, raw)
		}
		chunks = append(chunks, object(nil).text("sessionUpdate", chunkKind).with("content", raw).text("messageId", id).json())
	}
	return chunks, true
}
