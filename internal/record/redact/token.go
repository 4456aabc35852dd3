package redact

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/wire"
)

// A form is a format of secrets that are found anywhere, or of text that is kept.
type form struct {
	prefix    string                       // how it begins, in any case; add splits several at "|"
	isAt      func(s *scanner, i int) bool // whether it may begin at i; nil means always
	minBefore int                          // the least number of letters and digits before it
	reach     int                          // the number of bytes that find gets; 0 means longValue
	find      finder                       // gets the text from the prefix on
	isBlock   bool                         // the lines of a private key follow
	kind      Kind                         // "" if the text is kept
	with      string                       // what replaces it; "" means the kind's marker
	vendor    string                       // of a token
}

// A formTable has the forms by the lowest five bits of the first byte of their prefix.
type formTable [32][]form

// add adds a form, and adds its prefix to the grams.
func (t *formTable) add(g *grams, f form) {
	for f.prefix = range strings.SplitSeq(f.prefix, "|") {
		by := &t[f.prefix[0]&31]
		*by = append(slices.Clip(*by), f)
		g.add(formBit, f.prefix)
	}
}

// readForm replaces a text of one of the forms that begins at i.
func (s *scanner) readForm(i int) int {
	forms := s.forms[s.text[i]&31]
	for n := range forms {
		f := &forms[n]
		if !hasFold(s.text[i:], f.prefix) || f.isAt != nil && !f.isAt(s, i) || !f.isFree(s, i) {
			continue
		}
		secret, ok := f.find(s.near(i, cmp.Or(f.reach, longValue)))
		if !ok {
			continue
		}
		start, end := i+secret.Start, i+secret.End
		if f.minBefore > 0 {
			start = s.runStart(i, 64, isWord)
		}
		for end-i >= longValue && end < len(s.text) && (isWord(s.text[end]) || strings.IndexByte("._~+/=$", s.text[end]) >= 0) {
			end++ // continue after the bytes that find got
		}
		if f.isBlock {
			end = s.blockEnd(i, block{Token, keyBlock})
		}
		return s.addEdit(edit{start: start, end: end, kind: f.kind, with: cmp.Or(f.with, marker(f.kind)), vendor: f.vendor})
	}
	return i
}

// isFree reports whether the form may begin at i: a word begins there, or enough letters and digits
// stand before it.
func (f *form) isFree(s *scanner, i int) bool {
	if f.minBefore > 0 {
		run := s.text[s.runStart(i, 64, isAlnum):i]
		return len(run) >= f.minBefore && bytes.ContainsAny(run, digits)
	}
	return !isAlnum(s.text[i]) || i <= s.consumed || isWordStart(s.text, i)
}

// otherForms returns the forms of secrets that are not a vendor's tokens.
func otherForms() []form {
	return []form{
		// Markers and fingerprints are kept.
		{prefix: "[re", isAt: isMarker, find: inGroup(`\A(?P<secret>\[redacted:\w+\])`, nil)},
		{prefix: "session-", isAt: isFingerprint, find: inGroup(`\A(?P<secret>\w+-\w+)`, nil)},

		// -u user:SECRET, for a program that is not in the table
		{prefix: " -u| -a| --u| --a| --p", isAt: isOutsideCalls, kind: Key, find: inGroup(userPassword, looksGenerated)},
		// Bearer SECRET
		{prefix: "bearer", kind: Token, vendor: "Bearer", find: inGroup(`\A\w+[ \t+]+(?P<secret>[\w.~+/=-]{6,})`, isBearer)},
		// Basic SECRET
		{prefix: "basic", kind: Token, vendor: "Basic", find: inGroup(`\A\w+[ \t+]{1,4}(?P<secret>[\w+/=-]{4,})`, isPair)},
		// Digest username="user", response="SECRET"
		{prefix: "digest", kind: Token, vendor: "Digest", find: inGroup(`\A\w+[ \t]+(?P<secret>(?i:username=)[^\r\n']+)`, nil)},
		// A JSON web token
		{prefix: "eyJ", kind: Token, vendor: "JWT", find: inGroup(`\A(?P<secret>eyJ[\w-]{7,}(?:\.\.?[\w-]+)+)`, nil)},
		// IDENTIFIED BY 'SECRET'
		{prefix: "identified", kind: Key,
			find: inGroup(`\A\w+\s+(?i:with\s+\S{1,40}\s+)?(?i:by|as)\s+(?i:values\s+|password\s+)?\\*['"]?(?P<secret>[^\s'"\\;]+)`, nil)},
		// $6$SECRET and {SSHA}SECRET
		{prefix: "$1$|$5$|$6$|$7$|$y$|$2|$ap|$ar|$pb|$sc|{s", kind: Token, vendor: "password hash",
			find: inGroup(`\A(?P<secret>(?:\$[\w-]{1,15}\$|\{[A-Z0-9-]{3,12}\})[\w./+=$,*-]{20,})`, nil)},
		// Private keys of OpenSSL, PGP and PuTTY
		{prefix: "-----BEGIN|Private-Lines:", kind: Token, vendor: "private key", isBlock: true,
			find: inGroup(`\A(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines:)`, nil)},

		// https://SECRET@host and https://user:SECRET@host, whose password may have a slash
		{prefix: "://", isAt: isURL, reach: urlReach, kind: URL, find: inGroup(`\A://(?P<secret>`+inURL+`/?#]+)@`, isUserOfURL)},
		{prefix: "://", isAt: isURL, kind: URL, find: inGroup(`\A://(?P<secret>`+inURL+`/?#:@]*:`+inURL+`]{1,96})@`, isNotPort)},

		// host:port:database:user:SECRET of PostgreSQL
		{prefix: ":", isAt: isFirst, kind: Key, find: inGroup(`\A:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:(?P<secret>[^\s"'\\]+)(?:[\s"'\\]|\z)`, nil)},
		// user:SECRET of passwd
		{prefix: ":", isAt: isFirst, kind: Token, vendor: "password hash",
			find: inGroup(`\A:(?P<secret>[./0-9A-Za-z]{13})(?::\d+:[^\s]*)?(?:[\s"'\\]|\z)`, isOpaque)},
		// user:realm:SECRET of htdigest, and user:id:SECRET:SECRET of Windows
		{prefix: ":", isAt: isFirst, kind: Token, vendor: "password hash",
			find: inGroup(`\A:[^:\s]+:(?P<secret>[0-9A-Fa-f]{32}(?::[0-9A-Fa-f]{32})?)(?:[:\s"'\\]|\z)`, nil)},
	}
}

const (
	inURL        = "[^\\s\"'`<>\\\\" // the beginning of a class
	userPassword = `\A[ \x00]-(?:u|U|-user|a|-auth|-proxy-user)[ \x00=]["']?[\w-]*(?:[@.][\w@.-]*)?[\w]:(?P<secret>[^\s/$"'\\;|][^\s"'\\;|]*)`
)

// ports matches a host and a port, which are not a user and a password.
var ports = lazily(`\A[^:]*:\d{1,5}[/?#]`)

func isMarker(s *scanner, i int) bool { return markerEnd(s.text, i) > i }

func isFingerprint(s *scanner, i int) bool { return s.fingerprintEnd(s.text, i) > i }

func isOutsideCalls(s *scanner, i int) bool { return i >= s.callEnd }

// isBearer reports whether the text after Bearer is not a word.
func isBearer(v []byte) bool { return len(v) > 19 || bytes.ContainsAny(v, digits) }

// isPair reports whether the text after Basic may be a user and a password.
func isPair(v []byte) bool {
	plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(v[:len(v)&^3|len(v)%4], "=")))
	return len(v) >= longValue/2 || err == nil && bytes.IndexByte(plain, ':') >= 0
}

// urlReach is the greatest length of a user in a URL, in bytes. Temporary tokens are long.
const urlReach = 4 << 10

func isURL(s *scanner, i int) bool {
	return i > 0 && isAlnum(s.text[i-1]) && bytes.IndexByte(s.near(i, urlReach), '@') > 0
}

// isUserOfURL reports whether the user of a URL is a token or has a password.
func isUserOfURL(v []byte) bool { return len(v) >= 16 || bytes.IndexByte(v, ':') >= 0 }

func isNotPort(v []byte) bool { return !ports().Match(v) }

// isFirst reports whether the colon at i is the first one of its line and follows one word.
func isFirst(s *scanner, i int) bool {
	if next := s.text[i+1]; !isAlnum(next) && strings.IndexByte("./*", next) < 0 {
		return false
	}
	start := s.runStart(i, 64, func(c byte) bool { return isNameByte(c) || c == '@' || c == '*' })
	last := s.text[max(0, start-1)]
	return start < i && (start == s.consumed || last == '\n' || isQuote(last) || last == '\\' && s.text[start] == 'n')
}

//go:embed shapes.txt
var shapesTXT string

// A vendorToken is the format of a vendor's tokens.
type vendorToken struct {
	vendor    string
	minBefore int    // the least number of letters and digits before the prefix
	prefix    string // how it begins, or continues after these
	alphabet  string // the characters that may follow
	atLeast   int    // the least number of them
}

// vendorTokens returns the tokens of the table.
func vendorTokens() (all []vendorToken) {
	for _, row := range tableRows(shapesTXT) {
		fields := strings.Fields(row)
		for _, field := range fields[1:] {
			all = append(all, parseVendorToken(strings.ReplaceAll(fields[0], "_", " "), field))
		}
	}
	return all
}

var alphabets = map[string]string{
	"h": digits + "abcdefABCDEF",
	"u": digits + upper,
	"n": digits + letters,
	"w": digits + letters + "_-",
	"d": digits + letters + "_-.",
	"b": digits + letters + "_-.+/=%:",
}

// parseVendorToken reads a field of the table: "ghp_~n16" is the prefix "ghp_" and at least 16
// characters of the alphabet n, and "8~:AA~w30" has at least 8 letters and digits before its prefix
// ":AA".
func parseVendorToken(vendor, field string) vendorToken {
	s := vendorToken{vendor: vendor, prefix: field[:strings.LastIndexByte(field, '~')]}
	end := field[len(s.prefix)+1:]
	s.alphabet = alphabets[end[:1]]
	var err error
	if s.atLeast, err = strconv.Atoi(end[1:]); err != nil || s.alphabet == "" {
		panic(fmt.Sprintf("shapes.txt: %q: want an alphabet and a number after the last ~", field)) // a test reads the table
	}
	if number, prefix, ok := strings.Cut(s.prefix, "~"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			s.minBefore, s.prefix = n, prefix
		}
	}
	return s
}

// find returns the span of the token that text begins with.
func (s vendorToken) find(text []byte) (token wire.Span, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte(s.prefix))
	after := bytes.TrimLeft(rest, s.alphabet)
	n := len(rest) - len(after)
	isLowerWord := n > 0 && len(bytes.TrimLeft(rest[:n], lower+"_")) == 0 // as in a program
	if !ok || n < s.atLeast || isLowerWord {
		return token, false
	}
	return wire.Span{End: wordEnd(text, len(text)-len(after))}, true
}

const (
	separator = `(?:[/\\]|%2[fF]|%5[cC]){1,8}`
	notInName = "\\x00-\\x20\\x7f/\\\\\"'`:;,<>|?*()\\[\\]{}&=$#!%" // a folder's name ends before these
	folder    = `(?:[^` + notInName + `]|%[^25]|%2[^fF]|%5[^cC])*[^.` + notInName + `]`
)

// homeForms returns the forms of the home folders of all users. "users" may have capitals only on
// Windows, where a name may have spaces.
func homeForms() []form {
	windows := inGroup(`\A:?\\+(?i:users)\\+(?P<secret>`+folder+`(?: +`+folder+`)*)\\`, isUser)
	anywhere := inGroup(`\A(?:(?:(?::|%3[aA])`+separator+`|\\{1,8})(?i:users)|`+separator+`(?:home|Users))`+
		separator+`(?P<secret>`+folder+`)`, isUser)
	return []form{
		{prefix: `\users|:\users`, kind: Home, with: "user", find: windows},
		{prefix: `/home|\home|%2fhome|%5chome|/users|\users|%2fusers|%5cusers|:/users|:\users|%3a/users|%3a%2fusers`,
			kind: Home, with: "user", find: anywhere},
	}
}

// isUser reports whether a folder next to the home folders is named like a user.
func isUser(name []byte) bool {
	return !strings.Contains("|user|Shared|Public|Default|All Users|linuxbrew|", "|"+string(name)+"|")
}

// ownForms returns the forms of the user's own home folder and login name. It omits names that
// every machine has, and names that are so short that many paths contain them.
func ownForms(home, user string) (all []form) {
	identifies := func(name string) bool {
		return len(name) >= 3 && !strings.Contains("|root|/root|user|users|home|/home/user|/var/root|", "|"+name+"|")
	}
	add := func(begins, with, before, name string) {
		const after = `(?:[^\w\x{80}-\x{10ffff}]|\z)`
		all = append(all, form{prefix: begins, kind: Home, with: with,
			find: inGroup(`\A(?i:`+before+"(?P<secret>"+name+"))"+after, nil)})
	}
	if home = strings.ReplaceAll(strings.TrimRight(home, `/\`), `\`, "/"); identifies(home) {
		begins := home[:2]
		if home[0] == '/' {
			begins = inPath(home[1:2])
		}
		add(begins, "/home/user", "", strings.ReplaceAll(regexp.QuoteMeta(home), "/", separator))
	}
	if identifies(user) {
		add(inPath(user), "user", separator, regexp.QuoteMeta(user))
		add("-home|-users", "user", "-(?:home|users)-", regexp.QuoteMeta(user))
	}
	return all
}

// inPath returns the prefixes of a name after each separator of a path.
func inPath(name string) string {
	return "/" + name + `|\` + name + "|%2f" + name + "|%5c" + name
}
