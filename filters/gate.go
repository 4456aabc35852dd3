package filters

import (
	"bytes"

	"acpshim/internal/wire"
)

// A Gate is a feature that an agent may use with clients only that announce it.
// Some agents use it with all, and some clients break on what they do not know
// (protocol.md 1.4).
type Gate struct {
	Capability []string // the path of the capability under clientCapabilities
	Updates    []string // the kinds of session update
	Options    []string // the types of session configuration options
}

// Gates are the features besides plans, by the names of the configuration.
var Gates = map[string]Gate{
	"notices":         {Capability: []string{"session", "notices"}, Updates: []string{"notice"}},
	"compaction":      {Capability: []string{"session", "compaction"}, Updates: []string{"compaction_update", "compaction_summary_chunk"}},
	"subagents":       {Capability: []string{"subagents"}, Updates: []string{"subagent_update", "session_message", "session_message_chunk"}},
	"boolean_options": {Capability: []string{"session", "configOptions", "boolean"}, Options: []string{"boolean"}},
}

// gates are those that are closed to a client: what they hold back of updates
// and of the options in configOptions.
type gates struct{ updates, options map[string]bool }

func (g gates) any() bool { return len(g.updates)+len(g.options) > 0 }

// looksAt reports whether session updates of that kind have to be looked at.
func (g gates) looksAt(sessionUpdate string) bool {
	return g.updates[sessionUpdate] || len(g.options) > 0 && sessionUpdate == "config_option_update"
}

// shut returns the names of the Gates whose capability a client does not
// announce.
func shut(clientCapabilities []byte) map[string]bool {
	names := map[string]bool{}
	for name, gate := range Gates {
		raw := clientCapabilities
		for _, name := range gate.Capability {
			o, err := wire.Parse(raw)
			if raw = nil; err == nil {
				raw = o.Raw(name)
			}
		}
		names[name] = !wire.IsObject(raw)
	}
	return names
}

// closed returns the gates of these names that are shut.
func closed(names []string, shut map[string]bool) gates {
	g := gates{map[string]bool{}, map[string]bool{}}
	for _, name := range names {
		if !shut[name] {
			continue
		}
		for _, u := range Gates[name].Updates {
			g.updates[u] = true
		}
		for _, o := range Gates[name].Options {
			g.options[o] = true
		}
	}
	return g
}

// withoutOptions returns a line without those of o's configOptions that are held
// back.
func (g gates) withoutOptions(line []byte, o *wire.Object) []byte {
	if len(g.options) == 0 {
		return line
	}
	options, ok := wire.Elements(o.Raw("configOptions"))
	var kept [][]byte
	for _, option := range options {
		parsed, _ := wire.Parse(option)
		if kind, _ := parsed.Text("type"); !g.options[kind] {
			kept = append(kept, option)
		}
	}
	if !ok || len(kept) == len(options) {
		return line
	}
	left := append(append([]byte("["), bytes.Join(kept, []byte(","))...), ']')
	return wire.Splice(nil, line, o.Set(wire.Setting{Name: "configOptions", Value: left})...)
}
