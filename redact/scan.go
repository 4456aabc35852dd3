package redact

import (
	"bytes"
	"strings"
)

// grams say what may begin with three bytes, by the lowest five bits of each: bits for
// what (*scanner).at calls.
type grams [1 << 15]uint8

const (
	lookSession uint8 = 1 << iota
	lookCommand
	lookPath
	lookJSON
	lookKept
	lookSpecial
	lookShape
	lookName
)

func gram(a, b, c byte) uint { return uint(a&31)<<10 | uint(b&31)<<5 | uint(c&31) }

func (g *grams) add(look uint8, begins ...string) {
	for _, begin := range begins {
		switch {
		case len(begin) > 2:
			g[gram(begin[0], begin[1], begin[2])] |= look
		case len(begin) == 2:
			for c := range byte(32) {
				g[gram(begin[0], begin[1], c)] |= look
			}
		}
	}
}

// baseGrams are those of all that is always looked for.
var baseGrams = func() (g grams) {
	g.add(lookName, stems...)
	for _, s := range shapes {
		g.add(lookShape, s.prefix)
	}
	g.add(lookJSON, `{"`, "{ ", "{\n", "{\r", "{\t")
	g.add(lookKept, "[re", "ses")
	for _, f := range forms {
		g.add(lookSpecial, strings.Fields(f.grams)...)
	}
	g.add(lookSpecial, " -u", " -a", " --")
	for c := range byte(32) {
		if c != ' '&31 && c != '"'&31 && c != '/' {
			g.add(lookSpecial, ":"+string([]byte{c}))
		}
	}
	for name := range commands {
		g.add(lookCommand, name)
	}
	return g
}()

// A scanner looks for secrets in a text from its beginning to its end, once.
type scanner struct {
	*Redactor
	text  []byte
	depth int // how many strings around
	floor int // what stands before it was replaced, and is not looked back at

	// What begins before these was read, or is none.
	notJSON, nameEnd, callEnd, wordsTo, regionTo, runEnd int
}

// scan leaves the edits that text needs.
func (r *Redactor) scan(text []byte, depth int) {
	s := &r.scanners[depth]
	*s = scanner{Redactor: r, text: text, depth: depth}
	i := 0
	if depth == 0 {
		i = s.goOn()
	}
	for i+2 < len(text) {
		g := gram(0, text[i], text[i+1])
		for rest := text[i+2:]; len(rest) > 0; rest = rest[1:] { // as long as nothing begins
			if g = (g<<5 | uint(rest[0]&31)) & (1<<15 - 1); r.grams[g] != 0 {
				break
			}
			i++
		}
		if i+2 < len(text) {
			i = max(i+1, s.at(i, r.grams[g]))
		}
	}
	r.also(text)
}

// at looks for what may begin at i, and returns where to go on. Each reader does so, too,
// and returns i for nothing; they are in the order of the bits.
func (s *scanner) at(i int, look uint8) int {
	for bit, read := range [...]func(*scanner, int) int{(*scanner).session, (*scanner).called, (*scanner).path, (*scanner).json,
		(*scanner).kept, (*scanner).special, (*scanner).shape, (*scanner).named} {
		if look>>bit&1 != 0 {
			if n := read(s, i); n > i {
				return n
			}
		}
	}
	return i
}

// near is the text from i on, as far as it is looked at.
func (s *scanner) near(i, n int) []byte { return s.text[i:min(len(s.text), i+n)] }

// replace makes a span a marker, if it is none yet, and returns where to go on.
func (s *scanner) replace(start, end int, kind Kind) int {
	return s.make(edit{start, end, kind, marker(kind), ""})
}

func (s *scanner) make(e edit) int {
	if n := markerEnd(s.text, e.start); n > e.start {
		s.floor = n
	} else {
		s.edits = append(s.edits, e)
		s.floor = e.end
	}
	return s.floor
}

// kept keeps markers and fingerprints.
func (s *scanner) kept(i int) int {
	n := max(markerEnd(s.text, i), s.sessions.fingerprintEnd(s.text, i))
	if n > i {
		s.floor = n
	}
	return n
}

// objects match how an object of JSON begins, as far as that is near.
var objects = lazily(`\A\{\s*"(?:[^"\\]|\\.)*(?:\\?\z|"\s*(?::|\z))`)

// json reads the JSON object that may begin at i.
func (s *scanner) json(i int) int {
	if rest := bytes.TrimLeft(s.near(i+1, 64), " \t\r\n"); s.text[i] != '{' || len(rest) == 0 || rest[0] != '"' || i < s.notJSON || s.depth > maxDepth || !objects().Match(s.near(i, sure)) {
		return i
	}
	from := len(s.edits)
	end, err := s.walk(s.text, i, s.depth, message, "")
	if err != nil {
		s.edits = s.edits[:from]
		s.notJSON = end
		return i
	}
	s.floor = end
	return end
}
