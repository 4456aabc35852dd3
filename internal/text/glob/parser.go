package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A parser reads a pattern. Its errors say what is wanted.
type parser struct{ rest []rune }

// maxWays bounds the number of ways through all braces.
const maxWays = 64

// pattern reads the whole pattern. It returns the elements of each way through the braces, and the
// literals outside of braces.
func (p *parser) pattern() (ways [][]element, spelled string, err error) {
	ways = [][]element{nil}
	var b strings.Builder
	for {
		elements, err := p.sequence("{}")
		if err != nil {
			return nil, "", err
		}
		b.WriteString(spell(elements))
		ways = product(ways, [][]element{elements})
		switch {
		case len(p.rest) == 0:
			return ways, b.String(), nil
		case p.rest[0] == '}':
			return nil, "", errors.New(`want a { for each }, or \} for a brace`)
		}
		choices, err := p.choices()
		if err != nil {
			return nil, "", err
		}
		if len(ways)*len(choices) > maxWays {
			return nil, "", fmt.Errorf("want at most %d ways through all braces: {a,b}{c,d} has four", maxWays)
		}
		b.WriteString(blank)
		ways = product(ways, choices)
	}
}

// product returns each way followed by each choice.
func product(ways, choices [][]element) (all [][]element) {
	for _, way := range ways {
		for _, choice := range choices {
			all = append(all, slices.Concat(way, choice))
		}
	}
	return all
}

// choices reads the text between a { and its }.
func (p *parser) choices() ([][]element, error) {
	var choices [][]element
	for {
		p.rest = p.rest[1:] // the { or a comma
		choice, err := p.sequence("{,}")
		switch {
		case err != nil:
			return nil, err
		case len(p.rest) == 0:
			return nil, errors.New(`want a } for each {, or \{ for a brace`)
		case p.rest[0] == '{':
			return nil, errors.New(`want no braces inside others, or \{ for a brace`)
		}
		choices = append(choices, choice)
		if p.rest[0] == ',' {
			continue
		}
		p.rest = p.rest[1:]
		if len(choices) == 1 && len(choice) == 0 {
			return nil, errors.New(`want patterns between { and }, as in {a,b}, or \{ for a brace`)
		}
		return choices, nil
	}
}

// sequence reads elements up to one of the runes of end, or the end of the pattern.
func (p *parser) sequence(end string) ([]element, error) {
	var elements []element
	for len(p.rest) > 0 && !strings.ContainsRune(end, p.rest[0]) {
		var e element
		var err error
		switch p.rest[0] {
		case '*':
			e.run, p.rest = true, p.rest[1:]
		case '?':
			e.class, p.rest = &class{not: true}, p.rest[1:]
		case '[':
			e.class, err = p.class()
		default:
			e.literal, err = p.rune()
		}
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	return elements, nil
}

// class reads from a [ to its ].
func (p *parser) class() (*class, error) {
	c := &class{}
	p.rest = p.rest[1:]
	if len(p.rest) > 0 && p.rest[0] == '^' {
		c.not, p.rest = true, p.rest[1:]
	}
	for {
		switch {
		case len(p.rest) == 0:
			return nil, errors.New(`want a ] for each [, or \[ for a bracket`)
		case p.rest[0] == ']' && len(c.ranges) > 0:
			p.rest = p.rest[1:]
			return c, nil
		case p.rest[0] == ']' || p.rest[0] == '-':
			return nil, errors.New(`want runes or ranges between [ and ], and \ before a ] or - that is meant`)
		}
		s, err := p.span()
		if err != nil {
			return nil, err
		}
		c.ranges = append(c.ranges, s)
	}
}

// span reads a rune or a range of them.
func (p *parser) span() (s span, err error) {
	if s.low, err = p.rune(); err != nil {
		return s, err
	}
	s.high = s.low
	if len(p.rest) > 0 && p.rest[0] == '-' {
		if len(p.rest) == 1 || p.rest[1] == ']' || p.rest[1] == '-' {
			return s, errors.New(`want a rune on both sides of -, or \- for one that is meant`)
		}
		p.rest = p.rest[1:]
		s.high, err = p.rune()
	}
	if err == nil && s.high < s.low {
		err = fmt.Errorf("want the range %c-%c the other way round", s.low, s.high)
	}
	return s, err
}

// rune reads a rune that may have a backslash before it.
func (p *parser) rune() (rune, error) {
	if p.rest[0] == '\\' {
		p.rest = p.rest[1:]
	}
	if len(p.rest) == 0 {
		return 0, errors.New(`want a rune after \`)
	}
	r := p.rest[0]
	p.rest = p.rest[1:]
	return r, nil
}
