package filters

import "acpshim/wire"

// A Gate is a feature whose updates an agent may send to clients only that
// announce it. Some agents send them to all, and some clients break on what they
// do not know (protocol.md 1.4).
type Gate struct {
	Capability []string // the path of the capability under clientCapabilities
	Updates    []string // the kinds of session update
}

// Gates are the features besides plans, by the names of the configuration.
var Gates = map[string]Gate{
	"notices":    {[]string{"session", "notices"}, []string{"notice"}},
	"compaction": {[]string{"session", "compaction"}, []string{"compaction_update", "compaction_summary_chunk"}},
	"subagents":  {[]string{"subagents"}, []string{"subagent_update", "session_message", "session_message_chunk"}},
}

// closed returns the updates of those gates whose capability the client does not
// announce.
func closed(gates []Gate, clientCapabilities []byte) map[string]bool {
	updates := map[string]bool{}
	for _, g := range gates {
		raw := clientCapabilities
		for _, name := range g.Capability {
			o, err := wire.Parse(raw)
			if raw = nil; err == nil {
				raw = o.Raw(name)
			}
		}
		if !wire.IsObject(raw) {
			for _, u := range g.Updates {
				updates[u] = true
			}
		}
	}
	return updates
}
