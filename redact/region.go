package redact

import (
	"bytes"
	"fmt"
	"regexp"
)

// open is what a text left open at its end, for the next one to go on with. Without a
// kind it is nothing.
type open struct {
	kind     Kind
	brackets []byte         // what closes them, of an environment or the like
	lines    *regexp.Regexp // matches the lines that belong to it
}

// keyLines match those of a private key.
var keyLines = lazily(`\A\s*(?:(?:Proc-Type|DEK-Info):.*|[A-Za-z0-9+/=]*)\s*\z|` + keyEnd)

// goOn replaces what belongs to what the text before left open, and returns where
// to go on.
func (s *scanner) goOn() int {
	o := s.open
	s.open = open{}
	text := bytes.TrimRight(s.text, "\r\n")
	first := len(text) - len(bytes.TrimLeft(text, " \t"))
	end := len(text)
	switch {
	case o.kind == "" || len(s.text) == 0:
		return 0
	case len(o.brackets) > 0:
		if c := s.text[0]; c > ' ' && bytes.IndexByte([]byte("])}"), c) < 0 {
			return 0
		}
		n, left := bracketsEnd(s.text, 0, o.brackets)
		if left != nil {
			s.open = open{kind: o.kind, brackets: left}
		} else if end = n; len(bytes.Trim(s.text[:end], " \t\r\n,)]}")) == 0 {
			return end
		}
	case !o.lines.Match(text):
		return 0
	default:
		if m := keyEnds().FindIndex(text); m != nil {
			end = m[1]
		} else {
			s.open = o
		}
	}
	if first >= end {
		return 0
	}
	return s.replace(first, end, o.kind)
}

// leave notes that what has begun may go on in the next text, if this is the end of a
// text of lines.
func (s *scanner) leave(o open) {
	if s.depth == 0 && bytes.HasSuffix(s.text, []byte("\n")) {
		s.Redactor.open = o
	}
}

// Brackets stand behind a name with a sign and types before them, behind one of an
// environment or headers with words, too.
var (
	pairBrackets  = lazily("\\A(?:\\\\*[\"'`]?(?:[\\w\\s.:=&*!<>(-]|\\\\+[\"'`]?|\\d\\)|" + types + ")*[\\[{]|[(])")
	otherBrackets = lazily("\\A\\\\*[\"'`]?(?:[\\s.:=&*!<>]|\\\\+[\"'`]?|" + types + ")*[\\[{]")
)

// calls end with the name of one variable or header.
var calls = lazily(`(?:Variable|Header)\z`)

const types = `\[(?:\w*|Object: null prototype)\]`

// region replaces the brackets with secrets that stand behind a name that ends at i,
// to their end: an environment or headers in a text that is no JSON. It returns where
// to go on, or back if there are none.
func (s *scanner) region(i int, kind Kind, back int) int {
	expression := otherBrackets
	if kind == Env || kind == Header {
		expression = pairBrackets
	}
	m := expression().FindSubmatchIndex(s.near(i, 64))
	if m == nil || bytes.Contains(s.text[i:i+m[1]], []byte("==")) {
		return back
	}
	at := i + m[1] - 1
	if at < s.regionTo || markerEnd(s.text, at) > at || at == i && s.text[at] == '(' && !calls().Match(s.text[max(0, i-8):i]) {
		return back
	}
	end, left := bracketsEnd(s.text, at+1, []byte{closer(s.text[at])})
	s.regionTo = end
	if !hasValue(s.text[at:end], kind) && (left == nil || len(bytes.TrimSpace(s.text[at+1:end])) > 0) {
		return back
	}
	if left != nil {
		end = len(bytes.TrimRight(s.text, "\r\n"))
		s.leave(open{kind: kind, brackets: left})
	}
	return s.replace(at, end, kind)
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

// Brackets may hold a secret if something in them is assigned, looks made, or stands in
// quotes: of an environment or headers behind a sign, else it needs none.
var (
	pairValues  = lazily("[A-Za-z0-9][=:][A-Za-z0-9]|[0-9][A-Za-z]|[A-Za-z][0-9]|(?s)[=:({].*[\"'`][^\\s\"'`\\\\]")
	otherValues = lazily("[A-Za-z0-9]=[A-Za-z0-9]|[0-9][A-Za-z]|[A-Za-z][0-9]|\"[^\\s\"\\\\]|'[^\\s'\\\\]|`[^\\s`\\\\]")
)

func hasValue(text []byte, kind Kind) bool {
	text = markers().ReplaceAll(text[1:], nil)
	if kind == Env || kind == Header {
		return pairValues().Match(text)
	}
	return otherValues().Match(text)
}

// blocks match how a block of YAML begins behind the sign.
var blocks = lazily(`\A *[|>][-+0-9]* *\r?(?:\n|\\n|\z)`)

// block replaces the lines of a block of YAML whose name begins at name.
func (s *scanner) block(i, name, back int) int {
	start := i + blocks().FindSubmatchIndex(s.near(i, 16))[1]
	before := s.text[max(s.floor, name-maxName):name]
	indent := len(before) - len(bytes.TrimRight(before, ` -"`))
	lines := regexp.MustCompile(fmt.Sprintf(`\A(?:[ \t]{%d}[ \t]*[^ \t\\\n](?:[^\\\n]|\\[^n])*(?:\n|\\n|\z)|[ \t]*\r?(?:\n|\\n))*`, indent+1))
	block := s.text[start : start+lines.FindIndex(s.text[start:])[1]]
	if start+len(block) == len(s.text) {
		s.leave(open{kind: Key, lines: regexp.MustCompile(fmt.Sprintf(`\A(?:[ \t]{%d}|\s*\z)`, indent+1))})
	}
	start += len(block) - len(bytes.TrimLeft(block, " \t\r\n"))
	if block = bytes.TrimSuffix(bytes.TrimSpace(block), []byte(`\n`)); len(block) == 0 {
		return back
	}
	return s.replace(start, start+len(block), Key)
}
