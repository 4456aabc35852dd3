package dispatch

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// callWants say which messages about tool calls the conversation notes: see Want.Calls.
type callWants struct {
	by    set // the adapters with Want.Calls
	all   bool
	texts [][]byte // of the tool_calls that are read otherwise
}

func (w *callWants) add(bit set, want Want) {
	w.by |= bit
	w.all = w.all || want.Text == ""
	w.texts = append(w.texts, []byte(want.Text))
}

// isFirst reports whether the i-th adapter is the first one that wants to know calls.
func (w *callWants) isFirst(i int) bool { return w.by.has(i) && w.by&(1<<i-1) == 0 }

// verdict is the verdict on an update because of Want.Calls. IsAll says that the head is complete.
// Never says that any line that begins like this one passes.
func (w *callWants) verdict(h wire.Head, head []byte, isAll bool) (v wire.Verdict, never bool) {
	switch {
	case w.by == 0 || !isOfCall(h.SessionUpdate) || !w.all && string(h.SessionUpdate) == acp.ToolCallUpdate:
		return wire.Pass, true
	case w.all:
		return wire.Hold, false
	}
	for _, text := range w.texts {
		if bytes.Contains(head, text) {
			return wire.Hold, false
		}
	}
	if !isAll {
		return wire.More, false
	}
	return wire.Pass, false
}

// noteCall notes what a message says about a tool call. It reports false if the message cannot be
// read any more.
func (d *Direction) noteCall(m *Message) bool {
	if m.stale && m.read() != nil {
		return false
	}
	c := d.d.conversation
	switch {
	case m.IsAmbiguous: // see loseCall
	case m.Method == acp.SessionUpdate && isOfCall([]byte(m.Update)):
		c.NoteCall(m.Session, m.Params().Open("update"), m.Update != acp.ToolCallUpdate)
	case m.Method == acp.SessionRequestPermission && m.Kind == Request:
		if call, err := wire.Parse(m.Params().Raw("toolCall")); err == nil {
			c.NoteAsked(m.Session, call)
		} else {
			c.LoseCall(m.Session, "")
		}
	}
	return true
}

// loseCall notes that a message that may be about a tool call cannot be read.
func (d *Direction) loseCall(m *Message) {
	if d.table.calls.by == 0 {
		return
	}
	isOther := func(h wire.Head) bool {
		return h.Response || h.Method != nil && string(h.Method) != acp.SessionUpdate && string(h.Method) != acp.SessionRequestPermission ||
			h.SessionUpdate != nil && !isOfCall(h.SessionUpdate)
	}
	h, reading := wire.PeekHead(m.Line[:min(len(m.Line), wire.HeadSize)], func(h wire.Head) bool {
		return isOther(h) || h.SessionID != nil && h.ToolCallID != nil
	})
	if reading != wire.NotJSON && !isOther(h) {
		d.d.conversation.LoseCall(string(h.SessionID), string(h.ToolCallID))
	}
}
