package view

import (
	"cmp"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// A call is a tool call in the messages that became the same: as they came, or as they went on.
type call struct {
	dir                    record.Direction
	session, id, stage, by string
}

// A state is what messages say of a tool call.
type state struct{ title, status, content string }

func (s state) String() string {
	if s.status != "" {
		s.status = "[" + s.status + "]"
	}
	return joined(", ", joined(" ", s.status, s.title), s.content)
}

// toolCall is what a message says of a tool call: its title, which only some of them have, its
// status and how much content there is.
func (v *View) toolCall(m *history.Message) (call, state) {
	msg, err := wire.Parse(m.JSON, opened...)
	if err != nil {
		return call{}, state{title: unread(m)}
	}
	update := msg.Open("params").Open("update")
	id, _ := update.Text("toolCallId")
	said := state{text(update, "title"), text(update, "status"), counted(update.Raw("content"), "content")}
	key := m.Session + "\x00" + id
	if said.title == "" {
		said.title = cmp.Or(v.titles[key], terminal.Plain(id, maxText))
	} else if len(key) < 1000 {
		if len(v.titles) >= maxKept {
			clear(v.titles)
		}
		v.titles[key] = said.title
	}
	return call{m.Message.Dir, m.Session, id, m.Message.Stage, strings.Join(m.Message.By, "\x00")}, said
}

// callUpdate adds an update of a tool call to the row of the updates before it, or begins one. What
// stays as it is, an update may leave out. The row ends with the call.
func (v *View) callUpdate(m *history.Message, row *Row, of call, said state) (rows []Row) {
	_, ended := v.streams.Add(m)
	v.endAll(ended)
	open := v.open[of]
	if open == nil {
		open = row
		v.because(m, row)
		row.fold = &fold{key: of, what: "updates"}
		rows = v.add(row, nil)
	}
	f := open.fold
	f.count(m)
	f.state = state{said.title, cmp.Or(said.status, f.state.status), cmp.Or(said.content, f.state.content)}
	f.text = f.state.String()
	if f.pieces == 1 {
		f.text = cmp.Or(changed(m), f.text)
	}
	if said.status == "completed" || said.status == "failed" {
		v.end(open)
	}
	return append(rows, v.complete()...)
}
