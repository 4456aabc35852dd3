package redact

import (
	"bytes"
	"strconv"
	"strings"
)

// A shape is how the tokens of a vendor look: a prefix and at least so many characters
// of an alphabet.
type shape struct {
	vendor   string
	prefix   string
	alphabet byte // as in the table
	atLeast  int
	before   int // how many letters and digits stand before the prefix; it is an infix then
}

// shapes are those of the table, shapesFrom by the first two bytes of their prefixes.
var shapes, shapesFrom = func() (all []shape, by [1 << 10][]shape) {
	for row := range strings.SplitSeq(shapeTable, " ;") {
		vendor, rest, _ := strings.Cut(strings.TrimSpace(row), " ")
		for _, f := range strings.Fields(rest) {
			at := strings.LastIndexByte(f, '~')
			s := shape{vendor: strings.ReplaceAll(vendor, "_", " "), prefix: f[:at], alphabet: f[at+1]}
			s.atLeast, _ = strconv.Atoi(f[at+2:])
			before, infix, _ := strings.Cut(s.prefix, "~")
			if n, err := strconv.Atoi(before); err == nil && infix != "" {
				s.before, s.prefix = n, infix
			}
			all = append(all, s)
			g := gram(0, s.prefix[0], s.prefix[1])
			by[g] = append(by[g], s)
		}
	}
	return all, by
}()

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// alphabets are the characters of tokens, besides digits.
var alphabets = map[byte]string{'h': "ABCDEFabcdef", 'n': letters, 'u': letters[:26], 'w': letters + "_-", 'd': letters + "_-.", 'b': letters + "_-+/=.%:"}

// shape looks for a vendor's token that begins at i.
func (s *scanner) shape(i int) int {
	text := s.text
	for _, shape := range shapesFrom[gram(0, text[i], text[i+1])] {
		if text[i] != shape.prefix[0] || !bytes.HasPrefix(text[i:], []byte(shape.prefix)) {
			continue
		}
		start := i
		if shape.before > 0 {
			for start > max(s.floor, i-64) && isAlnum(text[start-1]) {
				start--
			}
			if i-start < shape.before || !bytes.ContainsAny(text[start:i], "0123456789") {
				continue
			}
			for start > max(s.floor, i-64) && isWord(text[start-1]) {
				start--
			}
		} else if i > s.floor && !starts(text, i) {
			continue
		}
		if n := shape.length(text[i+len(shape.prefix):]); n >= 0 {
			return s.make(edit{start, i + len(shape.prefix) + n, Token, marker(Token), shape.vendor})
		}
	}
	return i
}

// length is how much of text belongs to a token, or -1. What it is shows in its first
// 256 bytes.
func (s shape) length(text []byte) int {
	n, telling, alphabet := 0, s.atLeast == 0, "0123456789"+alphabets[s.alphabet]
	for n < min(len(text), sure) && strings.IndexByte(alphabet, text[n]) >= 0 {
		telling = telling || text[n] <= 'Z'
		n++
	}
	if n < s.atLeast || !telling || s.alphabet == 'u' && n != s.atLeast {
		return -1
	}
	for n < len(text) && (strings.IndexByte(alphabet, text[n]) >= 0 || isWord(text[n])) {
		n++
	}
	return len(bytes.TrimRight(text[:n], ".-"))
}

// looksMade reports whether a value looks like no word: it has digits or other signs
// among its letters, or capitals that no name has.
func looksMade(value []byte) bool {
	digits, letters, signs := 0, 0, 0
	head := value[:min(len(value), sure)]
	for i, c := range head {
		switch {
		case c == ' ':
			return false
		case '0' <= c && c <= '9':
			digits++
		case isLetter(c):
			letters++
		case bytes.IndexByte([]byte("!@#$%^&+~=?"), c) >= 0 && i+1 < len(head):
			signs++
		}
	}
	if len(value) < 6 || letters == 0 && digits < 12 || bytes.IndexByte([]byte("/.~<("), value[0]) >= 0 && signs == 0 && bytes.IndexByte(value, '/') >= 0 || bytes.Contains(head, []byte("://")) {
		return false
	}
	return digits > 0 && (letters > 0 || digits >= 12) || signs > 0 && len(value) >= 8 || len(value) >= 16 && isOpaque(value)
}

// isOpaque reports whether a value is neither made of words nor a number: letters of
// either case and digits change often in it.
func isOpaque(value []byte) bool {
	changes, n, last := 0, 0, byte(0)
	for _, c := range value[:min(len(value), sure)] {
		if !isAlnum(c) {
			continue
		}
		kind := c&0x60 | 1 // digits, capitals, others
		if n++; last != 0 && kind != last {
			changes++
		}
		last = kind
	}
	return changes*5 >= n && n >= 8
}

// runs match what may be opaque.
var runs = lazily(`[\w+/=-]{24,}`)

// opaqueRuns adds edits for the opaque runs of 24 characters and more in text from
// start to end.
func (r *Redactor) opaqueRuns(text []byte, start, end int) {
	for _, m := range runs().FindAllIndex(text[start:end], -1) {
		if from := start + m[0]; isOpaque(text[from:start+m[1]]) && r.sessions.fingerprintEnd(text, from) == from {
			r.edits = append(r.edits, edit{from, start + m[1], Opaque, marker(Opaque), ""})
		}
	}
}

func isCapital(text []byte) bool { return !bytes.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") }

func isDecimal(text []byte) bool { return len(bytes.Trim(text, "0123456789")) == 0 }
