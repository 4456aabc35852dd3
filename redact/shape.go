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

// shapes are those of the table.
var shapes = func() (all []shape) {
	for row := range strings.SplitSeq(shapeTable, " ;") {
		fields := strings.Fields(row)
		for _, f := range fields[1:] {
			at := strings.LastIndexByte(f, '~')
			s := shape{vendor: strings.ReplaceAll(fields[0], "_", " "), prefix: f[:at], alphabet: f[at+1]}
			if n := strings.IndexByte(s.prefix, '~'); n > 0 && n < 3 {
				s.before, _ = strconv.Atoi(s.prefix[:n])
				s.prefix = s.prefix[n+1:]
			}
			s.atLeast, _ = strconv.Atoi(f[at+2:])
			all = append(all, s)
		}
	}
	return all
}()

// shapesFrom are the shapes by the first two bytes of their prefixes.
var shapesFrom = func() (by [1 << 10][]shape) {
	for _, s := range shapes {
		g := gram(0, s.prefix[0], s.prefix[1])
		by[g] = append(by[g], s)
	}
	return by
}()

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
			return s.token(start, i+len(shape.prefix)+n, shape.vendor)
		}
	}
	return i
}

// length is how much of text belongs to a token, or -1. What it is shows in its first
// 256 bytes.
func (s shape) length(text []byte) int {
	n, telling := 0, s.atLeast == 0
	for n < min(len(text), sure) && inAlphabet(s.alphabet, text[n]) {
		telling = telling || text[n] <= 'Z'
		n++
	}
	switch {
	case n < s.atLeast || !telling:
		return -1
	case s.alphabet == 'u' && n != s.atLeast:
		return -1
	}
	for n < len(text) && (inAlphabet(s.alphabet, text[n]) || isWord(text[n])) {
		n++
	}
	return n - (len(text[:n]) - len(bytes.TrimRight(text[:n], ".-")))
}

// inAlphabet reports whether c may stand in a token.
func inAlphabet(alphabet, c byte) bool {
	switch alphabet {
	case 'h':
		return hexDigit(c) >= 0
	case 'n':
		return isAlnum(c)
	case 'u':
		return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
	case 'd':
		return isWord(c) || c == '.'
	case 'b':
		return isWord(c) || bytes.IndexByte([]byte("+/=.%:"), c) >= 0
	}
	return isWord(c)
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
	changes, n, last := 0, 0, 0
	for _, c := range value[:min(len(value), sure)] {
		kind := 0
		switch {
		case '0' <= c && c <= '9':
			kind = 1
		case 'a' <= c && c <= 'z':
			kind = 2
		case 'A' <= c && c <= 'Z':
			kind = 3
		}
		if kind == 0 {
			continue
		}
		if n++; last != 0 && kind != last {
			changes++
		}
		last = kind
	}
	return changes*5 >= n && n >= 8
}

// opaqueRuns adds edits for the opaque runs of 24 characters and more in text from
// start to end.
func (r *Redactor) opaqueRuns(found []edit, text []byte, start, end int) []edit {
	const least = 24
	for i := start; i < end; i++ {
		from := i
		for i < end && (isWord(text[i]) || text[i] == '+' || text[i] == '/' || text[i] == '=') {
			i++
		}
		if i-from >= least && isOpaque(text[from:i]) && r.sessions.fingerprintEnd(text, from) == from {
			found = append(found, edit{start: from, end: i, kind: Opaque, with: marker(Opaque)})
		}
	}
	return found
}

func isCapital(text []byte) bool { return !bytes.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") }

func isDecimal(text []byte) bool { return len(bytes.Trim(text, "0123456789")) == 0 }
