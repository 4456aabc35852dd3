package replay

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// A Name is the name and version of a peer. The zero Name is not a name.
type Name struct{ Name, Version string }

// Rename gives the peers of a history other names, in their initialize messages as they were
// received and as they were sent. It changes h. A peer keeps its name if the new name is empty, or
// if it sent none.
func Rename(h *history.History, client, agent Name) {
	for _, m := range h.Messages {
		name, at := client, []wire.Pointer{{"params", "clientInfo"}, {"params", "info"}}
		if m.Message.Dir == record.Agent {
			name, at = agent, []wire.Pointer{{"result", "agentInfo"}, {"result", "info"}}
		}
		isOfClient := m.Message.Dir == record.Client
		isIntroduction := m.Method == acp.Initialize && (m.Kind == history.Request) == isOfClient
		isBatch := bytes.HasPrefix(bytes.TrimSpace(m.Message.Line), []byte("["))
		if name.Name == "" || !isIntroduction || isBatch {
			continue
		}
		for _, place := range at {
			m.Message.Line = withName(m.Message.Line, place, name)
			m.JSON = withName(m.JSON, place, name)
		}
	}
}

// withName returns a message with another name and version at a place, if it has a name there.
func withName(line []byte, place wire.Pointer, name Name) []byte {
	at, ok := place.Find(line)
	if !ok {
		return line
	}
	info := append(wire.Quote([]byte(`{"name":`), name.Name), `,"version":`...)
	info = append(wire.Quote(info, name.Version), '}')
	return wire.Splice(nil, line, wire.Edit{Span: at, With: info})
}
