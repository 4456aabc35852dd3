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
	dispatch.Base
	opts Options

	// The fields below are protected by the conversation's lock.
	list []byte                         // the commands as JSON; nil if there are none
	own  map[*conversation.Session]bool // in which the agent has announced commands itself
}

const update = "available_commands_update"

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, own: map[*conversation.Session]bool{}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "commands" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if a.list == nil {
		return nil
	}
	return []dispatch.Want{{
		From: dispatch.Agent, Updates: []string{update}, Sessions: true,
		Responses: []string{"session/new", "session/fork", "session/load", "session/resume"},
	}}
}

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	switch e.Kind {
	case conversation.Negotiated:
		client, agent := e.Request.Client, e.Request.Agent
		a.list = nil
		if agent.Version == 1 {
			a.list = list(a.opts.For(client.Implementation, agent.Implementation))
		}
	case conversation.SessionRemoved:
		delete(a.own, e.Session)
	}
}

// list returns commands as they are announced, nil if there are none.
func list(commands []Command) (b []byte) {
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
		return nil
	}
	b[0] = '['
	return append(b, ']')
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client:
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
		m.Edit(u.Set(wire.Setting{Name: "availableCommands", Value: a.list})...)
		return
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	s, ok := a.opts.Conversation.FindNew(m.Session)
	if ok && !a.own[s] {
		a.own[s] = true
		a.opts.Conversation.Weigh(s, 64)
	}
}

// opened announces the commands in a session that was opened, unless the agent has announced its
// own.
func (a *Adapter) opened(m *dispatch.Message) {
	id := m.Opened()
	a.opts.Conversation.Lock()
	s, ok := a.opts.Conversation.Find(id)
	isOwn := a.own[s]
	a.opts.Conversation.Unlock()
	if !ok || isOwn {
		return
	}
	told := append([]byte(`{"sessionUpdate":"available_commands_update","availableCommands":`), a.list...)
	m.After(wire.SessionUpdate(id, append(told, '}')))
}
