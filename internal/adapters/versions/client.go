package versions

import (
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Client is the adapter next to the client. To all other adapters, a client of version 2 then
// speaks version 1. The [Agent] next to the agent turns it on.
//
//   - Settles: The connection fails at the start: the client speaks version 2 of the protocol, and
//     the agent only version 1, also if the agent repeats the client's version.
//   - For: Clients of version 2 only.
//   - Keys: version.bridge
//   - Seen: @agentclientprotocol/sdk 2.4.0, opencode 1.18.33, gptme 0.35.1, kimi-code 2.1.0
type Client struct {
	dispatch.Base
	c        *conversation.Conversation
	opts     Options
	sessions *conversation.Slot[*conversation.Session, *clientSession]
	prompts  *conversation.Slot[*conversation.Request, *prompt]
	made     int // ids of messages so far
	asked    *conversation.Slot[*conversation.Request, question]

	isOn  bool
	agent *conversation.Peer // of version 1
}

// NewClient returns a Client adapter.
func NewClient(o Options) *Client {
	return &Client{
		c:        o.Conversation,
		opts:     o,
		sessions: conversation.NewSlot[*conversation.Session, *clientSession](o.Conversation),
		prompts:  conversation.NewSlot[*conversation.Request, *prompt](o.Conversation),
		asked:    conversation.NewSlot[*conversation.Request, question](o.Conversation),
	}
}

// Name implements dispatch.Adapter.
func (*Client) Name() string { return "version" }

// Translates implements dispatch.Translator.
func (*Client) Translates() {}

// Corrects implements dispatch.Corrector: for all other adapters the client speaks version 1.
func (*Client) Corrects(from dispatch.Side) bool { return from == dispatch.Client }

// Negotiated implements dispatch.Negotiator.
func (a *Client) Negotiated(r *conversation.Request) { a.agent = r.Agent }

// Wants implements dispatch.Adapter.
func (a *Client) Wants() []dispatch.Want {
	if !a.isOn {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Client, Sessions: true, Holds: true, Methods: []string{acp.SessionPrompt, acp.SessionClose}},
		{From: dispatch.Agent, Calls: true},
		{From: dispatch.Client, Methods: []string{
			acp.AuthLogin, acp.AuthLogout, acp.SessionNew, acp.SessionResume, acp.SessionFork, acp.SessionDelete, acp.SessionList,
			acp.SessionSetConfigOption, acp.SessionCancel, acp.CancelRequest, acp.ToolCallCancel, acp.TerminalCancel,
		}, Responses: []string{acp.SessionRequestPermission, acp.ElicitationCreate}},
		{From: dispatch.Agent, Updates: []string{"*"}, Methods: []string{"*"}, Responses: []string{
			acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork, acp.SessionClose, acp.SessionSetConfigOption,
			acp.SessionOptions, acp.Authenticate, acp.Logout, acp.SessionDelete, acp.SessionList, acp.SessionPrompt,
		}},
	}
}

// IsOn reports whether the client speaks version 2, and the agent version 1.
func (a *Client) IsOn() bool { return a.isOn }

// begin turns the translation on or off. At the end of it, it ends the turns of accepted prompts,
// because the client has their responses.
func (a *Client) begin(isOn bool) {
	if a.isOn == isOn {
		return
	}
	a.isOn = isOn
	a.c.ChangeWants()
	for r, p := range a.prompts.All() {
		if !isOn && p.isAccepted {
			a.Settle(r)
		}
	}
}

// Handle implements dispatch.Adapter. Every adapter gets initialize and its response.
func (a *Client) Handle(m *dispatch.Message) {
	isOn := a.isOn
	switch {
	case !isOn:
	case m.From == dispatch.Client && m.Kind == dispatch.Response:
		a.decision(m)
	case m.From == dispatch.Client:
		a.request(m)
	case m.Kind == dispatch.Response && m.Request != nil && m.Request.Method == acp.Initialize:
		a.initializeResponse(m)
	case m.Kind == dispatch.Response:
		a.response(m)
	case m.Method == acp.SessionUpdate:
		a.update(m)
	case m.Method == acp.CancelRequest && isNull(m.Params().Raw("requestId")):
		m.Because(whyNoNull)
		m.Drop()
	case m.Kind == dispatch.Request:
		a.clientRequest(m)
	}
}

// initializeResponse translates the agent's response to initialize to version 2.
func (a *Client) initializeResponse(m *dispatch.Message) {
	result := m.Result()
	if result == nil || m.IsRefusal() || wire.ID(result.Raw("protocolVersion")) != "1" {
		return
	}
	m.Because(whyClientIs2)
	m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: agentTo2(result)})...)
	if a.opts.Bridged != nil {
		a.opts.Bridged(2, 1)
	}
}

// request translates a request of the client, or its cancellation, to version 1.
func (a *Client) request(m *dispatch.Message) {
	params := m.Params()
	switch m.Method {
	case acp.SessionCancel:
		a.cancelPrompts(m.Session)
		a.cancelQuestions(m.Session)
		return
	case acp.CancelRequest:
		if a.cancelRequest(params.Raw("requestId")) {
			m.Because(whyHeldCancelled)
			m.Drop()
		}
		return
	}
	if m.Kind != dispatch.Request {
		return
	}
	m.Because(whyAgent1)
	if params == nil && strings.HasPrefix(m.Method, "session/") && m.Method != acp.SessionList {
		m.Answer(wire.Refusal(m.ID, -32602, "Invalid params: want an object"))
		return
	}
	if what := foreign(params); what != "" {
		m.Answer(wire.Refusal(m.ID, -32602, "Invalid params: the agent speaks version 1, which has no "+what))
		return
	}
	switch m.Method {
	case acp.ToolCallCancel, acp.TerminalCancel:
		m.Answer(wire.Refusal(m.ID, -32602, "the agent speaks version 1, which cannot cancel a single tool call or terminal"))
	case acp.SessionPrompt:
		a.prompt(m)
	case acp.AuthLogin, acp.AuthLogout:
		name := map[string]string{acp.AuthLogin: acp.Authenticate, acp.AuthLogout: acp.Logout}[m.Method]
		m.Edit(m.Object.Set(wire.Setting{Name: "method", Value: wire.Quote(nil, name)})...)
	case acp.SessionNew, acp.SessionFork:
		m.Edit(params.Set(sessionTo1(params)...)...)
	case acp.SessionResume:
		a.resume(m)
	case acp.SessionClose:
		a.close(m)
	case acp.SessionDelete:
		a.cancelPrompts(m.Session)
	case acp.SessionList:
		a.list(m)
	case acp.SessionSetConfigOption:
		switch kind, _ := params.Text("type"); kind {
		case "id":
			m.Replace(wire.Without(m.Line, "params", "type"))
		case "boolean":
		default:
			m.Answer(wire.Refusal(m.ID, -32602, "the agent speaks version 1, which has options of the types id and boolean"))
		}
	}
}

// sessionTo1 returns the members that change in the params of a request that opens a session.
// Version 1 requires MCP servers.
func sessionTo1(params *wire.Object) []wire.Setting {
	servers := present(params.Raw("mcpServers"))
	if servers == nil {
		servers = []byte("[]")
	}
	set := []wire.Setting{{Name: "mcpServers", Value: serversTo1(servers)}}
	if options := params.Raw("configOptions"); options != nil {
		set = append(set, wire.Setting{Name: "configOptions", Value: initialOptionsTo1(options)})
	}
	if system := params.Raw("systemPrompt"); system != nil {
		set = append(set, wire.Setting{Name: "systemPrompt", Value: with(field{name: "content", form: each(blockTo1)})(system)})
	}
	return set
}

// has reports whether the agent announces a capability.
func (a *Client) has(path ...string) bool {
	return a.agent != nil && isTrue(a.agent.Capability(path...))
}

// resume translates session/resume to session/load, or to session/resume if the client wants no
// replay and the agent supports it.
func (a *Client) resume(m *dispatch.Message) {
	params := m.Params()
	from := open(params.Raw("replayFrom"))
	kind, _ := from.Text("type")
	canLoad := a.has("loadSession")
	line := wire.Without(m.Line, "params", "replayFrom")
	o, err := wire.Parse(line, "params")
	if err != nil {
		return
	}
	edits := o.Open("params").Set(sessionTo1(params)...)
	switch {
	case from != nil && kind != "start":
		m.Answer(wire.Refusal(m.ID, -32602, "the agent speaks version 1, which replays a session from its start"))
		return
	case from == nil && a.has(acp.SessionCapabilities, "resume"):
	case canLoad:
		edits = append(edits, o.Set(wire.Setting{Name: "method", Value: []byte(`"session/load"`)})...)
	default:
		id := wire.Quote(nil, m.Session)
		failure := object(nil).with("code", []byte("-32002")).text("message", "the agent opens no earlier sessions").with("data", object(nil).with("sessionId", id).json()).json()
		m.Answer(refusal(m.ID, failure))
		return
	}
	a.with(m.Session, func(s *clientSession) { s.isSilent, s.isClosed = from == nil, false })
	m.Replace(wire.Splice(nil, line, edits...))
}

// list responds with the sessions of this connection if the agent cannot list sessions.
func (a *Client) list(m *dispatch.Message) {
	if a.has(acp.SessionCapabilities, "list") {
		return
	}
	var sessions [][]byte
	cwd, isOfOne := m.Params().Text("cwd")
	for _, s := range a.c.Sessions() {
		if s.Known && len(s.Roots) > 0 && (!isOfOne || s.Roots[0] == cwd) {
			sessions = append(sessions, object(nil).text("sessionId", s.ID).text("cwd", s.Roots[0]).json())
		}
	}
	m.Because(whyNoList)
	m.Answer(wire.Result(m.ID, object(nil).with("sessions", wire.List(sessions)).json()))
}

// response translates a response of the agent to version 2.
func (a *Client) response(m *dispatch.Message) {
	r := m.Request
	m.Because(whyClient2)
	if r.IsPrompt() {
		a.promptResponse(m)
		return
	}
	isGone := m.Code() == "-32002"
	if r.Closes() && (!m.IsRefusal() || isGone) {
		a.closeResponse(m)
		return
	}
	if m.IsRefusal() {
		if p, ok := a.prompts.Get(a.running(r.Session)); ok && r.Closes() {
			p.isClosing = false
		}
		failure := m.Object.Raw("error")
		if isGone && r.Session != "" && open(failure).Get("data") == nil {
			setMember(m, m.Object, "error", wire.With(failure, []string{"data"}, object(nil).text("sessionId", r.Session).json()))
		}
		return
	}
	result := m.Result()
	if result == nil { // version 2 does not accept null
		m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: []byte("{}")})...)
	} else if sessions := result.Raw("sessions"); sessions != nil {
		setMember(m, result, "sessions", mapElements(sessions, infoTo2))
	} else if options := result.Raw("configOptions"); options != nil {
		if wire.IsAbsent(options) {
			m.Replace(wire.Without(m.Line, "result", "configOptions"))
		} else {
			setMember(m, result, "configOptions", optionsTo2(options))
		}
	}
	if r.Opens() {
		a.with(r.Session, func(s *clientSession) {
			if r.Method == acp.SessionLoad && !s.isSilent {
				m.Before(wire.SessionUpdate(r.Session, []byte(`{"sessionUpdate":"replay_complete"}`)))
			}
			s.isSilent = false
			if a.running(r.Session) == nil {
				m.Before(stateUpdate(r.Session, acp.StateIdle, nil))
			}
		})
	}
}
