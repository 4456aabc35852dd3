package redact

import (
	"bytes"
	"slices"
)

// A nesting is what the values in a bracket of a text are.
type nesting uint8

const (
	listed nesting = iota // pairs, or names with values: [{name: A, value: x}], ["A=x"]
	named                 // values behind names: {A: x}, map[A:x]
	paired                // one pair: {name: A, value: x}, ("A", "x")
	hidden                // all are secret
	kept                  // none is
)

// A bracket is one that is open in a text, with what is known of its elements.
type bracket struct {
	end      byte // what closes it
	holds    nesting
	value    bool // a value comes next: a name and a sign were read
	naming   bool // that value is a name itself
	quoted   bool // its name is in quotes
	spaced   bool // there is space before it
	tight    bool // values stand without quotes and space behind their names, as Go prints them
	elements int  // how many elements without a name were read
}

// A pairReader reads the environment or the headers that a text names, however it
// is written: JSON that is broken, cut off or escaped, and what programs print of
// their values. It leaves what is to be replaced in planned.
type pairReader struct {
	*scanner
	kind  Kind
	stack []bracket
	at    int
}

// pairs reads the brackets that may begin at i, behind the name of an environment
// or headers, or of a secret if outer is hidden.
func (s *scanner) pairs(i int, kind Kind, outer nesting) {
	if i < s.pairsEnd {
		return
	}
	at, holds := s.opening(i, outer)
	if at < 0 {
		return
	}
	p := pairReader{scanner: s, kind: kind, at: at + 1}
	p.stack = append(p.stack, bracket{end: closing(s.text[at]), holds: holds})
	p.read()
}

// goOn reads on in the brackets that the text before left open, if this one looks
// as if it belonged to it.
func (s *scanner) goOn(o openPairs) {
	if len(o.stack) == 0 || len(s.text) == 0 || !continues(s.text[0]) {
		return
	}
	p := pairReader{scanner: s, kind: o.kind, stack: slices.Clone(o.stack)}
	p.read()
}

// openPairs are the brackets that were open at the end of a text.
type openPairs struct {
	kind  Kind
	stack []bracket
}

// maxLeft is how many brackets may be left open.
const maxLeft = 1000

// continues reports whether a line that begins with c may belong to a value that
// the line before left open.
func continues(c byte) bool { return c <= ' ' || closes(c) }

// read reads to the end of the first bracket, or of the text.
func (p *pairReader) read() {
	defer func() { p.pairsEnd = p.at }()
	for p.at < len(p.text) {
		top := &p.stack[len(p.stack)-1]
		switch c := p.text[p.at]; {
		case c == '\n' && p.at+1 < len(p.text) && !continues(p.text[p.at+1]):
			return
		case c <= ' ':
			top.spaced = true
			p.at++
		case c == ',' || c == ';':
			top.value, top.spaced = false, false
			p.at++
		case c == ':' || c == '=' || c == '>' && top.value:
			top.value = true
			top.spaced = false
			p.at++
		case closes(c):
			p.at++
			if c != top.end {
				continue // a part of a text without quotes
			}
			if p.stack = p.stack[:len(p.stack)-1]; len(p.stack) == 0 {
				return
			}
			p.stack[len(p.stack)-1].value = false
		case c == '[' && markerEnd(p.text, p.at) > p.at:
			p.at = markerEnd(p.text, p.at)
			p.passed(top)
		case c == '[' && bytes.HasPrefix(p.text[p.at:], []byte("[]string{")): // of a type of Go
			p.at += len("[]string")
		case closing(c) != 0:
			p.at++
			p.stack = append(p.stack, bracket{end: closing(c), holds: p.inner(top)})
			top.elements++
		default:
			p.token(top)
		}
	}
	if p.depth == 0 && bytes.HasSuffix(p.text, []byte("\n")) {
		p.left = openPairs{p.kind, p.stack}
	}
}

// passed notes that a value was read.
func (p *pairReader) passed(b *bracket) {
	if !b.value {
		b.elements++
	}
	b.value, b.naming, b.spaced = false, false, false
}

// inner is what a bracket holds that opens as the next element of b.
func (p *pairReader) inner(b *bracket) nesting {
	switch {
	case b.holds >= hidden:
		return b.holds
	case b.value && b.naming && b.holds == paired:
		return kept
	case b.value:
		return hidden
	}
	return paired
}

// pair reads a pair that a program printed with its type's name, if it begins at i.
func (s *scanner) pair(i int) {
	end := wordEnd(s.text, i)
	kind, holds := Env, paired
	switch string(s.text[i:end]) {
	case "HttpHeader":
		kind = Header
	case "Header": // of Go
		if !bytes.HasSuffix(s.text[s.floor:i], []byte("http.")) {
			return
		}
		kind, holds = Header, named
	case "EnvVariable", "EnvVar":
	default:
		return
	}
	if end < len(s.text) && s.text[end] == ' ' {
		end++
	}
	if i < s.pairsEnd || end == len(s.text) || closing(s.text[end]) == 0 {
		return
	}
	p := pairReader{scanner: s, kind: kind, at: end + 1}
	p.stack = append(p.stack, bracket{end: closing(s.text[end]), holds: holds})
	p.read()
}

// listed reads the pairs that begin at i, if the name of an environment or of headers
// stands before them without a sign, or with an arrow: env [{, headers -> [{.
func (s *scanner) listed(i int) {
	before := bytes.TrimRight(s.text[s.floor:i], " ")
	name, _, _ := s.nameBefore(s.floor + len(bytes.TrimSuffix(before, []byte("->"))))
	switch s.classify(name.text) {
	case environment:
		s.pairs(i, Env, listed)
	case headers:
		s.pairs(i, Header, listed)
	}
}
