package report

import (
	"bytes"

	"acpshim/internal/history"
	"acpshim/internal/wire"
)

// became relates the rows of messages that went on to those that came. A record of before there
// was a place in it names the same message for what took its place and what was put beside it.
func (b *builder) became(messages []*history.Message) {
	outs := map[*history.Message][]*history.Message{}
	for _, m := range messages {
		if m.Of != nil {
			outs[m.Of] = append(outs[m.Of], m)
		}
		if i, ok := b.rows[m]; ok {
			b.data.Rows[i].Beside = b.index(m.Beside)
		}
	}
	for came, went := range outs {
		replacement := replacementOf(came, went)
		for _, m := range went {
			i, ok := b.rows[m]
			switch {
			case !ok:
			case m == replacement:
				b.data.Rows[i].Of, b.data.Rows[i].Same = b.index(came), bytes.Equal(came.JSON, m.JSON)
			default:
				b.data.Rows[i].Beside = b.index(came)
			}
		}
	}
}

// replacementOf is which of the messages that went on stands for the one that came; nil if none
// does. It is the same message, or one of its likeness, or for a notification the first of
// another kind that says no more than a line of text could: chunks are put beside it.
func replacementOf(came *history.Message, went []*history.Message) *history.Message {
	for _, like := range []func(*history.Message) bool{
		func(m *history.Message) bool { return bytes.Equal(came.JSON, m.JSON) },
		func(m *history.Message) bool {
			return m.Kind == came.Kind && m.ID == came.ID && m.Update == came.Update
		},
		func(m *history.Message) bool {
			return m.Kind == history.Notification && came.Kind == m.Kind && !m.Streamed()
		},
		func(m *history.Message) bool { return came.Kind == history.Other },
	} {
		for _, m := range went {
			if like(m) {
				return m
			}
		}
	}
	return nil
}

// A callKey is of a tool call.
type callKey struct{ session, id string }

// maxCalls bounds the tool calls that are remembered.
const maxCalls = 1 << 16

// call relates the updates of a tool call to the message that began it.
func (b *builder) call(m *history.Message, r *row) {
	if m.Update != "tool_call" && m.Update != "tool_call_update" || m.Message.Stage == "out" {
		return
	}
	id := toolCallID(m)
	if id == "" || len(b.calls) >= maxCalls {
		return
	}
	key := callKey{m.Session, id}
	first, known := b.calls[key]
	if !known {
		b.calls[key] = b.rows[m]
		return
	}
	r.Call, b.data.Rows[first].Call = &first, &first
}

var toolCall = wire.Pointer{"params", "update", "toolCallId"}

// toolCallID is the id of the tool call that a message is about, or "".
func toolCallID(m *history.Message) string {
	id, _ := wire.Text(toolCall.Raw(m.JSON))
	return id
}
