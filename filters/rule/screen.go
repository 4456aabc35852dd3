package rule

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A screen tells of many lines, faster than by reading them, that none of some
// rules can match: the values that they ask for are not there. It steps over
// strings as far as it can, looks only where the values may be, and leaves
// whatever is not plain to those who read. It is for one goroutine.
type screen struct {
	root  node
	marks []mark // of the line that was looked at last, if it was to be noted
}

// A node is a name on the way to values that rules ask for.
type node struct {
	name  string
	below []*node
	asked bool    // a rule asks for this value, or something in it, whatever it is
	texts *search // in this value, if it is a string; nil if no rule asks for one
}

// maxDepth bounds how deep a screen looks: that something is there stands for
// all that is in it.
const maxDepth = 6

// newScreen returns nil if a rule may match whatever is in a line.
func newScreen(rules []*compiled) *screen {
	s := &screen{}
	texts := map[*node][]string{}
	for _, r := range rules {
		if len(r.needs.pointer) == 0 {
			return nil
		}
		at := &s.root
		for _, name := range r.needs.pointer[:min(maxDepth, len(r.needs.pointer))] {
			next := at.find([]byte(name))
			if next == nil {
				next = &node{name: name}
				at.below = append(at.below, next)
			}
			at = next
		}
		if at.asked = at.asked || r.needs.text == "" || len(r.needs.pointer) > maxDepth; !at.asked {
			texts[at] = append(texts[at], r.needs.text)
		}
	}
	for at, texts := range texts {
		at.texts = newSearch(texts)
	}
	return s
}

func (s *node) find(name []byte) *node {
	for _, below := range s.below {
		if below.name == string(name) {
			return below
		}
	}
	return nil
}

// A mark is where a string begins that nobody asks for. A look at a line can go
// on from there if it has the same bytes before it.
type mark struct {
	at      int
	open    [maxDepth + 1]*node // the objects around it that are looked into
	depth   int                 // how many these are
	skipped int                 // how many objects and arrays in the last of them
}

// maxMarks bounds what is noted of a line.
const maxMarks = 32

// passes reports that no rule can match the line, from the mark on; the zero
// mark is its beginning. Marks are noted if asked for.
func (s *screen) passes(line []byte, m mark, note bool) bool {
	s.marks = s.marks[:0]
	if m.at > 0 {
		m.at = stringEnd(line, m.at)
	}
	skip := func() { // a string
		if note && len(s.marks) < maxMarks {
			s.marks = append(s.marks, m)
		}
		m.at = stringEnd(line, m.at)
	}
	for m.at < len(line) {
		switch c := line[m.at]; {
		case m.skipped > 0:
			switch c {
			case '"':
				skip()
				continue
			case '{', '[':
				m.skipped++
			case '}', ']':
				m.skipped--
			}
			m.at++
		case c == ',' || isSpace(c):
			m.at++
		case c == '{' && m.depth == 0:
			m.open[0], m.depth = &s.root, 1
			m.at++
		case c == '}' && m.depth > 0:
			if m.depth--; m.depth == 0 {
				return true
			}
			m.at++
		case c == '"' && m.depth > 0:
			end := stringEnd(line, m.at)
			if end == len(line) || bytes.IndexByte(line[m.at:end], '\\') >= 0 {
				return false
			}
			next := m.open[m.depth-1].find(line[m.at+1 : end-1])
			for m.at = end; m.at < len(line) && isSpace(line[m.at]); m.at++ {
			}
			if m.at == len(line) || line[m.at] != ':' {
				return false
			}
			for m.at++; m.at < len(line) && isSpace(line[m.at]); m.at++ {
			}
			if m.at == len(line) {
				return false
			}
			switch c := line[m.at]; {
			case next != nil && (next.asked || c == '[' && len(next.below) > 0):
				return false // elements of an array have no names
			case c == '"' && next != nil && next.texts != nil:
				end := stringEnd(line, m.at)
				if next.texts.in(line[m.at:end]) {
					return false
				}
				m.at = end
			case c == '"':
				skip()
			case c == '{' && next != nil && len(next.below) > 0:
				m.open[m.depth] = next
				m.depth++
				m.at++
			case c == '{' || c == '[':
				m.skipped++
				m.at++
			default:
				for m.at < len(line) && line[m.at] != ',' && line[m.at] != '}' {
					m.at++
				}
			}
		default:
			return false
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// stringEnd returns where a string that begins at i ends, behind its quote, or
// the end of the line.
func stringEnd(line []byte, i int) int {
	start := i + 1
	for i = start; ; i++ {
		n := quote(line[i:])
		if n < 0 {
			return len(line)
		}
		i += n
		before := i
		for line[before-1] == '\\' && before > start {
			before--
		}
		if (i-before)&1 == 0 {
			return i + 1
		}
	}
}

// quote is bytes.IndexByte of a quote, faster for one that is near: where there
// is one in a text, the next often is.
func quote(text []byte) int {
	if len(text) < 8 {
		return bytes.IndexByte(text, '"')
	}
	const low, high = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64(text) ^ '"'*low
	if w = (w - low) & ^w & high; w != 0 {
		return bits.TrailingZeros64(w) / 8
	}
	if n := bytes.IndexByte(text[8:], '"'); n >= 0 {
		return 8 + n
	}
	return -1
}
