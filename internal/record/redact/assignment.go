package redact

import (
	"bytes"
	"strings"
)

// readName replaces the value of the name around i, in any syntax. It returns where to continue, or
// at most i if it finds nothing.
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
func (s *scanner) isLogin(n foundName) bool {
	word := s.text[n.start:n.end]
	return string(word) == "authenticate" || string(word) == "auth" && hasFold(s.text[n.end:], "/login")
}

// loginParams matches the text between the method that authenticates and its parameters.
var loginParams = lazily(`\A(?:/login)?[^}]*?params`)

// replaceLogin replaces the parameters of the message with the method n.
func (s *scanner) replaceLogin(n foundName) int {
	m := loginParams().FindIndex(s.near(n.end, linkReach))
	if m == nil {
		return 0
	}
	return s.replaceBrackets(n, n.end+m[1], Auth)
}

// mayHaveValue reports whether a name may have a secret value. An end tag does not, nor does a word
// in a sentence that another word follows.
func (s *scanner) mayHaveValue(n foundName) bool {
	if n.class == ordinary || n.class == query && !n.isQuery || n.opened == '<' && s.text[n.start-1] == '/' {
		return false
	}
	return !n.class.isTextWord() || n.isFlag || n.opened != 0 || !isProse(s.near(n.end, 20))
}

// isProse reports whether the next word of a sentence follows a name. The word is not a value, and
// the search for one takes five times as long.
func isProse(after []byte) bool {
	word := bytes.TrimPrefix(after, []byte(" "))
	rest := bytes.TrimLeft(word, lower)
	return len(word) < len(after) && len(word) >= len(rest)+4 && len(rest) > 0 && strings.IndexByte(" .\n", rest[0]) >= 0
}

// replaceSession replaces the session id that is the value of a name, and remembers it.
func (s *scanner) replaceSession(v foundValue) int {
	if id := s.text[v.start:v.end]; len(id) <= maxSession && looksGenerated(id) {
		s.learn(string(id))
	}
	return s.readSession(v.start)
}

// replaceSecret replaces the value of a name if it is a secret. Values in a query, and values that
// are too long for a word, always are.
func (s *scanner) replaceSecret(n foundName, v foundValue) int {
	s.current = assignment{s, n, v, s.text[n.start:n.end], s.text[v.start:v.end]}
	a := &s.current
	if v.start == v.end || len(a.text) < longValue && !n.isQuery && !a.isSecret() {
		return 0
	}
	kind := Key
	switch {
	case n.isQuery:
		kind = URL
	case n.class == header && !v.isQuoted:
		kind = Header
	case v.sign == equals && !bytes.ContainsAny(a.word, lower):
		kind = Env
	}
	return s.replace(v.start, v.end, kind)
}

// Signs and types may stand between a name and its brackets. For an environment or headers, so may
// words. The brackets have a secret if something in them is assigned, looks generated or is quoted.
// In an environment or headers, a quoted text counts only after a sign.
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
// in a text that is not JSON. Brackets that do not close are replaced up to the end of the text. It
// returns where to continue, or 0 if there is no secret in them.
func (s *scanner) replaceBrackets(n foundName, i int, kind Kind) int {
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

// isConstructor reports whether the name that ends at i makes a variable or a header, as in
// EnvVariable(...). Any other name before "(" is a function.
func (s *scanner) isConstructor(i int) bool {
	return bytes.HasSuffix(s.text[:i], []byte("Variable")) || bytes.HasSuffix(s.text[:i], []byte("Header"))
}

// bracketsEnd returns the end of the brackets that begin at i, and whether they close before the
// text ends. Brackets in quotes do not count.
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

// A block is a group of lines that are replaced together: those that are indented more than a name,
// or those of a private key. The zero value is not a block.
type block struct {
	kind   Kind
	indent int // of the name in columns, or keyBlock
}

// keyBlock is the indent of the block of a private key.
const keyBlock = -1

var (
	blockStarts = lazily(`\A *[|>][-+0-9]* *\r?(?:\n|\\n|\z)\s*`)        // after a colon of YAML
	keyEnds     = lazily(`-----END .{0,60}?-----|Private-MAC:[^\n\\"]*`) // of OpenSSL, PGP or PuTTY
	keyLines    = lazily(`\A\s*(?:[\w-]+:.*|-----END.*|[A-Za-z0-9+/=]*)\s*\z`)
)

// has reports whether a line belongs to the block.
func (b block) has(line []byte) bool {
	if b.indent == keyBlock {
		return keyLines().Match(line)
	}
	text := bytes.TrimLeft(line, " \t\r\n")
	return len(text) == 0 || len(line)-len(text) > b.indent
}

// blockBelow returns the block of the lines that are indented more than the line of a name.
func (s *scanner) blockBelow(n foundName, kind Kind) block {
	before := s.text[max(s.consumed, n.start-maxName):n.start]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return block{kind, len(line) - len(bytes.TrimLeft(line, " \t-\""))}
}

// blockStart returns where the text of a YAML block begins. Ok is false if the value is not a
// block.
func (s *scanner) blockStart(v foundValue) (start int, ok bool) {
	if v.sign != colon {
		return 0, false
	}
	m := blockStarts().FindIndex(s.near(v.signEnd, linkReach))
	if m == nil {
		return 0, false
	}
	return v.signEnd + m[1], true
}

// blockEnd returns the end of the lines of a block, where i is in its first line. A block at the
// end of a text may continue in the next text.
func (s *scanner) blockEnd(i int, b block) int {
	end := len(s.text)
	if b.indent == keyBlock { // it ends with its last line, whatever surrounds the other lines
		if m := keyEnds().FindIndex(s.text[i:]); m != nil {
			return i + m[1]
		}
	} else {
		end = i
		for line := range bytes.Lines(s.text[i:]) {
			if end > i && !b.has(line) {
				break
			}
			end += len(line)
		}
	}
	if end == len(s.text) && s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.unfinished = b
	}
	return i + len(bytes.TrimRight(s.text[i:end], "\r\n"))
}

// resume replaces the lines that continue the block of the previous text, and returns where to
// continue.
func (s *scanner) resume() int {
	b := s.unfinished
	s.unfinished = block{}
	first, _, _ := bytes.Cut(s.text, []byte("\n"))
	if b.kind == "" || !b.has(first) {
		return 0
	}
	return s.replace(len(s.text)-len(bytes.TrimLeft(s.text, " \t\r\n")), s.blockEnd(0, b), b.kind)
}
