// Package glob matches names and texts against patterns as people write them.
package glob

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Glob is a compiled pattern. The zero Glob matches nothing. Several goroutines may use a Glob.
type Glob struct {
	alternatives []alternative // one for each way through the braces
	spelled      string        // as spell returns it, with a blank for each pair of braces
	negated      bool
}

// An alternative matches a text that begins with prefix and continues with a match of the elements.
type alternative struct {
	prefix   string
	elements []element
}

// Compile reads a pattern that has to match a text as a whole:
//
//	?       any one rune
//	*       any run of runes, also none
//	[a-z_]  one of these runes
//	[^a-z]  any one rune but these
//	{a,b*}  one of these patterns, which have no braces themselves
//	\*      the rune after the backslash, also between brackets or braces
//
// A slash is a rune like any other: "*" matches "a/b". Upper and lower case differ. A byte that is
// not UTF-8 counts as the rune U+FFFD. There are at most 64 ways through all braces: {a,b}{c,d} has
// four.
func Compile(pattern string) (Glob, error) {
	if !utf8.ValidString(pattern) {
		return Glob{}, fmt.Errorf("glob %q: want UTF-8", pattern)
	}
	if !strings.ContainsAny(pattern, `*?[{}\`+blank) {
		return Glob{alternatives: []alternative{{prefix: pattern}}, spelled: pattern}, nil
	}
	p := parser{rest: []rune(pattern)}
	ways, spelled, err := p.pattern()
	if err != nil {
		return Glob{}, fmt.Errorf("glob %q: %w", pattern, err)
	}
	g := Glob{spelled: spelled}
	for _, elements := range ways {
		prefix, _, _ := strings.Cut(spell(elements), blank)
		g.alternatives = append(g.alternatives, alternative{prefix, elements[utf8.RuneCountInString(prefix):]})
	}
	return g, nil
}

// CompileNegatable is Compile for patterns that a leading ! negates.
func CompileNegatable(pattern string) (Glob, error) {
	pattern, negated := strings.CutPrefix(pattern, "!")
	g, err := Compile(pattern)
	g.negated = negated
	return g, err
}

// Match reports whether the pattern matches the whole text. For each way through the braces it
// takes at most as many steps as the length of the text times that of the pattern.
func (g Glob) Match(text string) bool {
	for i := range g.alternatives {
		a := &g.alternatives[i]
		if rest, ok := strings.CutPrefix(text, a.prefix); ok && match(a.elements, rest) {
			return !g.negated
		}
	}
	return g.negated
}

// Texts returns all texts that the pattern matches, or nil if it may match others.
func (g Glob) Texts() []string {
	if g.negated {
		return nil
	}
	var texts []string
	for _, a := range g.alternatives {
		if len(a.elements) > 0 {
			return nil
		}
		texts = append(texts, a.prefix)
	}
	return texts
}

// Parts returns texts that are part of every text that the pattern matches.
func (g Glob) Parts() []string {
	if g.negated {
		return nil
	}
	return strings.FieldsFunc(g.spelled, func(r rune) bool { return r == utf8.RuneError })
}

// match reports whether elements match the whole text.
func match(elements []element, text string) bool {
	next := 0            // the element that is to match
	run, runEnd := -1, 0 // the last run that was begun, and where in text it ends
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case next < len(elements) && elements[next].run:
			run, runEnd = next, at
			next++
		case next < len(elements) && elements[next].has(r):
			next++
			at += size
		case run >= 0:
			// A run before the last one need not be longer: what it could
			// reach, the last one reaches too.
			_, size = utf8.DecodeRuneInString(text[runEnd:])
			runEnd += size
			next, at = run+1, runEnd
		default:
			return false
		}
	}
	for next < len(elements) && elements[next].run {
		next++
	}
	return next == len(elements)
}
