package redact

import (
	"bytes"
	"encoding/base64"
)

// A form is how a secret looks that has neither a vendor nor a telling name: the group of
// the expression, which is looked for where a text begins with one of the grams.
type form struct {
	grams  string
	match  expression
	vendor string // "" for what is known by a name
	is     func(value []byte) bool
}

// schemes begin the value of a header that is a credential.
var schemes = lazily(`^(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)

// userPassword matches a flag of a program that is not known, with a user and what looks
// like a password: many mean a group by it.
var userPassword = lazily(`^ -(?:u|U|-user|a|-auth|-proxy-user)[ =]["']?[\w-]*(?:[@.][\w@.-]*)?[\w]:([^\s/$"'\\;|][^\s"'\\;|]*)`)

var forms = []form{
	{"\x20-", userPassword, "", looksMade},
	{"bea", lazily(`^(?i:bearer)[ \t+]{1,4}([\w.~+/=-]{6,})`), "Bearer", func(v []byte) bool {
		return len(v) >= 20 || bytes.ContainsAny(v, "0123456789")
	}},
	{"bas", lazily(`^(?i:basic)[ \t+]{1,4}([\w+/=-]{4,})`), "Basic", func(v []byte) bool {
		plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(v[:len(v)&^3|len(v)%4], "=")))
		return len(v) >= sure/2 || err == nil && bytes.IndexByte(plain, ':') >= 0
	}},
	{"dig", lazily(`^(?i:digest)[ \t]+((?i:username=)[^\r\n']+)`), "Digest", nil},
	{"eyj", lazily(`^(eyJ[\w-]{7,}(?:\.\.?[\w-]+)+)`), "JWT", nil},
	{"ide", lazily(`^(?i:identified)\s+(?i:with\s+\S{1,40}\s+)?(?i:by|as)\s+(?i:values\s+|password\s+)?\\*['"]?([^\s'"\\;]+)`), "", nil},
	{"$1$ $5$ $6$ $7$ $y$ $2 $ap $ar $pb $sc", lazily(`^(\$[\w-]{1,15}\$[\w./+=$,*-]{20,})`), "password hash", nil},
	{"{s", lazily(`^(\{[A-Z0-9-]{3,12}\}[\w./+=$,*-]{20,})`), "password hash", nil},
	// Lines of files, behind the first colon: of pgpass, passwd and htpasswd as crypt
	// has it, dumps of Windows, and htdigest.
	{":", lazily(`^:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:([^\s"'\\]+)(?:[\s"'\\]|$)`), "", nil},
	{":", lazily(`^:([./0-9A-Za-z]{13})(?::\d+:[^\s]*)?(?:[\s"'\\]|$)`), "password hash", isOpaque},
	{":", lazily(`^:\d+:([0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}):`), "password hash", nil},
	{":", lazily(`^:[^:\s]+:([0-9a-f]{32})(?:[\s"'\\]|$)`), "password hash", nil},
}

// special looks for what has one of the forms at i.
func (s *scanner) special(i int) int {
	if s.text[i] == ' ' && (i < s.callEnd || s.text[i+1] != '-' || i+3 < len(s.text) && s.text[i+2] == '-' && bytes.IndexByte([]byte("uap"), s.text[i+3]) < 0) || s.text[i] == ':' && !s.isFirst(i) || isAlnum(s.text[i]) && i > s.floor && !starts(s.text, i) || i < s.wordsTo && s.text[i] == 'e' {
		return i
	}
	for _, f := range forms {
		if f.grams[0]&31 != s.text[i]&31 {
			continue
		}
		m := f.match.FindSubmatchIndex(s.text[i:min(len(s.text), i+sure)])
		if m == nil {
			continue
		}
		start, end := i+m[2], i+m[3]
		for end-i >= sure && end < len(s.text) && (isWord(s.text[end]) || bytes.IndexByte([]byte("._~+/=$"), s.text[end]) >= 0) {
			end++ // behind what was looked at
		}
		switch {
		case f.is != nil && !f.is(s.text[start:min(end, start+sure)]):
		case f.vendor == "":
			return s.replace(start, end, Key)
		default:
			return s.token(start, end, f.vendor)
		}
	}
	if s.text[i] == 'e' {
		s.wordsTo = wordEnd(s.text, i)
	}
	return i
}

// isFirst reports whether the colon at i is the first in its line, behind one word.
func (s *scanner) isFirst(i int) bool {
	start := i
	for start > max(s.floor, i-64) && (isWord(s.text[start-1]) || s.text[start-1] == '.' || s.text[start-1] == '@' || s.text[start-1] == '*') {
		start--
	}
	return start < i && (start == 0 || s.text[start-1] == '\n' || isQuote(s.text[start-1]) || start > 1 && s.text[start-1] == 'n' && s.text[start-2] == '\\')
}

// starts reports whether a word may start at i. Behind an escape that was not
// undone ("\n", "%3D") and behind a terminal's colour it may, too.
func starts(text []byte, i int) bool {
	if i == 0 || !isWord(text[i-1]) {
		return true
	}
	if i >= 2 && (text[i-2] == '\\' || text[i-1] == 'm' && (text[i-2] == '[' || '0' <= text[i-2] && text[i-2] <= '9') && bytes.Contains(text[max(0, i-16):i], []byte("["))) {
		return true
	}
	return i >= 3 && text[i-3] == '%' && hexDigit(text[i-1]) >= 0 && hexDigit(text[i-2]) >= 0
}

// privateKey replaces the private key that begins at i, of OpenSSL, PGP or PuTTY. One
// that does not end goes on to the end of the text, and in the texts behind it.
func (s *scanner) privateKey(i int) int {
	rest := s.text[i:]
	switch head := rest[:min(len(rest), 80)]; {
	case bytes.HasPrefix(head, []byte("-----BEGIN ")) && bytes.Contains(head, []byte("PRIVATE KEY")):
		if n := bytes.Index(rest, []byte("-----END ")); n >= 0 {
			return s.token(i, i+pemEnd(rest, n), "private key")
		}
	case bytes.HasPrefix(head, []byte("Private-Lines:")):
		if n := bytes.Index(rest, []byte("Private-MAC:")); n >= 0 {
			end := i + n
			for end < len(s.text) && s.text[end] != '\n' && s.text[end] != '\\' && s.text[end] != '"' {
				end++
			}
			return s.token(i, end, "private key")
		}
	default:
		return i
	}
	s.leave(open{kind: Token, lines: true})
	return s.token(i, i+len(bytes.TrimRight(rest, "\r\n")), "private key")
}

// pemEnd returns the end of the line of a key's end that begins at i.
func pemEnd(text []byte, i int) int {
	i += len("-----END ")
	if n := bytes.Index(text[i:min(len(text), i+64)], []byte("-----")); n >= 0 {
		return i + n + len("-----")
	}
	return i
}

// url looks for a user in the URL that has "://" at i.
func (s *scanner) url(i int) int {
	start := i + len("://")
	if i == 0 || !isAlnum(s.text[i-1]) {
		return i
	}
	end := start
	for end < len(s.text) && !endsURL(s.text[end]) && s.text[end] != '/' && s.text[end] != '?' && s.text[end] != '#' {
		end++
	}
	at := start + bytes.LastIndexByte(s.text[start:end], '@')
	if colon := bytes.IndexByte(s.text[start:end], ':'); at < start && colon > 0 && !isPort(s.text[start+colon+1:]) {
		for far := end; far < min(len(s.text), start+sure) && !endsURL(s.text[far]); far++ { // a password with a slash
			if s.text[far] == '@' {
				at = far
			}
		}
	}
	if at <= start {
		return i
	}
	if user := s.text[start:at]; bytes.IndexByte(user, ':') < 0 && len(user) < 16 {
		return i
	}
	return s.replace(start, at, URL)
}

func endsURL(c byte) bool { return c <= ' ' || isQuote(c) || c == '<' || c == '>' || c == '\\' }

// isPort reports whether text begins with digits that end as those of a port do.
func isPort(text []byte) bool {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n > 0 && n < 6 && (n == len(text) || bytes.IndexByte([]byte("/?# \"'"), text[n]) >= 0)
}
