package choices

import (
	"bytes"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A call is a pending request of the client that sets a choice.
type call struct {
	kind    int // the index in kinds
	number  int // counts all calls: a later one has a higher number
	session string
	sent    form // in which the agent got it
	value   string
	other   []byte // the request in the other form; nil if it cannot be sent so, or was
	isTold  bool   // an update told the value while the call was pending, so later ones are newer
}

// maxCall bounds what is kept of a request to send it again, in bytes.
const maxCall = 4 << 10

// call notes a request that sets a choice, and sends it in a form that the agent has.
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
		a.number++
		sent := &call{kind: i, number: a.number, session: m.Session, sent: asked, value: value, other: respelled}
		if other := asked.other(); respelled != nil && c.offers(other) && !c.offers(asked) {
			sent.sent, sent.other = other, bytes.Clone(m.Line)
			m.Because("the agent offers this choice in the other form")
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
// select. It is nil if there are members of both forms.
func respell(m *dispatch.Message, k *kind, asked form, id string) []byte {
	method := wire.Edit{Span: m.Object.Get("method").Value, With: wire.Quote(nil, setOption)}
	params := m.Params()
	if params.Get(k.param) != nil && (params.Get("configId") != nil || params.Get("value") != nil) {
		return nil
	}
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
	return wire.Without(wire.Without(line, "params", "value"), "params", "type")
}

// answer completes the response to a request that sets a choice, or another option, as its method
// promises, and tells the client in the other form what changed. Updates stand behind a whole
// batch, so in a batch each change is told in one, even if a response in the batch has told it.
func (a *Adapter) answer(m *dispatch.Message) {
	c := a.last
	a.last = nil
	if m.IsRefusal() {
		a.refused(m, c)
		return
	}
	a.with(m.Request.Session, func(s *session) {
		before, had := s.current(), s.all()
		result := m.Result()
		told := s.take(result.Raw("configOptions"))
		if c != nil && !(c.sent == asOption && told[c.kind]) {
			s.answered(c)
		}
		isNew := !bytes.Equal(had, s.all()) && (told != [len(kinds)]bool{} || s.isMade())
		switch {
		case m.Request.Method == setOption:
			s.complete(m)
			isNew = isNew && m.InBatch() // else the response tells it
		case c != nil && c.sent == asOption:
			m.Replace(wire.Without(m.Line, "result", "configOptions"))
		}
		if c != nil && m.Request.Method != setOption {
			before[c.kind] = c.value // the client knows it by the success
			if m.InBatch() {
				before[c.kind] = "" // an update behind the batch tells it in any case
			}
		}
		if isNew {
			m.After(s.tellOptions(m.Request.Session))
		}
		m.After(s.tellCurrent(m.Request.Session, before))
	})
}

// complete gives the response to a request that sets an option all options.
func (s *session) complete(m *dispatch.Message) {
	all, result := wire.Setting{Name: "configOptions", Value: s.all()}, m.Result()
	switch {
	case !s.isMade():
	case result == nil: // some agents respond to session/set_mode with null
		all.Value = append(append([]byte(`{"configOptions":`), all.Value...), '}')
		m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: all.Value})...)
	case !bytes.Equal(all.Value, result.Raw("configOptions")):
		m.Edit(result.Set(all)...)
	}
}

// answered notes what a call has set, unless something newer is known: of calls that are answered
// out of order the last counts.
func (s *session) answered(c *call) {
	choice := &s.choices[c.kind]
	if c.isTold || c.number < choice.answered {
		return
	}
	choice.answered = c.number
	s.choose(c.kind, c.value)
}

// refused sends a call in the other form if the agent does not know the method.
func (a *Adapter) refused(m *dispatch.Message, c *call) {
	if c == nil || m.Code() != wire.MethodNotFound {
		return
	}
	a.with(m.Request.Session, func(s *session) { s.choices[c.kind].refused[c.sent] = true })
	if c.other == nil {
		return
	}
	a.opts.Conversation.Note(m.ID, conversation.Request{From: dispatch.Client, Method: m.Request.Method, Session: m.Request.Session})
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	a.opts.Conversation.Lock()
	if r != nil {
		a.calls[r] = &call{kind: c.kind, number: c.number, session: c.session, sent: c.sent.other(), value: c.value}
	}
	a.opts.Conversation.Unlock()
	if !a.opts.Send(dispatch.Agent, wire.EndLine(c.other)) {
		a.opts.Conversation.Forget(dispatch.Client, m.ID)
		return
	}
	m.Because("the agent does not know the request, and is asked in the other form")
	m.Drop()
}
