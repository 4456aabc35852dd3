package choices

import (
	"fmt"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Limits.
const (
	maxEntries = 64              // of a request
	maxWait    = 5 * time.Second // of a prompt
)

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.Switched.Negotiated(r)
	a.sets = !wire.IsObject(r.Agent.Capability(acp.SessionCapabilities, "options"))
}

// Cares implements dispatch.Adapter. Prompts pass unless options of their session are being set.
func (a *Adapter) Cares(from dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if from != dispatch.Client || string(h.Method) != acp.SessionPrompt {
		return dispatch.Yes
	}
	if h.SessionID == nil && a.isSetting() || a.setupFor(string(h.SessionID)) != nil {
		return dispatch.Yes
	}
	return dispatch.No
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	switch e.Kind {
	case conversation.RequestEnded:
		if _, ok := a.wishes.Take(e.Request); ok && e.Request.Opens() { // it was refused
			a.release(e.Request.Session, whyEnd)
		}
	case conversation.SessionRemoved:
		if su, ok := a.setups.Get(e.Session); ok {
			a.own.Forget(su.asked)
			a.release(e.Session.ID, whyEnd)
		}
	}
}

// wish keeps the options of a request that creates or opens a session.
func (a *Adapter) wish(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Client, m.ID)
	if _, isAgain := a.wishes.Get(r); isAgain || !a.sets {
		return
	}
	if entries := readEntries(m.Params().Raw("configOptions")); len(entries) > 0 {
		su := &setup{entries: entries}
		a.wishes.Put(r, su, su.size())
	}
}

// setupFor returns the setup of a session that has one, or of a request that opens the session.
func (a *Adapter) setupFor(id string) *setup {
	of, _ := a.conversation.Find(id)
	if su, ok := a.setups.Get(of); ok {
		return su
	}
	for r, su := range a.wishes.All() {
		if r.Opens() && r.Session == id {
			return su
		}
	}
	return nil
}

// begin begins to set the options that a request wants for the session that it has opened.
func (a *Adapter) begin(m *dispatch.Message) {
	su, ok := a.wishes.Take(m.Request)
	of, _ := a.conversation.Find(m.Opened())
	s, isKept := a.sessions.Get(of)
	before, runs := a.setups.Get(of)
	switch {
	case !isKept:
		return
	case !ok:
		before.showsAll(s) // the client may have opened it twice
		return
	case runs:
		a.own.Forget(before.asked)
	}
	su.showsAll(s)
	if a.setups.Put(of, su, su.size()) {
		a.next(of, s, su)
	}
}

// next sends the request for the next entry that the agent offers. If there is none, it ends the
// setup.
func (a *Adapter) next(of *conversation.Session, s *session, su *setup) {
	for ; len(su.entries) > 0; su.entries = su.entries[1:] {
		method, params := s.ask(su, of.ID)
		if method == "" {
			continue
		}
		su.asked = a.own.Begin(a.Name(), func(result, failure []byte) []byte { return a.asked(of, su, result, failure) })
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`+"\n", wire.Quote(nil, su.asked), method, params)
		if a.Send(dispatch.Client, line, whySet) {
			a.setups.Put(of, su, su.size())
			return
		}
		a.own.Forget(su.asked) // the agent reads no more
	}
	a.setups.Delete(of)
	s.end(su)
	a.release(of.ID, whyReady)
}

// asked takes the agent's response to a request of acpshim. The adapters get its options as an
// update, as if the agent had sent one.
func (a *Adapter) asked(of *conversation.Session, su *setup, result, failure []byte) (lines []byte) {
	s, ok := a.sessions.Get(of)
	if now, _ := a.setups.Get(of); now != su {
		return nil
	}
	su.asked = ""
	a.Make(whyResult, func() []byte { return a.goOn(of, su) })
	if !ok {
		return nil
	}
	isSet := result != nil && wire.IsAbsent(failure)
	response, _ := wire.Parse(result)
	options := response.Raw("configOptions")
	switch {
	case isSet && !wire.IsAbsent(options):
		a.isTaking = true
		lines = wire.SessionUpdate(of.ID, fmt.Appendf(nil, `{"sessionUpdate":"config_option_update","configOptions":%s}`, options))
	case isSet && su.kind >= 0:
		o, _ := wire.Parse(su.entries[0].line)
		value, _ := o.Text("value")
		s.choose(su.kind, value)
	case su.kind >= 0 && codeOf(failure) == wire.MethodNotFound:
		c := &s.choices[su.kind]
		if c.refused[su.by] = true; c.offers(su.by.other()) {
			return nil // it is asked again in the other form
		}
	}
	su.entries = su.entries[1:]
	return lines
}

func codeOf(failure []byte) string {
	o, _ := wire.Parse(failure)
	return wire.ID(o.Raw("code"))
}

// goOn sets the next entry. After the last one it returns what the client does not know yet.
func (a *Adapter) goOn(of *conversation.Session, su *setup) (lines []byte) {
	a.isTaking = false
	s, ok := a.sessions.Get(of)
	if now, _ := a.setups.Get(of); now != su {
		return nil
	}
	if !ok { // its state is unknown
		a.setups.Delete(of)
		a.release(of.ID, whyEnd)
		return nil
	}
	a.next(of, s, su)
	a.report(func(line []byte) { lines = append(lines, line...) }, of.ID, s, a.affords)
	a.sessions.Put(of, s, s.size())
	return lines
}

// take takes the options of a response to acpshim. It returns false if the update is the agent's.
func (a *Adapter) take(m *dispatch.Message, s *session, options []byte) bool {
	if !a.isTaking {
		return false
	}
	a.isTaking = false
	s.take(options)
	m.Because(whyTaken)
	m.Drop()
	return true
}
