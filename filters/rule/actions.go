package rule

// compileActions compiles what the rule does to a message.
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
	r.log = s.Log
	switch s.Hold {
	case "":
	case "response":
		r.hold = true
		if r.from == Client {
			c.problem("hold", "", "only what an agent sends is held: want from = \"agent\"")
		}
	default:
		c.problem("hold", "", "%q: want \"response\"", s.Hold)
	}
	switch s.Action {
	case "":
	case "drop":
		r.drop = true
	default:
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
		c.rule.reply = append([]byte(`"result":`), c.json("reply.result", "", reply.Result)...)
	default:
		value := c.json("reply.error", "", reply.Error)
		if !isError(value) {
			c.problem("reply.error", "", "%s: want an object with a whole number as code and text as message", value)
		}
		c.rule.reply = append([]byte(`"error":`), value...)
	}
}

// answer returns the response to a request, a line with its end.
func (r *compiled) answer(m *message) []byte {
	line := append([]byte(`{"jsonrpc":"2.0","id":`), m.id...)
	line = append(append(line, ','), r.reply...)
	return append(line, "}\n"...)
}
