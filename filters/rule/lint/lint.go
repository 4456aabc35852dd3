// Package lint finds what is of no use in rules that work as they are written: rules that match no
// message, actions without an effect, and names that are nearly those of the protocol.
package lint

import (
	"fmt"
	"slices"

	"acpshim/filters/rule"
	"acpshim/internal/glob"
)

// Check returns warnings about rules, in their order. Rules that one of errs is about are left
// out; these are the problems that [rule.Compile] returned for the same rules. That a rule is
// shadowed is reported only if there are none. Place is where the rules stand.
func Check(rules []rule.Rule, place rule.Place, errs []rule.Problem) []rule.Problem {
	var problems []rule.Problem
	linters := make([]*linter, len(rules))
	for i := range rules {
		if slices.ContainsFunc(errs, func(p rule.Problem) bool { return p.Rule == i }) {
			continue
		}
		linters[i] = newLinter(&rules[i], i)
		linters[i].place = place
		linters[i].check()
		problems = append(problems, linters[i].problems...)
	}
	if len(errs) == 0 {
		problems = append(problems, shadowed(linters)...)
	}
	return problems
}

// A linter checks one rule.
type linter struct {
	*rule.Rule
	index int
	place rule.Place

	method, update, responseTo, session pattern

	conditions []rule.Condition
	problems   []rule.Problem
}

func newLinter(r *rule.Rule, index int) *linter {
	return &linter{
		Rule: r, index: index, conditions: r.When.Conditions(),
		method: newPattern(r.Method), update: newPattern(r.Update),
		responseTo: newPattern(r.ResponseTo), session: newPattern(r.Session),
	}
}

func (l *linter) check() {
	l.checkOthers()
	l.checkNever()
	l.checkUndone()
	l.checkConditions()
	l.checkLists()
	l.checkPeers()
	l.checkEdits()
	l.checkSpelling()
}

// warn notes a warning about a key; part is the pointer in its list or table that it is about, or
// "".
func (l *linter) warn(key, part, format string, args ...any) {
	l.problems = append(l.problems, rule.Problem{
		Rule: l.index, Name: l.Name, Key: key, Part: part, Message: fmt.Sprintf(format, args...), Warning: true})
}

// A pattern is a glob of a rule that has no errors. One without text matches all.
type pattern struct {
	text string
	glob glob.Glob
}

func newPattern(text string) pattern {
	g, _ := glob.CompileNegatable(text) // a rule with an error is not checked
	return pattern{text, g}
}

func (p pattern) isSet() bool { return p.text != "" }

func (p pattern) match(text string) bool { return p.text == "" || p.glob.Match(text) }

// covers reports whether p matches whatever another pattern does, as far as that is easily told.
func (p pattern) covers(other pattern) bool {
	switch {
	case p.text == "":
		return true
	case other.text == "":
		return false
	case p.text == "*" || p.text == other.text:
		return true
	}
	texts := other.glob.Texts()
	return texts != nil && !slices.ContainsFunc(texts, func(text string) bool { return !p.match(text) })
}
