package redact

import "bytes"

// assignment looks for the value behind the ":" or "=" at i if a secret's name
// stands before it: NAME=value, name: value, "name": "value", ?name=value, in
// shells, code, YAML, headers and JSON that is broken.
func (s *scanner) assignment(i int) int {
	name, quoted, spaced := s.nameBefore(i)
	if len(name.text) == 0 {
		return i
	}
	start := i + 1
	for start < len(s.text) && (s.text[start] == '=' || s.text[start] == '>') && start < i+3 {
		start++
	}
	if bytes.EqualFold(name.text, []byte("key")) && !quoted {
		name = s.wordBefore(name)
	}
	query := s.text[i] == '=' && name.start > s.floor && !quoted && bytes.IndexByte([]byte("?&#"), s.text[name.start-1]) >= 0
	class := s.classify(name.text)
	if query {
		class = s.queryClass(name.text)
	}
	switch class {
	case secret:
		if quoted || !isProse(s.name) {
			s.pairs(start, Key, hidden)
		}
	case sessionID:
	case environment:
		s.pairs(start, Env, listed)
		return i
	case headers:
		s.pairs(start, Header, listed)
		return i
	default:
		s.member(start)
		return i
	}
	v := s.valueAt(start)
	value := s.text[v.start:v.end]
	if len(value) == 0 {
		return i
	}
	if end := markerEnd(s.text, v.start); end > v.start {
		return s.keep(end)
	}
	if class == sessionID {
		return s.assignedSession(v.start, v.end, i)
	}
	kind := Key
	switch {
	case query:
		v.end = v.start + queryEnd(value)
		kind = URL
	case isReference(value):
		return i
	case ends(s.name, "cookie") && !v.quoted, ends(s.name, "authorization") && !v.quoted:
		// Name and value, or scheme and value, with spaces between.
		v.end = s.lineEnd(v.start)
		if value = s.text[v.start:v.end]; !bytes.ContainsAny(value[:min(len(value), 256)], "0123456789=") {
			return i
		}
		kind = Header
	case v.quoted && (quoted || !isProse(s.name)), quoted && isNumber(value):
	case s.text[i] == '=' && !spaced && !v.spaced && !v.called && !s.namesItself(value):
		if isCapital(name.text) {
			kind = Env
		}
	case v.called || !looksMade(value):
		return i
	}
	if v.end <= v.start {
		return i
	}
	return s.replace(v.start, v.end, kind)
}

// member looks at a member of a message that is no clean JSON: what authenticate
// sends is secret. The value begins at i, and the name was classified.
func (s *scanner) member(i int) {
	switch roleOf(s.name) {
	case method:
		v := s.valueAt(i)
		switch string(s.text[v.start:v.end]) {
		case "authenticate", "auth/login":
			s.authenticates = true
		default:
			s.authenticates = false
		}
	case params:
		if s.authenticates {
			s.pairs(i, Auth, hidden)
		}
		s.authenticates = false
	}
}

// assignedSession replaces a session id that is named in a text.
func (s *scanner) assignedSession(start, end, i int) int {
	if n := s.sessions.fingerprintEnd(s.text, start); n > start {
		return s.keep(n)
	}
	if end-start < minSession || !looksMade(s.text[start:end]) {
		return i
	}
	id := string(s.text[start:end])
	s.learn(id)
	return s.replaceWith(start, end, Session, s.sessions.fingerprint(id))
}

// A nameSpan is a name in the text.
type nameSpan struct {
	text  []byte
	start int
}

// nameBefore returns the name that ends before i, whether it is in quotes, and
// whether there is space between.
func (s *scanner) nameBefore(i int) (name nameSpan, quoted, spaced bool) {
	low := max(s.floor, i-maxName-8)
	end := i
	for end > low && (s.text[end-1] == ' ' || s.text[end-1] == '\t') {
		end--
		spaced = true
	}
	if end > low && s.text[end-1] == ':' && s.text[i] == '=' { // :=
		end--
		spaced = true
	}
	for end > low && (s.text[end-1] == ' ' || s.text[end-1] == ']') {
		end--
	}
	if end > low && isQuote(s.text[end-1]) {
		quoted = true
		end--
		for end > low && s.text[end-1] == '\\' {
			end--
		}
	}
	start := end
	for start > low && (isWord(s.text[start-1]) || s.text[start-1] == '.') {
		start--
	}
	return nameSpan{s.text[start:end], start}, quoted, spaced
}

// wordBefore is a name with the word before it, as in "api key".
func (s *scanner) wordBefore(name nameSpan) nameSpan {
	start := name.start
	if start <= s.floor || s.text[start-1] != ' ' {
		return name
	}
	low := max(s.floor, start-16)
	for start--; start > low && isWord(s.text[start-1]); {
		start--
	}
	if start == name.start-1 {
		return name
	}
	return nameSpan{s.text[start : name.start+len(name.text)], start}
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// A valueSpan is a value in the text, without its quotes.
type valueSpan struct {
	start, end int
	quoted     bool
	spaced     bool // there is space before it
	called     bool // it is a function's name, or has a part that is
}

// valueAt returns the value that begins behind i, on the same line.
func (s *scanner) valueAt(i int) valueSpan {
	v := valueSpan{start: i}
	for v.start < len(s.text) && v.start < i+16 && (s.text[v.start] == ' ' || s.text[v.start] == '\t') {
		v.start++
		v.spaced = true
	}
	slashes := v.start
	for slashes < len(s.text) && slashes < v.start+64 && s.text[slashes] == '\\' {
		slashes++
	}
	if slashes < len(s.text) && isQuote(s.text[slashes]) {
		v.quoted = true
		closing := s.text[v.start : slashes+1]
		v.start = slashes + 1
		v.end = v.start
		for v.end < len(s.text) && s.text[v.end] != '\n' && !bytes.HasPrefix(s.text[v.end:], closing) {
			if s.text[v.end] == '\\' && len(closing) == 1 {
				v.end++
			}
			v.end++
		}
		v.end = min(v.end, len(s.text))
		return v
	}
	v.end = max(v.start, s.valueEnd) // known if a value before this one ended there
	for v.end < len(s.text) && s.text[v.end] > ' ' && bytes.IndexByte([]byte("\"'`,;|<>(){}[]\\"), s.text[v.end]) < 0 {
		v.end++
	}
	s.valueEnd = v.end
	v.called = v.end < len(s.text) && (s.text[v.end] == '(' || s.text[v.end] == '[')
	return v
}

// lineEnd returns the end of the line, or of the quotes, that i is in.
func (s *scanner) lineEnd(i int) int {
	end := max(i, s.quoteEnd)
	for end < len(s.text) && s.text[end] >= ' ' && s.text[end] != '\\' && !isQuote(s.text[end]) {
		end++
	}
	s.quoteEnd = end
	return end
}

// queryEnd returns the length of a value in a URL.
func queryEnd(value []byte) int {
	if n := bytes.IndexAny(value, "&#"); n >= 0 {
		return n
	}
	return len(value)
}

// isReference reports whether a value only names a variable: $TOKEN, ${TOKEN}.
func isReference(value []byte) bool {
	name, ok := bytes.CutPrefix(value, []byte("$"))
	if !ok || !isCapital(name) {
		return ok && len(name) == 0
	}
	name = bytes.TrimSuffix(bytes.TrimPrefix(name, []byte("{")), []byte("}"))
	return wordEnd(name, 0) == len(name)
}

// namesItself reports whether a value is a variable that is named like a secret,
// as in api_key=settings.API_KEY.
func (s *scanner) namesItself(value []byte) bool {
	return len(value) <= maxName && s.classify(value) == secret
}

// isProse reports whether a name is also a word that texts use.
func isProse(name []byte) bool {
	switch string(name) {
	case "token", "secret", "cookie", "credential", "credentials", "secrets", "cookies", "authorization":
		return true
	}
	return false
}

func isNumber(value []byte) bool { return '0' <= value[0] && value[0] <= '9' }

// looksMade reports whether a value looks like no word: it has digits among its
// letters.
func looksMade(value []byte) bool {
	digit, letter := false, false
	head := value[:min(len(value), 256)]
	for _, c := range head {
		digit = digit || '0' <= c && c <= '9'
		letter = letter || isAlnum(c) && c > '9'
		if c == ' ' {
			return false
		}
	}
	return len(value) >= 6 && digit && letter
}

// url looks for a user in the URL that has "://" at i.
func (s *scanner) url(i int) int {
	start := i + len("://")
	at, colon := -1, false
	for end := start; end < len(s.text) && s.text[end] > ' ' && bytes.IndexByte([]byte("/?#\"'`<>\\"), s.text[end]) < 0; end++ {
		if s.text[end] == '@' {
			at = end
		}
	}
	if at <= start || i == 0 || !isAlnum(s.text[i-1]) {
		return start
	}
	user := s.text[start:at]
	colon = bytes.IndexByte(user, ':') >= 0
	if end := markerEnd(s.text, start); end == at {
		return s.keep(end)
	}
	if !colon && len(user) < 16 {
		return start
	}
	return s.replace(start, at, URL)
}
