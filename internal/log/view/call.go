package view

import (
	"cmp"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A call identifies the updates of a tool call that share a row: either as they came, or as acpshim
// sent them on.
type call struct {
	dir                    wire.Side
	session, id, stage, by string
}

// A state is how far a tool call is.
type state struct{ title, status, content string }

func (s state) String() string {
	if s.status != "" {
		s.status = "[" + s.status + "]"
	}
	return joined(", ", joined(" ", s.status, s.title), s.content)
}

// toolCall reads an update of a tool call. Only some updates have a title, so it is remembered.
func (v *View) toolCall(m *history.Message) (call, state) {
	msg := parsed(m)
	if msg == nil {
		return call{}, state{title: unread(m)}
	}
	update := msg.Open("params").Open("update")
	id, _ := update.Text("toolCallId")
	now := state{text(update, "title"), text(update, "status"), counted(update.Raw("content"), "content")}
	key := m.Session + "\x00" + id
	if now.title == "" {
		now.title = cmp.Or(v.titles[key], terminal.Plain(id, maxText))
	} else if len(key) < 1000 {
		remember(&v.titles, key, now.title)
	}
	return call{m.Message.Dir, m.Session, id, m.Message.Stage, strings.Join(m.Message.By, "\x00")}, now
}

// callUpdate adds an update of a tool call to the row of the updates before it. An update may leave
// out what has not changed. The row ends with the call.
func (v *View) callUpdate(m *history.Message, row *Row, key call, now state) []Row {
	open, rows := v.join(m, row, key, "updates")
	f := open.fold
	f.state = state{now.title, cmp.Or(now.status, f.state.status), cmp.Or(now.content, f.state.content)}
	f.text = f.state.String()
	if f.count == 1 {
		f.text = cmp.Or(changed(m), f.text)
	}
	if open.Failed = open.Failed || now.status == acp.StatusFailed; open.Failed || now.status == acp.StatusCompleted {
		v.end(open)
	}
	return append(rows, v.complete()...)
}
