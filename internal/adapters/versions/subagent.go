package versions

import (
	"bytes"
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An agent of version 2 runs a subagent in a session of its own, which a subagent_update of the
// parent session announces. In version 1, a client has to announce support for that. To any other
// client, the session of a subagent is hidden: the client is shown one tool call for the subagent,
// and what the subagent asks, in the session of its own that began the work.

// A subagent is what is known of the session of a subagent.
type subagent struct {
	name               string // in ids of tool calls: records hide the ids of sessions
	parent             string // the session that announced it
	root               string // the session of the client that began the work
	title, description string
	status             string // of the tool call that stands for it
	isLost             bool   // the agent does not know its state any more
	work
}

func (of *subagent) size() int {
	if of == nil {
		return 0
	}
	return 256 + len(of.name) + len(of.parent) + len(of.root) + len(of.title) + len(of.description) + len(of.shown) + len(of.state)
}

// subagent handles the subagent_update of a session with state s.
func (a *Agent) subagent(m *dispatch.Message, s *session, update *wire.Object) {
	id, ok := update.Text("sessionId")
	if !ok || id == m.Session || conversation.KeptID(id) == "" {
		a.gated(m, update, "subagents")
		return
	}
	root := m.Session
	if of := a.hidden(m.Session); of != nil {
		root = of.root
	}
	a.with(id, func(child *session) {
		of := child.subagent
		if of == nil {
			a.subagents++
			of = &subagent{name: fmt.Sprintf("acpshim-subagent-%d", a.subagents), parent: m.Session, root: root, status: acp.StatusPending}
			child.subagent = of
		}
		state := open(update.Raw("state"))
		if s.links {
			if state != nil {
				of.state = stateTo1(state)
				setMember(m, update, "state", of.state)
			}
			return
		}
		child.draws = false
		of.describe(update)
		of.apply(state)
		if of.shown == nil && !of.hasCall && !slices.Contains(a.newcomers, id) {
			a.newcomers = append(a.newcomers, id)
		}
		a.changeCall(m, of)
	})
	if len(a.newcomers) == maxNewcomers {
		a.showNewcomers(m)
	}
}

// describe notes the title and the description of a subagent_update.
func (of *subagent) describe(update *wire.Object) {
	for name, text := range map[string]*string{"title": &of.title, "description": &of.description} {
		if update.Get(name) != nil {
			now, _ := update.Text(name)
			*text = now[:min(len(now), maxCommand)]
		}
	}
}

// apply notes the state of a subagent, which may be nil, as the status of a tool call.
func (of *subagent) apply(state *wire.Object) {
	reason, _ := state.Text("stopReason")
	name, isState := state.Text("state")
	if isState {
		of.isLost = name == "unknown"
	}
	switch {
	case name == acp.StateRunning || name == acp.StateRequiresAction:
		of.status = acp.StatusInProgress
	case name == acp.StateIdle && (reason == "error" || reason == acp.StopCancelled):
		of.status = acp.StatusFailed
	case name == acp.StateIdle:
		of.status = acp.StatusCompleted
	}
}

// stateTo1 translates a state, or a state_update, to the state of a subagent in version 1.
func stateTo1(state *wire.Object) []byte {
	to := object(nil)
	for _, m := range state.Members {
		if m.Name != "sessionUpdate" && m.Name != "background" {
			to = to.with(m.Name, state.Raw(m.Name))
		}
	}
	if len(to) > maxCommand {
		to = object(nil).with("state", state.Raw("state"))
	}
	return to.json()
}

// childState handles the state_update of a subagent. In version 1, the parent session has the
// state.
func (a *Agent) childState(m *dispatch.Message, of *subagent, update *wire.Object) {
	state := stateTo1(update)
	if bytes.Equal(state, of.state) {
		m.Because(whyStateKnown)
		m.Drop()
		return
	}
	of.state = state
	m.Because(whyStateInParent)
	m.Replace(wire.SessionUpdate(of.parent, object(nil).text("sessionUpdate", acp.SubagentUpdate).text("sessionId", m.Session).with("state", state).json()))
}

// call returns the update of the tool call that stands for a subagent, or nil if the client has it.
func (of *subagent) call() []byte {
	title := of.title
	if title == "" {
		title = "Subagent"
	}
	elements := [][]byte{}
	lost := ""
	if of.isLost {
		lost = "The agent does not know whether this subagent still works."
	}
	for _, p := range notesOf(of.description, lost) {
		elements = append(elements, p.raw)
	}
	now := object(nil).text("toolCallId", of.name).text("title", title).text("kind", acp.KindThink).
		text("status", of.status).with("content", wire.List(elements))
	if of.hasCall || bytes.Equal(now, of.shown) {
		return nil
	}
	kind := acp.ToolCallUpdate
	if of.shown == nil {
		kind = acp.ToolCall
	}
	of.shown = now
	return wire.SessionUpdate(of.root, object(nil).text("sessionUpdate", kind).rest(now).json())
}

// changeCall replaces a message by what it changes of the tool call that stands for a subagent. It
// drops the message if that is nothing.
func (a *Agent) changeCall(m *dispatch.Message, of *subagent) {
	m.Because(whyAsCall)
	if of.shown == nil {
		m.Drop()
	} else if line := of.call(); line != nil {
		m.Replace(line)
	} else {
		m.Drop()
	}
}

// callID returns the id that the client gets for a tool call of a subagent, because ids of calls
// are unique only in their session.
func (of *subagent) callID(call string) string { return of.name + "/" + call }
