package history

import "strings"

// A Fate is what happened to a message that was not forwarded.
type Fate string

const (
	Unknown  Fate = ""          // the record does not say it
	ByRule   Fate = "rule"      // a rule dropped it
	Held     Fate = "held"      // a plan that acpshim holds
	Merged   Fate = "merged"    // a plan update that does not change what the client sees
	NotShown Fate = "not shown" // a plan that is not the one that the client sees
)

var fates = map[string]Fate{
	"plans.other-shown": NotShown, "plans.unchanged": Merged, "plans.repeated": Merged, "plans.empty": Merged, "plans.removed": Merged,
}

// Fate returns the fate of a message that was not forwarded, from the codes of its reasons.
func (m *Message) Fate() Fate {
	if m.Message.Has("rule.dropped") {
		return ByRule
	}
	for _, r := range m.Message.Reasons {
		if strings.HasPrefix(r.Code, "plans.waits-") {
			return Held
		}
		if fate := fates[r.Code]; fate != Unknown {
			return fate
		}
	}
	return Unknown
}
