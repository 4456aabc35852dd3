package versions

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// update translates a session/update to version 2.
func (a *Client) update(m *dispatch.Message) {
	update := m.Params().Open("update")
	if update == nil {
		return
	}
	m.Because(whyClient2)
	if r := a.running(m.Session); r != nil {
		m.Before(a.accept(r))
	}
	a.with(m.Session, func(s *clientSession) {
		if s.isClosed {
			m.Because(whyAfterClose)
			m.Drop()
			return
		}
		if s.isSilent && a.c.Opening(m.Session) && isReplay(m.Update) {
			m.Because(whySilent)
			m.Drop()
			return
		}
		if strings.HasPrefix(m.Update, acp.ToolCall) || strings.HasPrefix(m.Update, acp.Plan) {
			s.chunk = "" // it separates two messages
		}
		if m.Update == acp.UserMessageChunk && a.running(m.Session) != nil && !a.c.Opening(m.Session) {
			m.Because(whyOwnPrompt)
			m.Drop()
			return
		}
		switch m.Update {
		case acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk:
			a.name(s, m, update)
		case acp.ToolCall, acp.ToolCallUpdate:
			a.call(s, m, update)
		case acp.Plan:
			entries := present(update.Raw("entries"))
			if entries == nil {
				entries = []byte("[]")
			}
			plan := object(nil).text("type", acp.PlanItems).text("planId", "main").with("entries", entries).json()
			m.Edit(wire.Edit{Span: update.Span, With: object(nil).text("sessionUpdate", acp.PlanUpdate).with("plan", plan).with("_meta", update.Raw("_meta")).json()})
		case acp.AvailableCommandsUpdate:
			setMember(m, update, "availableCommands", commandsTo2(update.Raw("availableCommands")))
		case acp.ConfigOptionUpdate:
			setMember(m, update, "configOptions", optionsTo2(update.Raw("configOptions")))
		case acp.SubagentUpdate:
			if child, _ := update.Text("sessionId"); child != "" && wire.IsObject(update.Raw("state")) {
				with := wire.With(update.Raw("state"), []string{"sessionUpdate"}, []byte(`"state_update"`))
				m.Because(whyStateOfChild)
				m.After(wire.SessionUpdate(child, with))
			}
		case acp.CurrentModeUpdate:
			m.Because(whyModes)
			m.Drop()
		default:
			fit(m, update, sharedTo2[m.Update])
		}
	})
}

// isReplay reports whether agents replay updates of a kind when a session is loaded.
func isReplay(kind string) bool {
	return isChunk(kind) || strings.HasPrefix(kind, acp.ToolCall) || strings.HasPrefix(kind, acp.Plan)
}

// name adds the id of a message to a chunk, because version 2 requires it. Consecutive chunks of a
// kind get the same id.
func (a *Client) name(s *clientSession, m *dispatch.Message, update *wire.Object) {
	fit(m, update, field{name: "content", form: blockTo2})
	if !wire.IsAbsent(update.Raw("messageId")) {
		s.chunk = ""
		return
	}
	if s.chunk != m.Update {
		s.chunk, s.id = m.Update, a.newID()
	}
	m.Edit(update.Set(wire.Setting{Name: "messageId", Value: wire.Quote(nil, s.id)})...)
}

// call translates an update of a tool call. A report of a terminal in it becomes an update of its
// own.
func (a *Client) call(s *clientSession, m *dispatch.Message, update *wire.Object) {
	appends := a.agent != nil && strings.Contains(a.agent.Name, "codex")
	updates, left := s.terminal(update, m.Line[update.Start:update.End], appends)
	for _, u := range updates {
		m.Before(wire.SessionUpdate(m.Session, u))
	}
	if left == nil {
		m.Because(whyOnlyTerminal)
		m.Drop()
		return
	}
	m.Edit(wire.Edit{Span: update.Span, With: s.callTo2(open(left), m.Update == acp.ToolCall)})
}

// callMembers are the members of a tool call in version 2.
var callMembers = []string{"name", "title", "kind", "status", "content", "locations", "rawInput", "rawOutput"}

// callTo2 translates an update of a tool call to version 2. In version 2, null clears a member. So
// a call that begins again gets null for each member that it does not have.
func (s *clientSession) callTo2(update *wire.Object, begins bool) []byte {
	id, _ := update.Text("toolCallId")
	of, isNew := &call{}, true
	if id != "" && len(id) <= maxID {
		of, isNew = s.calls.use(id)
	}
	to := object(nil).text("sessionUpdate", acp.ToolCallUpdate)
	for _, m := range update.Members {
		raw := update.Raw(m.Name)
		switch {
		case m.Name == "sessionUpdate" || wire.IsAbsent(raw):
			continue
		case m.Name == "content":
			raw = s.contentTo2(raw)
		case m.Name == "locations":
			raw = locationsTo2(raw)
		case m.Name == "_meta":
			raw = s.calls.metaChange(of, raw)
		}
		to = to.with(m.Name, raw)
	}
	if begins && !isNew {
		for _, name := range callMembers {
			if wire.IsAbsent(update.Raw(name)) {
				to = to.with(name, []byte("null"))
			}
		}
	}
	return to.json()
}

// clientRequest translates a request of the agent to version 2, or refuses it if clients of version
// 2 have no such method.
func (a *Client) clientRequest(m *dispatch.Message) {
	switch {
	case strings.HasPrefix(m.Method, "fs/"), strings.HasPrefix(m.Method, "terminal/"):
		m.Because(whyNoMethod)
		m.Answer(wire.Refusal(m.ID, -32601, "Method not found: the client speaks version 2"))
	case m.Method != acp.SessionRequestPermission && m.Method != acp.ElicitationCreate:
	case a.isCancelled(m.Session):
		m.Because(whyCancelled)
		m.Answer(wire.Result(m.ID, cancelledQuestion(m.Method)))
	case m.Method == acp.SessionRequestPermission && isEmpty(m.Params().Raw("options")):
		m.Because(whyNoOptions)
		m.Answer(wire.Result(m.ID, cancelledQuestion(m.Method)))
	case m.Method == acp.SessionRequestPermission:
		a.permission(m)
	default:
		a.elicit(m)
	}
}

// A question is a permission request or a form of the agent that the client has.
type question struct {
	id      []byte // raw
	refusal string // the option of a permission request that rejects, or ""
}

// isCancelled reports whether the client has cancelled the turn of a session that has not ended, or
// closes or has closed the session.
func (a *Client) isCancelled(session string) bool {
	_, p := a.first(session)
	return a.c.IsTurnCancelled(session) || p != nil && (p.isClosing || p.isEnded)
}

// cancelledQuestion returns the result of a question that nobody answers.
func cancelledQuestion(method string) []byte {
	if method == acp.ElicitationCreate {
		return []byte(`{"action":"cancel"}`)
	}
	return []byte(`{"outcome":{"outcome":"cancelled"}}`)
}

// cancelQuestions ends the questions of a session whose turn the client cancels, as agents of
// version 2 do themselves.
func (a *Client) cancelQuestions(session string) {
	if !a.isAsked(session) {
		return
	}
	for _, r := range slices.Clone(a.c.Questions(session)) {
		q, ok := a.asked.Get(r)
		if !ok || !a.Respond(r, wire.Result(q.id, cancelledQuestion(r.Method)), whyCancelled) {
			continue
		}
		a.asked.Delete(r)
		params := object(nil).with("requestId", q.id).json()
		line := object(nil).text("jsonrpc", "2.0").text("method", acp.CancelRequest).with("params", params).json()
		a.Pass(dispatch.Agent, append(line, '\n'), whyAgentCancels)
	}
	a.goesOn(session, whyNotWaiting)
}

// goesOn tells the client that the turn of a session runs, if it does and no question is left. A
// question may be of an earlier turn than the one that begins.
func (a *Client) goesOn(session string, why wire.Reason) {
	running := a.running(session)
	if running == nil {
		return
	}
	a.Make(why, func() []byte {
		p, ok := a.prompts.Get(running)
		if !ok || !p.isAccepted || p.isEnded || a.isAsked(session) {
			return nil
		}
		return stateUpdate(session, acp.StateRunning, nil)
	})
}

// asks tells the client that the agent waits for the response to a request. Refusal is the option
// of a permission request that rejects, or "".
func (a *Client) asks(m *dispatch.Message, r *conversation.Request, refusal string) {
	if running := a.running(m.Session); running != nil {
		m.Before(a.accept(running))
		m.Before(stateUpdate(m.Session, acp.StateRequiresAction, nil))
	}
	if len(refusal) > maxID {
		refusal = ""
	}
	a.asked.Put(r, question{bytes.Clone(m.ID), refusal}, len(m.ID)+len(refusal))
}

// permission translates a permission request to version 2, and tells the client that the agent
// waits.
func (a *Client) permission(m *dispatch.Message) {
	params := m.Params()
	call := open(params.Raw("toolCall"))
	if params == nil || params.Get("title") != nil {
		return
	}
	title, _ := a.c.CallOf(m.Session, call).Text("title")
	if title == "" {
		title = "Permission required"
	}
	r := a.c.Pending(dispatch.Agent, m.ID)
	set := []wire.Setting{{Name: "title", Value: wire.Quote(nil, title)}}
	if call != nil {
		of := object(nil)
		a.with(m.Session, func(s *clientSession) { of = s.callTo2(call, false) })
		of = wire.Without(of, "sessionUpdate")
		set = append(set, wire.Setting{Name: "subject", Value: object(nil).text("type", acp.SubjectToolCall).with("toolCall", of).json()})
	}
	m.Because(whyClient2)
	refusal, _ := wire.Text(conversation.RefusalOf(params.Raw("options")))
	a.asks(m, r, refusal)
	m.Edit(params.Set(set...)...)
}

// isAsked reports whether a question of a session is pending.
func (a *Client) isAsked(session string) bool {
	return slices.ContainsFunc(a.c.Questions(session), func(r *conversation.Request) bool {
		_, ok := a.asked.Get(r)
		return ok
	})
}

// decision tells the client that the agent goes on after its question. It translates a decision
// about a permission request to version 1: there, only cancelling the turn dismisses a request, so
// dismissing it without that selects the option that rejects.
func (a *Client) decision(m *dispatch.Message) {
	r := m.Request
	if r == nil || r.Method != acp.SessionRequestPermission && r.Method != acp.ElicitationCreate {
		return
	}
	q, _ := a.asked.Take(r)
	a.goesOn(r.Session, whyDecided)
	if r.Method == acp.ElicitationCreate {
		return
	}
	outcome := open(m.Result().Raw("outcome"))
	kind, _ := outcome.Text("outcome")
	if m.IsRefusal() || kind == acp.OutcomeSelected || a.c.IsTurnCancelled(r.Session) {
		return
	}
	m.Because(whyDismissed)
	if q.refusal != "" {
		m.Replace(wire.Result(m.ID, object(nil).with("outcome", object(nil).text("outcome", acp.OutcomeSelected).text("optionId", q.refusal).json()).json()))
	} else if kind != acp.OutcomeCancelled {
		m.Replace(wire.Result(m.ID, cancelledQuestion(r.Method)))
	}
}
