package redact

import (
	"bytes"
	"strings"
)

// A name is one in the text.
type name struct {
	start, end int
	class      class
	flag       bool // it begins with "-"
	query      bool // it is one of a URL's query
	opened     byte // the bracket, "<" or "|" before it, or 0
}

var (
	// lineStarts match the beginning of a line whose end is the name: members of YAML,
	// assignments and calls of what sets a variable, in any quotes and colours.
	lineStarts = lazily(`(?:\A|\n|\\n)[ \t+$>"'|\\*;:/_-]*(?:(?:export|ENV|ARG|set|set -\w+(?: -g)?|setx|setenv|SetEnv|declare -x|local|const|let|var|machine|default|define|` +
		`(?:(?:aws configure|npm config|yarn config|config) set)|(?:machine|default) .*)[ \t"']+)?(?:[^\n]{0,16}\x1b\[[\d;]*m)?[ \t+$>"'|\\*;:/_-]*\z`)
	// escapes match the end of an escape that a name stands behind.
	escapes = lazily(`\A(?:[\[;][\d;]*m|\\[nrt]|%[0-9A-Fa-f]{2})`)
	// schemes begin the value of a header that is a credential.
	schemes = lazily(`\A(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)
	// logins match what stands between the name of the method that authenticates and what it sends.
	logins = lazily(`\A(?:/login)?[^}]*?params`)
)

// named looks for the value of the name that may stand at i, in whatever syntax.
func (s *scanner) named(i int) int {
	if i < s.nameEnd {
		return i
	}
	n := s.nameAt(i)
	s.nameEnd = n.end
	word := s.text[n.start:n.end]
	switch {
	case string(word) == "authenticate", string(word) == "auth" && hasFold(s.text[n.end:], "/login"):
		if m := logins().FindIndex(s.near(n.end, linkReach)); m != nil {
			return s.region(n, n.end+m[1], Auth)
		}
		return i
	case n.class == ordinary, n.class == query && !n.query, n.opened == '<' && s.text[n.start-1] == '/',
		n.class.isWord() && !n.flag && n.opened == 0 && isProse(s.near(n.end, 20)):
		return i
	case n.class == environment:
		return s.region(n, n.end, Env)
	case n.class == headers:
		return s.region(n, n.end, Header)
	}
	v := s.value(n)
	var block []int
	if v.sign == colon {
		block = blocks().FindIndex(s.near(v.signEnd, linkReach))
	}
	switch {
	case v.sign == noSign || v.start >= len(s.text):
		return i
	case n.class == sessionID:
		if id := s.text[v.start:v.end]; len(id) <= maxSession && looksMade(id) {
			s.learn(string(id))
		}
		return max(i, s.session(v.start))
	case block != nil:
		return s.replace(v.signEnd+block[1], s.through(v.signEnd, s.below(n, Key)), Key)
	case v.nameQuoted || n.class == strong && (v.sign == colon || v.sign == equals):
		if end := s.region(n, v.signEnd, Key); end > i {
			return end
		}
	}
	switch {
	case v.start == v.end, v.end-v.start < sure && !n.query && !(&candidate{s, n, v, word, s.text[v.start:v.end]}).isSecret():
		return i
	case n.query:
		return s.replace(v.start, v.end, URL)
	case n.class == header && !v.quoted:
		return s.replace(v.start, v.end, Header)
	case v.sign == equals && !bytes.ContainsAny(word, lower):
		return s.replace(v.start, v.end, Env)
	}
	return s.replace(v.start, v.end, Key)
}

// namesItself reports whether a value is a variable named like a secret, as settings.API_KEY is.
func (s *scanner) namesItself(value []byte) bool {
	return len(value) <= maxName && !bytes.ContainsAny(value, "0123456789!@#%^&*+/=") && s.classify(value) != ordinary
}

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
	n.query = len(before) > 0 && strings.IndexByte("?&#;", before[len(before)-1]) >= 0 && bytes.HasPrefix(s.text[n.end:], []byte("="))
	n.flag = bytes.HasPrefix(near, []byte("-")) || bytes.HasSuffix(before, []byte(" /"))
	n.class = s.classify(s.text[n.start:n.end])
	// The word before it may belong to it, as in "api key".
	if !n.flag && bytes.HasSuffix(before, []byte(" ")) && (n.class == ordinary || n.class == keyed || n.class == prose || n.class == query) {
		start := s.back(n.start-1, 16, isLetter)
		if c := s.classify(s.text[start:n.end]); c == strong && start < n.start-1 && (n.class != prose || names().qualifiers[strings.ToLower(string(s.text[start:n.start-1]))]) {
			n.start, n.class = start, c
		}
	}
	return n
}

func inName(c byte) bool { return isWord(c) || c == '.' }

// isProse reports whether the word of a sentence stands behind a name. That is no value, and to
// look for one takes five times as long.
func isProse(behind []byte) bool {
	word := bytes.TrimPrefix(behind, []byte(" "))
	rest := bytes.TrimLeft(word, lower)
	return len(word) < len(behind) && len(word) >= len(rest)+4 && len(rest) > 0 && strings.IndexByte(" .\n", rest[0]) >= 0
}

// back returns where the run of such bytes begins that ends at i, at most so far before it.
func (s *scanner) back(i, most int, is func(c byte) bool) int {
	for low := max(s.floor, i-most); i > low && is(s.text[i-1]); {
		i--
	}
	return i
}

// beginsLine reports whether nothing else stands before i in its line.
func (s *scanner) beginsLine(i int) bool { return lineStarts().Match(s.text[max(0, i-48):i]) }
