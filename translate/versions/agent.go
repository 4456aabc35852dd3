package versions

import (
	"slices"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Agent is an adapter that has an agent of version 2 speak version 1. It stands beside the agent.
//
//   - Settles: The client speaks version 1 of the protocol, and the agent only version 2.
//   - For: aether, and claude-agent-acp and codex-acp where they are set to version 2.
//   - Keys: version.bridge
//   - Seen: claude-agent-acp 0.101.0, @agentclientprotocol/sdk 2.4.0
//   - Read: contextbridge/aether#455
type Agent struct {
	dispatch.Base
	opts     Options
	beside   *Client // the adapter beside the client
	offers   *conversation.Slot[*conversation.Request, offer]
	cancels  *conversation.Slot[*conversation.Request, bool] // prompts that were cancelled before the agent answered
	sessions *conversation.Slot[*conversation.Session, *session]

	// Under the conversation's lock:
	isOn    bool                // the bridge is
	client  *conversation.Peer  // of version 1
	asked   int                 // permission requests so far, for ids
	growing map[*session]string // those with more to show, and their ids
}

// NewAgent returns an Agent adapter, which has an agent asked in another version for a Client, too.
func NewAgent(o Options, beside *Client) *Agent {
	return &Agent{
		opts:     o,
		beside:   beside,
		offers:   conversation.NewSlot[*conversation.Request, offer](o.Conversation),
		cancels:  conversation.NewSlot[*conversation.Request, bool](o.Conversation),
		sessions: conversation.NewSlot[*conversation.Session, *session](o.Conversation),
		growing:  map[*session]string{},
	}
}

// Name implements dispatch.Adapter.
func (*Agent) Name() string { return "version" }

// Corrects implements dispatch.Corrector: to all others the agent is one of version 1.
func (*Agent) Corrects(from dispatch.Side) bool { return from == dispatch.Agent }

// Negotiated implements dispatch.Negotiator.
func (a *Agent) Negotiated(r *conversation.Request) { a.client = r.Client }

// Observe implements dispatch.Observer: the prompts of a session of which nothing is kept any more
// end, and a session that is loaded is told anew.
func (a *Agent) Observe(e conversation.Event) {
	of := e.Session
	if r := e.Request; r != nil && r.From == dispatch.Client && (r.Prompts() || r.Method == "session/load") {
		of, _ = a.opts.Conversation.Find(r.Session)
	}
	s, ok := a.sessions.Get(of)
	switch {
	case !ok:
	case e.Kind == conversation.SessionRemoved:
		a.lost(s)
	case e.Kind == conversation.RequestEnded && e.Request.Prompts():
		s.turn.idle = nil
	case e.Kind == conversation.RequestBegan && e.Request.Method == "session/load":
		s.calls, s.terminals, s.messages = calls{}, terminals{}, messages{}
		delete(a.growing, s)
		a.sessions.Put(of, s, s.size())
	}
}

// lost ends the prompts of a session of which nothing is kept any more. The lock is held.
func (a *Agent) lost(s *session) {
	delete(a.growing, s)
	s.turn.answer("there is no room for the state of its session any more", func(id []byte) []byte {
		return wire.Refusal(id, -32603, "acpshim has no room for the state of this session any more: the turn goes on without it")
	})
}

// passed are the kinds of update that both versions spell alike.
var passed = []string{"plan_update", "plan_removed", "session_info_update", "usage_update"}

// Wants implements dispatch.Adapter.
func (a *Agent) Wants() []dispatch.Want {
	if !a.isOn {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Client, Sessions: true, Methods: []string{
			"authenticate", "logout", "session/new", "session/load", "session/resume", "session/fork",
			"session/set_mode", "session/set_config_option", conversation.Prompt, conversation.CancelRequest, "session/cancel",
		}},
		{From: dispatch.Agent, Updates: []string{"*"}, Methods: []string{"session/request_permission", "elicitation/create", conversation.CancelRequest}, Responses: []string{
			"session/new", "session/load", "session/resume", "session/fork",
			"session/set_mode", "session/set_config_option", conversation.Prompt,
		}},
	}
}

// Cares implements dispatch.Adapter.
func (a *Agent) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if slices.Contains(passed, string(h.SessionUpdate)) {
		return dispatch.No
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter. Initialize and its response are given to every adapter.
func (a *Agent) Handle(m *dispatch.Message) {
	isInitialize := m.Method == "initialize" || m.Request != nil && m.Request.Method == "initialize"
	c := a.opts.Conversation
	c.Lock()
	isOn := a.isOn
	c.Unlock()
	switch {
	case m.From == dispatch.Client && isInitialize:
		a.keep(m)
	case isInitialize:
		a.negotiate(m)
	case !isOn:
	case m.From == dispatch.Client:
		a.request(m)
	case m.Kind == dispatch.Response:
		a.response(m)
	case m.Method == "session/update":
		a.update(m)
	case m.Method == conversation.CancelRequest:
		a.withdraw(m)
	case m.Method == "session/request_permission":
		a.permission(m)
	}
}

// methods are the names in version 2 of requests that it names otherwise.
var methods = map[string]string{
	"authenticate": "auth/login", "logout": "auth/logout", "session/load": "session/resume", "session/set_mode": "session/set_config_option",
}

// request spells a request of the client for version 2.
func (a *Agent) request(m *dispatch.Message) {
	switch m.Method {
	case conversation.CancelRequest:
		a.cancel(m)
		return
	case "session/cancel":
		a.with(m.Session, func(s *session) { s.turn.cancelled = true })
		return
	}
	if m.Kind != dispatch.Request || m.Method == conversation.Prompt { // which is spelled alike
		return
	}
	params := m.Params()
	if params == nil && strings.HasPrefix(m.Method, "session/") {
		m.Because("it has no params")
		m.Answer(wire.Refusal(m.ID, -32602, "Invalid params: want an object"))
		return
	}
	var set []wire.Setting
	if servers := params.Raw("mcpServers"); servers != nil {
		set = append(set, wire.Setting{Name: "mcpServers", Value: serversTo2(servers)})
	}
	switch m.Method {
	case "session/load":
		set = append(set, wire.Setting{Name: "replayFrom", Value: []byte(`{"type":"start"}`)})
	case "session/set_config_option":
		if params.Get("type") == nil {
			set = append(set, wire.Setting{Name: "type", Value: []byte(`"id"`)})
		}
	case "session/set_mode":
		mode := ""
		a.with(m.Session, func(s *session) { mode = s.mode })
		if mode == "" || params.Get("modeId") == nil {
			m.Because("the agent offers no modes, or none is named")
			m.Answer(wire.Refusal(m.ID, -32602, "the agent offers no modes, or none is named"))
			return
		}
		set = append(set, wire.Setting{Name: "configId", Value: wire.Quote(nil, mode)}, wire.Setting{Name: "type", Value: []byte(`"id"`)},
			wire.Setting{Name: "value", Value: params.Raw("modeId")})
	}
	m.Because("the agent speaks version 2")
	edits := m.Object.Set()
	if name := methods[m.Method]; name != "" {
		edits = m.Object.Set(wire.Setting{Name: "method", Value: wire.Quote(nil, name)})
	}
	if len(set) > 0 {
		edits = append(edits, params.Set(set...)...)
	}
	m.Edit(edits...)
}

// response spells a response of the agent for version 1.
func (a *Agent) response(m *dispatch.Message) {
	r, result := m.Request, m.Result()
	if r.Prompts() {
		a.prompted(m)
		return
	}
	if result == nil {
		return
	}
	m.Because("the agent speaks version 2")
	id := m.Opened()
	if commands := result.Raw("availableCommands"); !wire.IsAbsent(commands) {
		update := object(nil).text("sessionUpdate", "available_commands_update").with("availableCommands", commandsTo1(commands)).json()
		m.After(wire.SessionUpdate(id, update))
	}
	options := result.Raw("configOptions")
	if options == nil {
		return
	}
	a.with(id, func(s *session) { s.noteMode(options) })
	setMember(m, result, "configOptions", optionsTo1(options))
}

// with calls f with what is kept of a session, under the lock.
func (a *Agent) with(id string, f func(*session)) {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	of, ok := c.FindNew(id)
	if !ok {
		of = c.Session(id)
	}
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &session{draws: a.client != nil && string(a.client.Capability("_meta", "terminal_output")) == "true"}
	}
	f(s)
	if !a.sessions.Put(of, s, s.size()) {
		a.lost(s)
	}
}

// prompted holds the response to a prompt until the agent is idle.
func (a *Agent) prompted(m *dispatch.Message) {
	if m.IsRefusal() {
		a.with(m.Request.Session, func(s *session) { s.turn.idle = nil })
		if m.Code() == "-32800" {
			m.Because("the prompt was cancelled before the agent accepted it")
			m.Replace(wire.Result(m.ID, []byte(`{"stopReason":"cancelled"}`)))
		}
		return
	}
	m.Because("acpshim holds the response until the turn ends")
	m.Line = wire.Result(m.ID, []byte(`{"stopReason":"cancelled"}`)) // what it is if the turn has no end
	h := m.HoldThroughCancel()
	if h == nil {
		m.Replace(m.Line)
		return
	}
	isCancelled := false
	a.with(m.Request.Session, func(s *session) {
		s.messages.last = "" // a message of this turn goes on with none of the last
		s.turn.acknowledged(h)
		_, isCancelled = a.cancels.Get(m.Request)
	})
	if isCancelled {
		a.Pass(dispatch.Agent, cancelOf(m.Request.Session), "the prompt was cancelled before the agent answered it")
	}
}

// cancelOf returns the line that cancels the turn of a session.
func cancelOf(session string) []byte {
	params := object(nil).text("sessionId", session).json()
	return append(object(nil).text("jsonrpc", "2.0").text("method", "session/cancel").with("params", params).json(), '\n')
}

// cancel has the agent cancel the turn of a prompt whose request the client cancels: the agent has
// answered that.
func (a *Agent) cancel(m *dispatch.Message) {
	r := a.opts.Conversation.Pending(dispatch.Client, m.Params().Raw("requestId"))
	if r == nil || !r.Prompts() {
		return
	}
	isTaken := false
	a.with(r.Session, func(s *session) {
		isTaken = slices.ContainsFunc(s.turn.held, func(h *dispatch.Held) bool { return h.Request == r })
		s.turn.cancelled = s.turn.cancelled || isTaken
		if !isTaken {
			a.cancels.Put(r, true, 0)
		}
	})
	if isTaken {
		m.Because("the agent responded to the prompt, but its turn is cancelled")
		m.Replace(cancelOf(r.Session))
	}
}

// withdraw answers a request for permission that the agent has taken back.
func (a *Agent) withdraw(m *dispatch.Message) {
	c := a.opts.Conversation
	id := m.Params().Raw("requestId")
	r := c.Pending(dispatch.Agent, id)
	if r == nil {
		return
	}
	result := `{"outcome":{"outcome":"cancelled"}}`
	switch r.Method {
	case "session/request_permission":
	case "elicitation/create":
		result = `{"action":"cancel"}`
	default:
		return
	}
	c.Lock()
	defer c.Unlock()
	a.Respond(r, wire.Result(id, []byte(result)), "the agent has taken the request back")
}

// permission spells a request for permission for version 1.
func (a *Agent) permission(m *dispatch.Message) {
	if m.Kind != dispatch.Request || m.Params() == nil {
		return
	}
	a.showGrowing(m)
	a.with(m.Session, func(s *session) {
		a.asked++
		m.Because("the agent speaks version 2")
		m.Edit(m.Params().Set(s.permissionTo1(m.Params(), a.asked)...)...)
	})
}
