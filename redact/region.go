package redact

import (
	"bytes"

	"acpshim/wire"
)

// open is what a text left open at its end, for the next one to go on with. Without a
// kind it is nothing.
type open struct {
	kind     Kind
	brackets []byte // what closes them, of an environment or the like
	lines    bool   // lines of base64, of a private key
	indent   int    // of the name of a block, whose lines are indented more
}

// goOn replaces what belongs to what the text before left open, and returns where
// to go on.
func (s *scanner) goOn() int {
	o := s.open
	s.open = open{}
	text := bytes.TrimRight(s.text, "\r\n")
	first := len(text) - len(bytes.TrimLeft(text, " \t"))
	switch {
	case o.kind == "" || len(s.text) == 0:
	case o.lines:
		end := len(text)
		switch n := bytes.Index(text, []byte("-----END ")); {
		case n >= 0:
			end = pemEnd(text, n)
		case hasFold(text, "Private-MAC:"):
		case !isKeyLine(text):
			return 0
		default:
			s.open = o
		}
		if first < end {
			return s.replace(first, end, o.kind)
		}
	case len(o.brackets) > 0:
		if c := s.text[0]; c > ' ' && !closes(c) {
			return 0
		}
		end, left := bracketsEnd(s.text, 0, o.brackets)
		if left != nil {
			end, s.open = len(text), open{kind: o.kind, brackets: left}
		}
		if len(bytes.Trim(s.text[:end], " \t\r\n,)]}")) > 0 && first < end {
			return s.replace(first, end, o.kind)
		}
		return end
	case first > o.indent || first == len(text):
		s.open = o
		if first < len(text) {
			return s.replace(first, len(text), o.kind)
		}
	}
	return 0
}

// isKeyLine reports whether a line may be one of a private key in text.
func isKeyLine(line []byte) bool {
	if bytes.HasPrefix(line, []byte("Proc-Type:")) || bytes.HasPrefix(line, []byte("DEK-Info:")) {
		return true
	}
	for _, c := range bytes.TrimSpace(line) {
		if !isAlnum(c) && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return true
}

// leave notes that what has begun may go on in the next text, if this is the end of a
// text of lines.
func (s *scanner) leave(o open) {
	if s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.Redactor.open = o
	}
}

// region replaces the brackets with secrets that stand behind a name that ends at i,
// to their end: an environment or headers in a text that is no JSON. It returns where
// to go on, or back if there are none.
func (s *scanner) region(i int, kind Kind, back int) int {
	at := s.bracket(i, kind)
	if at < 0 || at < s.regionTo {
		return back
	}
	end, left := bracketsEnd(s.text, at+1, []byte{closer(s.text[at])})
	s.regionTo = end
	if left == nil && s.isHarmless(at, end, kind) || left != nil && len(bytes.TrimSpace(s.text[at+1:end])) > 0 && !hasValue(s.text[at:end], kind) {
		return back
	}
	if left != nil {
		end = len(bytes.TrimRight(s.text, "\r\n"))
		s.leave(open{kind: kind, brackets: left})
	}
	return s.replace(at, end, kind)
}

// bracket finds the bracket that a value begins with behind the name that ends at i,
// with a sign and names of types before it, or is -1.
func (s *scanner) bracket(i int, kind Kind) int {
	for at := i; at < min(len(s.text), i+linkReach); at++ {
		switch c := s.text[at]; {
		case c == '{' || c == '[':
			if end := markerEnd(s.text, at); end > at {
				return -1
			}
			if n := wordEnd(s.text, at+1); c == '[' && n < len(s.text) && s.text[n] == ']' && (at > i || n == at+1) { // []T, map[K]V
				at = n
				continue
			}
			if hasFold(s.text[at:], "[Object: null prototype]") { // as Node prints it
				at += len("[Object: null prototype]") - 1
				continue
			}
			return at
		case c == '(' && at == i && kind == Env && bytes.HasSuffix(s.text[:i], []byte("Variable")), c == '(' && at == i && kind == Header && bytes.HasSuffix(s.text[:i], []byte("Header")):
			return at
		case c == '(' && kind != Env && kind != Header, c == '=' && at+1 < len(s.text) && s.text[at+1] == '=':
			return -1
		case kind != Env && kind != Header && isAlnum(c):
			return -1
		case isQuote(c) && at > i+2 && s.text[at-1] != '\\':
			return -1
		case c > ' ' && !isWord(c) && bytes.IndexByte([]byte(`.:=&*!<>(\`), c) < 0 && !isQuote(c) && !(c == ')' && s.text[at-1] <= '9'):
			return -1
		}
	}
	return -1
}

// bracketsEnd returns the end of the brackets that are open at i, and what closes those
// that are still open at the end of the text. Brackets in quotes do not count.
func bracketsEnd(text []byte, i int, open []byte) (end int, left []byte) {
	open = bytes.Clone(open)
	const most = 1000
	for slashes := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			slashes++
			continue
		case isQuote(c) && (c == '"' || i-slashes == 0 || !isAlnum(text[i-slashes-1]) || text[i-1] == 'b'):
			s := scanner{text: text}
			i = s.closing(i+1, text[i-slashes:i+1]) + slashes
		case c == '{' || c == '[' || c == '(':
			if end := markerEnd(text, i); end > i {
				i = end - 1
			} else if len(open) < most {
				open = append(open, closer(c))
			}
		case len(open) > 0 && c == open[len(open)-1]:
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1, nil
			}
		}
		slashes = 0
	}
	return len(text), open
}

func closer(c byte) byte {
	if c == '(' {
		return ')'
	}
	return c + 2
}

func closes(c byte) bool { return c == ']' || c == '}' || c == ')' }

// hasValue reports whether there may be a secret in brackets: what stands in quotes behind a
// sign, looks made, or is assigned. Behind a name of a secret quotes need no sign.
func hasValue(text []byte, kind Kind) bool {
	sign := kind == Key || kind == Auth
	for i := 1; i+1 < len(text); i++ {
		c, next := text[i], text[i+1]
		switch before := text[i-1]; {
		case c == '[' && markerEnd(text, i) > i:
			i = markerEnd(text, i) - 1
		case (c == '=' || c == ':' && !sign) && isAlnum(before) && isAlnum(next),
			isQuote(c) && sign && next > ' ' && next != c && next != '\\', isAlnum(c) && isAlnum(next) && (c <= '9') != (next <= '9'):
			return true
		case c == '=' || c == ':' || c == '(' || c == '{':
			sign = true
		}
	}
	return false
}

// isHarmless reports whether brackets hold nothing to hide: what is no value, or an
// environment or headers in JSON that may all be told.
func (s *scanner) isHarmless(at, end int, kind Kind) bool {
	text := s.text[at:end]
	if !hasValue(text, kind) {
		return true
	}
	for range 3 {
		if n := bytes.IndexByte(text, '"'); n < 1 || text[n-1] != '\\' {
			break
		}
		plain, ok := wire.Text(append(append([]byte{'"'}, text...), '"'))
		if !ok {
			return false
		}
		text = []byte(plain)
	}
	if s.depth > maxDepth || kind != Env && kind != Header {
		return false
	}
	from := len(s.edits)
	n, err := s.walk(text, 0, s.depth, variables, kind)
	harmless := err == nil && n == len(text) && len(s.edits) == from
	s.edits = s.edits[:from]
	return harmless
}

// blocks match how a block of YAML begins behind the sign.
var blocks = lazily(`^ *[|>][-+0-9]* *\r?(?:\n|\\n|$)`)

// block replaces the lines of a block of YAML whose name begins at name.
func (s *scanner) block(i, name, back int) int {
	newline := []byte("\n")
	n := bytes.IndexByte(s.text[i:], '\n')
	if n < 0 {
		newline = []byte(`\n`)
		if n = bytes.Index(s.text[i:], newline); n < 0 {
			return back
		}
	}
	indent := 0
	for at := name - 1; at >= max(s.floor, name-maxName) && (s.text[at] == ' ' || s.text[at] == '-' || s.text[at] == '"'); at-- {
		indent++
	}
	start := i + n + len(newline)
	end := start
	for end < len(s.text) {
		line := s.text[end:]
		size := len(line)
		if n := bytes.Index(line, newline); n >= 0 {
			size = n + len(newline)
			line = line[:n]
		}
		if blank := len(line) - len(bytes.TrimLeft(line, " \t")); blank <= indent && blank < len(bytes.TrimRight(line, "\r")) {
			break
		}
		end += size
	}
	if end == len(s.text) {
		s.leave(open{kind: Key, indent: indent})
	}
	for start < end && s.text[start] <= ' ' {
		start++
	}
	if end = start + len(bytes.TrimRight(s.text[start:end], " \r\n\\")); bytes.HasSuffix(s.text[start:end], []byte(`\n`)) {
		end -= 2
	}
	if start >= end {
		return back
	}
	return s.replace(start, end, Key)
}
