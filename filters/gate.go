// Package filters has two filters for the agent's lines. The Gatekeeper drops features that the
// client did not announce. Junk handles lines that are not messages.
package filters

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A Gate is a feature that an agent may use only if the client announces it. Some agents use it
// anyway, and some clients break on it.
type Gate struct {
	Capability []string // the path of the capability under clientCapabilities
	Updates    []string // kinds of session update
	Options    []string // types of configuration options
	Contents   []string // types of content of tool calls
}

// Gates are the features by their names in the configuration. Plans are not among them.
var Gates = map[string]Gate{
	"notices":            {Capability: []string{"session", "notices"}, Updates: []string{acp.Notice}},
	"compaction":         {Capability: []string{"session", "compaction"}, Updates: []string{acp.CompactionUpdate, acp.CompactionSummaryChunk}},
	"subagents":          {Capability: []string{"subagents"}, Updates: []string{acp.SubagentUpdate, acp.SessionMessage, acp.SessionMessageChunk}, Contents: []string{acp.ContentSession}},
	"prompt_suggestions": {Capability: []string{"session", "promptSuggestions"}, Updates: []string{acp.PromptSuggestionsUpdate}},
	"cursors":            {Capability: []string{"session", "cursors"}, Updates: []string{acp.CursorUpdate}},
	"boolean_options":    {Capability: []string{"session", "configOptions", "boolean"}, Options: []string{"boolean"}},
}

// A Gatekeeper is the adapter that drops features that the client did not announce.
//
//   - Settles: The client shows garbage or warnings, or a tool call loses its content: the agent
//     sends updates, content or options that the client did not announce. They are notices,
//     compaction, subagents, suggested prompts, cursors and boolean options.
//   - For: Clients that show unknown updates, such as agent-shell and agentic.nvim.
//   - Keys: gate.notices, gate.compaction, gate.subagents, gate.boolean_options,
//     gate.prompt_suggestions, gate.cursors, gate.updates
//   - Seen: cline 3.0.65, which sends boolean options
//   - Read: xenodium/agent-shell#82, xenodium/agent-shell#690
type Gatekeeper struct {
	dispatch.Base
	names func(client, agent conversation.Implementation) []string

	// The names of the gates, by kind of update to drop, and by type of option and of content to
	// remove. The agent's goroutine sets them during initialize.
	updates, options, contents map[string]string
}

// NewGatekeeper returns a Gatekeeper. Names returns, for two peers, the names of the Gates to
// apply, and other kinds of update to drop.
func NewGatekeeper(names func(client, agent conversation.Implementation) []string) *Gatekeeper {
	return &Gatekeeper{names: names}
}

// Name implements dispatch.Adapter.
func (g *Gatekeeper) Name() string { return "gate" }

// Negotiated implements dispatch.Negotiator. Only version 1 has these features as capabilities.
func (g *Gatekeeper) Negotiated(r *conversation.Request) {
	client, agent := r.Client, r.Agent
	g.updates, g.options, g.contents = map[string]string{}, map[string]string{}, map[string]string{}
	if agent.Version != 1 {
		return
	}
	for _, name := range g.names(client.Implementation, agent.Implementation) {
		gate, isGate := Gates[name]
		if !isGate {
			g.updates[name] = updatesKey
			continue
		}
		if wire.IsObject(client.Capability(gate.Capability...)) {
			continue
		}
		for _, u := range gate.Updates {
			g.updates[u] = name
		}
		for _, o := range gate.Options {
			g.options[o] = name
		}
		for _, c := range gate.Contents {
			g.contents[c] = name
		}
	}
}

// Wants implements dispatch.Adapter.
func (g *Gatekeeper) Wants() []dispatch.Want {
	w := dispatch.Want{From: dispatch.Agent}
	for u := range g.updates {
		w.Updates = append(w.Updates, u)
	}
	if len(g.options) > 0 {
		w.Updates = append(w.Updates, acp.ConfigOptionUpdate)
		w.Responses = []string{acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume, acp.SessionSetConfigOption, acp.SessionSetMode, acp.SessionSetModel}
	}
	wants := []dispatch.Want{w}
	for kind := range g.contents {
		wants = append(wants, dispatch.Want{
			From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission}, Updates: []string{acp.ToolCall, acp.ToolCallUpdate}, Text: `"` + kind + `"`,
		})
	}
	return wants
}

// Handle implements dispatch.Adapter.
func (g *Gatekeeper) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Response:
		g.withoutOptions(m, m.Result())
	case g.updates[m.Update] != "":
		m.Because(why(g.updates[m.Update]))
		m.Drop()
	case m.Method == acp.SessionRequestPermission:
		g.withoutContents(m, "toolCall")
	case m.Update == acp.ToolCall || m.Update == acp.ToolCallUpdate:
		g.withoutContents(m, "update")
	default:
		g.withoutOptions(m, m.Params().Open("update"))
	}
}

// updatesKey is the key that names kinds of update instead of a gate.
const updatesKey = "updates"

// Reasons for records.
var (
	whyNever  = wire.Reason{Code: "gate.never", Text: "the client never gets updates of this kind (gate.updates)"}
	whyClosed = wire.Reason{Code: "gate.closed", Text: "gate.%s: the client does not announce support"}
)

func why(gate string) wire.Reason {
	if gate == updatesKey {
		return whyNever
	}
	return whyClosed.With(gate)
}

// withoutOptions removes options of these types from the configOptions of o, an object in m.
func (g *Gatekeeper) withoutOptions(m *dispatch.Message, o *wire.Object) {
	if left := without(m, o.Raw("configOptions"), g.options); left != nil {
		m.Edit(o.Set(wire.Setting{Name: "configOptions", Value: left})...)
	}
}

// withoutContents removes content of these types from the tool call at a member of params. It
// removes an empty content, because that would clear what the client shows of the call.
func (g *Gatekeeper) withoutContents(m *dispatch.Message, member string) {
	call := m.Params().Raw(member)
	o, _ := wire.Parse(call)
	switch left := without(m, o.Raw("content"), g.contents); {
	case left == nil:
		return
	case len(left) == len("[]"):
		call = wire.Without(call, "content")
	default:
		call = wire.With(call, []string{"content"}, left)
	}
	m.Edit(m.Params().Set(wire.Setting{Name: member, Value: call})...)
}

// without returns a list without its elements of the types in gates, which are the names of their
// gates. It returns nil if no element has such a type.
func without(m *dispatch.Message, list []byte, gates map[string]string) []byte {
	return wire.MapElements(list, func(element []byte) []byte {
		parsed, _ := wire.Parse(element)
		if kind, _ := parsed.Text("type"); gates[kind] != "" {
			m.Because(why(gates[kind]))
			return nil
		}
		return element
	})
}
