package redact

import (
	"bytes"
	"strings"
)

// open is what a text left open at its end, for the next one to go on with: lines that are
// indented more than a name, or, with -1, those of a private key. Without a kind it is nothing.
type open struct {
	kind   Kind
	indent int
}

var (
	keyEnds  = lazily(`-----END .{0,60}?-----|Private-MAC:[^\n\\"]*`) // of OpenSSL, PGP or PuTTY
	keyLines = lazily(`\A\s*(?:[\w-]+:.*|-----END.*|[A-Za-z0-9+/=]*)\s*\z`)
)

// has reports whether a line belongs to what is open.
func (o open) has(line []byte) bool {
	if o.indent < 0 {
		return keyLines().Match(line)
	}
	text := bytes.TrimLeft(line, " \t\r\n")
	return len(text) == 0 || len(line)-len(text) > o.indent
}

// goOn replaces what belongs to what the text before left open, and returns where to go on.
func (s *scanner) goOn() int {
	o := s.open
	s.open = open{}
	first, _, _ := bytes.Cut(s.text, []byte("\n"))
	if o.kind == "" || !o.has(first) {
		return 0
	}
	return s.replace(len(s.text)-len(bytes.TrimLeft(s.text, " \t\r\n")), s.through(0, o), o.kind)
}

// through returns the end of the line at i and of those behind it that belong to what is open.
// It stays so at the end of a text of lines.
func (s *scanner) through(i int, o open) int {
	end := len(s.text)
	if o.indent < 0 { // a private key ends with its last line, whatever stands around its lines
		if m := keyEnds().FindIndex(s.text[i:]); m != nil {
			return i + m[1]
		}
	} else {
		end = i
		for line := range bytes.Lines(s.text[i:]) {
			if end > i && !o.has(line) {
				break
			}
			end += len(line)
		}
	}
	if end == len(s.text) && s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.open = o
	}
	return i + len(bytes.TrimRight(s.text[i:end], "\r\n"))
}

// below is what is left open by a name: the lines that are indented more than the one it stands in.
func (s *scanner) below(n name, kind Kind) open {
	before := s.text[max(s.floor, n.start-maxName):n.start]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return open{kind, len(line) - len(bytes.TrimLeft(line, " \t-\""))}
}

// Brackets stand behind a name with a sign and types before them, behind one of an
// environment or headers with words, too. They may hold a secret if something in them is
// assigned, looks made, or stands in quotes: of an environment or headers behind a sign.
const (
	types  = `\[(?:\w*|Object: null prototype)\]`
	inside = `[A-Za-z0-9]=[A-Za-z0-9]|[0-9][A-Za-z]|[A-Za-z][0-9]|`
)

var (
	pairBrackets  = lazily("\\A(?:\\\\*[\"'`]?(?:[\\w\\s.:=&*!<>(-]|\\\\+[\"'`]?|\\d\\)|" + types + ")*[\\[{]|[(])")
	otherBrackets = lazily("\\A\\\\*[\"'`]?(?:[\\s.:=&*!<>]|\\\\+[\"'`]?|" + types + ")*[\\[{]")
	pairValues    = lazily(inside + "[A-Za-z0-9]:[A-Za-z0-9]|(?s)[=:({].*[\"'`][^\\s\"'`\\\\]")
	otherValues   = lazily(inside + "\"[^\\s\"\\\\]|'[^\\s'\\\\]|`[^\\s`\\\\]")
	// calls end with the name of one variable or header.
	calls = lazily(`(?:Variable|Header)\z`)
	// blocks match how a block of YAML begins behind the sign.
	blocks = lazily(`\A *[|>][-+0-9]* *\r?(?:\n|\\n|\z)\s*`)
)

// region replaces the brackets behind a name that ends at i: an environment or headers in a text
// that is no JSON. What is not closed goes to the end of the text. It returns where to go on, or
// 0 if there is no secret in them.
func (s *scanner) region(n name, i int, kind Kind) int {
	brackets, values := otherBrackets, otherValues
	if kind == Env || kind == Header {
		brackets, values = pairBrackets, pairValues
	}
	m := brackets().FindIndex(s.near(i, 64))
	if m == nil {
		return 0
	}
	at := i + m[1] - 1
	if at < s.regionTo || at == n.end && s.text[at] == '[' || at == i && s.text[at] == '(' && !calls().Match(s.text[max(0, i-8):i]) {
		return 0
	}
	end, closed := bracketsEnd(s.text, at)
	s.regionTo = end
	inside := bytes.TrimSpace(withoutMarkers(s.text[at+1 : end]))
	if len(inside) > 0 && !values().Match(inside) {
		return 0
	}
	if !closed && s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.open = s.below(n, kind)
	}
	return s.replace(at, len(bytes.TrimRight(s.text[:end], "\r\n")), kind)
}

// bracketsEnd returns the end of the brackets that begin at i, and whether they are closed before
// the text ends. Brackets in quotes do not count.
func bracketsEnd(text []byte, i int) (end int, closed bool) {
	var open []byte
	for slashes := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			slashes++
			continue
		case isQuote(c) && (c == '"' || i == slashes || !isAlnum(text[i-slashes-1]) || text[i-1] == 'b'):
			s := scanner{text: text}
			i = s.closing(i+1, text[i-slashes:i+1]) + slashes
		case strings.IndexByte("{[(", c) >= 0 && len(open) < 1000:
			open = append(open, "}])"[strings.IndexByte("{[(", c)])
		case len(open) > 0 && c == open[len(open)-1]:
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1, true
			}
		}
		slashes = 0
	}
	return len(text), false
}
