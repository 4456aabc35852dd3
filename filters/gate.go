// Package filters has two filters for the agent's lines. The Gatekeeper drops features that the
// client did not announce. Junk handles lines that are not messages.
package filters

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Gate is a feature that an agent may use only if the client announces it. Some agents use it
// anyway, and some clients break on it.
type Gate struct {
	Capability []string // the path of the capability under clientCapabilities
	Updates    []string // kinds of session update
	Options    []string // types of configuration options
}

// Gates are the features by their names in the configuration. Plans are not among them.
var Gates = map[string]Gate{
	"notices":            {Capability: []string{"session", "notices"}, Updates: []string{"notice"}},
	"compaction":         {Capability: []string{"session", "compaction"}, Updates: []string{"compaction_update", "compaction_summary_chunk"}},
	"subagents":          {Capability: []string{"subagents"}, Updates: []string{"subagent_update", "session_message", "session_message_chunk"}},
	"prompt_suggestions": {Capability: []string{"session", "promptSuggestions"}, Updates: []string{"prompt_suggestions_update"}},
	"cursors":            {Capability: []string{"session", "cursors"}, Updates: []string{"cursor_update"}},
	"boolean_options":    {Capability: []string{"session", "configOptions", "boolean"}, Options: []string{"boolean"}},
}

// A Gatekeeper is the adapter that drops features that the client did not announce.
//
//   - Settles: The client shows garbage or warnings: the agent sends updates or options that the
//     client did not announce. They are notices, compaction, subagents, suggested prompts, cursors
//     and boolean options.
//   - For: Clients that show unknown updates, such as agent-shell and agentic.nvim.
//   - Keys: gate.notices, gate.compaction, gate.subagents, gate.boolean_options,
//     gate.prompt_suggestions, gate.cursors, gate.updates
//   - Read: xenodium/agent-shell#82, xenodium/agent-shell#690
type Gatekeeper struct {
	dispatch.Base
	names func(client, agent conversation.Implementation) []string

	// The names of the gates, by kind of update to drop and by type of option to remove. The
	// agent's goroutine sets them during initialize, with the conversation's lock held.
	updates, options map[string]string
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
	g.updates, g.options = map[string]string{}, map[string]string{}
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
	}
}

// Wants implements dispatch.Adapter.
func (g *Gatekeeper) Wants() []dispatch.Want {
	w := dispatch.Want{From: dispatch.Agent}
	for u := range g.updates {
		w.Updates = append(w.Updates, u)
	}
	if len(g.options) > 0 {
		w.Updates = append(w.Updates, "config_option_update")
		w.Responses = []string{"session/new", "session/fork", "session/load", "session/resume", "session/set_config_option", "session/set_mode", "session/set_model"}
	}
	return []dispatch.Want{w}
}

// Handle implements dispatch.Adapter.
func (g *Gatekeeper) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Response:
		g.withoutOptions(m, m.Result())
	case g.updates[m.Update] != "":
		m.Because(why(g.updates[m.Update]))
		m.Drop()
	default:
		g.withoutOptions(m, m.Params().Open("update"))
	}
}

// updatesKey is the key that names kinds of update instead of a gate.
const updatesKey = "updates"

func why(gate string) string {
	if gate == updatesKey {
		return "the client never gets updates of this kind (gate.updates)"
	}
	return "gate." + gate + ": the client does not announce support"
}

// withoutOptions removes options of these types from the configOptions of o, an object in m.
func (g *Gatekeeper) withoutOptions(m *dispatch.Message, o *wire.Object) {
	left := wire.MapElements(o.Raw("configOptions"), func(option []byte) []byte {
		parsed, _ := wire.Parse(option)
		if kind, _ := parsed.Text("type"); g.options[kind] != "" {
			m.Because(why(g.options[kind]))
			return nil
		}
		return option
	})
	if left != nil {
		m.Edit(o.Set(wire.Setting{Name: "configOptions", Value: left})...)
	}
}
