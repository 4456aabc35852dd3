package choices

import (
	"bytes"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A call is a pending request of the client that sets a choice.
type call struct {
	kind  int // the index in kinds
	sent  form
	value string
	other []byte // the request in the other form; nil if it cannot be sent so, or was
}

// maxCall bounds what is kept of a request to send it again, in bytes.
const maxCall = 4 << 10

// call sends a request that sets a choice in a form that the agent has.
func (a *Adapter) call(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	if r == nil {
		return
	}
	a.with(m.Session, func(s *session) {
		i, value, asked := s.called(m)
		if i < 0 {
			return
		}
		c := &s.choices[i]
		respelled := respell(m, &kinds[i], asked, c.id)
		sent := &call{kind: i, sent: asked, value: value, other: respelled}
		if other := asked.other(); c.offers(other) && !c.offers(asked) {
			sent.sent, sent.other = other, bytes.Clone(m.Line)
			m.Replace(respelled)
		}
		if !c.offered[sent.sent.other()] || len(sent.other) > maxCall {
			sent.other = nil
		}
		a.calls[r] = sent
	})
}

// offers reports whether the agent offers a choice in a form, and was not seen to refuse it.
func (c *choice) offers(f form) bool { return c.offered[f] && !c.refused[f] }

// called returns which choice a request sets, to what, and in which form; -1 if it sets another.
func (s *session) called(m *dispatch.Message) (i int, value string, asked form) {
	params := m.Params()
	id, _ := params.Text("configId")
	for i, k := range kinds {
		name := k.param
		if m.Method == setOption {
			name, asked = "value", asOption
		}
		value, ok := params.Text(name)
		if ok && (m.Method == k.method || asked == asOption && id == s.choices[i].id && id != "") {
			return i, value, asked
		}
	}
	return -1, "", asked
}

// respell returns a request that sets a choice in the other form than asked; id is that of the
// select.
func respell(m *dispatch.Message, k *kind, asked form, id string) []byte {
	method := wire.Edit{Span: m.Object.Get("method").Value, With: wire.Quote(nil, setOption)}
	params := m.Params()
	if asked == asList {
		named := params.Get(k.param)
		with := append(wire.Quote([]byte(`"configId":`), id), `,"value":`...)
		return wire.Splice(nil, m.Line, method, wire.Edit{
			Span: wire.Span{Start: named.Key.Start, End: named.Value.End}, With: append(with, params.Raw(k.param)...)})
	}
	method.With = wire.Quote(nil, k.method)
	named := params.Get("configId")
	with := append(append(wire.Quote(nil, k.param), ':'), params.Raw("value")...)
	line := wire.Splice(nil, m.Line, method, wire.Edit{Span: wire.Span{Start: named.Key.Start, End: named.Value.End}, With: with})
	return without(without(line, "params", "value"), "params", "type")
}

// without returns a line without a member, if it is there.
func without(line []byte, path ...string) []byte {
	if shorter, err := wire.Selector(path).Delete(line); err == nil {
		return shorter
	}
	return line
}

// methodNotFound is the code of an error of JSON-RPC.
const methodNotFound = "-32601"

// answer gives the response to a request that sets a choice, or another option, what its method
// promises, and tells what changed in the other form.
func (a *Adapter) answer(m *dispatch.Message) {
	a.opts.Conversation.Lock()
	c := a.answered[m.Request]
	delete(a.answered, m.Request)
	a.opts.Conversation.Unlock()
	if m.IsRefusal() {
		a.refused(m, c)
		return
	}
	a.with(m.Request.Session, func(s *session) {
		before, had := s.current(), s.all()
		result := m.Result()
		s.take(result.Raw("configOptions"))
		if c != nil {
			s.choices[c.kind].choose(c.value)
		}
		if m.Request.Method == setOption {
			all := wire.Setting{Name: "configOptions", Value: s.all()}
			switch {
			case !s.isMade():
			case result == nil: // some agents respond to session/set_mode with null
				all.Value = append(append([]byte(`{"configOptions":`), all.Value...), '}')
				m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: all.Value})...)
			case !bytes.Equal(all.Value, result.Raw("configOptions")):
				m.Edit(result.Set(all)...)
			}
			m.After(s.tellCurrent(m.Request.Session, before))
			return
		}
		if c != nil && c.sent == asOption {
			m.Replace(without(m.Line, "result", "configOptions"))
		}
		if !bytes.Equal(had, s.all()) {
			m.After(s.tellOptions(m.Request.Session))
		}
	})
}

// refused sends a call in the other form if the agent does not know the method.
func (a *Adapter) refused(m *dispatch.Message, c *call) {
	e, _ := wire.Parse(m.Object.Raw("error"))
	if c == nil || wire.ID(e.Raw("code")) != methodNotFound {
		return
	}
	a.with(m.Request.Session, func(s *session) { s.choices[c.kind].refused[c.sent] = true })
	if c.other == nil {
		return
	}
	a.opts.Conversation.Note(m.ID, conversation.Request{From: dispatch.Client, Method: m.Request.Method, Session: m.Request.Session})
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	a.opts.Conversation.Lock()
	a.calls[r] = &call{kind: c.kind, sent: c.sent.other(), value: c.value}
	a.opts.Conversation.Unlock()
	if !a.opts.Send(wire.EndLine(c.other)) {
		a.opts.Conversation.Forget(dispatch.Client, m.ID)
		return
	}
	m.Drop()
}
