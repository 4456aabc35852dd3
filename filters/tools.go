package filters

import (
	"slices"

	"acpshim/translate"
	"acpshim/wire"
)

// peekTools decides a session update, whose kind is known, by what it may say
// about todo tools. Where it is sure, every line that begins like this one
// passes as long as no call of that id starts.
func (c *Conversation) peekTools(h wire.Head) (verdict wire.Verdict, sure bool) {
	kind := string(h.SessionUpdate)
	switch {
	case kind != "tool_call" && kind != "tool_call_update" && !isPlan(h.SessionUpdate):
		return wire.Pass, true
	case h.SessionID == nil:
		return wire.Hold, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.sessions.Get(string(h.SessionID))
	switch {
	case ok && s.board.HasOwn():
		return wire.Pass, false // until the session begins anew
	case ok && kind == "tool_call_update" && s.todos.Ignores(h.ToolCallID):
		return wire.Pass, true
	}
	return wire.Hold, false
}

// isToolMethod reports whether messages of the method are a todo tool's.
func (c *Conversation) isToolMethod(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.handshake.tools, func(t *translate.Tool) bool { return t.Method() == method })
}

// toolCall reads a tool_call or a tool_call_update. It passes; behind it goes
// the plan that it makes.
func (c *Conversation) toolCall(line []byte, id string, update *wire.Object) replacement {
	defer c.lock()()
	re := replacement{self: line}
	s := c.session(id)
	if !s.board.HasOwn() && s.todos.Read(c.handshake.tools, update) {
		re.after = c.showTodos(s)
	}
	c.weigh(s)
	return re
}

// toolMessage reads a message of a method of the agent's own. It passes; behind
// it goes the plan that it makes.
func (c *Conversation) toolMessage(line []byte, msg *wire.Object, method string) replacement {
	defer c.lock()()
	re := replacement{self: line}
	params := msg.Open("params")
	s := c.sessionOf(params)
	if s == nil || s.board.HasOwn() {
		return re
	}
	for _, tool := range c.handshake.tools {
		if tool.Method() == method && s.todos.ReadParams(tool, params) {
			re.after = c.showTodos(s)
			break
		}
	}
	c.weigh(s)
	return re
}

// sessionOf returns the session that a message of a method of the agent's own
// is about, or nil. Cursor's names no session, but a tool call; else it is the
// only one with a prompt, or the only one.
func (c *Conversation) sessionOf(params *wire.Object) *session {
	if id, ok := params.Text("sessionId"); ok {
		return c.session(id)
	}
	sessions := c.sessions.Values()
	if call, ok := params.Text("toolCallId"); ok {
		for _, s := range sessions {
			if s.todos.Knows(call) {
				return s
			}
		}
	}
	prompted := map[string]bool{}
	for _, r := range c.pending.Values() {
		if r.method == "session/prompt" {
			prompted[r.session] = true
		}
	}
	if len(prompted) == 1 {
		for id := range prompted {
			if id != "" {
				return c.session(id)
			}
		}
	}
	if len(sessions) == 1 {
		return sessions[0]
	}
	return nil
}

// showTodos returns the line by which the client is shown what the todo tools
// of the session wrote.
func (c *Conversation) showTodos(s *session) []byte {
	s.board.Apply(translate.Update{Kind: translate.Todo, Entries: s.todos.Entries()})
	c.owe(s, c.owes(s))
	if c.showAs() != AsPlan {
		return nil
	}
	return c.offer(s)
}

// offer returns the line by which the client is shown the session's plan, or
// keeps it until the client knows the session.
func (c *Conversation) offer(s *session) []byte {
	e := s.envelope()
	if c.ready(s) {
		return c.show(nil, s, e)
	}
	if s.held == nil {
		s.held = &e
	}
	return nil
}

// ownPlan notes that the agent sends plans of its own to a capable client. It
// returns the line that takes back the plan that was made of its todo tools,
// unless the agent's takes its place.
func (c *Conversation) ownPlan(id string, update *wire.Object) []byte {
	defer c.lock()()
	s := c.session(id)
	if s.board.HasOwn() {
		return nil
	}
	u, err := translate.Decode(update)
	if err != nil || u.Kind == translate.Removed {
		return nil
	}
	s.board.Own()
	s.todos = translate.Todos{}
	c.weigh(s)
	if u.Kind == translate.Legacy {
		s.shown = nil
	}
	return c.offer(s)
}
