package rule

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A message is what rules are applied to: a JSON object that is a line or an element of a batch.
type message struct {
	line    []byte // with its line end, if it is a line
	object  *wire.Object
	kind    dispatch.Kind
	method  string
	id      []byte // raw; nil if it has none
	update  string // params.update.sessionUpdate of session/update
	session string // params.sessionId

	values     map[string]found // those that conditions were about so far, by Condition.why
	responseTo string           // of a response: the method of its request; "" if that is not known
	holder     string           // the rule that wants it held until its session is open; or ""
}

// readMessage reads a line, which the message then points into. The error is one of [wire.Parse],
// or [dispatch.ErrMalformed]. If params or update are ambiguous, what they say is left empty.
func readMessage(line []byte) (message, error) {
	m := message{line: line}
	var err error
	for _, paths := range [][]string{{"params", "params.update"}, {"params"}, nil} {
		m.object, err = wire.Parse(line, paths...)
		if m.object != nil || !errors.Is(err, wire.ErrAmbiguous) {
			break
		}
	}
	if err != nil {
		return m, err
	}
	m.id, m.kind = m.object.Raw("id"), dispatch.KindOf(m.object)
	if m.kind == dispatch.Malformed {
		return m, dispatch.ErrMalformed
	}
	m.method, _ = m.object.Text("method")
	params := m.object.Open("params")
	m.session, _ = params.Text("sessionId")
	if m.method == "session/update" {
		m.update, _ = params.Open("update").Text("sessionUpdate")
	}
	return m, nil
}

var errUnsound = errors.New(`what it makes is refused: want "jsonrpc":"2.0", params that are an object or an array, and an error with a code and a message`)

// isSound reports whether a message is as JSON-RPC 2.0 has it in what peers may not forgive. Some
// agents send others, which pass; a rule makes none of a sound one.
func (m *message) isSound() bool {
	if version, _ := m.object.Text("jsonrpc"); version != "2.0" {
		return false
	}
	if params := m.object.Raw("params"); params != nil && params[0] != '{' && params[0] != '[' {
		return false
	}
	raw := m.object.Raw("error")
	return wire.IsAbsent(raw) || isError(raw)
}

// isError reports whether a value is an object with a whole number as code and text as message.
func isError(raw []byte) bool {
	e, err := wire.Parse(raw)
	_, isText := e.Text("message")
	code := wire.ID(e.Raw("code"))
	return err == nil && isText && code != "" && !strings.ContainsAny(code, `".eE`)
}

// meets reports whether the message is as a condition asks.
func (m *message) meets(c *Condition) bool {
	if c.Pointer.IsMany() {
		return c.Met(m.toward(c.Pointer))
	}
	return c.test(m.find(c))
}

// A found is what [wire.Selector.Find] returned.
type found struct {
	raw []byte
	err error
}

// find returns the one value that a condition is about. It remembers it: many rules may ask for it.
func (m *message) find(c *Condition) ([]byte, error) {
	f, ok := m.values[c.why]
	if !ok {
		raw, rest := m.toward(c.Pointer)
		if f.err = wire.ErrNoValue; raw != nil {
			f.raw, f.err = rest.Find(raw)
		}
		if m.values == nil {
			m.values = map[string]found{}
		}
		m.values[c.why] = f
	}
	return f.raw, f.err
}

// toward returns a value on the way of a pointer, and the rest of the way: what has been read of
// the message is not read again. The value is nil if it is not there.
func (m *message) toward(p wire.Selector) (raw []byte, rest wire.Selector) {
	o := m.object
	for len(p) > 1 && o.Open(p[0]) != nil {
		o, p = o.Open(p[0]), p[1:]
	}
	if len(p) == 0 {
		return m.line[o.Start:o.End], nil
	}
	return o.Raw(p[0]), p[1:]
}

// become returns the message with another line in its place. The error says why a rule may not make
// this of it: it has to stay a message of the same kind and id.
func (m *message) become(line []byte) (message, error) {
	next, err := m.next(line)
	if err != nil {
		return message{}, err
	}
	if next.kind != m.kind || !bytes.Equal(next.id, m.id) {
		return message{}, errors.New("it would change what the message is: a request, a notification or a response, and its id")
	}
	return next, nil
}

// next reads a line that a rule makes of the message. What peers may not forgive in it is an error.
func (m *message) next(line []byte) (message, error) {
	next, err := readMessage(line)
	switch {
	case err != nil:
		return next, fmt.Errorf("what it makes is refused: %w", err)
	case m.isSound() && !next.isSound():
		return next, errUnsound
	}
	next.responseTo, next.holder = m.responseTo, m.holder
	return next, nil
}
