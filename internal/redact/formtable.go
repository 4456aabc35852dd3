package redact

import (
	"bytes"
	"regexp"
	"strings"
)

const (
	separator = `(?:[/\\]|%2[fF]|%5[cC]){1,8}`
	noName    = "\\x00-\\x20\\x7f/\\\\\"'`:;,<>|?*()\\[\\]{}&=$#!%" // what ends the name of a folder
	folder    = `(?:[^` + noName + `]|%[^25]|%2[^fF]|%5[^cC])*[^.` + noName + `]`
	inURL     = "[^\\s\"'`<>\\\\"
	bounded   = `(?:[^\w\x{80}-\x{10ffff}]|\z)`
)

// textForms are what has neither a vendor nor a telling name.
func textForms() []form {
	return []form{
		{begins: "[re", match: lazily(`\A(\[redacted:\w+\])`), at: func(s *scanner, i int) bool { return markerEnd(s.text, i) > i }},
		{begins: "session-", match: lazily(`\A(\w+-\w+)`), at: func(s *scanner, i int) bool { return s.sessions.fingerprintEnd(s.text, i) > i }},

		// Home folders. Only Windows takes any spelling, and spaces in a name.
		{begins: `\users|:\users`, kind: Home, with: "user", is: isUser, match: lazily(`\A:?\\+(?i:users)\\+(` + folder + `(?: +` + folder + `)*)\\`)},
		{begins: `/home|\home|%2fhome|%5chome|/users|\users|%2fusers|%5cusers|:/users|:\users|%3a/users|%3a%2fusers`, kind: Home, with: "user", is: isUser,
			match: lazily(`\A(?:(?:(?::|%3[aA])` + separator + `|\\{1,8})(?i:users)|` + separator + `(?:home|Users))` + separator + `(` + folder + `)`)},

		// A flag of a program that is not known, with a user and what looks like a password.
		{begins: " -u| -a| --u| --a| --p", match: userPassword, kind: Key, is: looksMade, at: func(s *scanner, i int) bool { return i >= s.callEnd }},
		{begins: "bearer", match: lazily(`\A\w+[ \t+]+([\w.~+/=-]{6,})`), kind: Token, vendor: "Bearer", is: func(v []byte) bool { return len(v) > 19 || bytes.ContainsAny(v, digits) }},
		{begins: "basic", match: lazily(`\A\w+[ \t+]{1,4}([\w+/=-]{4,})`), kind: Token, vendor: "Basic", is: isPair},
		{begins: "digest", match: lazily(`\A\w+[ \t]+((?i:username=)[^\r\n']+)`), kind: Token, vendor: "Digest"},
		{begins: "eyJ", match: lazily(`\A(eyJ[\w-]{7,}(?:\.\.?[\w-]+)+)`), kind: Token, vendor: "JWT"},
		{begins: "identified", kind: Key, match: lazily(`\A\w+\s+(?i:with\s+\S{1,40}\s+)?(?i:by|as)\s+(?i:values\s+|password\s+)?\\*['"]?([^\s'"\\;]+)`)},
		{begins: "$1$|$5$|$6$|$7$|$y$|$2|$ap|$ar|$pb|$sc|{s", match: lazily(`\A((?:\$[\w-]{1,15}\$|\{[A-Z0-9-]{3,12}\})[\w./+=$,*-]{20,})`), kind: Token, vendor: "password hash"},
		{begins: "-----BEGIN|Private-Lines:", match: lazily(`\A(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines:)`), kind: Token, vendor: "private key"},

		// Users of URLs; a password may have a slash in it.
		{begins: "://", match: lazily(`\A://(` + inURL + `/?#]+)@`), kind: URL, at: isURL, reach: urlReach, is: func(v []byte) bool { return len(v) >= 16 || bytes.IndexByte(v, ':') >= 0 }},
		{begins: "://", match: lazily(`\A://(` + inURL + `/?#:@]*:` + inURL + `]{1,96})@`), kind: URL, at: isURL, is: func(v []byte) bool { return !ports().Match(v) }},

		// Lines of files, behind the first colon: of pgpass, passwd, dumps of Windows, and
		// htdigest.
		{begins: ":", at: isFirst, match: lazily(`\A:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:([^\s"'\\]+)(?:[\s"'\\]|\z)`), kind: Key},
		{begins: ":", at: isFirst, match: lazily(`\A:([./0-9A-Za-z]{13})(?::\d+:[^\s]*)?(?:[\s"'\\]|\z)`), kind: Token, vendor: "password hash", is: isOpaque},
		{begins: ":", at: isFirst, match: lazily(`\A:[^:\s]+:([0-9A-Fa-f]{32}(?::[0-9A-Fa-f]{32})?)(?:[:\s"'\\]|\z)`), kind: Token, vendor: "password hash"},
	}
}

var (
	userPassword = lazily(`\A[ \x00]-(?:u|U|-user|a|-auth|-proxy-user)[ \x00=]["']?[\w-]*(?:[@.][\w@.-]*)?[\w]:([^\s/$"'\\;|][^\s"'\\;|]*)`)
	// schemes begin the value of a header that is a credential.
	schemes = lazily(`\A(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)
	// ports match a host and a port, which are no user and password.
	ports      = lazily(`\A[^:]*:\d{1,5}[/?#]`)
	wordStarts = lazily(`(?:\\[A-Za-z]|%[0-9A-Fa-f]{2}|\[[0-9;]*m)\z`)
	keyEnds    = lazily(`-----END .{0,60}?-----|Private-MAC:[^\n\\"]*`) // of OpenSSL, PGP or PuTTY
	keyLines   = lazily(`\A\s*(?:[\w-]+:.*|-----END.*|[A-Za-z0-9+/=]*)\s*\z`)
)

// urlReach is how far the user of a URL reaches: temporary tokens are long.
const urlReach = 4 << 10

func isURL(s *scanner, i int) bool {
	return i > 0 && isAlnum(s.text[i-1]) && bytes.IndexByte(s.near(i, urlReach), '@') > 0
}

// isUser reports whether a folder of homes belongs to a user who is to be hidden.
func isUser(name []byte) bool {
	return !strings.Contains("|user|Shared|Public|Default|All Users|linuxbrew|", "|"+string(name)+"|")
}

// pathForms are those of the user's home folder and login name, as far as they tell
// anything: not those that every machine has, or so short that they are in every path.
func pathForms(home, user string) (all []form) {
	tells := func(name string) bool {
		return len(name) >= 3 && !strings.Contains("|root|/root|user|users|home|/home/user|/var/root|", "|"+name+"|")
	}
	add := func(begins, with, before, name string) {
		all = append(all, form{begins: begins, kind: Home, with: with, match: lazily(`\A(?i:` + before + "(" + name + "))" + bounded)})
	}
	if home = strings.ReplaceAll(strings.TrimRight(home, `/\`), `\`, "/"); tells(home) {
		begins := home[:2]
		if home[0] == '/' {
			begins = separated(home[1:2])
		}
		add(begins, "/home/user", "", strings.ReplaceAll(regexp.QuoteMeta(home), "/", separator))
	}
	if tells(user) {
		add(separated(user), "user", separator, regexp.QuoteMeta(user))
		add("-home|-users", "user", "-(?:home|users)-", regexp.QuoteMeta(user))
	}
	return all
}

// separated is a name behind each separator of a path.
func separated(name string) string {
	return "/" + name + `|\` + name + "|%2f" + name + "|%5c" + name
}
