package rule

// A selection is the rules that can match the lines of one side. It does not change.
type selection struct {
	rules   []*compiled
	updates bool // one of them has a pattern for the kind of update

	responses []*compiled // the other side's rules with a pattern for the method that is answered
	holds     bool        // a rule for the agent's messages may hold them until their session is open
}

func (s *Set) selection(side Side, f *facts, on []bool) *selection {
	sel := &selection{}
	for _, r := range s.rules {
		if !on[r.index] {
			continue
		}
		sel.holds = sel.holds || r.hold && r.excludes(Agent, f) == ""
		if r.responseTo != nil && r.excludes(side.Other(), f) == "" {
			sel.responses = append(sel.responses, r)
		}
		if r.excludes(side, f) == "" {
			sel.rules = append(sel.rules, r)
			sel.updates = sel.updates || r.update != nil
		}
	}
	return sel
}

// calls are the rules that may match requests and notifications of a method and a kind of update.
func (sel *selection) calls(method, update string) (rules []*compiled) {
	for _, r := range sel.rules {
		if r.calls(method, update) {
			rules = append(rules, r)
		}
	}
	return rules
}
