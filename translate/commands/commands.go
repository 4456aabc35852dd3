// Package commands has the adapter that announces commands of an agent that announces none.
package commands

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Command is one that a person may begin a prompt with.
type Command struct {
	Name        string // without a slash
	Description string
	Hint        string // what to type after the name; "" if it takes nothing
}

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// For returns the commands to announce for two peers.
	For func(client, agent conversation.Implementation) []Command
}

// An Adapter announces commands when a session is opened, and in place of an announcement that is
// empty. What the agent announces itself stays as it is and takes their place.
//
//   - Settles: An agent understands commands and announces none; a client refuses what begins with
//     a slash and is not announced.
//   - For: Those for whom [[command]] tables are written.
//   - Keys: command
//   - Read: github/copilot-cli#1044, zed-industries/zed#60199
type Adapter struct {
	dispatch.Switched[string] // the commands as JSON; empty if there are none

	conversation *conversation.Conversation
	own          map[*conversation.Session]bool // in which the agent has announced commands itself; under the lock
}

const update = "available_commands_update"

// New returns an Adapter.
func New(o Options) *Adapter {
	a := &Adapter{conversation: o.Conversation, own: map[*conversation.Session]bool{}}
	a.For = func(client, agent conversation.Implementation) string { return list(o.For(client, agent)) }
	a.Wanted = []dispatch.Want{{
		From: dispatch.Agent, Updates: []string{update}, Sessions: true,
		Responses: []string{"session/new", "session/fork", "session/load", "session/resume"},
	}}
	return a
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "commands" }

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	a.Switched.Observe(e)
	delete(a.own, e.Session) // nil if none was removed
}

// list returns commands as they are announced, "" if there are none.
func list(commands []Command) string {
	var b []byte
	for _, c := range commands {
		b = append(b, ',')
		b = wire.Quote(append(b, `{"name":`...), c.Name)
		b = wire.Quote(append(b, `,"description":`...), c.Description)
		if c.Hint != "" {
			b = append(wire.Quote(append(b, `,"input":{"hint":`...), c.Hint), '}')
		}
		b = append(b, '}')
	}
	if b == nil {
		return ""
	}
	return "[" + string(b[1:]) + "]"
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because("the agent announces no commands ([[command]])")
	switch {
	case m.Update == update:
		a.announced(m)
	case m.Request != nil && conversation.IsOfSessions(m.Request.Method) && !m.IsRefusal():
		a.opened(m)
	}
}

// announced notes what the agent announces, and replaces an announcement of nothing.
func (a *Adapter) announced(m *dispatch.Message) {
	u := m.Params().Open("update")
	all, ok := wire.Elements(u.Raw("availableCommands"))
	if !ok {
		return
	}
	if len(all) == 0 {
		m.Edit(u.Set(wire.Setting{Name: "availableCommands", Value: []byte(a.On)})...)
		return
	}
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.FindNew(m.Session)
	if ok && !a.own[s] {
		a.own[s] = true
		a.conversation.Weigh(s, 64)
	}
}

// opened announces the commands in a session that was opened, unless the agent has announced its
// own.
func (a *Adapter) opened(m *dispatch.Message) {
	id := m.Opened()
	a.conversation.Lock()
	s, ok := a.conversation.Find(id)
	isOwn := a.own[s]
	a.conversation.Unlock()
	if !ok || isOwn {
		return
	}
	told := append([]byte(`{"sessionUpdate":"available_commands_update","availableCommands":`), a.On...)
	m.After(wire.SessionUpdate(id, append(told, '}')))
}
