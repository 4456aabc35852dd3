// Package prefilter says of most lines that no rule applies to them, in less time than it takes
// to read them as messages.
//
// A line is walked to where the values are that rules ask for; all else is stepped over. What is
// not plain, such as a name with an escape in it, is left to those who read. A stream repeats
// itself, so a line that differs from the one before in one string is decided at once.
package prefilter

import (
	"bytes"
	"sort"

	"acpshim/internal/wire"
)

// A Requirement is a value that is in every line that a rule matches.
type Requirement struct {
	Pointer wire.Selector // where it is, or one of the places; one step at least
	Kind    Kind
	Text    string // unescaped; for Contains and Equal
}

// A Kind says what a Requirement asks of the value.
type Kind int

const (
	Present  Kind = iota // it is there
	Contains             // it is a string with Text in it
	Equal                // it is the string Text
)

// A Filter is the requirements of some rules, and what it saw lately. It is for one goroutine.
type Filter struct {
	root node

	// The line that was walked before passed: prefix, a value, suffix. Varied is what rules ask of
	// the value; nil if they ask for nothing in it.
	prefix, suffix []byte
	varied         *node

	last       []byte // the beginning of that line
	same       int    // how much of it the line that is walked begins with
	start, end int    // of varied in the line that is walked: the last value that begins within same
}

// maxRepeated bounds what is remembered of the lines before, in bytes.
const maxRepeated = 1 << 10

// New returns the Filter of some rules, of which each is given by what it requires. All of that is
// in a line that the rule matches; the line is searched for what is rarest. A rule that requires
// nothing may match any line: then the Filter is nil.
func New(rules [][]Requirement) *Filter {
	f := &Filter{}
	for _, requirements := range rules {
		if len(requirements) == 0 {
			return nil
		}
		rarest := requirements[0].plain()
		for _, r := range requirements[1:] {
			if r = r.plain(); r.compare(rarest) > 0 {
				rarest = r
			}
		}
		f.root.add(rarest.Pointer, rarest)
	}
	return f
}

// MayMatch reports whether one of the rules may match a whole line. False is certain. All lines
// may match a nil Filter.
func (f *Filter) MayMatch(line []byte) bool {
	switch {
	case f == nil:
		return true
	case f.repeats(line):
		return false
	}
	f.start, f.varied, f.prefix = 0, nil, f.prefix[:0]
	f.same = sort.Search(min(len(line), len(f.last)), func(i int) bool {
		return !bytes.Equal(line[:i+1], f.last[:i+1])
	})
	i := wire.SpaceEnd(line, 0)
	if at(line, i) != '{' || f.object(line, i+1, &f.root) < 0 {
		return true
	}
	f.last = append(f.last[:0], line[:min(len(line), maxRepeated)]...)
	if f.start == 0 {
		return false // it differs before any value
	}
	if f.varied == nil {
		f.narrow(line)
	}
	if len(line)-f.end <= maxRepeated {
		f.prefix = append(f.prefix, line[:f.start]...)
		f.suffix = append(f.suffix[:0], line[f.end:]...)
	}
	return false
}

// narrow makes of a value that nobody asks for the string in it with which a line differs from the
// one before, or the last string in it if they are the same.
func (f *Filter) narrow(line []byte) {
	stop := f.end
	for i := f.start; i < min(f.same, stop); i++ {
		if line[i] == '"' {
			f.start, f.end = i, wire.StringEnd(line, i)
			i = f.end - 1
		}
	}
}

// repeats reports whether a line is like the one before but for one value, and passes likewise.
func (f *Filter) repeats(line []byte) bool {
	start, end := len(f.prefix), len(line)-len(f.suffix)
	return start > 0 && bytes.HasPrefix(line, f.prefix) && bytes.HasSuffix(line, f.suffix) &&
		wire.ValueEnd(line, start) == end &&
		(f.varied == nil || line[start] == '"' && !f.varied.mayMatch(line[start:end]))
}
