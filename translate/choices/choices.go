// Package choices lets a person choose a session's mode and model whichever forms client and agent
// know. Agents offer modes and models as lists of their own, with a method each to set them, or as
// configuration options; some offer one form only, and many clients read one form only. So what is
// missing of the two is made of what is there: where a session is opened, in calls and responses,
// and in updates. What the agent offers in both forms stays as it is, and nothing is offered that
// the agent does not offer.
package choices

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// IsOn reports whether forms are added for two peers.
	IsOn func(client, agent conversation.Implementation) bool

	Send dispatch.Send
}

// An Adapter adds the form of a choice that is missing.
//
//   - Settles: An agent offers the mode or the model of a session as a list with a method of its
//     own, or as a configuration option; a client knows the other form only.
//   - For: Every client and agent.
//   - Keys: choices.bridge
//   - Seen: claude-agent-acp 0.100.0, opencode 1.18.33, gemini-cli 0.61.0
//   - Read: zed-industries/zed#55424, openclaw/acpx#141, QwenLM/qwen-code#1410
type Adapter struct {
	dispatch.Switched[bool]
	opts Options

	// The fields below are protected by the conversation's lock.
	number   int // of the last call
	sessions map[*conversation.Session]*session
	calls    map[*conversation.Request]*call // pending

	last *call // whose response is handled; only the agent's direction uses it
}

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{
		Switched: dispatch.Switched[bool]{For: o.IsOn, Wanted: wants()},
		opts:     o,
		sessions: map[*conversation.Session]*session{},
		calls:    map[*conversation.Request]*call{},
	}
}

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "choices" }

// wants are what is needed of both sides.
func wants() []dispatch.Want {
	calls := []string{setOption}
	for _, k := range kinds {
		calls = append(calls, k.method)
	}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: calls},
		{
			From: dispatch.Agent, Updates: []string{"config_option_update", "current_mode_update"},
			Responses: append(calls, "session/new", "session/fork", "session/load", "session/resume"), Sessions: true,
		},
	}
}

// Observe implements dispatch.Adapter. Version 2 has one form only.
func (a *Adapter) Observe(e conversation.Event) {
	a.Switched.Observe(e)
	switch e.Kind {
	case conversation.SessionRemoved:
		delete(a.sessions, e.Session)
	case conversation.RequestEnded:
		delete(a.calls, e.Request)
	}
}

// Answering implements dispatch.Adapter.
func (a *Adapter) Answering(m *dispatch.Message) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.last = a.calls[m.Request]
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because("modes and models are told in both forms")
	switch {
	case m.From == dispatch.Client && m.Method != "initialize":
		a.call(m)
	case m.Update != "":
		a.update(m)
	case m.Request == nil || m.Request.Method == "initialize":
	case conversation.IsOfSessions(m.Request.Method):
		a.open(m)
	default:
		a.answer(m)
	}
}

// open adds the missing forms where a session is opened.
func (a *Adapter) open(m *dispatch.Message) {
	result := m.Result()
	if result == nil {
		return
	}
	s, settings := read(result)
	if a.keep(m.Opened(), s) {
		m.Edit(result.Set(settings...)...)
	}
}

// keep notes the state of a session. It reports false if the conversation keeps no such session.
func (a *Adapter) keep(id string, s *session) bool {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	of, ok := a.opts.Conversation.Find(id)
	if !ok {
		return false
	}
	old := a.sessions[of]
	a.sessions[of] = s
	a.opts.Conversation.Weigh(of, s.size()-old.size())
	return !of.Evicted
}

// with calls f with the state of a session, and the lock held, if there is any.
func (a *Adapter) with(id string, f func(*session)) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	of, ok := a.opts.Conversation.Find(id)
	if s := a.sessions[of]; ok && s != nil {
		before := s.size()
		f(s)
		a.opts.Conversation.Weigh(of, s.size()-before)
	}
}

// update tells an update in the other form, too.
func (a *Adapter) update(m *dispatch.Message) {
	update := m.Params().Open("update")
	a.with(m.Session, func(s *session) {
		if m.Update == "config_option_update" {
			before := s.current()
			s.take(update.Raw("configOptions"))
			if s.isMade() {
				m.Edit(update.Set(wire.Setting{Name: "configOptions", Value: s.all()})...)
			}
			m.After(s.tellCurrent(m.Session, before))
			return
		}
		for i, k := range kinds {
			if value, ok := update.Text(k.updatedName); ok && k.update == m.Update {
				a.told(m, s, i, value)
			}
		}
	})
}

// told handles an update in the old form.
func (a *Adapter) told(m *dispatch.Message, s *session, i int, value string) {
	c := &s.choices[i]
	isKnown := c.told != "" && c.told == value
	switch {
	case s.choose(i, value):
		m.After(s.tellOptions(m.Session))
	case isKnown && len(m.Params().Members) == 2 && len(m.Params().Open("update").Members) == 2:
		m.Because("the client was told it with the response")
		m.Drop() // an update of ours told it when the response came
	}
	c.told = ""
	var first *call
	for _, c := range a.calls {
		if c.session == m.Session && c.kind == i && c.value == value && !c.isTold && (first == nil || c.number < first.number) {
			first = c
		}
	}
	if first != nil {
		first.isTold = true
		c.answered = max(c.answered, first.number)
	}
}

// Unread implements dispatch.Adapter: of a session that is opened anew nothing is known then.
func (a *Adapter) Unread(m *dispatch.Message, _ error) {
	if m.Request == nil {
		return
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if of, ok := a.opts.Conversation.Find(m.Request.Session); ok && m.Request.Opens() {
		a.opts.Conversation.Weigh(of, -a.sessions[of].size())
		delete(a.sessions, of)
	}
}
