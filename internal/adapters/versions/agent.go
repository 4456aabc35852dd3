package versions

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Agent is the adapter next to the agent. To all other adapters, an agent of version 2 then speaks
// version 1.
//
//   - Settles: The connection fails at the start: the client speaks version 1 of the protocol, and
//     the agent only version 2, or the agent names version 2 but speaks version 1 (repair.version).
//   - For: aether, ironclaw. Also claude-agent-acp and codex-acp if they are set to version 2.
//   - Keys: version.bridge, repair.version
//   - Seen: claude-agent-acp 0.101.0, @agentclientprotocol/sdk 2.4.0, agent-client-protocol
//     1.0.0rc3
//   - Read: contextbridge/aether#455, nearai/ironclaw#7513
type Agent struct {
	dispatch.Base
	c          *conversation.Conversation
	opts       Options
	clientSide *Client // the adapter next to the client
	early      *Early
	handshakes *conversation.Slot[*conversation.Request, handshake]
	cancels    *conversation.Slot[*conversation.Request, bool] // prompts cancelled before the response
	sessions   *conversation.Slot[*conversation.Session, *session]

	isOn        bool                // the agent speaks version 2
	client      *conversation.Peer  // of version 1
	permissions int                 // counts permission requests, for ids
	growing     map[*session]string // the ids of the sessions with delayed content
	subagents   int                 // counts subagents, for ids
	newcomers   []string            // the sessions of subagents that the client may have to be shown
	notices     int                 // counts notices, for ids
}

// NewAgent returns an Agent. It turns clientSide on if the client speaks version 2 and the agent
// only version 1, and tells early of each initialize.
func NewAgent(o Options, clientSide *Client, early *Early) *Agent {
	return &Agent{
		c:          o.Conversation,
		opts:       o,
		clientSide: clientSide,
		early:      early,
		handshakes: conversation.NewSlot[*conversation.Request, handshake](o.Conversation),
		cancels:    conversation.NewSlot[*conversation.Request, bool](o.Conversation),
		sessions:   conversation.NewSlot[*conversation.Session, *session](o.Conversation),
		growing:    map[*session]string{},
	}
}

// Name implements dispatch.Adapter.
func (*Agent) Name() string { return "version" }

// Translates implements dispatch.Translator.
func (*Agent) Translates() {}

// Corrects implements dispatch.Corrector: for all other adapters the agent speaks version 1.
func (*Agent) Corrects(from dispatch.Side) bool { return from == dispatch.Agent }

// Negotiated implements dispatch.Negotiator.
func (a *Agent) Negotiated(r *conversation.Request) { a.client = r.Client }

// Observe implements dispatch.Observer. It ends the prompts of an evicted session, and undoes what
// was prepared for a second response to initialize. A session that the client loads begins anew,
// until the agent refuses the load.
func (a *Agent) Observe(e conversation.Event) {
	if of, ok := a.handshakes.Get(e.Request); ok && of.answer != nil && e.Kind == conversation.RequestEnded {
		a.firstResponse(of) // there was no second one
	}
	of := e.Session
	if r := e.Request; r != nil && r.From == dispatch.Client && (r.IsPrompt() || r.Method == acp.SessionLoad) {
		of, _ = a.c.Find(r.Session)
	}
	s, ok := a.sessions.Get(of)
	switch {
	case !ok:
	case e.Kind == conversation.SessionRemoved:
		a.sessionLost(s)
		a.eachOf(of.ID, a.reset)
	case e.Kind == conversation.RequestEnded && e.Request.IsPrompt():
		s.turn.idle = nil
		s.turn.held = slices.DeleteFunc(s.turn.held, func(h *dispatch.Held) bool { return h.Request == e.Request })
	case e.Kind == conversation.RequestBegan && e.Request.Method == acp.SessionLoad:
		a.eachOf(of.ID, a.setAside)
	case e.Kind == conversation.RequestEnded && e.Request.Method == acp.SessionLoad && !a.c.Opening(of.ID):
		a.eachOf(of.ID, func(part *conversation.Session, s *session) { a.endLoad(part, s, of.Loaded) })
	}
}

// sessionLost ends the prompts of an evicted session.
func (a *Agent) sessionLost(s *session) {
	delete(a.growing, s)
	s.turn.answer(whyNoRoom, func(id []byte) []byte {
		return wire.Refusal(id, -32603, "acpshim has no room for the state of this session any more: the turn goes on without it")
	})
}

// sharedUpdates are the kinds of update for which version 1 allows everything that version 2 does.
var sharedUpdates = []string{acp.PlanRemoved, acp.SessionInfoUpdate, acp.UsageUpdate}

// IsOn reports whether the agent speaks version 2, and the client version 1.
func (a *Agent) IsOn() bool { return a.isOn }

// Wants implements dispatch.Adapter.
func (a *Agent) Wants() []dispatch.Want {
	if !a.isOn {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Client, Sessions: true, Methods: []string{
			acp.Authenticate, acp.Logout, acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork,
			acp.SessionSetMode, acp.SessionSetConfigOption, acp.SessionPrompt, acp.CancelRequest, acp.SessionCancel,
		}},
		{From: dispatch.Agent, Updates: []string{"*"}, Methods: []string{acp.SessionRequestPermission, acp.ElicitationCreate, acp.CancelRequest}, Responses: []string{
			acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork, acp.SessionOptions,
			acp.SessionSetMode, acp.SessionSetConfigOption, acp.SessionPrompt,
		}},
	}
}

// Cares implements dispatch.Adapter.
func (a *Agent) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	if slices.Contains(sharedUpdates, string(h.SessionUpdate)) && !a.mayBeHidden(h.SessionID) {
		return dispatch.No
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter. Every adapter gets initialize and its response.
func (a *Agent) Handle(m *dispatch.Message) {
	isInitialize := m.Method == acp.Initialize || m.Request != nil && m.Request.Method == acp.Initialize
	isOn := a.isOn
	switch {
	case m.From == dispatch.Client && isInitialize:
		a.keepRequest(m)
	case isInitialize:
		a.negotiate(m)
	case !isOn:
	case m.From == dispatch.Client:
		a.request(m)
	case m.Kind == dispatch.Response:
		a.response(m)
	case m.Method == acp.SessionUpdate:
		a.update(m)
	case m.Method == acp.CancelRequest:
		a.withdrawRequest(m)
	case m.Kind == dispatch.Request && m.Params() != nil:
		a.question(m)
	}
}

// methods maps the methods of version 1 to those of version 2.
var methods = map[string]string{
	acp.Authenticate: acp.AuthLogin, acp.Logout: acp.AuthLogout, acp.SessionLoad: acp.SessionResume, acp.SessionSetMode: acp.SessionSetConfigOption,
}

// request translates a request of the client to version 2.
func (a *Agent) request(m *dispatch.Message) {
	switch m.Method {
	case acp.CancelRequest:
		a.cancel(m)
		return
	case acp.SessionCancel:
		if m.Kind == dispatch.Notification {
			a.with(m.Session, func(s *session) { s.turn.cancelled = true })
		}
		return
	}
	if m.Kind != dispatch.Request {
		return
	}
	params := m.Params()
	if m.Method == acp.SessionPrompt {
		a.prompt(m, params)
		return
	}
	if params == nil && strings.HasPrefix(m.Method, "session/") {
		m.Because(whyNoParams)
		m.Answer(wire.Refusal(m.ID, -32602, "Invalid params: want an object"))
		return
	}
	var set []wire.Setting
	if servers := params.Raw("mcpServers"); servers != nil {
		set = append(set, wire.Setting{Name: "mcpServers", Value: serversTo2(servers)})
	}
	if options := params.Raw("configOptions"); options != nil {
		set = append(set, wire.Setting{Name: "configOptions", Value: initialOptionsTo2(options)})
	}
	if system := params.Raw("systemPrompt"); !wire.IsAbsent(system) {
		if system = systemTo2(system); system == nil {
			system = []byte("null")
		}
		set = append(set, wire.Setting{Name: "systemPrompt", Value: system})
	}
	switch m.Method {
	case acp.SessionLoad:
		set = append(set, wire.Setting{Name: "replayFrom", Value: []byte(`{"type":"start"}`)})
	case acp.SessionSetConfigOption:
		if params.Get("type") == nil {
			set = append(set, wire.Setting{Name: "type", Value: []byte(`"id"`)})
		}
	case acp.SessionSetMode:
		mode := ""
		a.with(m.Session, func(s *session) { mode = s.mode })
		if mode == "" || params.Get("modeId") == nil {
			m.Because(whyNoModes)
			m.Answer(wire.Refusal(m.ID, -32602, "the agent offers no modes, or none is named"))
			return
		}
		set = append(set, wire.Setting{Name: "configId", Value: wire.Quote(nil, mode)}, wire.Setting{Name: "type", Value: []byte(`"id"`)},
			wire.Setting{Name: "value", Value: params.Raw("modeId")})
	}
	m.Because(whyAgent2)
	edits := m.Object.Set()
	if name := methods[m.Method]; name != "" {
		edits = m.Object.Set(wire.Setting{Name: "method", Value: wire.Quote(nil, name)})
	}
	if len(set) > 0 {
		edits = append(edits, params.Set(set...)...)
	}
	m.Edit(edits...)
}

// response translates a response of the agent to version 1.
func (a *Agent) response(m *dispatch.Message) {
	r, result := m.Request, m.Result()
	if r.IsPrompt() {
		a.promptResponse(m)
		return
	}
	if result == nil {
		return
	}
	m.Because(whyAgent2)
	isPreview := r.Method == acp.SessionOptions // of a session that has not begun
	id := m.Opened()
	if commands := result.Raw("availableCommands"); !isPreview && !wire.IsAbsent(commands) {
		a.with(id, func(s *session) { s.noteSkills(commands) })
		update := object(nil).text("sessionUpdate", acp.AvailableCommandsUpdate).with("availableCommands", commandsTo1(commands)).json()
		m.After(wire.SessionUpdate(id, update))
	}
	options := result.Raw("configOptions")
	if options == nil {
		return
	}
	if !isPreview {
		a.with(id, func(s *session) { s.noteMode(options) })
	}
	setMember(m, result, "configOptions", a.optionsTo1(options))
}

// with calls f with the state of a session.
func (a *Agent) with(id string, f func(*session)) {
	of, ok := a.c.FindNew(id)
	if !ok {
		of = a.c.Session(id)
	}
	s, ok := a.sessions.Get(of)
	if !ok {
		s = &session{
			charge:  func(bytes int) bool { return a.Charge(dispatch.Agent, bytes) },
			cleared: func(call, member string) { a.c.ForgetCall(id, call, member) },
		}
		if a.client != nil {
			s.draws = string(a.client.Capability("_meta", "terminal_output")) == "true"
			s.links = wire.IsObject(a.client.Capability("subagents"))
		}
	}
	f(s)
	if !a.sessions.Put(of, s, s.size()) {
		a.sessionLost(s)
	}
}

// promptResponse holds the response to a prompt until the agent is idle.
func (a *Agent) promptResponse(m *dispatch.Message) {
	if m.IsRefusal() {
		a.with(m.Request.Session, func(s *session) { s.turn.idle = nil })
		if m.Code() == "-32800" {
			m.Because(whyRefusedCancelled)
			m.Replace(wire.Result(m.ID, []byte(`{"stopReason":"cancelled"}`)))
		}
		return
	}
	m.Because(whyTurnRuns)
	m.Line = wire.Result(m.ID, []byte(`{"stopReason":"cancelled"}`)) // the response if the turn does not end
	h := m.HoldThroughCancel(dispatch.Unlimited)
	if h == nil {
		m.Replace(m.Line)
		return
	}
	isCancelled := false
	a.with(m.Request.Session, func(s *session) {
		s.messages.last = "" // the messages of a turn do not continue those of the last one
		s.turn.hold(h)
		_, isCancelled = a.cancels.Get(m.Request)
	})
	if isCancelled {
		a.Pass(dispatch.Client, cancelOf(m.Request.Session), whyCancelledEarly)
	}
}

// cancelOf returns the line that cancels the turn of a session.
func cancelOf(session string) []byte {
	params := object(nil).text("sessionId", session).json()
	return append(object(nil).text("jsonrpc", "2.0").text("method", acp.SessionCancel).with("params", params).json(), '\n')
}

// cancel handles a $/cancel_request for a prompt. If the agent has responded to the prompt already,
// cancel cancels its turn instead.
func (a *Agent) cancel(m *dispatch.Message) {
	if isNull(m.Params().Raw("requestId")) {
		m.Because(whyNoNull)
		m.Drop()
		return
	}
	r := a.c.Pending(dispatch.Client, m.Params().Raw("requestId"))
	if r == nil || !r.IsPrompt() {
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
		m.Because(whyTurnCancelled)
		m.Replace(cancelOf(r.Session))
	}
}

// withdrawRequest responds to a question of the agent that the agent cancels.
func (a *Agent) withdrawRequest(m *dispatch.Message) {
	id := m.Params().Raw("requestId")
	r := a.c.Pending(dispatch.Agent, id)
	if r == nil || r.Method != acp.SessionRequestPermission && r.Method != acp.ElicitationCreate {
		return
	}
	a.Respond(r, wire.Result(id, cancelledQuestion(r.Method)), whyWithdrawn)
}

// question translates a permission request or a form of the agent. The client is asked in a session
// that it knows.
func (a *Agent) question(m *dispatch.Message) {
	asked := m.Session
	of := a.hidden(m.Session)
	if of != nil {
		asked = of.root
	}
	a.showNewcomers(m)
	a.showGrowing(m, asked)
	m.Because(whyAgent2)
	if m.Method == acp.ElicitationCreate {
		if of != nil {
			m.Because(whyAskedFor)
		}
		fitParams(m, func(params []byte) []byte {
			if of != nil {
				params = wire.With(wire.Without(params, "toolCallId"), []string{"sessionId"}, wire.Quote(nil, asked))
			}
			return with(field{name: "requestedSchema", form: schemaTo1})(params)
		})
		return
	}
	if isEmpty(permissionOptionsTo1(m.Params().Raw("options"))) {
		m.Because(whyNoOptions)
		m.Answer(wire.Result(m.ID, cancelledQuestion(m.Method)))
		return
	}
	a.with(m.Session, func(s *session) {
		a.permissions++
		set := s.permissionTo1(m.Params(), a.permissions)
		if of != nil {
			m.Because(whyAskedFor)
			var id string
			set, id = s.ask(set)
			a.c.LoseCall(asked, id) // the request has what is known of it, but that may not be all
			set = append(set, wire.Setting{Name: "sessionId", Value: wire.Quote(nil, asked)})
		}
		m.Edit(m.Params().Set(set...)...)
	})
}
