package history

import "strings"

// A Fate is what became of a message that was not forwarded.
type Fate string

const (
	Unknown  Fate = ""          // its record does not say it
	ByRule   Fate = "rule"      // a rule dropped it
	Held     Fate = "held"      // a plan that waits
	Merged   Fate = "merged"    // a plan update that changes nothing that the client sees
	NotShown Fate = "not shown" // a plan, because another one is
)

var fates = map[string]Fate{
	"plans.other-shown": NotShown, "plans.unchanged": Merged, "plans.repeated": Merged, "plans.empty": Merged, "plans.removed": Merged,
}

// Fate returns what the reasons of a message that was not forwarded say.
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
