package rule

import "slices"

// hidden returns warnings for rules whose messages an earlier rule always ends,
// as far as both are on.
func (s *Set) hidden() []Problem {
	var problems []Problem
	for i, r := range s.rules {
		for _, first := range s.rules[:i] {
			if !first.off && !r.off && first.ends(r) && first.covers(r) {
				problems = append(problems, Problem{i, r.name, "name", "",
					"never matches: every message that it could match ends at rule \"" + first.name + "\" before it", true})
				break
			}
		}
	}
	return problems
}

// ends reports whether no message that both rules match gets past r.
func (r *compiled) ends(later *compiled) bool {
	if !r.drop && r.reply == nil {
		return false
	}
	known, isKnown := later.method.only()
	if r.drop {
		return later.update != nil || later.drop || later.hold || isKnown && !known.request
	}
	return later.reply != nil || isKnown && known.request
}

// sender is who sends what the rule matches, as far as that is known.
func (r *compiled) sender() Side {
	known, isKnown := r.method.only()
	asked, isAsked := r.responseTo.only()
	switch {
	case r.from != Both:
		return r.from
	case r.update != nil:
		return methods["session/update"].from
	case isKnown:
		return known.from
	case isAsked && asked.from != Both:
		return asked.from.Other()
	}
	return Both
}

// covers reports whether r matches whatever the later rule does, as far as that
// is easily told.
func (r *compiled) covers(later *compiled) bool {
	if r.from != Both && r.from != later.sender() ||
		!r.method.covers(later.method) && !(later.update != nil && r.method.match("session/update")) ||
		!r.update.covers(later.update) || !r.responseTo.covers(later.responseTo) || !r.session.covers(later.session) {
		return false
	}
	for _, t := range r.facts {
		if !slices.ContainsFunc(later.facts, func(o factTest) bool { return o.why == t.why && o.text == t.text }) {
			return false
		}
	}
	for _, t := range r.values {
		if !slices.ContainsFunc(later.values, func(o valueTest) bool { return o.why == t.why && o.text == t.text }) {
			return false
		}
	}
	return true
}
