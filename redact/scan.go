package redact

import (
	"bytes"
	"strings"
)

// grams say what may begin with three bytes, by the lowest five bits of each.
type grams [1 << 15]uint8

const (
	lookName    uint8 = 1 << iota // a stem of a name
	lookShape                     // a vendor's prefix
	lookSign                      // what (*scanner).sign knows
	lookPath                      // a home folder
	lookSession                   // a session id
	lookCommand                   // a program that takes secrets
	lookSpecial                   // what (*scanner).special knows
)

func gram(a, b, c byte) uint { return uint(a&31)<<10 | uint(b&31)<<5 | uint(c&31) }

func (g *grams) add(begin string, look uint8) {
	switch {
	case len(begin) > 2:
		g[gram(begin[0], begin[1], begin[2])] |= look
	case len(begin) == 2:
		for c := range byte(32) {
			g[gram(begin[0], begin[1], c)] |= look
		}
	}
}

// baseGrams are those of all that is always looked for.
var baseGrams = func() (g grams) {
	for _, stem := range stems {
		g.add(stem, lookName)
	}
	for _, s := range shapes {
		g.add(s.prefix, lookShape)
	}
	for _, begin := range []string{"://", `{"`, "{ ", "{\n", "{\r", "{\t", "[re", "ses", "---"} {
		g.add(begin, lookSign)
	}
	for _, f := range forms {
		for _, begin := range strings.Fields(f.grams) {
			g.add(begin, lookSpecial)
		}
	}
	g.add("Pri", lookSign)
	for c := range byte(32) {
		if c != 0 && c != 2 && c != 15 { // space, quote, slash
			g.add(":"+string([]byte{c}), lookSpecial)
		}
	}
	for name := range commands {
		g.add(name, lookCommand)
	}
	for _, flag := range []string{" -u", " -a", " --"} {
		g.add(flag, lookSpecial)
	}
	return g
}()

// A scanner looks for secrets in a text from its beginning to its end, once.
type scanner struct {
	*Redactor
	text    []byte
	depth   int // how many strings around
	floor   int // what stands before it was replaced, and is not looked back at
	notJSON int // no JSON object begins before it

	nameEnd  int // names were looked at up to it
	valueEnd int // no quote of the last value stands before it

	callEnd  int    // calls of programs were read up to it
	planned  []edit // what is to be replaced further on, unless it is before
	wordsTo  int    // no JSON web token begins before it
	regionTo int    // no brackets with secrets begin before it
}

// scan leaves the edits that text needs.
func (r *Redactor) scan(text []byte, depth int) {
	from := len(r.edits)
	s := &r.scanners[depth]
	*s = scanner{Redactor: r, text: text, depth: depth}
	i := 0
	if depth == 0 {
		i = s.goOn()
	}
	for i+2 < len(text) {
		if len(s.planned) > 0 && i >= s.planned[0].start {
			i = max(i, s.carryOut(from))
			continue
		}
		g := gram(0, text[i], text[i+1])
		for rest := text[i+2:]; len(rest) > 0; rest = rest[1:] { // as long as nothing begins
			if g = (g<<5 | uint(rest[0]&31)) & (1<<15 - 1); r.grams[g] != 0 {
				break
			}
			i++
		}
		if i+2 < len(text) && (len(s.planned) == 0 || i < s.planned[0].start) {
			i = max(i+1, s.at(i, r.grams[g]))
		}
	}
	for len(s.planned) > 0 {
		s.carryOut(from)
	}
	r.also(text, from)
}

// carryOut makes the first edit that is planned, as far as the edits since from
// have not done so, and returns where to go on.
func (s *scanner) carryOut(from int) int {
	e := s.planned[0]
	s.planned = s.planned[1:]
	if n := len(s.edits); n > from {
		e.start = max(e.start, s.edits[n-1].end)
	}
	if e.start >= e.end {
		return e.end
	}
	return s.replaceWith(e.start, e.end, e.kind, e.with)
}

// at looks for what may begin at i, and returns where to go on.
func (s *scanner) at(i int, look uint8) int {
	if look&lookSession != 0 {
		if n := s.sessions.end(s.text, i); n > i {
			return s.replaceWith(i, n, Session, s.sessions.fingerprint(string(s.text[i:n])))
		}
	}
	n := i
	switch {
	case look&lookPath != 0 && found(&n, i, s.path(i)), look&lookSign != 0 && found(&n, i, s.sign(i)),
		look&lookSpecial != 0 && found(&n, i, s.special(i)), look&lookShape != 0 && found(&n, i, s.shape(i)),
		look&lookName != 0 && found(&n, i, s.named(i)), look&lookCommand != 0 && found(&n, i, s.called(i)):
		return n
	}
	return i
}

// found notes where to go on, and reports whether that is further than i.
func found(n *int, i, end int) bool {
	*n = end
	return end > i
}

// sign looks for what is known by a sign.
func (s *scanner) sign(i int) int {
	switch s.text[i] {
	case '{':
		return s.json(i)
	case '[':
		if n := markerEnd(s.text, i); n > i {
			return s.keep(n)
		}
	case ':':
		if s.text[i+1] == '/' && s.text[i+2] == '/' {
			return s.url(i)
		}
	case '-', 'P':
		return s.privateKey(i)
	case fingerprintPrefix[0]:
		if n := s.sessions.fingerprintEnd(s.text, i); n > i {
			return s.keep(n)
		}
	}
	return i
}

// replace makes a span a marker, if it is none yet, and returns where to go on.
func (s *scanner) replace(start, end int, kind Kind) int {
	return s.make(edit{start, end, kind, marker(kind), ""})
}

func (s *scanner) replaceWith(start, end int, kind Kind, with string) int {
	return s.make(edit{start, end, kind, with, ""})
}

// token replaces what is known by its shape.
func (s *scanner) token(start, end int, vendor string) int {
	return s.make(edit{start, end, Token, marker(Token), vendor})
}

func (s *scanner) make(e edit) int {
	if n := markerEnd(s.text, e.start); n > e.start {
		return s.keep(n)
	}
	s.edits = append(s.edits, e)
	return s.keep(e.end)
}

// keep goes on behind what is no secret any more.
func (s *scanner) keep(end int) int {
	s.floor = end
	return end
}

// isMember reports whether an object's bracket before i has a name and a colon behind it, as
// far as that is near.
func (s *scanner) isMember(i int) bool {
	near := s.text[i:min(len(s.text), i+sure)]
	name := bytes.TrimLeft(near, " \t\r\n")
	if len(name) == 0 || name[0] != '"' {
		return false
	}
	for i := 1; i < len(name); i++ {
		if name[i] == '\\' {
			i++
		} else if name[i] == '"' {
			rest := bytes.TrimLeft(name[i+1:], " \t\r\n")
			return len(rest) == 0 || rest[0] == ':'
		}
	}
	return len(near) == sure
}

// json reads the JSON object that may begin at i.
func (s *scanner) json(i int) int {
	if i < s.notJSON || s.depth > maxDepth {
		return i
	}
	if !s.isMember(i + 1) {
		return i
	}
	from := len(s.edits)
	end, err := s.walk(s.text, i, s.depth, message, "")
	if err != nil {
		s.edits = s.edits[:from]
		s.notJSON = end
		return i
	}
	return s.keep(end)
}
