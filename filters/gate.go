// Package filters drops or moves lines of the agent by configuration: uses of features that the
// client did not announce, and lines that are not messages.
package filters

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Gate is a feature that an agent may use only with clients that announce it. Some agents use it
// with all clients, and some clients break on what they do not know.
type Gate struct {
	Capability []string // the path of the capability under clientCapabilities
	Updates    []string // the kinds of session update
	Options    []string // the types of session configuration options
}

// Gates are the features besides plans, by the names of the configuration.
var Gates = map[string]Gate{
	"notices":            {Capability: []string{"session", "notices"}, Updates: []string{"notice"}},
	"compaction":         {Capability: []string{"session", "compaction"}, Updates: []string{"compaction_update", "compaction_summary_chunk"}},
	"subagents":          {Capability: []string{"subagents"}, Updates: []string{"subagent_update", "session_message", "session_message_chunk"}},
	"prompt_suggestions": {Capability: []string{"session", "promptSuggestions"}, Updates: []string{"prompt_suggestions_update"}},
	"cursors":            {Capability: []string{"session", "cursors"}, Updates: []string{"cursor_update"}},
	"boolean_options":    {Capability: []string{"session", "configOptions", "boolean"}, Options: []string{"boolean"}},
}

// A Gatekeeper is the adapter that drops uses of features that the client did not announce.
//
//   - Settles: An agent sends notices, compaction, the work of subagents, suggested prompts,
//     cursors or boolean options to a client that did not announce them.
//   - For: Clients that show unknown updates as garbage or warnings; suggested prompts and cursors
//     for every client.
//   - Keys: gate.notices, gate.compaction, gate.subagents, gate.boolean_options,
//     gate.prompt_suggestions, gate.cursors, gate.updates
//   - Read: xenodium/agent-shell#82, xenodium/agent-shell#690
type Gatekeeper struct {
	dispatch.Base
	names func(client, agent conversation.Implementation) []string

	// updates are the kinds of update that are dropped, and options the types of options that are
	// removed, with the names of the gates. They are set when initialize is answered, by the
	// agent's goroutine with the lock held.
	updates, options map[string]string
}

// NewGatekeeper returns a Gatekeeper. Names returns which of the Gates apply to two peers, and
// other kinds of update that the client does not get.
func NewGatekeeper(names func(client, agent conversation.Implementation) []string) *Gatekeeper {
	return &Gatekeeper{names: names}
}

// Name implements dispatch.Adapter.
func (g *Gatekeeper) Name() string { return "gate" }

// Negotiated implements dispatch.Negotiator. Only version 1 has these features as options.
func (g *Gatekeeper) Negotiated(r *conversation.Request) {
	client, agent := r.Client, r.Agent
	g.updates, g.options = map[string]string{}, map[string]string{}
	if agent.Version != 1 {
		return
	}
	for _, name := range g.names(client.Implementation, agent.Implementation) {
		gate, isGate := Gates[name]
		if !isGate {
			g.updates[name] = named
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

// named is the key that names kinds of update itself.
const named = "updates"

func why(gate string) string {
	if gate == named {
		return "the client never gets updates of this kind (gate.updates)"
	}
	return "gate." + gate + ": the client does not announce support"
}

// withoutOptions removes the options of these types from the configOptions of o, an object of m.
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
