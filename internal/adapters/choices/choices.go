// Package choices offers a session's modes and models in both forms of the protocol. Agents offer
// them as lists, each with a method to set them, or as configuration options. Many agents and
// clients know only one of the two. The adapter adds the missing form to results, calls and
// updates. It changes nothing that the agent offers in both forms, and offers nothing that the
// agent does not offer.
package choices

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter adds the missing form of a choice. If a client sends configOptions with a request that
// opens a session, and the agent does not announce that it reads them, the adapter sets them after
// the response. Prompts of the session wait for that, but at most five seconds.
//
//   - Settles: You cannot choose a mode or a model: the agent offers it as a list and the client
//     reads only configuration options, or the other way round. Or the options that the client
//     sends with a new session have no effect.
//   - For: Every client and agent.
//   - Keys: choices.bridge
//   - Seen: claude-agent-acp 0.100.0, opencode 1.18.33, gemini-cli 0.61.0
//   - Read: zed-industries/zed#55424, openclaw/acpx#141, QwenLM/qwen-code#1410, and pi-acp 0.0.34
//     (npm)
type Adapter struct {
	dispatch.Switched[bool]
	conversation *conversation.Conversation
	number       int // of the last call
	own          *dispatch.OwnRequests
	sets         bool // the agent does not set initial options
	sessions     *conversation.Slot[*conversation.Session, *session]
	calls        *conversation.Slot[*conversation.Request, *call]
	wishes       *conversation.Slot[*conversation.Request, *setup] // by the request that opens the session
	setups       *conversation.Slot[*conversation.Session, *setup]
	waiting      *conversation.Slot[*conversation.Request, *dispatch.Held] // by prompt

	// The fields below are for the agent's direction.
	isDue    bool // some session may have something to report
	isTaking bool // the next update has the options of a response to acpshim
}

// New returns an Adapter. Own are the requests that acpshim itself sends to the agent. IsOn reports
// whether the missing form is added for two peers.
func New(c *conversation.Conversation, own *dispatch.OwnRequests, isOn func(client, agent conversation.Implementation) bool) *Adapter {
	return &Adapter{
		Switched:     dispatch.Switched[bool]{For: isOn, Wanted: wants()},
		conversation: c, own: own,
		sessions: conversation.NewSlot[*conversation.Session, *session](c),
		calls:    conversation.NewSlot[*conversation.Request, *call](c),
		wishes:   conversation.NewSlot[*conversation.Request, *setup](c),
		setups:   conversation.NewSlot[*conversation.Session, *setup](c),
		waiting:  conversation.NewSlot[*conversation.Request, *dispatch.Held](c),
	}
}

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "choices" }

func wants() []dispatch.Want {
	calls := []string{acp.SessionSetConfigOption}
	for _, k := range kinds {
		calls = append(calls, k.method)
	}
	opening := []string{acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume}
	return []dispatch.Want{
		{From: dispatch.Client, Methods: slices.Concat(calls, opening, []string{acp.SessionPrompt})},
		{
			From: dispatch.Agent, Updates: []string{acp.ConfigOptionUpdate, acp.CurrentModeUpdate},
			Responses: slices.Concat(calls, opening), Sessions: true,
		},
	}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(whyBoth)
	switch {
	case m.From == dispatch.Client && m.Method == acp.Initialize:
	case m.From == dispatch.Client && m.Method == acp.SessionPrompt:
		a.hold(m)
	case m.From == dispatch.Client && conversation.IsOfSessions(m.Method):
		a.wish(m)
	case m.From == dispatch.Client:
		a.call(m)
	case m.Update != "":
		a.update(m)
	case m.Request == nil || m.Request.Method == acp.Initialize:
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
	if !a.keep(m.Opened(), s) {
		return
	}
	m.Edit(result.Set(settings...)...)
	for _, made := range settings {
		a.Spend(dispatch.Agent, len(made.Value))
	}
	a.begin(m)
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
	of, _ := a.conversation.Find(id)
	return a.sessions.Put(of, s, s.size())
}

// with calls f with the state of a session, if there is one.
func (a *Adapter) with(id string, f func(*session)) {
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
		su := a.setupFor(m.Session)
		if m.Update == acp.ConfigOptionUpdate && a.take(m, s, update.Raw("configOptions")) {
			return
		}
		if m.Update == acp.ConfigOptionUpdate {
			before := *s
			s.take(update.Raw("configOptions"))
			if s.isDue = s.hasMade() && !a.affords(s.allSize(m.Session)); s.hasMade() && !s.isDue {
				m.Edit(update.Set(wire.Setting{Name: "configOptions", Value: s.all()})...)
			}
			s.compare(before)
			su.shows(s)
		}
		for i, k := range kinds {
			if value, ok := update.Text(k.updatedName); ok && k.update == m.Update {
				a.reported(m, s, i, value)
				su.lists(i, value)
			}
		}
		a.report(m.After, m.Session, s, a.affords)
	})
}

// reported handles an update in the old form.
func (a *Adapter) reported(m *dispatch.Message, s *session, i int, value string) {
	c := &s.choices[i]
	isKnown := c.reported != "" && c.reported == value
	switch {
	case s.choose(i, value):
		s.isDue = true
	case isKnown && len(m.Params().Members) == 2 && len(m.Params().Open("update").Members) == 2:
		m.Because(whyRepeated)
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

// report passes lines with what the client does not know yet to send, as far as there is room.
func (a *Adapter) report(send func(line []byte), id string, s *session, hasRoom func(bytes int) bool) {
	su := a.setupFor(id)
	if s.isDue && hasRoom(s.allSize(id)) {
		send(updateOf(id, acp.ConfigOptionUpdate, "configOptions", s.all()))
		s.isDue = false
		su.shows(s)
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
			send(line)
			c.reported, c.isDue = c.current, false
			su.lists(i, c.current)
		}
		a.isDue = a.isDue || c.isDue
	}
}

// Flush implements dispatch.Flusher: it reports what found no room before.
func (a *Adapter) Flush(m *dispatch.Message, end bool) {
	if m.From == dispatch.Client || !a.isDue {
		return
	}
	m.Because(whyBoth)
	a.isDue = false
	for of, s := range a.sessions.All() {
		a.report(m.After, of.ID, s, a.spends)
		a.sessions.Put(of, s, s.size())
	}
}

// Unread implements dispatch.UnreadHandler: the state of the session is unknown then.
func (a *Adapter) Unread(m *dispatch.Message, _ error) {
	if m.Request == nil || !m.Request.Opens() {
		return
	}
	of, _ := a.conversation.Find(m.Request.Session)
	a.sessions.Delete(of)
}
