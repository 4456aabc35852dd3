package rule

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A message is a JSON object that is a line or an element of a batch.
type message struct {
	line    []byte // with its line end if it is a line
	object  *wire.Object
	kind    dispatch.Kind
	method  string
	id      []byte // raw; nil if it has none
	update  string // params.update.sessionUpdate of session/update
	session string // params.sessionId

	values     map[string]lookup // by Condition.why
	responseTo string            // the method of a response's request; "" if unknown
	holder     string            // the rule that holds it until its session is open; may be empty
}

// readMessage reads a line. The message points into it. The error is an error of [wire.Parse] or
// [dispatch.ErrMalformed]. If params or update are ambiguous, their fields stay empty.
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
	if m.method == acp.SessionUpdate {
		m.update, _ = params.Open("update").Text("sessionUpdate")
	}
	return m, nil
}

var errUnsound = errors.New(`what it makes is refused: want "jsonrpc":"2.0", params that are an object or an array, and an error with a code and a message`)

// isSound reports whether a message is valid JSON-RPC 2.0 where peers may not be lenient. Some
// agents send other messages, and these pass. But a rule must not break a sound message.
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

// isError reports whether a value is an object with an integer code and a message.
func isError(raw []byte) bool {
	e, err := wire.Parse(raw)
	_, isText := e.Text("message")
	code := wire.ID(e.Raw("code"))
	return err == nil && isText && code != "" && !strings.ContainsAny(code, `".eE`)
}

// meets reports whether the message meets a condition.
func (m *message) meets(c *Condition) bool {
	if c.Pointer.IsMany() {
		return c.Met(m.toward(c.Pointer))
	}
	return c.test(m.find(c))
}

// A lookup is the result of [wire.Selector.Find].
type lookup struct {
	raw []byte
	err error
}

// find returns the value of a condition. It caches it, because many rules may need the same value.
func (m *message) find(c *Condition) ([]byte, error) {
	f, ok := m.values[c.why]
	if !ok {
		raw, rest := m.toward(c.Pointer)
		if f.err = wire.ErrNoValue; raw != nil {
			f.raw, f.err = rest.Find(raw)
		}
		if m.values == nil {
			m.values = map[string]lookup{}
		}
		m.values[c.why] = f
	}
	return f.raw, f.err
}

// toward returns a value on the path of a pointer, and the remaining path. So what was parsed is
// not parsed again. The value is nil if it does not exist.
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

// become returns the message with another line. It returns an error unless the line has the same
// kind and id.
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

// next reads a line that a rule made of the message. It returns an error if peers may reject the
// line.
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
