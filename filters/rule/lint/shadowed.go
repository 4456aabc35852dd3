package lint

import (
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"
)

// shadowed warns of rules that never match because of an earlier one, if both are on.
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

// ends reports whether l stops every message that both rules match.
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

// covers reports whether l certainly matches everything that a later rule matches.
func (l *linter) covers(later *linter) bool {
	if l.from() != rule.Both && l.From != later.sender() ||
		!l.method.covers(later.method) && !(later.update.isSet() && l.method.match(acp.SessionUpdate)) ||
		!l.update.covers(later.update) || !l.responseTo.covers(later.responseTo) || !l.session.covers(later.session) {
		return false
	}
	asked := later.asks()
	return (l.Protocol == 0 || l.Protocol == later.Protocol) && !slices.ContainsFunc(l.asks(), func(ask string) bool {
		return !strings.HasSuffix(ask, " ") && !slices.Contains(asked, ask)
	})
}

// sender returns the side that sends the messages that the rule matches, or "" if it is unknown.
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

// asks returns the conditions of a rule as texts. Equal conditions have equal texts. A text that
// ends in a space is not a condition.
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
