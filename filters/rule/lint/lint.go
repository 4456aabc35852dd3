// Package lint finds probable mistakes in valid rules: rules that never match, actions without an
// effect, and misspelled names.
package lint

import (
	"fmt"
	"slices"

	"acpshim/filters/rule"
	"acpshim/internal/text/glob"
)

// Check returns warnings about rules, in order. Errs are the problems that [rule.Compile] returned
// for the same rules: Check skips rules with errors, and reports shadowed rules only if there are
// no errors. Place is where the rules stand.
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

// warn records a warning about a key. Part is a pointer in its list or table, or "".
func (l *linter) warn(key, part, format string, args ...any) {
	l.problems = append(l.problems, rule.Problem{
		Rule: l.index, Name: l.Name, Key: key, Part: part, Message: fmt.Sprintf(format, args...), Warning: true})
}

// A pattern is a valid glob of a rule. An empty one matches everything.
type pattern struct {
	text string
	glob glob.Glob
}

func newPattern(text string) pattern {
	g, _ := glob.CompileNegatable(text) // rules with errors are not checked
	return pattern{text, g}
}

func (p pattern) isSet() bool { return p.text != "" }

func (p pattern) match(text string) bool { return p.text == "" || p.glob.Match(text) }

// covers reports whether p certainly matches everything that another pattern matches.
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
