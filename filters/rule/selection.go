package rule

// A selection is the rules that can match the lines of one side. It is immutable.
type selection struct {
	rules   []*compiledRule
	updates bool // one of the rules has a pattern for the kind of update

	responses []*compiledRule // rules of the other side with a pattern for the request's method
	holds     bool            // a rule may hold messages of the agent
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

// calls returns the rules that can match requests and notifications with a method and kind of
// update.
func (sel *selection) calls(method, update string) (rules []*compiledRule) {
	for _, r := range sel.rules {
		if r.calls(method, update) {
			rules = append(rules, r)
		}
	}
	return rules
}
