package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth is the deepest nesting of tables and lists. The time of the parser of values grows with
// its square, or faster.
const maxDepth = 64

// A position is a line and a column of a source, in runes, both from 1. The zero position is
// unknown.
type position struct{ line, column int }

// A node holds the place of a key in a source, and the nodes of the keys below it.
type node struct {
	key   position // where it is first named, or where an element of a list begins
	value position // where the value begins, or the name in a [header]

	members  map[string]*node
	elements []*node
	headed   bool // it is a list of [[tables]]
	titled   bool // it has a [header]
	set      bool // it has been set by KEY = VALUE

	text string // of a number, a date or a word: how it is spelled
}

// member returns the node of a key below n, or an empty node.
func (n *node) member(name string) *node {
	if m := n.members[name]; m != nil {
		return m
	}
	return &node{}
}

// element returns the node of an element of the list n, or an empty node.
func (n *node) element(i int) *node {
	if i < len(n.elements) {
		return n.elements[i]
	}
	return &node{}
}

// A fault is the first mistake in the form of a source.
type fault struct {
	at      position
	message string
	until   int // the parser of values, whose message is better, can read the source up to here; 0 for not at all
}

// scan returns the places of all keys in a source, in linear time. After a fault, root has only the
// keys before it. These are faults: text that is not TOML, nesting beyond maxDepth, and a key that
// is set twice, which the parser of values may accept. That parser reports everything else. Refused
// is the offset of a key that it reports as repeated, or -1.
func scan(source string, refused int) (root *node, wrong *fault) {
	s := &scanner{source: source, here: position{1, 1}, refused: refused}
	root = &node{}
	table, depth := root, 0
	var p unstable.Parser
	p.Reset([]byte(source))
	for s.fault == nil && p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			s.pair(table, depth, e)
			continue
		}
		table, depth = s.key(root, 0, e)
		if e.Kind == unstable.ArrayTable {
			element := &node{key: s.named, value: s.named}
			table.headed, table.elements = true, append(table.elements, element)
			continue
		}
		if table.titled {
			s.repeats(table)
		}
		table.titled = true
	}
	var syntax *unstable.ParserError
	if errors.As(p.Error(), &syntax) {
		return root, s.syntax(int(p.Range(syntax.Highlight).Offset), syntax.Message)
	}
	return root, s.fault
}

// A scanner follows the expressions of a source in their order.
type scanner struct {
	source string
	end    int // the end of the text that was read

	passed int      // an offset before the next text
	here   position // the position of passed

	refused int
	named   position // the last part of the last key
	fault   *fault
}

// syntax returns the fault of a source that is not TOML after an offset.
func (s *scanner) syntax(at int, message string) *fault {
	until, brackets := len(s.source), 0
	if end := strings.IndexByte(s.source[at:], '\n'); end >= 0 {
		until = at + end + 1
	}
	for _, bracket := range []string{"[", "{", "."} {
		brackets += strings.Count(s.source[s.end:until], bracket)
	}
	if brackets > maxDepth {
		until = 0
	}
	return &fault{at: s.position(at), message: message, until: until}
}

// pair reads KEY = VALUE in the table n.
func (s *scanner) pair(n *node, depth int, e *unstable.Node) {
	n, depth = s.key(n, depth, e)
	if n.set || n.headed || n.members != nil {
		s.repeats(n)
	}
	s.skip(" \t=")
	s.value(n, depth, e.Value())
	n.set = true
}

// key reads the key of an expression below n. It returns the node of the key and its depth.
func (s *scanner) key(n *node, depth int, e *unstable.Node) (*node, int) {
	isRefused := false
	for parts := e.Key(); parts.Next(); {
		part := parts.Node()
		isRefused = isRefused || int(part.Raw.Offset) == s.refused
		s.named = s.position(int(part.Raw.Offset))
		s.end = int(part.Raw.Offset + part.Raw.Length)
		if n.set {
			s.repeats(n)
		}
		if n.headed {
			n = n.elements[len(n.elements)-1]
		}
		if n.members == nil {
			n.members = map[string]*node{}
		}
		name := string(part.Data)
		if n.members[name] == nil {
			n.members[name] = &node{key: s.named, value: s.named}
		}
		n = n.members[name]
		depth++
		s.limit(depth, s.named)
	}
	if isRefused {
		s.repeats(n)
	}
	return n, depth
}

// value reads the value of n, which comes next. The parser knows no offsets of lists and tables.
func (s *scanner) value(n *node, depth int, v *unstable.Node) {
	n.value = s.position(s.end)
	s.limit(depth, n.value)
	inner := v.Children()
	switch v.Kind {
	case unstable.Array, unstable.InlineTable:
		s.end++ // the bracket
		for s.blank(); inner.Next(); s.blank() {
			if v.Kind == unstable.InlineTable {
				s.pair(n, depth, inner.Node())
				continue
			}
			element := &node{}
			n.elements = append(n.elements, element)
			s.value(element, depth+1, inner.Node())
			element.key = element.value
		}
		s.end++
	default:
		if v.Kind != unstable.String {
			n.text = string(v.Data)
		}
		s.end = int(v.Raw.Offset + v.Raw.Length)
	}
}

// blank skips space, commas and comments between the elements of a list.
func (s *scanner) blank() {
	for s.skip(" \t\r\n,"); strings.HasPrefix(s.source[s.end:], "#"); s.skip(" \t\r\n,") {
		s.end += strings.IndexByte(s.source[s.end:], '\n') // a bracket follows
	}
}

func (s *scanner) skip(bytes string) {
	s.end = len(s.source) - len(strings.TrimLeft(s.source[s.end:], bytes))
}

func (s *scanner) limit(depth int, at position) {
	if depth > maxDepth && s.fault == nil {
		s.fault = &fault{at: at, message: fmt.Sprintf("is nested in more than %d tables and lists", maxDepth)}
	}
}

// repeats reports the last key as a fault: n is already set, or nothing can be added to it.
func (s *scanner) repeats(n *node) {
	if s.fault == nil {
		s.fault = &fault{at: s.named, message: fmt.Sprintf("this key, or a table that it is in, is already set in line %d", n.key.line)}
	}
}

// position returns the position of an offset, which must not be before that of the last call.
func (s *scanner) position(at int) position {
	s.here = s.here.after(s.source[s.passed:at])
	s.passed = at
	return s.here
}

// after returns the position after a text that begins at p.
func (p position) after(text string) position {
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		p.line += strings.Count(text, "\n")
		p.column, text = 1, text[end+1:]
	}
	p.column += utf8.RuneCountInString(text)
	return p
}
