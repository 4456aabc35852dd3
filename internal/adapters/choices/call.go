package choices

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A call is a pending request of the client that sets a choice.
type call struct {
	kind       int  // the index in kinds
	number     int  // later calls have higher numbers
	sent       form // the form in which the agent got it
	value      string
	other      []byte // the request in the other form; nil if it cannot be sent again
	isReported bool   // the agent has sent an update with the value while the call was pending
}

// maxCall is the longest request that is kept to be sent again, in bytes.
const maxCall = 4 << 10

// call records a request that sets a choice, and converts it to a form that the agent offers.
func (a *Adapter) call(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Client, m.ID)
	if r == nil {
		return
	}
	a.with(m.Session, func(s *session) {
		i, value, asked := s.readCall(m)
		su := a.setupFor(m.Session)
		if i < 0 {
			id, _ := m.Params().Text("configId")
			su.withdraw(id)
			return
		}
		c := &s.choices[i]
		su.withdraw(c.id)
		respelled := respell(m, &kinds[i], asked, c.id)
		a.number++
		sent := &call{kind: i, number: a.number, sent: asked, value: value, other: respelled}
		if other := asked.other(); respelled != nil && c.offers(other) && !c.offers(asked) {
			sent.sent, sent.other = other, m.Line
			m.Because(whyConverted)
			m.Replace(respelled)
		}
		if !c.offered[sent.sent.other()] || len(sent.other) > maxCall {
			sent.other = nil
		}
		sent.other = bytes.Clone(sent.other)
		a.calls.Put(r, sent, len(sent.value)+len(sent.other))
	})
}

// offers reports whether the agent offers a choice in a form and has not rejected its method.
func (c *choice) offers(f form) bool { return c.offered[f] && !c.refused[f] }

// readCall returns which choice a request sets, to what value, and in which form. The index is -1
// if it sets something else.
func (s *session) readCall(m *dispatch.Message) (i int, value string, asked form) {
	params := m.Params()
	id, _ := params.Text("configId")
	for i, k := range kinds {
		name := k.param
		if m.Method == acp.SessionSetConfigOption {
			name, asked = "value", asOption
		}
		value, ok := params.Text(name)
		if ok && (m.Method == k.method || asked == asOption && id == s.choices[i].id && id != "") {
			return i, value, asked
		}
	}
	return -1, "", asked
}

// respell returns a request in the other form, with the id of the select. It returns nil if the
// request has members of both forms.
func respell(m *dispatch.Message, k *kind, asked form, id string) []byte {
	method := wire.Edit{Span: m.Object.Get("method").Value, With: wire.Quote(nil, acp.SessionSetConfigOption)}
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

// answer completes the response to a request that sets a choice or another option, as its method
// requires. It reports changes to the client in the other form.
//
// Updates go after a whole batch. So in a batch each change is reported by an update, even if a
// response has reported it.
func (a *Adapter) answer(m *dispatch.Message) {
	if m.IsRefusal() {
		a.refused(m)
		return
	}
	a.with(m.Request.Session, func(s *session) {
		c, _ := a.calls.Get(m.Request)
		before := *s
		named := s.take(m.Result().Raw("configOptions"))
		if c != nil && !(c.sent == asOption && named[c.kind]) {
			s.answered(c)
		}
		isNew := (named != [len(kinds)]bool{} || s.hasMade()) && !bytes.Equal(before.all(), s.all())
		switch {
		case m.Request.Method != acp.SessionSetConfigOption:
			s.isDue = s.isDue || isNew
			if c != nil && c.sent == asOption {
				m.Replace(wire.Without(m.Line, "result", "configOptions"))
			}
			if c != nil {
				before.choices[c.kind].current = c.value // the client knows it because the call succeeded
			}
			if c != nil && m.InBatch() {
				before.choices[c.kind].current = "" // an update after the batch reports it in any case
			}
		case a.complete(m, s, c != nil && c.sent == asList):
			s.isDue = m.InBatch() && (s.isDue || isNew) // otherwise the response reports it
		default:
			s.isDue = true
		}
		s.compare(before)
		a.report(m.After, m.Request.Session, s, a.affords)
	})
}

// complete adds all options to a response, if the client needs them: acpshim has made some, or the
// agent got the request in the other form. It returns false if there is no room for them.
func (a *Adapter) complete(m *dispatch.Message, s *session, isOther bool) bool {
	if !s.hasMade() && !isOther {
		return true
	}
	result := m.Result()
	if !a.affords(s.allSize(m.Request.Session)) {
		return false
	}
	all := wire.Setting{Name: "configOptions", Value: s.all()}
	if result == nil { // some agents respond to session/set_mode with null
		all.Value = append(append([]byte(`{"configOptions":`), all.Value...), '}')
		m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: all.Value})...)
	} else if !bytes.Equal(all.Value, result.Raw("configOptions")) {
		m.Edit(result.Set(all)...)
	}
	return true
}

// answered records what a call has set, unless something newer is known. If calls end out of order,
// the last one counts.
func (s *session) answered(c *call) {
	choice := &s.choices[c.kind]
	if c.isReported || c.number < choice.answered {
		return
	}
	choice.answered = c.number
	s.choose(c.kind, c.value)
}

// refused sends a call again in the other form, if the agent does not know its method.
func (a *Adapter) refused(m *dispatch.Message) {
	var c *call
	a.with(m.Request.Session, func(s *session) {
		if c, _ = a.calls.Get(m.Request); c != nil && m.Code() == wire.MethodNotFound {
			s.choices[c.kind].refused[c.sent] = true
		}
	})
	if c == nil || c.other == nil || m.Code() != wire.MethodNotFound {
		return
	}
	m.Because(whyTried)
	h := m.Hold(dispatch.Unlimited)
	if h == nil {
		return
	}
	a.calls.Put(h.Request, &call{kind: c.kind, number: c.number, sent: c.sent.other(), value: c.value}, len(c.value))
	h.Because(whyTried).Again(c.other)
}
