package redact

import "bytes"

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
)

// named looks for the value of the name that has a stem at i, in whatever syntax.
func (s *scanner) named(i int) int {
	if i < s.nameEnd || !stemAt(s.text[i:]) {
		return i
	}
	n := s.nameAt(i)
	s.nameEnd = n.end
	word := s.text[n.start:n.end]
	before := s.text[max(s.floor, n.start-10):n.start]
	if at := bytes.LastIndexAny(before, "([<|"); at >= 0 && bytes.IndexByte(bytes.TrimRight(before[at+1:], " "), ' ') < 0 {
		n.opened = before[at]
	}
	switch {
	case n.class >= prose && n.class <= likely && !n.flag && n.opened == 0 && isProse(s.near(n.end, 18)):
		return i
	case string(word) == "authenticate", string(word) == "auth" && hasFold(s.text[n.end:], "/login"):
		behind := s.near(n.end, linkReach)
		if at := bytes.Index(behind, []byte("params")); at > 0 && bytes.IndexByte(behind[:at], '}') < 0 {
			return s.region(n.end+at+len("params"), Auth, i)
		}
		return i
	case n.class == ordinary, n.class == query && !n.query, n.opened == '<' && s.text[n.start-1] == '/':
		return i
	case n.class == environment:
		return s.region(n.end, Env, i)
	case n.class == headers:
		return s.region(n.end, Header, i)
	}
	l := s.link(n)
	switch {
	case l.sign == 0 || l.at >= len(s.text):
		return i
	case n.class == sessionID:
		return s.sessionAt(l, i)
	case l.sign == ':' && blocks().Match(s.near(l.at, 16)):
		return s.block(l.at, n.start, i)
	case l.quoted && (n.class == strong || n.class == prose) && l.sign != ' ' || n.class == strong && (l.sign == ':' || l.sign == '='):
		if end := s.region(l.at, Key, i); end > i {
			return end
		}
	}
	v := s.value(l)
	if n.class == header && !v.quoted && (l.sign == ':' || l.sign == '=') {
		return s.headerValue(n, v, i)
	}
	text := s.text[v.start:v.end]
	kind := Key
	switch {
	case len(text) == 0:
		return i
	case n.query:
		if end := bytes.IndexAny(text[:min(len(text), sure)], "&#;"); end >= 0 {
			v.end = v.start + end
		}
		kind = URL
	case len(text) < sure && !s.isSecret(n, l, v):
		return i
	case l.sign == '=' && !l.spaced && !v.spaced && !l.quoted && isCapital(word):
		kind = Env
	}
	return s.replace(v.start, v.end, kind)
}

// isProse reports whether a word of a sentence stands behind a name.
func isProse(behind []byte) bool {
	word := bytes.TrimPrefix(behind, []byte(" "))
	rest := bytes.TrimLeft(word, "abcdefghijklmnopqrstuvwxyz")
	return len(word) < len(behind) && len(word) >= len(rest)+4 && len(rest) > 0 && (rest[0] == ' ' || rest[0] == '.' || rest[0] == '\n')
}

// isSecret reports whether what stands behind a name is its secret, and no word of a
// text, a type or a part of a program.
func (s *scanner) isSecret(n name, l link, v value) bool {
	text := s.text[v.start:v.end]
	made := looksMade(text)
	if !made && n.class == prose && (l.sign == ' ' || l.sign == ':' && !l.quoted) && !n.flag || isPlaceholder(text) || s.namesItself(text) || l.sign == ':' && string(s.text[n.start:n.end]) == "PASS" {
		return false
	}
	switch n.class {
	case likely:
		return l.sign != ' ' && l.sign != 'x' && made && !v.called
	case keyed:
		return l.sign != ' ' && l.sign != 'x' && len(text) >= 16 && isOpaque(text)
	}
	if v.called {
		return v.quoted && (l.quoted && n.class == strong || made)
	}
	direct := n.class == strong || n.class == header || l.quoted
	word := bytes.IndexByte(text, ' ') < 0
	switch l.sign {
	case '=', ':':
		switch {
		case v.quoted:
			return direct || made || l.sign == '=' && !l.spaced
		case l.sign == '=' && !l.spaced && !v.spaced:
			return n.class != prose && n.class != proseText || made || (n.class == prose || s.text[n.start]|0x20 == 'p') && text[0] != '/' && (!isDecimal(text) || len(text) > 5)
		case direct && !v.spaced && l.sign == ':':
			return made || isDecimal(text) || !isName(text)
		case n.class == strong && v.last && (s.beginsLine(n.start) || bytes.ContainsAny(s.text[n.start:n.end], "_.")):
			return made || bytes.IndexByte(text, '.') < 0
		}
		return made || isDecimal(text) && (n.class == strong && len(text) > 3 || n.class == proseText && len(text) > 5)
	case 'v':
		return v.quoted || made || n.class == strong && v.last && bytes.IndexByte(text, '.') < 0
	case '(', ',':
		if l.sign == '(' && getters().Match(s.text[n.start:n.end]) {
			return made
		}
		return v.quoted && word && (made || n.class == strong && (l.sign == '(' || n.opened == '(') || l.quoted && n.opened == '(')
	case '>':
		return n.opened == '<' || l.quoted || made
	case '|':
		return made || n.class == strong && word
	case ' ':
		switch {
		case v.quoted:
			return made || n.class == strong && word || n.flag
		case n.flag:
			return text[0] != '-' && (made || len(text) >= 8 && !l.quoted)
		case v.last && text[0] != '-' && s.beginsLine(n.start):
			return made || n.class == strong && bytes.IndexByte(text, '.') < 0
		}
	}
	return made && text[0] != '*'
}

// namesItself reports whether a value is a variable that is named like a secret,
// as in api_key=settings.API_KEY.
func (s *scanner) namesItself(value []byte) bool {
	return len(value) <= maxName && !bytes.ContainsAny(value, "0123456789!@#%^&*+/=") && s.classify(value) != ordinary
}

// nameAt reads the name around i.
func (s *scanner) nameAt(i int) name {
	n := name{start: i, end: i}
	low := max(s.floor, i-maxName/3)
	for n.start > low && (isWord(s.text[n.start-1]) || s.text[n.start-1] == '.') {
		n.start--
	}
	for n.end < min(len(s.text), i+maxName*2/3) && (isWord(s.text[n.end]) || s.text[n.end] == '.') {
		n.end++
	}
	for n.end > i && (s.text[n.end-1] == '.' || s.text[n.end-1] == '-' && n.end < len(s.text) && s.text[n.end] == '>') {
		n.end--
	}
	if n.start > s.floor {
		before := s.text[n.start-1]
		n.query = n.end < len(s.text) && s.text[n.end] == '=' && bytes.IndexByte([]byte("?&#;"), before) >= 0
		n.flag = before == '/' && n.start > 1 && s.text[n.start-2] == ' '
	}
	n.flag = n.flag || s.text[n.start] == '-'
	if n.class = s.classify(s.text[n.start:n.end]); n.class == ordinary || n.class == keyed || n.class == prose || n.class == query && !n.query {
		s.widen(&n)
	}
	return n
}

// widen takes the word before a name to it, as in "api key".
func (s *scanner) widen(n *name) {
	start := n.start
	if start > s.floor && s.text[start-1] == ' ' && !n.flag {
		low := max(s.floor, start-16)
		for start--; start > low && isLetter(s.text[start-1]); {
			start--
		}
		if c := s.classify(s.text[start:n.end]); start < n.start-1 && c == strong && (n.class != prose || qualifiers().Match(s.text[start:n.start-1])) {
			n.start, n.class = start, c
		}
	}
}

// beginsLine reports whether nothing stands before i in its line but what begins a
// member of YAML, an assignment or a call of a program that sets a variable.
func (s *scanner) beginsLine(i int) bool { return lineStarts().Match(s.text[max(0, i-48):i]) }

// headerValue replaces the rest of a header's line, or of the quotes it stands in.
func (s *scanner) headerValue(n name, v value, i int) int {
	end, at := v.start, n.start
	if n.start > s.floor && isQuote(s.text[n.start-1]) {
		for at--; at > s.floor && s.text[at-1] == '\\'; {
			at--
		}
		end = s.closing(v.start, s.text[at:n.start])
	}
	if end == v.start || s.text[end-1] == '=' && hasFold(s.text[v.start:], "digest") { // with quotes of its own
		for end < len(s.text) && s.text[end] != '\n' && s.text[end] != '\r' && s.text[end] != 0x1b && s.text[end] != '\'' && s.text[end] != '`' &&
			!(s.text[end] == '\\' && end+1 < len(s.text) && (s.text[end+1] == 'n' || s.text[end+1] == 'r')) {
			end++
		}
	}
	text := s.text[v.start:end]
	if head := text[:min(len(text), sure)]; len(text) < sure && !bytes.ContainsAny(head, "0123456789=") && !schemes().Match(head) || len(text) < 4 || v.called {
		return i
	}
	return s.replace(v.start, end, Header)
}

// sessionAt replaces a session id that is named in a text.
func (s *scanner) sessionAt(l link, i int) int {
	v := s.value(l)
	if n := s.sessions.fingerprintEnd(s.text, v.start); n > v.start {
		return s.kept(v.start)
	}
	id := s.text[v.start:v.end]
	if len(id) < minSession || len(id) > maxSession || !looksMade(id) || markerEnd(s.text, v.start) > v.start {
		return i
	}
	s.learn(string(id))
	return s.make(edit{v.start, v.end, Session, s.sessions.fingerprint(string(id)), ""})
}
