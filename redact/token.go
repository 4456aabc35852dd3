package redact

import (
	"bytes"
	"encoding/base64"
)

// A shape is how the tokens of a service look: a prefix, and at least so many
// characters of an alphabet.
type shape struct {
	prefix  string
	atLeast int
	letters alphabet
}

// An alphabet is what follows a prefix.
type alphabet uint8

const (
	words    alphabet = iota // letters, digits, _ and -
	dotted                   // the same and dots
	path                     // words and slashes
	solid                    // letters and digits, at least so many in a row, then words
	mixed                    // words with a digit or a capital in them
	capitals                 // exactly so many capital letters and digits
)

var shapes = []shape{
	{"sk-ant-", 8, mixed}, {"sk-proj-", 8, mixed}, {"sk-", 16, mixed},
	{"sk_live_", 8, solid}, {"sk_test_", 8, solid}, {"rk_live_", 8, solid}, {"rk_test_", 8, solid}, {"whsec_", 16, solid},
	{"ghp_", 16, solid}, {"gho_", 16, solid}, {"ghu_", 16, solid}, {"ghs_", 16, solid}, {"ghr_", 16, solid}, {"github_pat_", 16, solid},
	{"glpat-", 16, words}, {"gldt-", 16, words}, {"glrt-", 16, words}, {"glptt-", 16, words},
	{"xoxa-", 10, mixed}, {"xoxb-", 10, mixed}, {"xoxe-", 10, mixed}, {"xoxo-", 10, mixed}, {"xoxp-", 10, mixed}, {"xoxr-", 10, mixed}, {"xoxs-", 10, mixed}, {"xapp-", 10, mixed},
	{"AKIA", 16, capitals}, {"ASIA", 16, capitals},
	{"AIza", 30, words}, {"ya29.", 16, dotted}, {"GOCSPX-", 16, words},
	{"npm_", 30, solid}, {"pypi-", 32, words}, {"hf_", 24, solid}, {"gsk_", 24, solid}, {"xai-", 24, mixed}, {"pplx-", 24, mixed}, {"r8_", 24, solid}, {"tvly-", 16, mixed},
	{"SG.", 32, dotted}, {"dckr_pat_", 16, words}, {"dop_v1_", 32, solid}, {"lin_api_", 16, solid}, {"shpat_", 24, solid}, {"ntn_", 24, solid},
	{"AGE-SECRET-KEY-1", 30, solid}, {"sq0atp-", 16, words}, {"sq0csp-", 16, words},
	{"hooks.slack.com/services/", 16, path}, {"discord.com/api/webhooks/", 16, path}, {"discordapp.com/api/webhooks/", 16, path},
}

// shapesFrom are the shapes by the first byte of their prefixes.
var shapesFrom = func() (by [256][]shape) {
	for _, s := range shapes {
		by[s.prefix[0]] = append(by[s.prefix[0]], s)
	}
	return by
}()

// tokens are the pairs of bytes that the shapes begin with, and JSON web tokens.
var tokens = func() (t triggers) {
	t.add('e', 'y')
	for _, s := range shapes {
		t.add(s.prefix[0], s.prefix[1])
	}
	return t
}()

// token looks for a token that begins at i, by its shape or the scheme before it.
func (s *scanner) token(i int) int {
	rest := s.text[i:]
	switch rest[0] | 0x20 {
	case 'e':
		if end := s.jwtEnd(i); end > i {
			return s.replace(i, end, Token)
		}
	case 'b':
		return s.scheme(i)
	}
	for _, shape := range shapesFrom[rest[0]] {
		if !bytes.HasPrefix(rest, []byte(shape.prefix)) {
			continue
		}
		if i > s.floor && !starts(s.text, i) {
			continue
		}
		if n := shape.length(rest[len(shape.prefix):]); n > 0 {
			return s.replace(i, i+len(shape.prefix)+n, Token)
		}
	}
	return i
}

// length is how much of text belongs to a token, or 0. What it is shows in its
// first 256 bytes.
func (s shape) length(text []byte) int {
	n, row, telling := 0, -1, false
	for _, c := range text[:min(len(text), 256)] {
		if !isAlnum(c) {
			if row < 0 {
				row = n
			}
			if !s.has(c) {
				break
			}
		}
		telling = telling || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
		n++
	}
	if row < 0 {
		row = n
	}
	switch {
	case n < s.atLeast,
		s.letters == solid && row < s.atLeast,
		s.letters == mixed && !telling,
		s.letters == capitals && (row != s.atLeast || !isCapital(text[:row])):
		return 0
	case s.letters == capitals:
		return row
	}
	for n < len(text) && s.has(text[n]) {
		n++
	}
	return n
}

// has reports whether c may stand in a token behind its prefix.
func (s shape) has(c byte) bool {
	return isWord(c) || c == '.' && s.letters == dotted || c == '/' && s.letters == path
}

func isCapital(text []byte) bool {
	for _, c := range text {
		if 'a' <= c && c <= 'z' {
			return false
		}
	}
	return true
}

// starts reports whether a word may start at i. Behind an escape that was not
// undone ("\n", "%3D") and behind a terminal's colour it may, too.
func starts(text []byte, i int) bool {
	if i == 0 || !isAlnum(text[i-1]) {
		return true
	}
	if i >= 2 && (text[i-2] == '\\' || text[i-1] == 'm' && (text[i-2] == '[' || '0' <= text[i-2] && text[i-2] <= '9') && bytes.Contains(text[max(0, i-16):i], []byte("\x1b["))) {
		return true
	}
	return i >= 3 && text[i-3] == '%' && hexDigit(text[i-1]) >= 0 && hexDigit(text[i-2]) >= 0
}

func isWord(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

// wordEnd returns the end of the letters, digits, _ and - from i on.
func wordEnd(text []byte, i int) int {
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}

// jwtEnd returns the end of the JSON web token that begins at i, or i.
func (s *scanner) jwtEnd(i int) int {
	if !bytes.HasPrefix(s.text[i:], []byte("eyJ")) {
		return i
	}
	if i > s.floor && (s.text[i-1] == '-' || s.text[i-1] == '_' || !starts(s.text, i)) {
		return i
	}
	end := wordEnd(s.text, i)
	if end-i < 10 {
		return i
	}
	parts := 1
	for end+1 < len(s.text) && s.text[end] == '.' && isWord(s.text[end+1]) {
		end = wordEnd(s.text, end+1)
		parts++
	}
	if parts < 2 {
		return i
	}
	return end
}

// scheme looks for what stands behind "Bearer" or "Basic" at i.
func (s *scanner) scheme(i int) int {
	rest := s.text[i:]
	word := 0
	for _, name := range []string{"bearer", "basic"} {
		if len(rest) > len(name) && bytes.EqualFold(rest[:len(name)], []byte(name)) {
			word = len(name)
		}
	}
	start := i + word
	for start < len(s.text) && start < i+word+4 && (s.text[start] == ' ' || s.text[start] == '\t' || s.text[start] == '+') {
		start++
	}
	if word == 0 || start == i+word {
		return i
	}
	end, digit := start, false
	for end < len(s.text) && (isWord(s.text[end]) || bytes.IndexByte([]byte("._~+/="), s.text[end]) >= 0) {
		if word == len("basic") && end-start == 512 {
			return start
		}
		digit = digit || '0' <= s.text[end] && s.text[end] <= '9'
		end++
	}
	value := s.text[start:end]
	if word == len("basic") {
		plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(value, "=")))
		if err != nil || bytes.IndexByte(plain, ':') < 0 {
			return start
		}
	} else if len(value) < 6 || !digit && len(value) < 20 {
		return start
	}
	return s.replace(start, end, Token)
}

// privateKeyEnd returns the end of the private key in PEM that begins at i, or i.
// One that does not end goes on to the end of the text.
func (s *scanner) privateKeyEnd(i int) int {
	rest := s.text[i:]
	const begin = "-----BEGIN "
	if !bytes.HasPrefix(rest, []byte(begin)) || !bytes.Contains(rest[:min(len(rest), 64)], []byte("PRIVATE KEY")) {
		return i
	}
	n := bytes.Index(rest, []byte("-----END "))
	if n < 0 {
		return len(s.text)
	}
	n += len("-----END ")
	if last := bytes.Index(rest[n:min(len(rest), n+64)], []byte("-----")); last >= 0 {
		return i + n + last + 5
	}
	return i + n
}
