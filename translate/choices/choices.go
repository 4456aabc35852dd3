// Package choices offers a session's modes and models in both forms of the protocol. Agents offer
// them as lists, each with a method to set them, or as configuration options. Many agents and
// clients know only one of the two. The adapter adds the missing form to results, calls and
// updates. It changes nothing that the agent offers in both forms, and offers nothing that the
// agent does not offer.
package choices

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// An Adapter adds the missing form of a choice.
//
//   - Settles: You cannot choose a mode or a model: the agent offers it as a list and the client
//     reads only configuration options, or the other way round.
//   - For: Every client and agent.
//   - Keys: choices.bridge
//   - Seen: claude-agent-acp 0.100.0, opencode 1.18.33, gemini-cli 0.61.0
//   - Read: zed-industries/zed#55424, openclaw/acpx#141, QwenLM/qwen-code#1410, and pi-acp 0.0.34
//     (npm)
type Adapter struct {
	dispatch.Switched[bool]
	conversation *conversation.Conversation
	number       int // of the last call; under the conversation's lock
	sessions     *conversation.Slot[*conversation.Session, *session]
	calls        *conversation.Slot[*conversation.Request, *call]

	isDue bool // some session may have something to report; for the agent's direction
}

// New returns an Adapter. IsOn reports whether the missing form is added for two peers.
func New(c *conversation.Conversation, isOn func(client, agent conversation.Implementation) bool) *Adapter {
	return &Adapter{
		Switched:     dispatch.Switched[bool]{For: isOn, Wanted: wants()},
		conversation: c,
		sessions:     conversation.NewSlot[*conversation.Session, *session](c),
		calls:        conversation.NewSlot[*conversation.Request, *call](c),
	}
}

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "choices" }

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

// open adds the missing forms to the result that opens a session.
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

// affords reports whether there is room for so many bytes, and takes them. It leaves room for as
// many bytes in the next Flush, which reports what found no room here.
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

// keep stores the state of a session. It returns false if the conversation does not keep the
// session.
func (a *Adapter) keep(id string, s *session) bool {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	of, _ := a.conversation.Find(id)
	return a.sessions.Put(of, s, s.size())
}

// with calls f with the state of a session, if there is one. The lock is held meanwhile.
func (a *Adapter) with(id string, f func(*session)) {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	of, _ := a.conversation.Find(id)
	if s, ok := a.sessions.Get(of); ok {
		f(s)
		a.sessions.Put(of, s, s.size())
	}
}

// update reports an update in the other form, too.
func (a *Adapter) update(m *dispatch.Message) {
	update := m.Params().Open("update")
	a.with(m.Session, func(s *session) {
		if m.Update == "config_option_update" {
			before := *s
			s.take(update.Raw("configOptions"))
			if s.isDue = s.hasMade() && !a.affords(s.allSize(m.Session)); s.hasMade() && !s.isDue {
				m.Edit(update.Set(wire.Setting{Name: "configOptions", Value: s.all()})...)
			}
			s.compare(before)
		}
		for i, k := range kinds {
			if value, ok := update.Text(k.updatedName); ok && k.update == m.Update {
				a.reported(m, s, i, value)
			}
		}
		a.report(m, m.Session, s, a.affords)
	})
}

// reported handles an update in the old form. The lock is held.
func (a *Adapter) reported(m *dispatch.Message, s *session, i int, value string) {
	c := &s.choices[i]
	isKnown := c.reported != "" && c.reported == value
	switch {
	case s.choose(i, value):
		s.isDue = true
	case isKnown && len(m.Params().Members) == 2 && len(m.Params().Open("update").Members) == 2:
		m.Because("the client already got this with the response")
		m.Drop() // our own update reported it when the response came
	}
	c.reported, c.isDue = "", false
	for r, call := range a.calls.All() {
		if r.Session == m.Session && call.kind == i && call.value == value && !call.isReported {
			call.isReported = true
			c.answered = max(c.answered, call.number)
			return
		}
	}
}

// report sends what the client does not know yet, as far as there is room. The lock is held.
func (a *Adapter) report(m *dispatch.Message, id string, s *session, hasRoom func(bytes int) bool) {
	if s.isDue && hasRoom(s.allSize(id)) {
		m.After(updateOf(id, "config_option_update", "configOptions", s.all()))
		s.isDue = false
	}
	if a.isDue = a.isDue || s.isDue; s.isDue {
		return // the remaining room is for that
	}
	for i, k := range kinds {
		c := &s.choices[i]
		if !c.isDue {
			continue
		}
		if line := updateOf(id, k.update, k.updatedName, wire.Quote(nil, c.current)); hasRoom(len(line)) {
			m.After(line)
			c.reported, c.isDue = c.current, false
		}
		a.isDue = a.isDue || c.isDue
	}
}

// Flush implements dispatch.Flusher: it reports what found no room before.
func (a *Adapter) Flush(m *dispatch.Message, _ bool) {
	if m.From != dispatch.Agent || !a.isDue {
		return
	}
	m.Because(whyBoth)
	a.conversation.Lock()
	defer a.conversation.Unlock()
	a.isDue = false
	for of, s := range a.sessions.All() {
		a.report(m, of.ID, s, a.spends)
		a.sessions.Put(of, s, s.size())
	}
}

// Unread implements dispatch.UnreadHandler: the state of the session is unknown then.
func (a *Adapter) Unread(m *dispatch.Message, _ error) {
	if m.Request == nil || !m.Request.Opens() {
		return
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	of, _ := a.conversation.Find(m.Request.Session)
	a.sessions.Delete(of)
}
