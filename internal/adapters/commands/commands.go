// Package commands has the adapter that announces slash commands for an agent that announces none.
package commands

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A Command is a slash command.
type Command struct {
	Name        string // without a slash
	Description string
	Hint        string // what to type after the name; may be empty
}

// An Adapter announces commands when a session is opened, and when the agent announces an empty
// list. Commands that the agent announces replace them.
//
//   - Settles: A slash command is missing, or the client refuses to send it: the agent understands
//     it but does not announce it.
//   - For: Agents that announce no commands, such as Copilot CLI.
//   - Keys: command
//   - Read: github/copilot-cli#1044, zed-industries/zed#60199
type Adapter struct {
	dispatch.Switched[string] // the commands as JSON, or ""

	conversation *conversation.Conversation
	own          *conversation.Slot[*conversation.Session, bool] // sessions in which the agent has announced commands
}

var why = wire.Reason{Code: "commands.announced", Text: "the agent announces no commands ([[command]])"}

// New returns an Adapter. Commands returns the commands to announce for two peers.
func New(c *conversation.Conversation, commands func(client, agent conversation.Implementation) []Command) *Adapter {
	a := &Adapter{conversation: c, own: conversation.NewSlot[*conversation.Session, bool](c)}
	a.For = func(client, agent conversation.Implementation) string { return list(commands(client, agent)) }
	a.Wanted = []dispatch.Want{{
		From: dispatch.Agent, Updates: []string{acp.AvailableCommandsUpdate}, Sessions: true,
		Responses: []string{acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume},
	}}
	return a
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "commands" }

// list returns commands as JSON, or "" if there are none.
func list(commands []Command) string {
	var all []string
	for _, c := range commands {
		input := ""
		if c.Hint != "" {
			input = fmt.Sprintf(`,"input":{"hint":%s}`, wire.Quote(nil, c.Hint))
		}
		all = append(all, fmt.Sprintf(`{"name":%s,"description":%s%s}`, wire.Quote(nil, c.Name), wire.Quote(nil, c.Description), input))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ",") + "]"
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	m.Because(why)
	switch {
	case m.Update == acp.AvailableCommandsUpdate:
		a.announced(m)
	case m.Request != nil && conversation.IsOfSessions(m.Request.Method) && !m.IsRefusal():
		a.opened(m)
	}
}

// announced records that the agent announces commands, and replaces an empty list.
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
	if s, ok := a.conversation.FindNew(m.Session); ok {
		a.own.Put(s, true, 0)
	}
}

// opened announces the commands after a session was opened. In a batch it waits for the end: the
// agent may announce its own commands in the same batch.
func (a *Adapter) opened(m *dispatch.Message) {
	id := m.Opened()
	if m.InBatch() {
		a.Make(why, func() []byte { return a.announcement(id) })
	} else {
		m.After(a.announcement(id))
	}
}

// announcement returns the line that announces the commands. It returns nil if the session is not
// open or the agent has announced its own.
func (a *Adapter) announcement(session string) []byte {
	s, ok := a.conversation.Find(session)
	if _, isOwn := a.own.Get(s); !ok || isOwn {
		return nil
	}
	return wire.SessionUpdate(session, fmt.Appendf(nil, `{"sessionUpdate":"%s","availableCommands":%s}`, acp.AvailableCommandsUpdate, a.On))
}
