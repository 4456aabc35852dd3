package rule

import "fmt"

// compileActions compiles the actions of the rule.
func (c *compiler) compileActions() {
	s, r := c.source, c.rule
	before := len(c.problems)
	c.compileEdits()
	if s.JQ != "" {
		var err error
		if r.jq, err = newProgram(s.JQ); err != nil {
			c.problem("jq", "", "%v", err)
		}
	}
	r.log, r.hold, r.drop = s.Log, s.Hold == "response", s.Action == "drop"
	switch {
	case s.Hold != "" && !r.hold:
		c.problem("hold", "", "%q: want \"response\"", s.Hold)
	case r.hold && r.from == Client:
		c.problem("hold", "", "only what an agent sends is held: want from = \"agent\"")
	}
	if s.Action != "" && !r.drop {
		c.problem("action", "", "%q: want \"drop\"; set, delete, reply and the others are keys of their own", s.Action)
	}
	c.compileReply()
	if len(c.problems) == before && len(r.edits) == 0 && r.jq == nil && !r.log && !r.hold && !r.drop && s.Reply == nil {
		c.problem("action", "", "missing: want one of rename, set, append, delete, jq, log, hold, action = \"drop\" and reply")
	}
}

func (c *compiler) compileReply() {
	reply := c.source.Reply
	switch {
	case reply == nil:
	case (reply.Result == nil) == (reply.Error == nil):
		c.problem("reply", "", "want one of result and error")
	case reply.Result != nil:
		c.rule.reply = fmt.Appendf(nil, `"result":%s`, c.json("reply.result", "", reply.Result))
	default:
		value := c.json("reply.error", "", reply.Error)
		if !isError(value) {
			c.problem("reply.error", "", "%s: want an object with a whole number as code and text as message", value)
		}
		c.rule.reply = fmt.Appendf(nil, `"error":%s`, value)
	}
}

// answer returns the response to a request as a line.
func (r *compiledRule) answer(m *message) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.id, r.reply)
}
