// Package glob matches names and titles against patterns as people write them.
package glob

import (
	"fmt"
	"unicode/utf8"
)

// A Glob is a pattern, ready to be matched. The zero Glob matches the empty
// text only. A Glob may be used by many goroutines.
type Glob struct{ elements []element }

// An element matches one rune, or any run of them.
type element struct {
	run    bool
	not    bool
	ranges []span // of runes; for one rune a span of one
}

type span struct{ low, high rune }

// Compile reads a pattern that has to match a text as a whole:
//
//   - any run of runes, also none
//     ?       any one rune
//     [a-z_]  one of these runes
//     [^a-z]  any one rune but these
//     \*      the rune behind the backslash, also between brackets
//
// The syntax is that of [path.Match], but a slash is a rune like any other:
// "*" matches "a/b". Upper and lower case differ. A byte of a text that is no
// UTF-8 counts as the rune U+FFFD.
func Compile(pattern string) (Glob, error) {
	wrong := func(want string) (Glob, error) { return Glob{}, fmt.Errorf("glob %q: %s", pattern, want) }
	if !utf8.ValidString(pattern) {
		return wrong("want UTF-8")
	}
	var g Glob
	rest := []rune(pattern)
	for len(rest) > 0 {
		switch rest[0] {
		case '*':
			if n := len(g.elements); n == 0 || !g.elements[n-1].run {
				g.elements = append(g.elements, element{run: true})
			}
			rest = rest[1:]
		case '?':
			g.elements = append(g.elements, element{not: true})
			rest = rest[1:]
		case '[':
			class, after, want := readClass(rest[1:])
			if want != "" {
				return wrong(want)
			}
			g.elements, rest = append(g.elements, class), after
		default:
			r, after, ok := readRune(rest)
			if !ok {
				return wrong(`want a rune after \`)
			}
			g.elements, rest = append(g.elements, element{ranges: []span{{r, r}}}), after
		}
	}
	return g, nil
}

// readClass reads what follows a [ up to its ]. Want is "" if it is right.
func readClass(rest []rune) (class element, after []rune, want string) {
	if len(rest) > 0 && rest[0] == '^' {
		class.not, rest = true, rest[1:]
	}
	for {
		if len(rest) == 0 {
			return class, nil, `want a ] for each [, or \[ for a bracket`
		}
		if rest[0] == ']' && len(class.ranges) > 0 {
			return class, rest[1:], ""
		}
		if rest[0] == ']' || rest[0] == '-' {
			return class, nil, `want runes or ranges between [ and ], and \ before a ] or - that is meant`
		}
		var s span
		var ok bool
		if s.low, rest, ok = readRune(rest); !ok {
			return class, nil, `want a rune after \`
		}
		s.high = s.low
		if len(rest) > 0 && rest[0] == '-' {
			if len(rest) == 1 || rest[1] == ']' || rest[1] == '-' {
				return class, nil, `want a rune on both sides of -, or \- for one that is meant`
			}
			if s.high, rest, ok = readRune(rest[1:]); !ok {
				return class, nil, `want a rune after \`
			}
		}
		if s.high < s.low {
			return class, nil, fmt.Sprintf("want the range %c-%c the other way round", s.low, s.high)
		}
		class.ranges = append(class.ranges, s)
	}
}

// readRune reads a rune that may have a backslash before it.
func readRune(rest []rune) (r rune, after []rune, ok bool) {
	if rest[0] == '\\' {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return 0, nil, false
	}
	return rest[0], rest[1:], true
}

// Match tells whether the pattern matches the whole text. It takes no more
// steps than the length of the text times that of the pattern.
func (g Glob) Match(text string) bool {
	next := 0            // the element that is to match
	run, runEnd := -1, 0 // the last run that was begun, and where in text it ends
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case next < len(g.elements) && g.elements[next].run:
			run, runEnd = next, at
			next++
		case next < len(g.elements) && g.elements[next].has(r):
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
	if next < len(g.elements) && g.elements[next].run {
		next++
	}
	return next == len(g.elements)
}

func (e element) has(r rune) bool {
	for _, s := range e.ranges {
		if s.low <= r && r <= s.high {
			return !e.not
		}
	}
	return e.not
}
