package rule

import "slices"

// A selection is the rules that can apply to the lines of one side.
type selection struct {
	rules   []*compiled
	answers bool // some of them may concern responses
	updates bool // some of them ask for the kind of an update

	responses []*compiled // rules for the other side's lines that ask what they respond to
	holds     bool        // messages may be held until their session is open
	idle      bool        // no line of the side concerns anybody
	settled   bool        // only another initialize does
}

func (s *Set) selection(side Side, f *Facts, on []bool) *selection {
	sel := &selection{}
	for _, r := range s.rules {
		if !on[r.index] {
			continue
		}
		sel.holds = sel.holds || r.hold && r.excludes(Agent, f) == ""
		if r.responseTo != nil && r.excludes(side.other(), f) == "" {
			sel.responses = append(sel.responses, r)
		}
		if r.excludes(side, f) != "" {
			continue
		}
		sel.rules = append(sel.rules, r)
		sel.answers = sel.answers || r.answers()
		sel.updates = sel.updates || r.update != nil
	}
	none := len(sel.rules)+len(sel.responses) == 0 && !sel.holds
	sel.idle = none && side == Agent && (f.Client == nil || f.Agent != nil) // no answer to initialize is on its way
	sel.settled = none && f.Agent != nil
	return sel
}

// needsAnswer reports whether the answer to a side's request of that method
// matters.
func (sel *selection) needsAnswer(side Side, method string) bool {
	return sel.reads(side, method) ||
		slices.ContainsFunc(sel.responses, func(r *compiled) bool { return r.responseTo.match(method) })
}

// reads reports whether a side's request of that method, and its answer, say
// something of the connection.
func (sel *selection) reads(side Side, method string) bool {
	return side == Client && (method == "initialize" || sel.holds && opens(method))
}

// A decision says what concerns the requests and notifications of one method
// and kind of update.
type decision struct {
	rules  []*compiled // that may match
	noted  bool        // the answer matters: the id is needed
	opened bool        // facts or sessions depend on it: the whole message is needed
}

func (d decision) passes() bool { return len(d.rules) == 0 && !d.opened }

func (sel *selection) decide(side Side, method, update string) decision {
	d := decision{noted: sel.needsAnswer(side, method)}
	d.opened = d.noted && sel.reads(side, method)
	for _, r := range sel.rules {
		if r.calls(method, update) {
			d.rules = append(d.rules, r)
		}
	}
	return d
}
