package redact

import "bytes"

// A name is one in the text.
type name struct {
	start, end int
	class      class
	flag       bool // it begins with "-"
	query      bool // it is one of a URL's query
	opened     byte // the quote, bracket or "<" before it, or 0
}

// named looks for the value of the name that has a stem at i, in whatever syntax.
func (s *scanner) named(i int) int {
	if i < s.nameEnd || !stemAt(s.text[i:]) {
		return i
	}
	n := s.nameAt(i)
	s.nameEnd = n.end
	if n.class >= prose && n.class <= likely && s.isProse(n) {
		return i
	}
	if word := s.text[n.start:n.end]; string(word) == "authenticate" || string(word) == "auth" && hasFold(s.text[n.end:], "/login") {
		return s.authenticate(n.end, i)
	}
	switch n.class {
	case ordinary:
		return i
	case query:
		if !n.query {
			return i
		}
	case environment, headers:
		kind := Env
		if n.class == headers {
			kind = Header
		}
		return s.region(n.end, kind, i)
	}
	if n.opened == '<' && n.start > 1 && s.text[n.start-1] == '/' {
		return i
	}
	l := s.link(n.end)
	if n.opened == '<' && (l.sign == ' ' || l.sign == 0) { // <password type="text">
		if end := bytes.IndexByte(s.text[n.end:min(len(s.text), n.end+linkReach)], '>'); end > 0 && !l.quoted {
			l = link{at: n.end + end + 1, sign: '>'}
		}
	}
	if l.sign == ' ' || l.sign == 0 || l.quoted && (l.sign == ',' || l.sign == '>') || l.sign == '>' && n.opened != '<' {
		if at, ok := s.valueWord(n.end); ok {
			l = link{at: at, sign: 'v'}
		}
	}
	switch {
	case l.sign == 0 || l.at >= len(s.text):
		return i
	case n.class == sessionID:
		return s.sessionAt(l, i)
	case l.sign == ':' && blocks.Match(s.text[l.at:min(len(s.text), l.at+16)]):
		return s.block(l.at, n.start, i)
	case l.quoted && (n.class == strong || n.class == prose) && l.sign != ' ' || n.class == strong && (l.sign == ':' || l.sign == '='):
		if end := s.region(l.at, Key, i); end > i {
			return end
		}
	}
	v := s.value(l.at)
	if l.sign == '<' || l.sign == '>' || l.sign == '|' {
		v = s.content(l)
	}
	if !v.quoted && (l.sign == ' ' || l.sign == ':') {
		v, l.sign = s.behind(v, l.sign)
	}
	if v.called && n.class == strong && l.quoted || v.called && v.end > v.start && s.text[v.end] == '(' { // String("x")
		if inner, quote := quoteEnd(s.text, v.end+1); quote != 0 {
			if w := s.value(v.end + 1); inner < len(s.text) && (l.quoted || w.end-w.start > sure || looksMade(s.text[w.start:w.end])) {
				v = w
			}
		}
	}
	if n.class == header && !v.quoted && (l.sign == ':' || l.sign == '=') {
		return s.headerValue(n, v, i)
	}
	if !v.quoted && len(v.of(s)) == 1 && '0' <= s.text[v.start] && s.text[v.start] <= '9' && l.sign == ' ' { // password 7 X
		v = s.value(v.end)
	}
	text := v.of(s)
	if len(text) == 0 {
		return i
	}
	if n.query {
		if end := bytes.IndexAny(text[:min(len(text), sure)], "&#;"); end >= 0 {
			v.end = v.start + end
		}
		return s.replace(v.start, v.end, URL)
	}
	if len(text) < sure && !s.isSecret(n, l, v) {
		return i
	}
	kind := Key
	if l.sign == '=' && !l.spaced && !v.spaced && !l.quoted && isCapital(s.text[n.start:n.end]) {
		kind = Env
	}
	return s.replace(v.start, v.end, kind)
}

// isProse reports whether a word without a digit stands behind a name that is one, too.
func (s *scanner) isProse(n name) bool {
	if n.flag || n.opened != 0 || n.end+1 >= len(s.text) || s.text[n.end] != ' ' {
		return false
	}
	end := n.end + 1
	for end < min(len(s.text), n.end+16) && 'a' <= s.text[end] && s.text[end] <= 'z' {
		end++
	}
	return end > n.end+4 && end < len(s.text) && (s.text[end] == ' ' || s.text[end] == '.' || s.text[end] == '\n')
}

// behind is the value that stands behind what looked like one: a type (api_key: str = "x"),
// or words (the password is x, password for bob: x).
func (s *scanner) behind(v value, sign byte) (value, byte) {
	at := v.end
	word := string(s.text[v.start:min(v.end, v.start+16)])
	if sign == ' ' && (word == "is" || word == "was") {
		return s.value(at), sign
	}
	if isFor := sign == ' ' && hasFold([]byte(word), "for"); isFor || sign == ':' && isName([]byte(word)) {
		for at+1 < min(len(s.text), v.end+linkReach) && s.text[at] != '\n' && (s.text[at] == ' ' || isFor && s.text[at] != '=' && (s.text[at] != ':' || s.text[at+1] != ' ')) {
			at++
		}
		if at+1 < len(s.text) && (s.text[at] == '=' || isFor && s.text[at] == ':') && s.text[at+1] != '=' {
			return s.value(at + 1), '='
		}
	}
	return v, sign
}

// authenticate replaces what the method sends whose name ends at i, in a message that is
// no clean JSON.
func (s *scanner) authenticate(i, back int) int {
	behind := s.text[i:min(len(s.text), i+linkReach)]
	if n := bytes.Index(behind, []byte("params")); n > 0 && bytes.IndexByte(behind[:n], '}') < 0 {
		return s.region(i+n+len("params"), Auth, back)
	}
	return back
}

func (v value) of(s *scanner) []byte { return s.text[v.start:v.end] }

// isSecret reports whether what stands behind a name is its secret, and no word of a
// text, a type or a part of a program.
func (s *scanner) isSecret(n name, l link, v value) bool {
	text := v.of(s)
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
	if v.called && !v.quoted {
		return false
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
		case l.quoted && isDecimal(text):
			return true
		case direct && !v.spaced && l.sign == ':':
			return made || isDecimal(text) || !isName(text)
		case n.class == strong && v.last && (s.beginsLine(n.start) || bytes.ContainsAny(s.text[n.start:n.end], "_.")):
			return made || bytes.IndexByte(text, '.') < 0
		}
		return made || isDecimal(text) && (n.class == strong && len(text) > 3 || n.class == proseText && len(text) > 5)
	case 'v':
		return v.quoted || made || n.class == strong && v.last && bytes.IndexByte(text, '.') < 0
	case '(', ',':
		if l.sign == '(' && getters.Match(s.text[n.start:n.end]) {
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
		case v.last && s.beginsLine(n.start) && text[0] != '-':
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
	if n.start > s.floor { // what an escape before it left
		switch before := s.text[n.start-1]; {
		case before == '\\' && n.start < i && bytes.IndexByte([]byte("nrt"), s.text[n.start]) >= 0:
			n.start++
		case before == '[' || before == ';':
			at := n.start
			for at < i && '0' <= s.text[at] && s.text[at] <= '9' {
				at++
			}
			if at < i && s.text[at] == 'm' {
				n.start = at + 1
			}
		case before == '%' && n.start+2 <= i:
			n.start += 2
		}
		before := s.text[n.start-1]
		n.query = before == '?' || before == '&' || before == '#' || before == ';'
		for at := n.start - 1; at >= max(s.floor, n.start-10); at-- {
			switch c := s.text[at]; {
			case isQuote(c) || c == '\\' || c == '/' || c == ':' || isWord(c) || c == ' ' && at == n.start-1:
				continue
			case c == '(' || c == '[' || c == '<' || c == '|':
				n.opened = c
			}
			break
		}
	}
	n.flag = s.text[n.start] == '-' || n.start > 0 && s.text[n.start-1] == '/' && n.start > 1 && s.text[n.start-2] == ' '
	n.class = s.classify(s.text[n.start:n.end])
	if n.query && (n.end == len(s.text) || s.text[n.end] != '=') {
		n.query = false
	}
	if n.class == ordinary || n.class == keyed || n.class == prose || n.class == query && !n.query {
		s.widen(&n, i)
	}
	return n
}

// widen takes the word before a name to it, as in "api key" and "http.Header".
func (s *scanner) widen(n *name, i int) {
	start := n.start
	if start > s.floor && s.text[start-1] == ' ' && !n.flag {
		low := max(s.floor, start-16)
		for start--; start > low && isLetter(s.text[start-1]); {
			start--
		}
		if c := s.classify(s.text[start:n.end]); start < n.start-1 && c == strong && (n.class != prose || qualifiers.Match(s.text[start:n.start-1])) {
			n.start, n.class = start, c
		}
	} else if string(s.text[n.start:n.end]) == "http.Header" {
		n.class = headers
	}
}

// beginsLine reports whether nothing stands before i in its line but what begins a
// member of YAML, an assignment or a call of a program that sets a variable.
func (s *scanner) beginsLine(i int) bool {
	low := max(0, i-48)
	start := i
	for start > low && s.text[start-1] != '\n' && !(s.text[start-1] == 'n' && start > 1 && s.text[start-2] == '\\') {
		start--
	}
	before := bytes.Trim(s.text[start:i], " \t-+$>\"'|\\*;:/_")
	if bytes.HasSuffix(before, []byte("m")) && bytes.IndexByte(before, 0x1b) >= 0 {
		return true
	}
	if bytes.HasPrefix(before, []byte("machine ")) || bytes.HasPrefix(before, []byte("default ")) {
		return true
	}
	switch string(before) {
	case "", "export", "ENV", "ARG", "set", "set -x", "set -gx", "set -Ux", "set -Ugx", "set -xg", "set -x -g", "setx", "setenv", "SetEnv", "declare -x", "local", "const", "let", "var", "aws configure set", "npm config set", "yarn config set", "config set", "machine", "default", "define":
		return true
	}
	return false
}

// content is the value that is the text of an element or a cell of a table.
func (s *scanner) content(l link) (v value) {
	v.start = l.at
	for v.start < min(len(s.text), l.at+32) && (s.text[v.start] <= ' ' || s.text[v.start] == '`' || s.text[v.start] == '*') {
		v.start++
	}
	if bytes.HasPrefix(s.text[v.start:], []byte("<![CDATA[")) {
		v.start += len("<![CDATA[")
	}
	stop := byte('<')
	if l.sign == '|' {
		stop = '|'
	}
	for v.end = v.start; v.end < len(s.text) && s.text[v.end] != stop && s.text[v.end] != '\n' && (stop == '<' || s.text[v.end] != 0xe2); {
		v.end++
	}
	v.end = v.start + len(bytes.TrimRight(s.text[v.start:v.end], " \t\r`*]"))
	return v
}

// headerValue replaces the rest of a header's line, or of the quotes it stands in.
func (s *scanner) headerValue(n name, v value, i int) int {
	opening := s.text[n.start:n.start]
	if n.start > s.floor && isQuote(s.text[n.start-1]) {
		at := n.start - 1
		for at > s.floor && s.text[at-1] == '\\' {
			at--
		}
		opening = s.text[at:n.start]
	}
	end := v.start
	if len(opening) > 0 {
		end = s.closing(v.start, opening)
	}
	if end == v.start || s.text[end-1] == '=' && hasFold(s.text[v.start:], "digest") { // with quotes of its own
		for end < len(s.text) && s.text[end] != '\n' && s.text[end] != '\r' && s.text[end] != 0x1b && s.text[end] != '\'' && s.text[end] != '`' &&
			!(s.text[end] == '\\' && end+1 < len(s.text) && (s.text[end+1] == 'n' || s.text[end+1] == 'r')) {
			end++
		}
	}
	text := s.text[v.start:end]
	if head := text[:min(len(text), sure)]; len(text) < sure && !bytes.ContainsAny(head, "0123456789=") && !schemes.Match(head) || len(text) < 4 || v.called {
		return i
	}
	return s.replace(v.start, end, Header)
}

// sessionAt replaces a session id that is named in a text.
func (s *scanner) sessionAt(l link, i int) int {
	v := s.value(l.at)
	if n := s.sessions.fingerprintEnd(s.text, v.start); n > v.start {
		return s.keep(n)
	}
	if text := v.of(s); len(text) < minSession || len(text) > maxSession || !looksMade(text) || markerEnd(s.text, v.start) > v.start {
		return i
	}
	id := string(v.of(s))
	s.learn(id)
	return s.replaceWith(v.start, v.end, Session, s.sessions.fingerprint(id))
}
