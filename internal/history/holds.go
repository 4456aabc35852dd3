package history

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
)

// holds find the messages that acpshim held and sent later as they were. The zero value is ready
// for use.
type holds struct {
	seed maphash.Seed
	held map[uint64][]*Message // by the hash of their text
	size int
}

// add takes in a message, and sets Later of the one that it was held as.
func (h *holds) add(m *Message) {
	isHeld := func(reason string) bool { return strings.Contains(reason, " holds ") }
	switch {
	case m.JSON == nil || m.Kind == Response:
	case m.Message.Stage == "in" && slices.ContainsFunc(m.Message.Why, isHeld):
		if h.held == nil || h.size >= maxHeld {
			h.seed, h.held, h.size = maphash.MakeSeed(), map[uint64][]*Message{}, 0
		}
		key := maphash.Bytes(h.seed, m.JSON)
		h.held[key] = append(h.held[key], m)
		h.size++
	case h.size > 0 && m.Message.Stage == "out":
		key := maphash.Bytes(h.seed, m.JSON)
		i := slices.IndexFunc(h.held[key], func(held *Message) bool {
			return held.Seq != m.Message.Of && held.Message.Dir == m.Message.Dir && share(m, held) && bytes.Equal(held.JSON, m.JSON)
		})
		if i >= 0 {
			h.held[key][i].Later = m
			h.held[key] = slices.Delete(h.held[key], i, i+1)
			h.size--
		}
	}
}
