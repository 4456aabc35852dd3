package redact

import "bytes"

// open is what a text left open at its end, for the next one to go on with: lines that are
// indented more than a name, or, with -1, those of a private key. Without a kind it is nothing.
type open struct {
	kind   Kind
	indent int
}

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
	return s.lines(len(s.text)-len(bytes.TrimLeft(s.text, " \t\r\n")), 0, o, 0)
}

// lines replaces what begins at start through the end of the lines from i on, and returns where
// to go on, or back if that is nothing.
func (s *scanner) lines(start, i int, o open, back int) int {
	if end := s.through(i, o); end > start {
		return s.replace(start, end, o.kind)
	}
	return back
}

// through returns the end of the line at i and of those behind it that belong to what is open.
// It stays so at the end of a text of lines.
func (s *scanner) through(i int, o open) int {
	end := i
	for line := range bytes.Lines(s.text[i:]) {
		if end > i && !o.has(line) {
			break
		}
		if o.indent < 0 {
			if m := keyEnds().FindIndex(line); m != nil {
				return end + m[1]
			}
		}
		end += len(line)
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

// region replaces what stands in brackets behind a name that ends at i, through the end of its
// lines: an environment or headers in a text that is no JSON. It returns where to go on, or
// back if there is no secret in them.
func (s *scanner) region(n name, i int, kind Kind, back int) int {
	brackets, values := otherBrackets, otherValues
	if kind == Env || kind == Header {
		brackets, values = pairBrackets, pairValues
	}
	near := s.near(i, 64)
	if !bytes.ContainsAny(near, "[{(") {
		return back
	}
	m := brackets().FindIndex(near)
	if m == nil || bytes.Contains(s.text[i:i+m[1]], []byte("==")) {
		return back
	}
	at := i + m[1] - 1
	if at < s.regionTo || markerEnd(s.text, at) > at || at == i && s.text[at] == '(' && !calls().Match(s.text[max(0, i-8):i]) {
		return back
	}
	depth, end := 0, at
	for ; end == at || end < len(s.text) && depth > 0; end++ {
		switch s.text[end] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		}
	}
	s.regionTo = end
	isOpen := depth > 0 && len(bytes.TrimSpace(s.text[at+1:end])) == 0
	if !isOpen && !values().Match(withoutMarkers(s.text[at+1:end])) {
		return back
	}
	return s.lines(at, at, s.below(n, kind), back)
}
