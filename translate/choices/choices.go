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
	opts     Options
	number   int // of the last call; under the conversation's lock
	sessions *conversation.Slot[*conversation.Session, *session]
	calls    *conversation.Slot[*conversation.Request, *call]

	isDue bool // there may be something that the client has to be told; for the agent's direction
}

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{
		Switched: dispatch.Switched[bool]{For: o.IsOn, Wanted: wants()},
		opts:     o,
		sessions: conversation.NewSlot[*conversation.Session, *session](o.Conversation),
		calls:    conversation.NewSlot[*conversation.Request, *call](o.Conversation),
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

const whyBoth = "acpshim offers modes and models in both forms (choices.bridge)"

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(whyBoth)
	if m.From == dispatch.Client {
		if m.Method != "initialize" {
			a.call(m)
		}
		return
	}
	switch {
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
		for _, made := range settings {
			a.Spend(dispatch.Agent, len(made.Value))
		}
	}
}

// affords reports whether there is room for so many bytes, and takes it: what has none is told
// later, as it is then. As much is left for the next Flush, so that the client is told the last
// state.
func (a *Adapter) affords(bytes int) bool {
	return a.Affords(dispatch.Agent, 2*bytes) && a.spends(bytes)
}

func (a *Adapter) spends(bytes int) bool {
	if !a.Affords(dispatch.Agent, bytes) {
		return false
	}
	a.Spend(dispatch.Agent, bytes)
	return true
}

// keep notes the state of a session. It reports false if the conversation keeps no such session.
func (a *Adapter) keep(id string, s *session) bool {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	of, _ := a.opts.Conversation.Find(id)
	return a.sessions.Put(of, s, s.size())
}

// with calls f with the state of a session, and the lock held, if there is any.
func (a *Adapter) with(id string, f func(*session)) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	of, _ := a.opts.Conversation.Find(id)
	if s, ok := a.sessions.Get(of); ok {
		f(s)
		a.sessions.Put(of, s, s.size())
	}
}

// update tells an update in the other form, too.
func (a *Adapter) update(m *dispatch.Message) {
	update := m.Params().Open("update")
	a.with(m.Session, func(s *session) {
		if m.Update == "config_option_update" {
			before := *s
			s.take(update.Raw("configOptions"))
			if s.isDue = s.isMade() && !a.affords(s.allSize(m.Session)); s.isMade() && !s.isDue {
				m.Edit(update.Set(wire.Setting{Name: "configOptions", Value: s.all()})...)
			}
			s.compare(before)
		}
		for i, k := range kinds {
			if value, ok := update.Text(k.updatedName); ok && k.update == m.Update {
				a.told(m, s, i, value)
			}
		}
		a.tell(m, m.Session, s, a.affords)
	})
}

// told handles an update in the old form. The lock is held.
func (a *Adapter) told(m *dispatch.Message, s *session, i int, value string) {
	c := &s.choices[i]
	isKnown := c.told != "" && c.told == value
	switch {
	case s.choose(i, value):
		s.isDue = true
	case isKnown && len(m.Params().Members) == 2 && len(m.Params().Open("update").Members) == 2:
		m.Because("the client already got this with the response")
		m.Drop() // an update of ours told it when the response came
	}
	c.told, c.isDue = "", false
	for r, call := range a.calls.All() {
		if r.Session == m.Session && call.kind == i && call.value == value && !call.isTold {
			call.isTold = true
			c.answered = max(c.answered, call.number)
			return
		}
	}
}

// tell tells the client what is due of a session, as far as there is room. The lock is held.
func (a *Adapter) tell(m *dispatch.Message, id string, s *session, hasRoom func(bytes int) bool) {
	if s.isDue && hasRoom(s.allSize(id)) {
		m.After(updateOf(id, "config_option_update", "configOptions", s.all()))
		s.isDue = false
	}
	if a.isDue = a.isDue || s.isDue; s.isDue {
		return // what is left is for this
	}
	for i, k := range kinds {
		c := &s.choices[i]
		if !c.isDue {
			continue
		}
		if line := updateOf(id, k.update, k.updatedName, wire.Quote(nil, c.current)); hasRoom(len(line)) {
			m.After(line)
			c.told, c.isDue = c.current, false
		}
		a.isDue = a.isDue || c.isDue
	}
}

// Flush implements dispatch.Flusher: it tells what had no room before.
func (a *Adapter) Flush(m *dispatch.Message, _ bool) {
	if m.From != dispatch.Agent || !a.isDue {
		return
	}
	m.Because(whyBoth)
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.isDue = false
	for of, s := range a.sessions.All() {
		a.tell(m, of.ID, s, a.spends)
		a.sessions.Put(of, s, s.size())
	}
}

// Unread implements dispatch.UnreadHandler: of a session that is opened anew nothing is known then.
func (a *Adapter) Unread(m *dispatch.Message, _ error) {
	if m.Request == nil || !m.Request.Opens() {
		return
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	of, _ := a.opts.Conversation.Find(m.Request.Session)
	a.sessions.Delete(of)
}
