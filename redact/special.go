package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// A form is how a secret looks that has neither a vendor nor a telling name: the group of
// the expression, which is looked for where a text begins with one of the grams.
type form struct {
	grams  string
	match  expression
	kind   Kind
	vendor string // of a token
	is     func(value []byte) bool
}

// schemes begin the value of a header that is a credential.
var schemes = lazily(`^(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)

// userPassword matches a flag of a program that is not known, with a user and what looks
// like a password: many mean a group by it.
var userPassword = lazily(`^[ \x00]-(?:u|U|-user|a|-auth|-proxy-user)[ \x00=]["']?[\w-]*(?:[@.][\w@.-]*)?[\w]:([^\s/$"'\\;|][^\s"'\\;|]*)`)

// ports match a host and a port, which are no user and password.
var ports = lazily(`^[^:]*:\d{1,5}[/?#]`)

var forms = []form{
	{"\x20-", userPassword, Key, "", looksMade},
	{"bea", lazily(`^(?i:bearer)[ \t+]{1,4}([\w.~+/=-]{6,})`), Token, "Bearer", func(v []byte) bool {
		return len(v) >= 20 || bytes.ContainsAny(v, "0123456789")
	}},
	{"bas", lazily(`^(?i:basic)[ \t+]{1,4}([\w+/=-]{4,})`), Token, "Basic", func(v []byte) bool {
		plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(v[:len(v)&^3|len(v)%4], "=")))
		return len(v) >= sure/2 || err == nil && bytes.IndexByte(plain, ':') >= 0
	}},
	{"dig", lazily(`^(?i:digest)[ \t]+((?i:username=)[^\r\n']+)`), Token, "Digest", nil},
	{"eyj", lazily(`^(eyJ[\w-]{7,}(?:\.\.?[\w-]+)+)`), Token, "JWT", nil},
	{"ide", lazily(`^(?i:identified)\s+(?i:with\s+\S{1,40}\s+)?(?i:by|as)\s+(?i:values\s+|password\s+)?\\*['"]?([^\s'"\\;]+)`), Key, "", nil},
	{"$1$ $5$ $6$ $7$ $y$ $2 $ap $ar $pb $sc", lazily(`^(\$[\w-]{1,15}\$[\w./+=$,*-]{20,})`), Token, "password hash", nil},
	{"--- pri", lazily(`^(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines:)`), Token, "private key", nil},
	{"{s", lazily(`^(\{[A-Z0-9-]{3,12}\}[\w./+=$,*-]{20,})`), Token, "password hash", nil},
	// Users of URLs; a password may have a slash in it.
	{"://", lazily("^://([^\\s\"'`<>\\\\/?#]+)@"), URL, "", func(v []byte) bool { return len(v) >= 16 || bytes.IndexByte(v, ':') >= 0 }},
	{"://", lazily("^://([^\\s\"'`<>\\\\/?#:@]*:[^\\s\"'`<>\\\\]+)@"), URL, "", func(v []byte) bool { return !ports().Match(v) }},
	// Lines of files, behind the first colon: of pgpass, passwd and htpasswd as crypt
	// has it, dumps of Windows, and htdigest.
	{":", lazily(`^:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:([^\s"'\\]+)(?:[\s"'\\]|$)`), Key, "", nil},
	{":", lazily(`^:([./0-9A-Za-z]{13})(?::\d+:[^\s]*)?(?:[\s"'\\]|$)`), Token, "password hash", isOpaque},
	{":", lazily(`^:\d+:([0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}):`), Token, "password hash", nil},
	{":", lazily(`^:[^:\s]+:([0-9a-f]{32})(?:[\s"'\\]|$)`), Token, "password hash", nil},
}

// isFirst reports whether a colon behind what is before it is the first of a line, behind
// one word.
func isFirst(before []byte) bool {
	rest := bytes.TrimRight(before, letters+"0123456789_.@*-")
	n := len(rest)
	return n < len(before) && (n == 0 || rest[n-1] == '\n' || isQuote(rest[n-1]) || rest[n-1] == '\\' && before[n] == 'n')
}

// special looks for what has one of the forms at i.
func (s *scanner) special(i int) int {
	isURL := bytes.HasPrefix(s.text[i:], []byte("://"))
	switch c := s.text[i]; {
	case c == ' ' && (i < s.callEnd || s.text[i+1] != '-'),
		isURL && (i == 0 || !isAlnum(s.text[i-1])),
		c == ':' && !isURL && (i == 0 || s.text[i-1] <= ' ' || !isFirst(s.text[max(s.floor, i-64):i])),
		isAlnum(c) && i > s.floor && !starts(s.text, i), c == 'e' && i < s.wordsTo:
		return i
	}
	for _, f := range forms {
		if strings.IndexByte(f.grams, s.text[i]|0x20) < 0 && strings.IndexByte(f.grams, s.text[i]) < 0 {
			continue
		}
		m := f.match().FindSubmatchIndex(s.near(i, sure))
		if m == nil {
			continue
		}
		start, end := i+m[2], i+m[3]
		for end-i >= sure && end < len(s.text) && (isWord(s.text[end]) || bytes.IndexByte([]byte("._~+/=$"), s.text[end]) >= 0) {
			end++ // behind what was looked at
		}
		if f.vendor == "private key" {
			// One that does not end goes on to the end of the text, and in the texts behind it.
			if m := keyEnds().FindIndex(s.text[i:]); m != nil {
				end = i + m[1]
			} else {
				end = len(bytes.TrimRight(s.text, "\r\n"))
				s.leave(open{kind: Token, lines: keyLines()})
			}
		}
		if f.is == nil || f.is(s.text[start:min(end, start+sure)]) {
			return s.make(edit{start, end, f.kind, marker(f.kind), f.vendor})
		}
	}
	if s.text[i] == 'e' {
		s.wordsTo = wordEnd(s.text, i)
	}
	return i
}

// starts reports whether a word may start at i. Behind an escape that was not
// undone ("\n", "%3D") and behind a terminal's colour it may, too.
func starts(text []byte, i int) bool {
	return i == 0 || !isWord(text[i-1]) || wordStarts().Match(text[max(0, i-16):i])
}

var wordStarts = lazily(`(?:\\[A-Za-z]|%[0-9A-Fa-f]{2}|\[[0-9;]*m)\z`)

// keyEnd is the end of a private key of OpenSSL, PGP or PuTTY.
const keyEnd = `-----END .{0,60}?-----|Private-MAC:[^\n\\"]*`

var keyEnds = lazily(keyEnd)
