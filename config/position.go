package config

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep tables and lists may lie in each other. The parser's
// time grows with the square of it and more.
const maxDepth = 64

// A position is a place in a source: a line, and a column in runes, both from
// 1. It is zero if it is not known.
type position struct{ line, column int }

// A node tells where a key, and all that is below it, stands in a source.
type node struct {
	key   position // where it is first named; for an element of a list, where it begins
	value position // for what has a [header], where that names it

	members  map[string]*node
	elements []*node
	headed   bool // a list of [[tables]], of which each is an element
	set      bool // by KEY = VALUE

	text string // of a number, a date or a word: how it is spelled
}

// member returns the node of a key below n. It is empty if there is none.
func (n *node) member(name string) *node {
	if m := n.members[name]; m != nil {
		return m
	}
	return &node{}
}

// element returns the node of an element of the list n. It is empty if there
// is none.
func (n *node) element(i int) *node {
	if i < len(n.elements) {
		return n.elements[i]
	}
	return &node{}
}

// scan finds the places of all keys in a source that the TOML parser takes, in
// linear time. Of another source it finds those before the first error. Deep is
// the place of what is nested deeper than maxDepth; the scan ends there. Again is
// that of a key set after it, or what is below it, was: the parser takes some of
// these and forgets one. Both are zero if there is none.
func scan(source string) (root *node, deep, again position) {
	s := newScanner(source)
	root = s.scan()
	return root, s.deep, s.again
}

func newScanner(source string) *scanner {
	return &scanner{source: source, here: position{1, 1}, target: -1}
}

func (s *scanner) scan() (root *node) {
	source := s.source
	for _, bom := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} { // the parser's
		if strings.HasPrefix(source, bom) {
			s.at = len(bom)
			break
		}
	}
	root = &node{}
	table, depth := root, 0
	for s.blank(); s.at < len(source); s.blank() {
		start := s.at
		s.fault.close(start, source[start] == '[')
		switch {
		case s.take("[["):
			table, depth = s.key(root, 0)
			element := &node{key: s.named, value: s.named}
			table.headed, table.elements = true, append(table.elements, element)
			s.expect("]]")
			s.fails(start, table, true)
		case s.take("["):
			table, depth = s.key(root, 0)
			s.expect("]")
			s.fails(start, table, true)
		default:
			s.pair(table, depth)
		}
	}
	s.fault.close(len(source), true)
	return root
}

// A scanner assumes that its source is right. Where it sees that it is not, it
// goes to the end.
type scanner struct {
	source string
	at     int // the next byte

	passed int      // a byte before at
	here   position // of passed

	named   position // the last part of the last key
	through *node    // of the last key, a value that it goes through
	deep    position
	again   position
	againAt int // its byte

	target int // the byte that fault is looked for at; -1 for none
	fault  fault
}

// pair reads KEY = VALUE in the table n.
func (s *scanner) pair(n *node, depth int) {
	s.blank()
	start := s.at
	n, depth = s.key(n, depth)
	isFault := s.fails(start, n, false)
	if n.set || n.headed || n.members != nil {
		s.repeats()
	}
	if s.expect("=") {
		s.value(n, depth)
	}
	if isFault {
		s.fault.end = s.at
	}
	n.set = true
}

// key reads a key, the names of tables before it included, and returns its node.
func (s *scanner) key(n *node, depth int) (*node, int) {
	s.through = nil
	for {
		s.blank()
		s.named = s.position()
		name := s.name()
		if n.set {
			s.through = n
			s.repeats()
		}
		if n.headed {
			n = n.elements[len(n.elements)-1]
		}
		if n.members == nil {
			n.members = map[string]*node{}
		}
		if n.members[name] == nil {
			n.members[name] = &node{key: s.named, value: s.named}
		}
		n = n.members[name]
		depth++
		s.limit(depth, s.named)
		s.blank()
		if !s.take(".") {
			return n, depth
		}
	}
}

// name reads one part of a key.
func (s *scanner) name() string {
	if s.at < len(s.source) && (s.source[s.at] == '"' || s.source[s.at] == '\'') {
		return s.line()
	}
	start := s.at
	for s.at < len(s.source) && isBare(s.source[s.at]) {
		s.at++
	}
	if s.at == start {
		s.stop()
		return ""
	}
	return s.source[start:s.at]
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// value reads the value of n.
func (s *scanner) value(n *node, depth int) {
	s.blank()
	n.value = s.position()
	s.limit(depth, n.value)
	switch {
	case s.at == len(s.source):
	case s.take(`"""`):
		s.text(`"""`)
	case s.take("'''"):
		s.text("'''")
	case s.source[s.at] == '"' || s.source[s.at] == '\'':
		s.line()
	case s.take("["):
		n.elements, n.headed = nil, false
		for !s.closed("]") {
			element := &node{}
			n.elements = append(n.elements, element)
			s.value(element, depth+1)
			element.key = element.value
		}
	case s.take("{"):
		for !s.closed("}") {
			s.pair(n, depth)
		}
	default: // a number, a date or a word
		end := strings.IndexAny(s.source[s.at:], ",]}#\r\n")
		if end <= 0 {
			end = len(s.source) - s.at
		}
		n.text = strings.TrimSpace(s.source[s.at : s.at+end])
		if s.at <= s.target && s.target <= s.at+end {
			s.fault = fault{start: s.at, end: s.at + end, at: n.value}
		}
		s.at += end
	}
}

// closed reads what stands before an element of a list or inline table, or the
// bracket at its end.
func (s *scanner) closed(bracket string) bool {
	s.blank()
	if s.take(",") {
		s.blank()
	}
	return s.take(bracket) || s.at == len(s.source)
}

// line reads a string in one line of which the quote is next.
func (s *scanner) line() string {
	quote, start := s.source[s.at], s.at+1
	for i := start; i < len(s.source) && s.source[i] != '\n'; i++ {
		switch {
		case s.source[i] == quote:
			s.at = i + 1
			if quote == '"' {
				return unescape(s.source[start:i])
			}
			return s.source[start:i]
		case s.source[i] == '\\' && quote == '"':
			i++
		}
	}
	s.stop()
	return ""
}

// text reads the rest of a string in several lines.
func (s *scanner) text(quotes string) {
	for i := s.at; i < len(s.source); i++ {
		switch rest := s.source[i:]; {
		case strings.HasPrefix(rest, quotes) && !strings.HasPrefix(rest[1:], quotes): // one or two more may stand before
			s.at = i + len(quotes)
			return
		case rest[0] == '\\' && quotes[0] == '"':
			i++
		}
	}
	s.stop()
}

// blank reads space, line ends and comments.
func (s *scanner) blank() {
	for s.at < len(s.source) {
		switch s.source[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		case '#':
			end := strings.IndexByte(s.source[s.at:], '\n')
			if end < 0 {
				s.stop()
				return
			}
			s.at += end
		default:
			return
		}
	}
}

func (s *scanner) take(text string) bool {
	ok := strings.HasPrefix(s.source[s.at:], text)
	if ok {
		s.at += len(text)
	}
	return ok
}

func (s *scanner) expect(text string) bool {
	s.blank()
	ok := s.take(text)
	if !ok {
		s.stop()
	}
	return ok
}

func (s *scanner) limit(depth int, at position) {
	if depth > maxDepth && s.deep == (position{}) {
		s.deep = at
		s.stop()
	}
}

func (s *scanner) repeats() {
	if s.again == (position{}) {
		s.again, s.againAt = s.named, s.passed
	}
}

func (s *scanner) stop() { s.at = len(s.source) }

// position returns the place of the next byte.
func (s *scanner) position() position {
	s.here = s.here.after(s.source[s.passed:s.at])
	s.passed = s.at
	return s.here
}

// after returns the place behind a text that stands at p.
func (p position) after(text string) position {
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		p.line += strings.Count(text, "\n")
		p.column, text = 1, text[end+1:]
	}
	p.column += utf8.RuneCountInString(text)
	return p
}

// unescape reads what stands between double quotes.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for text != "" {
		switch {
		case strings.HasPrefix(text, `\e`):
			b.WriteByte(0x1b)
			text = text[2:]
		case strings.HasPrefix(text, `\x`): // in TOML a rune, in Go a byte
			n, err := strconv.ParseUint(text[2:min(4, len(text))], 16, 8)
			if err != nil || len(text) < 4 {
				return "" // the parser does not take it
			}
			b.WriteRune(rune(n))
			text = text[4:]
		default:
			r, _, rest, err := strconv.UnquoteChar(text, '"')
			if err != nil {
				return ""
			}
			b.WriteRune(r)
			text = rest
		}
	}
	return b.String()
}
