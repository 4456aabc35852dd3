package report

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
)

// relate relates the rows of all messages.
func (b *builder) relate() {
	for m, i := range b.rows {
		r := b.data.Rows[i]
		r.Request, r.Response, r.For = b.index(m.Request), b.index(m.End()), b.index(m.For)
		r.Of, r.Beside, r.Later = b.index(m.Of), b.index(m.AddedTo), b.index(m.Later)
		r.Same = r.Of != nil && bytes.Equal(m.Of.JSON, m.JSON)
	}
}

// A callKey identifies a tool call.
type callKey struct{ session, id string }

// maxCalls bounds the tool calls that are remembered.
const maxCalls = 1 << 16

// call relates the updates of a tool call to its first message.
func (b *builder) call(m *history.Message, r *row) {
	if m.Update != acp.ToolCall && m.Update != acp.ToolCallUpdate || m.Message.Stage == "out" {
		return
	}
	id, _ := wire.Text(wire.Pointer{"params", "update", "toolCallId"}.Raw(m.JSON))
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
