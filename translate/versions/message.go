package versions

import (
	"slices"
	"strings"

	"acpshim/internal/wire"
)

// A said is what the client was told of a message of the agent.
type said struct {
	told   // the text of its blocks that are texts
	id     string
	blocks int // of other kinds
}

// maxSaid is of how many messages of a session it is known what the client was told of them.
const maxSaid = 256

// messages are those of a session that were told lately, the last one at the end.
type messages struct {
	said  []said
	last  string // the kind and the id of the chunk that came last, "" if something else did
	bytes int    // about how many they take
}

// of returns what was told of a message.
func (m *messages) of(id string) *said {
	if i := slices.IndexFunc(m.said, func(s said) bool { return s.id == id }); i >= 0 {
		return &m.said[i]
	}
	if len(m.said) == maxSaid {
		m.bytes -= 64 + len(m.said[0].id)
		m.said = slices.Delete(m.said, 0, 1)
	}
	m.said = append(m.said, said{id: id})
	m.bytes += 64 + len(id)
	return &m.said[len(m.said)-1]
}

func (s *said) take(block *wire.Object) {
	if text, ok := blockText(block); ok {
		s.add(text)
	} else {
		s.blocks++
	}
}

// blockText is the text of a block that is one.
func blockText(block *wire.Object) (text string, ok bool) {
	if textOf(block, "type") != "text" {
		return "", false
	}
	return block.Text("text")
}

// A chunk is a piece of a message: its kind, the id of the message, and the block.
type chunk struct {
	kind, id string
	block    *wire.Object
}

func readChunk(kind string, update *wire.Object) chunk {
	id, _ := update.Text("messageId")
	return chunk{kind, id[:min(len(id), maxID)], open(update.Raw("content"))}
}

// take takes in a chunk that the client is given, and reports whether it begins another message
// right behind one of its kind: clients that know no message ids join the two.
func (m *messages) take(c chunk) (joins bool) {
	m.of(c.kind + "\x00" + c.id).take(c.block)
	now := c.kind + "\x00" + c.id
	joins = m.last != now && strings.HasPrefix(m.last, c.kind+"\x00")
	m.last = now
	return joins
}

// apart is a block of text with a blank line before it; the block itself if it is no text, or has
// one.
func apart(block *wire.Object, raw []byte) []byte {
	text, ok := blockText(block)
	if !ok || strings.HasPrefix(text, "\n") {
		return raw
	}
	return wire.Splice(nil, raw, block.Set(wire.Setting{Name: "text", Value: wire.Quote(nil, "\n\n"+text)})...)
}

// whole returns the chunks with which a client of version 1 gets the rest of a message that version
// 2 tells as a whole. It reports false if the client was told something else: it cannot take back
// what it shows.
func (m *messages) whole(update *wire.Object, chunkKind string) (chunks [][]byte, ok bool) {
	id, _ := update.Text("messageId")
	id = id[:min(len(id), maxID)]
	told := *m.of(chunkKind + "\x00" + id)
	elements, _ := wire.Elements(update.Raw("content"))
	text, others := "", 0
	for _, raw := range elements {
		if t, isText := blockText(open(raw)); isText {
			text += t
		} else {
			others++
		}
	}
	if len(elements) == 0 {
		return nil, told.length == 0 && told.blocks == 0
	}
	if !told.isBeginningOf(text) || others < told.blocks {
		return nil, false
	}
	rest, blocks := told.length, told.blocks
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
		case !isBlock(textOf(block, "type")):
			continue
		}
		if block = open(raw); m.take(chunk{chunkKind, id, block}) {
			raw = apart(block, raw)
		}
		chunks = append(chunks, object(nil).text("sessionUpdate", chunkKind).with("content", raw).text("messageId", id).json())
	}
	return chunks, true
}
