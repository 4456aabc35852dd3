package redact

import (
	"bytes"
	"strings"
)

// Brackets follow a name with a sign and types before them; those of an environment or headers with
// words, too. They hold a secret if something in them is assigned, looks made or stands in quotes:
// in an environment or headers after a sign.
const (
	types    = `\[(?:\w*|Object: null prototype)\]`
	assigned = `[A-Za-z0-9]=[A-Za-z0-9]|[0-9][A-Za-z]|[A-Za-z][0-9]|`
)

var (
	pairBrackets  = lazily("\\A(?:\\\\*[\"'`]?(?:[\\w\\s.:=&*!<>(-]|\\\\+[\"'`]?|\\d\\)|" + types + ")*[\\[{]|[(])")
	pairValues    = lazily(assigned + "[A-Za-z0-9]:[A-Za-z0-9]|(?s)[=:({].*[\"'`][^\\s\"'`\\\\]")
	otherBrackets = lazily("\\A\\\\*[\"'`]?(?:[\\s.:=&*!<>]|\\\\+[\"'`]?|" + types + ")*[\\[{]")
	otherValues   = lazily(assigned + "\"[^\\s\"\\\\]|'[^\\s'\\\\]|`[^\\s`\\\\]")
)

// replaceBrackets replaces the brackets that follow a name at i: an environment, headers or a list
// in a text that is not JSON. If they are not closed, that is up to the end of the text. It returns
// where to go on, or 0 if there is no secret in them.
func (s *scanner) replaceBrackets(n name, i int, kind Kind) int {
	opening, values := otherBrackets, otherValues
	if kind == Env || kind == Header {
		opening, values = pairBrackets, pairValues
	}
	m := opening().FindIndex(s.near(i, 64))
	if m == nil {
		return 0
	}
	at := i + m[1] - 1
	if at < s.bracketsEnd || at == n.end && s.text[at] == '[' || at == i && s.text[at] == '(' && !s.isConstructor(i) {
		return 0
	}
	end, isClosed := bracketsEnd(s.text, at)
	s.bracketsEnd = end
	inside := bytes.TrimSpace(withoutMarkers(s.text[at+1 : end]))
	if len(inside) > 0 && !values().Match(inside) {
		return 0
	}
	if !isClosed && s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.unfinished = s.blockBelow(n, kind)
	}
	return s.replace(at, len(bytes.TrimRight(s.text[:end], "\r\n")), kind)
}

// isConstructor reports whether the name that ends at i is that of one variable or header:
// EnvVariable(...). Other names before "(" are functions.
func (s *scanner) isConstructor(i int) bool {
	return bytes.HasSuffix(s.text[:i], []byte("Variable")) || bytes.HasSuffix(s.text[:i], []byte("Header"))
}

// bracketsEnd returns the end of the brackets that begin at i, and whether they are closed before
// the text ends. Brackets in quotes do not count.
func bracketsEnd(text []byte, i int) (end int, isClosed bool) {
	var closing []byte
	for slashes := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			slashes++
			continue
		case isQuote(c) && (c == '"' || i == slashes || !isAlnum(text[i-slashes-1]) || text[i-1] == 'b'):
			i = closingQuote(text, i+1, text[i-slashes:i+1]) + slashes
		case strings.IndexByte("{[(", c) >= 0 && len(closing) < 1000:
			closing = append(closing, "}])"[strings.IndexByte("{[(", c)])
		case len(closing) > 0 && c == closing[len(closing)-1]:
			if closing = closing[:len(closing)-1]; len(closing) == 0 {
				return i + 1, true
			}
		}
		slashes = 0
	}
	return len(text), false
}
