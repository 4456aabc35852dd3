package redact

import (
	"bytes"
)

// A link is what stands between a name and its value.
type link struct {
	at     int  // where the value begins, or the space before it
	sign   byte // '=', ':', 'x' for ==, ',', '(', '|', '<' behind tags, '>' in an element, ' ', or 0 for none
	quoted bool // the name is in quotes
	spaced bool // there is space before the sign
}

// linkReach is how far behind a name its value may begin, in bytes.
const linkReach = 64

// link reads what stands behind a name that ends at i.
func (s *scanner) link(i int) (l link) {
	limit := min(len(s.text), i+linkReach)
	for l.at = i; l.at < limit; {
		c := s.text[l.at]
		if n := s.skip(l.at); n > l.at {
			l.spaced = l.spaced || c == ' ' || c == '\t'
			l.at = n
			continue
		}
		n, quote := quoteEnd(s.text, l.at)
		switch {
		case quote != 0 && l.spaced && !l.quoted: // password 'x'
			l.sign = ' '
			return l
		case quote != 0:
			l.quoted = true
			l.at = n
		case c == ']' && l.at > i, c == '*' && !l.spaced, c == '?', c == '!', c == '\x00', c == ')' && l.quoted:
			if l.sign = ','; c == ')' {
				return link{}
			}
			l.sign = 0
			l.at++
		case c == '%' && hasFold(s.text[l.at:], "%3d"), c == '%' && hasFold(s.text[l.at:], "%3a"):
			l.sign, l.at = ':', l.at+3
			return l
		case c == ':' || c == '=' || c == '-' && hasFold(s.text[l.at:], "->"):
			l.sign = ':'
			if c == '=' {
				l.sign = '='
			}
			for l.at++; l.at < limit && (s.text[l.at] == '=' || s.text[l.at] == '>' || s.text[l.at] == ':'); l.at++ {
				if s.text[l.at] == '=' && c == '=' || i < l.at-1 && s.text[l.at-2] == '!' {
					l.sign = 'x'
				}
				if s.text[l.at] == '=' && c == ':' {
					l.spaced = true
				}
			}
			return l
		case c == ',' && l.quoted, c == '(' && !l.spaced && !l.quoted, c == '|':
			l.sign = c
			l.at++
			return l
		case c == '>':
			l.sign = '>'
			l.at++
			return l
		case c == 0xe2 && bytes.HasPrefix(s.text[l.at:], []byte("│")):
			l.sign = '|'
			l.at += len("│")
			return l
		case c == '<':
			l.sign = '<'
			for l.at < limit && s.text[l.at] == '<' {
				n := bytes.IndexByte(s.text[l.at:limit], '>')
				if n < 0 {
					return link{}
				}
				for l.at += n + 1; l.at < limit && s.text[l.at] <= ' '; {
					l.at++
				}
			}
			return l
		default:
			if l.spaced || l.at > i && !l.quoted {
				l.sign = ' '
			}
			return l
		}
	}
	return link{}
}

// valueWord finds the value that stands apart from its name: name: X, value: y, in
// any syntax. It begins behind the name's end.
func (s *scanner) valueWord(i int) (at int, ok bool) {
	limit := min(len(s.text), i+linkReach)
	if n := bytes.Index(s.text[i:limit], []byte("value=")); n > 0 && !bytes.ContainsAny(s.text[i:i+n], ">\n{}") {
		return i + n + len("value="), true
	}
	separators := []byte(" \t\r\n\"'`\\,;nr-")
	for i < limit && bytes.IndexByte(separators, s.text[i]) >= 0 {
		i++
	}
	for _, word := range []string{"value", "val", "content", "secretvalue", "stringvalue", "default"} {
		if !hasFold(s.text[i:], word) {
			continue
		}
		for i += len(word); i < limit && (isQuote(s.text[i]) || s.text[i] == '\\' || s.text[i] == ' '); i++ {
		}
		if i < limit && (s.text[i] == '=' || s.text[i] == ':') {
			return i + 1, true
		}
		break
	}
	return 0, false
}

// skip returns the end of the space or the terminal's colour that begins at i, or i.
func (s *scanner) skip(i int) int {
	if c := s.text[i]; c == ' ' || c == '\t' {
		return i + 1
	}
	start := i
	for _, escape := range []string{"\x1b[", `\u001b[`, `\x1b[`, `\033[`, `\e[`, `^[[`} {
		if bytes.HasPrefix(s.text[i:], []byte(escape)) {
			for i += len(escape); i < min(len(s.text), start+24); i++ {
				if isLetter(s.text[i]) {
					return i + 1
				}
			}
		}
	}
	return start
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// quoteEnd returns the end of the quote that begins at i, and which it is: with the
// backslashes before it, or as an entity of HTML. It is 0 for none.
func quoteEnd(text []byte, i int) (end int, quote byte) {
	for end = i; end < min(len(text), i+64) && text[end] == '\\'; {
		end++
	}
	if end < len(text) && isQuote(text[end]) {
		return end + 1, text[end]
	}
	for _, entity := range []string{"&quot;", "&#34;", "&#39;", "&apos;", "%22"} {
		if bytes.HasPrefix(text[i:], []byte(entity)) {
			return i + len(entity), entity[0]
		}
	}
	return i, 0
}

// A value is one in the text, without its quotes.
type value struct {
	start, end int
	quoted     bool
	spaced     bool // there is space before it
	called     bool // it is a function's name, or has a part that is
	last       bool // nothing stands behind it in its line
}

// sure is how long a value is that is no word; it need not be read to its end for that.
const sure = 256

// value reads the value that begins at i, or behind space, in the same line.
func (s *scanner) value(i int) (v value) {
	v.start = i
	for v.start < min(len(s.text), i+32) {
		n := s.skip(v.start)
		if bytes.HasPrefix(s.text[v.start:], []byte("**")) {
			n += 2
		} else if bytes.HasPrefix(s.text[v.start:], []byte("</")) {
			n += bytes.IndexByte(s.text[v.start:min(len(s.text), v.start+16)], '>') + 1
		}
		if n == v.start {
			break
		}
		v.start, v.spaced = n, true
	}
	if v.start+1 < len(s.text) && isLetter(s.text[v.start]) && isQuote(s.text[v.start+1]) { // b'x'
		v.start++
	}
	if inner, quote := quoteEnd(s.text, v.start); quote != 0 {
		v.quoted = true
		opening := s.text[v.start:inner]
		v.start, v.end = inner, s.closing(inner, opening)
		return v
	}
	v.end = max(v.start, min(s.valueEnd, len(s.text)))
	for v.end < len(s.text) && s.text[v.end] > ' ' && !s.ends(v.start, v.end) {
		v.end++
	}
	s.valueEnd = v.end
	if v.end < len(s.text) && (s.text[v.end] == '(' || s.text[v.end] == '[' && markerEnd(s.text, v.end) == v.end) {
		v.called = true
	}
	at := v.end
	for at < min(len(s.text), v.end+8) && (s.text[at] == ' ' || s.text[at] == '\r' || s.text[at] == '\t') {
		at++
	}
	v.last = at == len(s.text) || s.text[at] == '\n' || isQuote(s.text[at]) || s.text[at] == '\\' || s.text[at] == '#' || s.text[at] == '\x1b'
	return v
}

// closing returns where the quote that was opened so is closed: before the same quote with
// as many backslashes, or where a string around it ends, or at the line's end.
func (s *scanner) closing(i int, opening []byte) int {
	if opening[0] == '&' || opening[0] == '%' {
		if n := bytes.Index(s.text[i:], opening); n >= 0 {
			return i + n
		}
		return len(s.text)
	}
	depth, quote := len(opening)-1, opening[len(opening)-1]
	for end := i; end < len(s.text); end++ {
		run := end
		for run < len(s.text) && s.text[run] == '\\' {
			run++
		}
		if run == len(s.text) || s.text[run] == '\n' && quote != '`' {
			return run
		}
		if s.text[run] == quote {
			switch slashes := run - end; {
			case slashes < depth:
				return end
			case slashes%(2*depth+2) == depth:
				return run - depth
			}
		}
		end = run
	}
	return len(s.text)
}

// ends reports whether a value without quotes that began at start ends before i.
func (s *scanner) ends(start, i int) bool {
	next := byte(' ')
	if i+1 < len(s.text) {
		next = s.text[i+1]
	}
	switch c := s.text[i]; c {
	case '"', '\'', '`', '<', '|', 0x1b:
		return true
	case ',', ';', '&':
		if next <= ' ' || isQuote(next) || next == '\\' || next == '/' || next == '}' || next == ']' || next == ')' {
			return true
		}
		end := wordEnd(s.text[:min(len(s.text), i+33)], i+1)
		return end > i+1 && end < len(s.text) && (s.text[end] == '=' || s.text[end] == ':') || c == '&' && hasFold(s.text[i:], "&quot;")
	case ')', ']', '}', '>':
		return next <= ' ' || bytes.IndexByte([]byte(`,;)]}>"'<\:.`), next) >= 0 || isQuote(next)
	case '(', '[', '{':
		return i == start || s.text[i-1] != '$' && isName(s.text[start:i])
	case '\\':
		return isQuote(next) || next == '\\' || next == 'n' || next == 'r' || next == 't' || next == 'u'
	}
	return false
}

// isName reports whether text is one of a program: letters, dots and underscores.
func isName(text []byte) bool {
	for _, c := range text[:min(len(text), maxName)] {
		if !isLetter(c) && c != '.' && c != '_' && c != ':' && c != '$' {
			return false
		}
	}
	return true
}

func hasFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}

// wordEnd returns the end of the letters, digits, _ and - from i on.
func wordEnd(text []byte, i int) int {
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}
