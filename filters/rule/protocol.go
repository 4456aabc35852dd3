package rule

import (
	"acpshim/internal/chain/acp"
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
	acp.Initialize:               {Client, true},
	acp.Authenticate:             {Client, true},
	acp.Logout:                   {Client, true},
	acp.SessionNew:               {Client, true},
	acp.SessionLoad:              {Client, true},
	acp.SessionResume:            {Client, true},
	acp.SessionFork:              {Client, true},
	acp.SessionList:              {Client, true},
	acp.SessionClose:             {Client, true},
	acp.SessionDelete:            {Client, true},
	acp.SessionSetMode:           {Client, true},
	acp.SessionSetModel:          {Client, true},
	acp.SessionSetConfigOption:   {Client, true},
	acp.SessionPrompt:            {Client, true},
	acp.SessionCancel:            {Client, false},
	acp.SessionUpdate:            {Agent, false},
	acp.SessionRequestPermission: {Agent, true},
	acp.FSReadTextFile:           {Agent, true},
	acp.FSWriteTextFile:          {Agent, true},
	acp.TerminalCreate:           {Agent, true},
	acp.TerminalOutput:           {Agent, true},
	acp.TerminalRelease:          {Agent, true},
	acp.TerminalWaitForExit:      {Agent, true},
	acp.TerminalKill:             {Agent, true},
	acp.ElicitationCreate:        {Agent, true},
	acp.ElicitationComplete:      {Agent, false},
	acp.CancelRequest:            {Both, false},
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
		isNotification, about = true, acp.SessionUpdate
	}
	isResponse := r.responseTo != nil
	switch {
	case r.drop && r.reply != nil:
		c.problem("action", "", "a rule with a reply drops nothing: want one of them")
	case r.drop && isResponse:
		c.problem("action", "", "a response is never dropped: the sender of the request would wait forever")
	case r.drop && isRequest:
		c.problem("action", "", "%s is a request and never dropped: its sender would wait forever; want reply", s.Method)
	case r.reply != nil && isResponse:
		c.problem("reply", "", "response_to matches responses, which have no reply: want method")
	case r.reply != nil && isNotification:
		c.problem("reply", "", "%s is a notification and has no reply: want action = \"drop\"", about)
	case r.hold && (isRequest || isResponse):
		c.problem("hold", "", "only notifications are held: want method = \"session/update\"")
	}
}
