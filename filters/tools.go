package filters

import (
	"slices"

	"acpshim/internal/wire"
	"acpshim/translate"
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
	s, ok := c.kept.use(string(h.SessionID))
	switch {
	case ok && s.now.board.HasOwn() && s.replayed == nil:
		return wire.Pass, false // until the session begins anew
	case ok && kind == "tool_call_update" && s.now.todos.Ignores(h.ToolCallID):
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
	s := c.session(id)
	after := c.readTodos(s, func(t *translate.Todos) bool { return t.Read(c.handshake.tools, update) })
	return replacement{self: line, after: after}
}

// toolMessage reads a message of a method of the agent's own. It passes; behind
// it goes the plan that it makes.
func (c *Conversation) toolMessage(line []byte, msg *wire.Object, method string) replacement {
	defer c.lock()()
	params := msg.Open("params")
	s := c.sessionOf(params)
	if s == nil {
		return replacement{self: line}
	}
	after := c.readTodos(s, func(t *translate.Todos) bool {
		return slices.ContainsFunc(c.handshake.tools, func(tool *translate.Tool) bool {
			return tool.Method() == method && t.ReadParams(tool, params)
		})
	})
	return replacement{self: line, after: after}
}

// readTodos has a message read into the session's todo lists. It returns the
// line by which the client is shown what it wrote, if it did.
func (c *Conversation) readTodos(s *session, read func(*translate.Todos) (written bool)) []byte {
	some := false
	for _, p := range s.all() {
		if p.board.HasOwn() || !read(&p.todos) {
			continue
		}
		c.applyTo(p, translate.Update{Kind: translate.Todo, Entries: p.todos.Entries()})
		some = true
	}
	c.applied(s)
	if !some || c.showAs() != AsPlan {
		return nil
	}
	return c.offer(s)
}

// sessionOf returns the session that a message of a method of the agent's own
// is about, or nil. Cursor's names no session, but a tool call; else it is the
// only one with a prompt, or the only one.
func (c *Conversation) sessionOf(params *wire.Object) *session {
	if id, ok := params.Text("sessionId"); ok {
		if len(id) > maxSessionID {
			return nil
		}
		return c.session(id)
	}
	sessions := c.kept.sessions.Values()
	if call, ok := params.Text("toolCallId"); ok {
		for _, s := range sessions {
			if s.now.todos.Knows(call) {
				return c.session(s.id)
			}
		}
	}
	if len(c.prompts) == 1 {
		for id := range c.prompts {
			if id != "" {
				return c.session(id)
			}
		}
	}
	if len(sessions) == 1 {
		return c.session(sessions[0].id)
	}
	return nil
}

// offer returns the line by which the client is shown the session's plan, or
// keeps it until the client knows the session, or the lines that are there at
// once have been read.
func (c *Conversation) offer(s *session) []byte {
	switch {
	case c.ready(s) && !c.isBurst(s):
		return c.show(nil, s, s.envelope())
	case c.ready(s):
		c.waitForFlush(s, s.envelope())
	case s.waiting == nil:
		c.wait(s, s.envelope())
	}
	return nil
}

// ownPlan reads a plan update of an agent for a capable client. A plan of the
// agent's own passes; behind it goes what takes back the one that was made of its
// todo tools, unless the agent's takes its place. One that need not be shown does
// not pass: see repeats.
func (c *Conversation) ownPlan(line []byte, id string, update *wire.Object) replacement {
	defer c.lock()()
	re := replacement{self: line}
	s := c.session(id)
	u, err := translate.Decode(update)
	switch {
	case err != nil || u.Kind == translate.Removed:
		s.theirs = true
		return re
	case u.Kind == translate.Legacy && c.repeats(s, u):
		re.self = nil
	default:
		s.theirs = true
	}
	had := s.now.board.HasOwn()
	for _, p := range s.all() {
		switch {
		case p.board.HasOwn():
			continue
		case u.ClearsTodos():
			p.board.Apply(u)
		default:
			p.board.MarkOwn()
		}
		p.todos = translate.Todos{}
	}
	c.applied(s)
	if had {
		return re
	}
	if u.Kind == translate.Legacy {
		s.shown, s.ours = translate.Digest{}, false
		return re
	}
	re.after = c.offer(s)
	return re
}

// repeats reports whether a legacy plan of the agent's need not be shown: the
// client has been shown the same, made of todo tools or other plans, or there
// was none and this one is empty. Where the agent says it twice, it has a reason.
func (c *Conversation) repeats(s *session, u translate.Update) bool {
	switch digest := translate.DigestOf(u.Entries); {
	case !c.ready(s):
		return false
	case s.ours && digest == s.shown:
		s.ours = false
		return true
	default:
		return u.ClearsTodos() && s.shown == translate.Digest{} && !s.now.board.HasOwn() && !s.theirs
	}
}
