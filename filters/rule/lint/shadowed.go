package lint

import (
	"slices"
	"strings"

	"acpshim/filters/rule"
)

// shadowed warns of rules that an earlier one never lets apply, as far as both are on.
func shadowed(linters []*linter) []rule.Problem {
	var problems []rule.Problem
	for i, l := range linters {
		for _, first := range linters[:i] {
			if !first.Off && !l.Off && first.ends(l) && first.covers(l) {
				l.problems = nil
				l.warn("name", "", "never matches: every message that it could match ends at rule \"%s\" before it", first.Name)
				problems = append(problems, l.problems...)
				break
			}
		}
	}
	return problems
}

// ends reports whether l lets no message pass that both rules match.
func (l *linter) ends(later *linter) bool {
	known, isKnown := rule.OnlyMethod(later.method.glob)
	switch {
	case l.Action == "drop":
		return later.update.isSet() || later.Action == "drop" || later.Hold != "" || isKnown && !known.Request
	case l.Reply != nil:
		return later.Reply != nil || isKnown && known.Request
	}
	return false
}

// covers reports whether l matches whatever the later rule does, as far as that is easily told.
func (l *linter) covers(later *linter) bool {
	if l.from() != rule.Both && l.From != later.sender() ||
		!l.method.covers(later.method) && !(later.update.isSet() && l.method.match("session/update")) ||
		!l.update.covers(later.update) || !l.responseTo.covers(later.responseTo) || !l.session.covers(later.session) {
		return false
	}
	asked := later.asks()
	return (l.Protocol == 0 || l.Protocol == later.Protocol) && !slices.ContainsFunc(l.asks(), func(ask string) bool {
		return !strings.HasSuffix(ask, " ") && !slices.Contains(asked, ask)
	})
}

// sender returns who sends the requests or notifications that the rule matches; "" if that is not
// known.
func (l *linter) sender() rule.Side {
	switch {
	case l.from() != rule.Both:
		return l.From
	case l.update.isSet():
		return rule.Agent
	}
	known, _ := rule.OnlyMethod(l.method.glob)
	return known.From
}

// asks returns the conditions of a rule on the peers and on values as texts, which are the same for
// the same conditions. One that ends in a space is none.
func (l *linter) asks() (asks []string) {
	for key, texts := range map[string][]string{
		"client": {l.Client}, "agent": {l.Agent}, "when.client": {l.When.Client}, "when.agent": {l.When.Agent},
		"client_has": l.ClientHas, "client_lacks": l.ClientLacks, "agent_has": l.AgentHas, "agent_lacks": l.AgentLacks,
	} {
		for _, text := range texts {
			asks = append(asks, key+" "+text)
		}
	}
	for _, c := range l.conditions {
		asks = append(asks, c.Key+" "+c.Pointer.String()+" "+c.Text+".")
	}
	return asks
}
