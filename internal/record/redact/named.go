package redact

import (
	"bytes"
	"strings"
)

// A name is one in a text.
type name struct {
	start, end int
	class      class
	isFlag     bool // it begins with "-" or "/"
	isQuery    bool // it is in the query of a URL
	opened     byte // the bracket, "<" or "|" before it, or 0
}

// readName replaces the value of the name around i, in whatever syntax. It returns where to go on,
// or no more than i.
func (s *scanner) readName(i int) int {
	if i < s.nameEnd {
		return i
	}
	n := s.nameAt(i)
	s.nameEnd = n.end
	switch {
	case s.isLogin(n):
		return s.replaceLogin(n)
	case !s.mayHaveValue(n):
		return i
	case n.class == environment:
		return s.replaceBrackets(n, n.end, Env)
	case n.class == headers:
		return s.replaceBrackets(n, n.end, Header)
	}
	v := s.findValue(n)
	if v.sign == noSign || v.start >= len(s.text) {
		return i
	}
	if n.class == sessionID {
		return s.replaceSession(v)
	}
	if start, ok := s.blockStart(v); ok {
		return s.replace(start, s.blockEnd(v.signEnd, s.blockBelow(n, Key)), Key)
	}
	if v.isNameQuoted || n.class == strong && (v.sign == colon || v.sign == equals) {
		if end := s.replaceBrackets(n, v.signEnd, Key); end > i {
			return end
		}
	}
	return s.replaceSecret(n, v)
}

// isLogin reports whether a name is the method of a message that authenticates.
func (s *scanner) isLogin(n name) bool {
	word := s.text[n.start:n.end]
	return string(word) == "authenticate" || string(word) == "auth" && hasFold(s.text[n.end:], "/login")
}

// loginParams match what stands between the method that authenticates and its parameters.
var loginParams = lazily(`\A(?:/login)?[^}]*?params`)

// replaceLogin replaces the parameters of the message whose method is n.
func (s *scanner) replaceLogin(n name) int {
	m := loginParams().FindIndex(s.near(n.end, linkReach))
	if m == nil {
		return 0
	}
	return s.replaceBrackets(n, n.end+m[1], Auth)
}

// mayHaveValue reports whether a name says something about a value. The end tag of an element does
// not, nor a word before another in a sentence.
func (s *scanner) mayHaveValue(n name) bool {
	if n.class == ordinary || n.class == query && !n.isQuery || n.opened == '<' && s.text[n.start-1] == '/' {
		return false
	}
	return !n.class.isWord() || n.isFlag || n.opened != 0 || !isProse(s.near(n.end, 20))
}

// replaceSession replaces the id of a session that is the value of its name, and remembers it.
func (s *scanner) replaceSession(v value) int {
	if id := s.text[v.start:v.end]; len(id) <= maxSession && looksMade(id) {
		s.learn(string(id))
	}
	return s.readSession(v.start)
}

// replaceSecret replaces the value of a name if it is the secret. What is in a query or too long
// for a word is.
func (s *scanner) replaceSecret(n name, v value) int {
	s.candidate = candidate{s, n, v, s.text[n.start:n.end], s.text[v.start:v.end]}
	c := &s.candidate
	if v.start == v.end || len(c.text) < sure && !n.isQuery && !c.isSecret() {
		return 0
	}
	kind := Key
	switch {
	case n.isQuery:
		kind = URL
	case n.class == header && !v.isQuoted:
		kind = Header
	case v.sign == equals && !bytes.ContainsAny(c.word, lower):
		kind = Env
	}
	return s.replace(v.start, v.end, kind)
}

// escapes match the end of an escape that stands before a name: of a colour, of a line end, or of a
// URL.
var escapes = lazily(`\A(?:[\[;][\d;]*m|\\[nrt]|%[0-9A-Fa-f]{2})`)

// nameAt reads the name around i.
func (s *scanner) nameAt(i int) name {
	n := name{start: s.back(i, maxName/3, inName), end: i}
	for high := min(len(s.text), n.start+maxName); n.end < high && inName(s.text[n.end]); {
		n.end++
	}
	if n.start > s.floor && strings.IndexByte(`[;\%`, s.text[n.start-1]) >= 0 { // what an escape before it left
		if m := escapes().FindIndex(s.text[n.start-1 : n.end]); m != nil && n.start-1+m[1] <= i {
			n.start += m[1] - 1
		}
	}
	near := bytes.TrimRight(s.text[n.start:n.end], ".")
	n.end = n.start + len(near)
	before := s.text[max(s.floor, n.start-10):n.start]
	if at := bytes.LastIndexAny(before, "([<|"); at >= 0 && bytes.IndexByte(bytes.TrimRight(before[at+1:], " "), ' ') < 0 {
		n.opened = before[at]
	}
	n.isQuery = len(before) > 0 && strings.IndexByte("?&#;", before[len(before)-1]) >= 0 && bytes.HasPrefix(s.text[n.end:], []byte("="))
	n.isFlag = bytes.HasPrefix(near, []byte("-")) || bytes.HasSuffix(before, []byte(" /"))
	n.class = s.classify(s.text[n.start:n.end])
	if !n.isFlag && bytes.HasSuffix(before, []byte(" ")) && (n.class == ordinary || n.class == keyed || n.class == prose || n.class == query) {
		return s.withWordBefore(n)
	}
	return n
}

// withWordBefore adds the word before a name to it if they are the name of a secret together, as
// "api key" is.
func (s *scanner) withWordBefore(n name) name {
	start := s.back(n.start-1, 16, isLetter)
	if start == n.start-1 || s.classify(s.text[start:n.end]) != strong {
		return n
	}
	if before := strings.ToLower(string(s.text[start : n.start-1])); n.class != prose || names().qualifiers[before] {
		n.start, n.class = start, strong
	}
	return n
}

func inName(c byte) bool { return isWord(c) || c == '.' }

// isProse reports whether the next word of a sentence follows a name. That is not a value, and to
// look for one takes five times as long.
func isProse(after []byte) bool {
	word := bytes.TrimPrefix(after, []byte(" "))
	rest := bytes.TrimLeft(word, lower)
	return len(word) < len(after) && len(word) >= len(rest)+4 && len(rest) > 0 && strings.IndexByte(" .\n", rest[0]) >= 0
}
