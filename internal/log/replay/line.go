// Package replay plays one peer of a record to a real peer. It is an agent that sends the recorded
// responses, or a client that sends the recorded requests.
package replay

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// sessionAt has the places in a message that name its session.
var sessionAt = []wire.Pointer{{"params", "sessionId"}, {"result", "sessionId"}}

// session returns the session that a message names, or "".
func session(line []byte) string {
	for _, at := range sessionAt {
		if id, ok := wire.Text(at.Raw(line)); ok {
			return id
		}
	}
	return ""
}

// withIDs returns a message with another id, unless id is nil, and with its session replaced by the
// one in sessions, if any. The result has no line end.
func withIDs(line, id []byte, sessions map[string]string) []byte {
	var edits []wire.Edit
	if at, ok := (wire.Pointer{"id"}).Find(line); ok && id != nil {
		edits = append(edits, wire.Edit{Span: at, With: id})
	}
	for _, p := range sessionAt {
		at, ok := p.Find(line)
		if !ok {
			continue
		}
		name, _ := wire.Text(line[at.Start:at.End])
		if other, ok := sessions[name]; ok {
			edits = append(edits, wire.Edit{Span: at, With: wire.Quote(nil, other)})
		}
	}
	return wire.Splice(nil, line, edits...)
}

// Codes of JSON-RPC errors.
const (
	methodNotFound = -32601
	internalError  = -32603
)

// failure returns an error response without a line end.
func failure(id []byte, code int, message string) []byte {
	return bytes.TrimSuffix(wire.Refusal(id, code, message), []byte("\n"))
}

// queues has the messages that are still to be played, in order, by method.
type queues[T any] map[string][]T

// next removes and returns the next message of a method.
func (q queues[T]) next(method string) (first T, ok bool) {
	if len(q[method]) == 0 {
		return first, false
	}
	first, q[method] = q[method][0], q[method][1:]
	return first, true
}

// eachLine calls take for each line until in ends. The error is one of reading.
func eachLine(in io.Reader, take func(line []byte)) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			take(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// elements returns the messages of a line, which may be a batch.
func elements(line []byte) [][]byte {
	if batch, ok := wire.Elements(line); ok {
		return batch
	}
	return [][]byte{bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))}
}

// isPlayed reports whether a message is readable, and was sent by the agent or reached it.
func isPlayed(m *history.Message) bool {
	if m.Message.Dir == record.Agent {
		return m.Message.Received() && m.Kind != history.Other
	}
	return m.Message.Sent() && m.Kind != history.Other
}

// original returns the client's message for one that reached the agent. acpshim may have changed
// it, and responses are related to the client's.
func original(m *history.Message) *history.Message {
	if m.Of != nil {
		return m.Of
	}
	return m
}
