package redact

import (
	"bytes"
	"strings"
)

// A value is what a name is linked to, without its quotes.
type value struct {
	start, end   int
	sign         sign
	signEnd      int
	isNameQuoted bool // a quote stands after the name
	isSignSpaced bool // space stands before the sign
	isSpaced     bool // space stands after the sign
	isQuoted     bool
	isCall       bool // it is the name of a function, or the first of its arguments
	isLast       bool // nothing stands after it in its line
}

const (
	linkReach = 128 // how far after a name its value may begin, in bytes
	sure      = 256 // what has this length is not a word, and need not be read to its end to know that
)

var (
	// cells match the text of an element or of a cell of a table.
	cells = lazily(`\A[^<|│\n]*`)
	// headerEnds match what ends a header that is not in quotes.
	headerEnds = lazily("[\n\r\x1b'`]|\\\\n")
	// lineEnds match what stands after the last value of a line.
	lineEnds = lazily(`\A[ \r\t]*(?:\z|[\n"'` + "`" + `\\#\x1b])`)
)

// findValue finds the value of a name. Without one, there is no sign.
func (s *scanner) findValue(n name) (v value) {
	near := s.near(n.end, linkReach)
	v, m := readLink(n, near)
	if v.sign == noSign {
		return v
	}
	space, _ := m.group("space")
	quote, isQuoted := m.group("quote")
	v.start, v.signEnd = n.end+m.end(), n.end+space.Start
	v.isQuoted, v.isSpaced = isQuoted, space.End > space.Start
	_, v.isCall = m.group("call")
	if v.sign == blank && ciscoTypes().Match(near[m.end():]) {
		v.start += len("7 ")
	}
	switch {
	case v.isQuoted:
		v.end = closingQuote(s.text, v.start, near[quote.Start:quote.End])
		return v
	case n.class == header && (v.sign == equals || v.sign == colon):
		v.end = s.headerEnd(n, v.start)
	case v.sign == tags || v.sign == tagEnd || v.sign == border: // to the end of an element or a cell
		v.end = v.start + len(bytes.TrimRight(cells().Find(s.text[v.start:]), " \t\r`*]"))
	default:
		v.end = s.unquotedEnd(v.start)
		v.isCall = v.end < len(s.text) && (s.text[v.end] == '(' || s.text[v.end] == '[' && markerEnd(s.text, v.end) == v.end)
	}
	v.isLast = lineEnds().Match(s.near(v.end, 10))
	return v
}

// unquotedEnd returns the end of the value without quotes that begins at i.
func (s *scanner) unquotedEnd(i int) int {
	end := max(i, min(s.valueEnd, len(s.text))) // what was read for a name before is not read again
	for end < len(s.text) && !s.ends(i, end) {
		end++
	}
	s.valueEnd = end
	return end
}

// headerEnd returns the end of the header whose value begins at i: that of the quotes around name
// and value, or of the line.
func (s *scanner) headerEnd(n name, i int) int {
	if n.start > s.floor && isQuote(s.text[n.start-1]) {
		end := closingQuote(s.text, i, s.text[s.back(n.start-1, linkReach, func(c byte) bool { return c == '\\' }):n.start])
		if end > i && s.text[end-1] != '=' { // else it is a quote of the value itself
			return end
		}
	}
	if m := headerEnds().FindIndex(s.text[i:]); m != nil {
		return i + m[0]
	}
	return len(s.text)
}

// ends reports whether a value without quotes that began at start ends before i. Signs end it only
// before what begins something else, because passwords have signs, too.
func (s *scanner) ends(start, i int) bool {
	next := byte(' ')
	if i+1 < len(s.text) {
		next = s.text[i+1]
	}
	switch c := s.text[i]; c {
	case '"', '\'', '`', '<', '|', 0x1b:
		return true
	case ',', ';', '&':
		end := wordEnd(s.near(0, i+33), i+1)
		return strings.IndexByte(" \t\r\n\"'`\\/}])", next) >= 0 || end > i+1 && end < len(s.text) && (s.text[end] == '=' || s.text[end] == ':') ||
			c == '&' && hasFold(s.text[i:], "&quot;")
	case ')', ']', '}', '>':
		return strings.IndexByte(" \t\r\n,;)]}>\"'`<\\:.", next) >= 0
	case '(', '[', '{':
		return i == start || s.text[i-1] != '$' && isName(s.text[start:i])
	case '\\':
		return strings.IndexByte("\"'`\\nrtu", next) >= 0
	default:
		return c <= ' '
	}
}
