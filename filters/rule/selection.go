package rule

// A selection is the rules that can apply to the lines of one side.
type selection struct {
	rules   []*compiled
	answers bool // some of them may concern responses
	updates bool // some of them ask for the kind of an update

	responses []*compiled // rules for the other side's lines that ask what they respond to
	holds     bool        // messages may be held until their session is open
}

func (s *Set) selection(side Side, f *Facts, on []bool) *selection {
	sel := &selection{}
	for _, r := range s.rules {
		if !on[r.index] {
			continue
		}
		sel.holds = sel.holds || r.hold && r.excludes(Agent, f) == ""
		if r.responseTo != nil && r.excludes(side.Other(), f) == "" {
			sel.responses = append(sel.responses, r)
		}
		if r.excludes(side, f) != "" {
			continue
		}
		sel.rules = append(sel.rules, r)
		sel.answers = sel.answers || r.answers()
		sel.updates = sel.updates || r.update != nil
	}
	return sel
}

// A decision says what concerns the requests and notifications of one method
// and kind of update.
type decision struct {
	rules []*compiled // that may match
}

func (d decision) passes() bool { return len(d.rules) == 0 }

func (sel *selection) decide(method, update string) decision {
	var d decision
	for _, r := range sel.rules {
		if r.calls(method, update) {
			d.rules = append(d.rules, r)
		}
	}
	return d
}
