package rule

import (
	"acpshim/internal/chain/conversation"
	"acpshim/internal/text/glob"
)

// A Method is a method of the protocol.
type Method struct {
	From    Side // who sends it
	Request bool // otherwise it is a notification
}

// Methods are the methods in the stable part of the protocol, and others that agents and clients
// have sent for long. It is not complete.
var Methods = map[string]Method{
	"initialize":                 {Client, true},
	"authenticate":               {Client, true},
	"logout":                     {Client, true},
	"session/new":                {Client, true},
	"session/load":               {Client, true},
	"session/resume":             {Client, true},
	"session/fork":               {Client, true},
	"session/list":               {Client, true},
	"session/close":              {Client, true},
	"session/delete":             {Client, true},
	"session/set_mode":           {Client, true},
	"session/set_model":          {Client, true},
	"session/set_config_option":  {Client, true},
	conversation.Prompt:          {Client, true},
	"session/cancel":             {Client, false},
	"session/update":             {Agent, false},
	"session/request_permission": {Agent, true},
	"fs/read_text_file":          {Agent, true},
	"fs/write_text_file":         {Agent, true},
	"terminal/create":            {Agent, true},
	"terminal/output":            {Agent, true},
	"terminal/release":           {Agent, true},
	"terminal/wait_for_exit":     {Agent, true},
	"terminal/kill":              {Agent, true},
	"elicitation/create":         {Agent, true},
	"elicitation/complete":       {Agent, false},
	conversation.CancelRequest:   {Both, false},
}

// OnlyMethod returns the method that a glob matches, if it matches only one and that is in Methods.
func OnlyMethod(g glob.Glob) (Method, bool) {
	texts := g.Texts()
	if len(texts) != 1 {
		return Method{}, false
	}
	m, ok := Methods[texts[0]]
	return m, ok
}

// checkProtocol reports actions that the protocol forbids.
func (c *compiler) checkProtocol() {
	s, r := c.source, c.rule
	var isRequest, isNotification bool
	if r.method != nil {
		m, known := OnlyMethod(r.method.Glob)
		isRequest, isNotification = known && m.Request, known && !m.Request
	}
	about := s.Method
	if r.update != nil {
		isNotification, about = true, "session/update"
	}
	isResponse := r.responseTo != nil
	switch {
	case r.drop && r.reply != nil:
		c.problem("action", "", "a rule with a reply drops nothing: want one of them")
	case r.drop && isResponse:
		c.problem("action", "", "a response is never dropped: whoever asked would wait for ever")
	case r.drop && isRequest:
		c.problem("action", "", "%s is a request and never dropped: its sender would wait for ever; want reply", s.Method)
	case r.reply != nil && isResponse:
		c.problem("reply", "", "response_to matches responses, which have no reply: want method")
	case r.reply != nil && isNotification:
		c.problem("reply", "", "%s is a notification and has no reply: want action = \"drop\"", about)
	case r.hold && (isRequest || isResponse):
		c.problem("hold", "", "only notifications are held: want method = \"session/update\"")
	}
}
