package agents

import (
	"encoding/json"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// gated are the kinds of update that a client has to announce, and the capability for it.
var gated = map[string]string{
	acp.PlanUpdate: "plan", acp.PlanRemoved: "plan",
	acp.SubagentUpdate: "subagents", acp.SessionMessage: "subagents", acp.SessionMessageChunk: "subagents",
	acp.Notice: "session.notices", acp.CompactionUpdate: "session.compaction", acp.CompactionSummaryChunk: "session.compaction",
}

// A reader judges updates and permission requests in their order.
type reader struct {
	*process
	known    map[string]bool              // the sessions of this connection
	ids      map[string]map[string]string // the status of each announced call, by the session
	children bool                         // a subagent was announced
}

// updates judges the updates of a process.
func (p *process) updates() {
	r := reader{p, map[string]bool{}, map[string]map[string]string{}, false}
	for i, m := range p.Messages() {
		switch {
		case m.From == wire.Client && (m.Method == acp.SessionLoad || m.Method == acp.SessionResume):
			r.known[m.Session] = true
			delete(r.ids, m.Session)
		case m.From == wire.Agent && m.Result != nil:
			r.opened(m)
		case m.From == wire.Agent && m.Method == acp.SessionUpdate:
			r.session(m, i)
			r.update(m)
		case m.From == wire.Agent && m.Method == acp.SessionRequestPermission:
			r.session(m, i)
			p.tried("permission")
			o, _ := wire.Parse(m.Line, "params")
			r.announce(m.Session, o.Open("params").Raw("toolCall"))
			r.paths(m, o.Open("params").Raw("toolCall"), "toolCall.")
		}
	}
	if p.prompts == 0 || p.noPrompts != "" {
		return
	}
	p.skip(say("the agent announced no tool call"), "tool-calls")
	p.skip(say("the agent sent no plan"), "plan")
	p.skip(say("the agent asked for no permission"), "permission")
	p.skip(say("the agent sent no paths"), "absolute-paths")
}

// opened notes the session that a response names.
func (r *reader) opened(m *peer.Message) {
	o, _ := wire.Parse(m.Result)
	if id, ok := o.Text("sessionId"); ok {
		r.known[id] = true
	}
}

// session judges whether a message is for a session that is known.
func (r *reader) session(m *peer.Message, i int) {
	r.tried("session-order")
	if r.known[m.Session] || r.children || m.Session == "" {
		return
	}
	for _, later := range r.Messages()[i:] {
		o, _ := wire.Parse(later.Result)
		if id, ok := o.Text("sessionId"); ok && later.From == wire.Agent && id == m.Session {
			r.fail("session-order", fault{got: say(m, " ", m.Update, " before the response ", later, ", which names its session"), text: "clients do not know the session before that"})
			return
		}
	}
	r.fail("updates", fault{got: say(m, " ", m.Update, " for the session ", terminal.Quote(m.Session), ", which is not one of this connection"), text: "sessionId is that of a session of this connection"})
}

// update judges an update.
func (r *reader) update(m *peer.Message) {
	if of := gated[m.Update]; of != "" && r.process.announces == nothing {
		r.fail("gated-updates", fault{got: say(m, " ", m.Update), text: "only if the client announces " + of + "; this client announced nothing"})
	}
	o, _ := wire.Parse(m.Line, "params", "params.update")
	update := o.Open("params").Open("update")
	switch m.Update {
	case acp.Plan, acp.PlanUpdate:
		r.tried("plan")
	case acp.SubagentUpdate:
		r.children = true
	case acp.ToolCall:
		r.tried("tool-calls")
		r.call(m, update, true)
	case acp.ToolCallUpdate:
		r.call(m, update, false)
	}
}

// announce notes a call that a raw object describes.
func (r *reader) announce(session string, raw []byte) {
	o, _ := wire.Parse(raw)
	if id, ok := o.Text("toolCallId"); ok {
		if r.ids[session] == nil {
			r.ids[session] = map[string]string{}
		}
		if _, isKnown := r.ids[session][id]; !isKnown {
			r.ids[session][id] = ""
		}
	}
}

// call judges an update of a tool call.
func (r *reader) call(m *peer.Message, update *wire.Object, isNew bool) {
	raw := m.Line[update.Start:update.End]
	id, _ := update.Text("toolCallId")
	status, _ := update.Text("status")
	if isNew {
		r.announce(m.Session, raw)
	}
	before, isKnown := r.ids[m.Session][id]
	isOver := acp.IsOver(before)
	switch {
	case id == "": // that is against the schema
	case !isKnown:
		r.tried("tool-calls")
		r.fail("tool-calls", fault{got: say(m, " ", m.Update, " of ", terminal.Quote(id), ", which no ", acp.ToolCall, " has announced"), text: "a call is announced before it is updated"})
		r.announce(m.Session, raw)
	case !isNew && isOver && (status == acp.StatusPending || status == acp.StatusInProgress):
		r.fail("tool-calls", fault{got: say(m, " ", m.Update, " of ", terminal.Quote(id), " with the status ", status, " after ", before), text: "a call that is completed or failed stays so"})
	case status != "":
		r.ids[m.Session][id] = status
	}
	r.paths(m, raw, "")
}

// paths judges the paths of a tool call.
func (r *reader) paths(m *peer.Message, raw []byte, at string) {
	var call struct {
		Locations []struct{ Path *string }
		Content   []struct {
			Type string
			Path *string
		}
	}
	json.Unmarshal(raw, &call) // what it cannot read is against the schema
	for i, l := range call.Locations {
		r.path(m, say(at, "locations[", i, "].path"), l.Path)
	}
	for i, c := range call.Content {
		switch {
		case c.Type == acp.ContentDiff:
			r.path(m, say(at, "content[", i, "].path"), c.Path)
		case c.Type == acp.ContentSession && r.process.announces == nothing:
			r.fail("gated-updates", fault{got: say(m, " ", m.Update, " with content of the type session"), text: "only if the client announces subagents; this client announced nothing"})
		}
	}
}

func (r *reader) path(m *peer.Message, at phrase, path *string) {
	if path == nil {
		return
	}
	r.tried("absolute-paths")
	if !isAbsolute(*path) {
		r.fail("absolute-paths", fault{got: say(m, " ", at, " ", terminal.Quote(*path)), text: "all paths MUST be absolute"})
	}
}

// isAbsolute reports whether a path is absolute, on Unix or on Windows.
func isAbsolute(path string) bool {
	isDrive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return len(path) > 0 && (path[0] == '/' || isDrive || len(path) > 1 && path[:2] == `\\`)
}

// late judges the updates after a turn.
func (p *process) late() {
	type state struct {
		running, isCancelled bool
		response             *peer.Message
	}
	sessions := map[string]*state{}
	prompts := map[string]string{} // the session of each pending prompt, by the id
	for _, m := range p.Messages() {
		switch s := sessions[m.Session]; {
		case m.From == wire.Client && m.Method == acp.SessionPrompt:
			sessions[m.Session] = &state{running: true}
			prompts[wire.ID(m.ID)] = m.Session
		case s != nil && m.From == wire.Client && m.Method == acp.SessionCancel:
			s.isCancelled = s.isCancelled || s.running
		case m.From == wire.Client && slices.Contains([]string{acp.SessionClose, acp.SessionLoad, acp.SessionResume}, m.Method):
			delete(sessions, m.Session)
		case m.From == wire.Agent && m.IsResponse() && sessions[prompts[wire.ID(m.ID)]] != nil:
			of := sessions[prompts[wire.ID(m.ID)]]
			of.running, of.response = false, m
			delete(prompts, wire.ID(m.ID))
		case m.From == wire.Agent && isOfTurn(m.Update) && s != nil && !s.running:
			rule := "late-updates"
			if s.isCancelled {
				rule = "cancel-order"
			}
			p.fail(rule, fault{got: say(m, " ", m.Update, " after the response ", s.response), text: "updates of a turn come before its response"})
		}
	}
}

// booleans judges whether options have the type boolean.
func (p *process) booleans() {
	if p.announces == everything {
		return
	}
	for _, m := range p.fromAgent() {
		o, _ := wire.Parse(m.Result)
		raw := o.Raw("configOptions")
		if m.Update == acp.ConfigOptionUpdate {
			o, _ = wire.Parse(m.Line, "params", "params.update")
			raw = o.Open("params").Open("update").Raw("configOptions")
		}
		for _, of := range optionsOf(raw) {
			if of.kind == "boolean" {
				p.tried("boolean-option")
				p.fail("boolean-option", fault{got: say(m, " the option ", terminal.Quote(of.id), " of type boolean"), text: "only if the client announces session.configOptions.boolean; this client announced nothing"})
			}
		}
	}
}
