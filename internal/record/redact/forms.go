package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

const inURL = "[^\\s\"'`<>\\\\" // the beginning of a class

// textForms are what is neither a vendor's token nor named.
func textForms() []form {
	return []form{
		// What stands for secrets is kept.
		{begins: "[re", isAt: isMarker, find: inGroup(`\A(?P<secret>\[redacted:\w+\])`, nil)},
		{begins: "session-", isAt: isFingerprint, find: inGroup(`\A(?P<secret>\w+-\w+)`, nil)},

		// -u user:SECRET, for a program that is not in the table
		{begins: " -u| -a| --u| --a| --p", isAt: isOutsideCalls, kind: Key, find: inGroup(userPassword, looksMade)},
		// Bearer SECRET
		{begins: "bearer", kind: Token, vendor: "Bearer", find: inGroup(`\A\w+[ \t+]+(?P<secret>[\w.~+/=-]{6,})`, isBearer)},
		// Basic SECRET
		{begins: "basic", kind: Token, vendor: "Basic", find: inGroup(`\A\w+[ \t+]{1,4}(?P<secret>[\w+/=-]{4,})`, isPair)},
		// Digest username="user", response="SECRET"
		{begins: "digest", kind: Token, vendor: "Digest", find: inGroup(`\A\w+[ \t]+(?P<secret>(?i:username=)[^\r\n']+)`, nil)},
		// A JSON web token
		{begins: "eyJ", kind: Token, vendor: "JWT", find: inGroup(`\A(?P<secret>eyJ[\w-]{7,}(?:\.\.?[\w-]+)+)`, nil)},
		// IDENTIFIED BY 'SECRET'
		{begins: "identified", kind: Key,
			find: inGroup(`\A\w+\s+(?i:with\s+\S{1,40}\s+)?(?i:by|as)\s+(?i:values\s+|password\s+)?\\*['"]?(?P<secret>[^\s'"\\;]+)`, nil)},
		// $6$SECRET and {SSHA}SECRET
		{begins: "$1$|$5$|$6$|$7$|$y$|$2|$ap|$ar|$pb|$sc|{s", kind: Token, vendor: "password hash",
			find: inGroup(`\A(?P<secret>(?:\$[\w-]{1,15}\$|\{[A-Z0-9-]{3,12}\})[\w./+=$,*-]{20,})`, nil)},
		// Private keys of OpenSSL, PGP and PuTTY
		{begins: "-----BEGIN|Private-Lines:", kind: Token, vendor: "private key", isBlock: true,
			find: inGroup(`\A(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines:)`, nil)},

		// https://SECRET@host and https://user:SECRET@host, where a password may have a slash in it
		{begins: "://", isAt: isURL, reach: urlReach, kind: URL, find: inGroup(`\A://(?P<secret>`+inURL+`/?#]+)@`, isUserOfURL)},
		{begins: "://", isAt: isURL, kind: URL, find: inGroup(`\A://(?P<secret>`+inURL+`/?#:@]*:`+inURL+`]{1,96})@`, isNotPort)},

		// host:port:database:user:SECRET of PostgreSQL
		{begins: ":", isAt: isFirst, kind: Key, find: inGroup(`\A:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:(?P<secret>[^\s"'\\]+)(?:[\s"'\\]|\z)`, nil)},
		// user:SECRET of passwd
		{begins: ":", isAt: isFirst, kind: Token, vendor: "password hash",
			find: inGroup(`\A:(?P<secret>[./0-9A-Za-z]{13})(?::\d+:[^\s]*)?(?:[\s"'\\]|\z)`, isOpaque)},
		// user:realm:SECRET of htdigest, and user:id:SECRET:SECRET of Windows
		{begins: ":", isAt: isFirst, kind: Token, vendor: "password hash",
			find: inGroup(`\A:[^:\s]+:(?P<secret>[0-9A-Fa-f]{32}(?::[0-9A-Fa-f]{32})?)(?:[:\s"'\\]|\z)`, nil)},
	}
}

const userPassword = `\A[ \x00]-(?:u|U|-user|a|-auth|-proxy-user)[ \x00=]["']?[\w-]*(?:[@.][\w@.-]*)?[\w]:(?P<secret>[^\s/$"'\\;|][^\s"'\\;|]*)`

// ports match a host and a port, which are not a user and a password.
var ports = lazily(`\A[^:]*:\d{1,5}[/?#]`)

func isMarker(s *scanner, i int) bool { return markerEnd(s.text, i) > i }

func isFingerprint(s *scanner, i int) bool { return s.sessions.fingerprintEnd(s.text, i) > i }

func isOutsideCalls(s *scanner, i int) bool { return i >= s.callEnd }

// isBearer reports whether what follows Bearer is not a word.
func isBearer(v []byte) bool { return len(v) > 19 || bytes.ContainsAny(v, digits) }

// isPair reports whether what follows Basic may be a user and a password.
func isPair(v []byte) bool {
	plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(v[:len(v)&^3|len(v)%4], "=")))
	return len(v) >= sure/2 || err == nil && bytes.IndexByte(plain, ':') >= 0
}

// urlReach is how far the user of a URL reaches: temporary tokens are long.
const urlReach = 4 << 10

func isURL(s *scanner, i int) bool {
	return i > 0 && isAlnum(s.text[i-1]) && bytes.IndexByte(s.near(i, urlReach), '@') > 0
}

// isUserOfURL reports whether the user of a URL has a password, or is a token.
func isUserOfURL(v []byte) bool { return len(v) >= 16 || bytes.IndexByte(v, ':') >= 0 }

func isNotPort(v []byte) bool { return !ports().Match(v) }

// isFirst reports whether the colon at i is the first of its line, after one word.
func isFirst(s *scanner, i int) bool {
	if next := s.text[i+1]; !isAlnum(next) && strings.IndexByte("./*", next) < 0 {
		return false
	}
	start := s.back(i, 64, func(c byte) bool { return inName(c) || c == '@' || c == '*' })
	last := s.text[max(0, start-1)]
	return start < i && (start == s.floor || last == '\n' || isQuote(last) || last == '\\' && s.text[start] == 'n')
}
