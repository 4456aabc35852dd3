package redact

import (
	"bytes"
	"slices"
)

// triggers are the pairs of bytes at which something may be found.
type triggers [1 << 10]uint64

func (t *triggers) has(a, b byte) bool {
	p := uint(a)<<8 | uint(b)
	return t[p>>6]>>(p&63)&1 != 0
}

func (t *triggers) add(a, b byte) {
	p := uint(a)<<8 | uint(b)
	t[p>>6] |= 1 << (p & 63)
}

// newTriggers returns the triggers of all that is always looked for.
func newTriggers(home, user string) triggers {
	var t triggers
	for b := range 256 {
		t.add(':', byte(b))
		t.add('=', byte(b))
	}
	for _, b := range []byte(" \t\r\n\"") {
		t.add('{', b)
	}
	for _, pair := range []string{"[r", "--", "-h", "-H", "-u", "-U", "-p", "-a", "pa", "/h", "/H", "/u", "/U", `\h`, `\H`, `\u`, `\U`, "%2", "%5",
		fingerprintPrefix[:2], "be", "Be", "BE", "ba", "Ba", "BA", "En", "Ht", "He", "[{"} {
		t.add(pair[0], pair[1])
	}
	for i := range t {
		t[i] |= tokens[i]
	}
	if home != "" {
		for _, first := range []byte{upper(home[0]), lower(home[0])} {
			for _, second := range []byte{upper(home[1]), lower(home[1]), '/', '\\', '%'} {
				t.add(first, second)
			}
		}
	}
	if user != "" {
		for _, first := range []byte{upper(user[0]), lower(user[0]), '%'} {
			t.add('/', first)
			t.add('\\', first)
		}
	}
	return t
}

// A scanner looks for secrets in a text from its beginning to its end.
type scanner struct {
	*Redactor
	text    []byte
	depth   int // how many strings around
	floor   int // what stands before it was replaced, and is not looked back at
	notJSON int // no JSON object begins before it

	// The ends of the last values that were looked at: one that begins before ends there.
	valueEnd, quoteEnd int

	authenticates bool // the method before was one that sends credentials

	planned  []edit // what is to be replaced further on, unless it is before
	pairsEnd int    // pairs were read up to it
}

// scan leaves the edits that text needs.
func (r *Redactor) scan(text []byte, depth int) {
	from := len(r.edits)
	s := &r.scanners[depth]
	*s = scanner{Redactor: r, text: text, depth: depth}
	if depth == 0 {
		open := r.left
		r.left = openPairs{}
		s.goOn(open)
	}
	for i := 0; i+1 < len(text); {
		if len(s.planned) > 0 && i >= s.planned[0].start {
			i = max(i, s.carryOut(from))
			continue
		}
		if !r.triggers.has(text[i], text[i+1]) {
			i++
			continue
		}
		i = max(i+1, s.at(i))
	}
	for len(s.planned) > 0 {
		s.carryOut(from)
	}
	if r.pattern != nil {
		r.match(text, from)
	}
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

// at looks for what may begin, or be assigned, at i, and returns where to go on.
func (s *scanner) at(i int) int {
	if end := s.sessions.end(s.text, i); end > i {
		return s.replaceWith(i, end, Session, s.sessions.fingerprint(string(s.text[i:end])))
	}
	if end := s.homeEnd(i); end > i {
		return s.replaceWith(i, end, Home, placeholderHome)
	}
	switch s.text[i] {
	case '{':
		return s.json(i)
	case '[':
		if end := markerEnd(s.text, i); end > i {
			return s.keep(end)
		}
		if s.text[i+1] == '{' {
			s.listed(i)
			return i
		}
	case ':':
		if bytes.HasPrefix(s.text[i:], []byte("://")) {
			return s.url(i)
		}
		return s.assignment(i)
	case '=':
		return s.assignment(i)
	case '-':
		if end := s.privateKeyEnd(i); end > i {
			return s.replace(i, end, Token)
		}
		if end := s.flag(i); end > i || s.text[i+1] == '-' {
			return end
		}
		if s.text[i+1] == 'p' {
			return s.dashP(i)
		}
		return s.path(i)
	case '/', '\\', '%':
		return s.path(i)
	case fingerprintPrefix[0]:
		if end := s.sessions.fingerprintEnd(s.text, i); end > i {
			return s.keep(end)
		}
	}
	if s.text[i] == 'E' || s.text[i] == 'H' {
		s.pair(i)
	}
	if s.text[i] == 'p' && s.text[i+1] == 'a' {
		return max(s.password(i), s.token(i))
	}
	if s.text[i]|0x20 == 'b' || tokens.has(s.text[i], s.text[i+1]) {
		return s.token(i)
	}
	return i
}

// replace makes a span a marker, and returns where to go on.
func (s *scanner) replace(start, end int, kind Kind) int {
	return s.replaceWith(start, end, kind, marker(kind))
}

func (s *scanner) replaceWith(start, end int, kind Kind, with string) int {
	s.edits = append(s.edits, edit{start, end, kind, with})
	return s.keep(end)
}

// keep goes on behind what is no secret any more.
func (s *scanner) keep(end int) int {
	s.floor = end
	return end
}

// json reads the JSON object that may begin at i.
func (s *scanner) json(i int) int {
	if i < max(s.notJSON, s.pairsEnd) || s.depth > maxDepth {
		return i
	}
	name := i + 1
	for name < min(len(s.text), i+64) && s.text[name] <= ' ' {
		name++
	}
	if name == len(s.text) || s.text[name] != '"' {
		return i
	}
	from := len(s.edits)
	end, err := s.walk(s.text, i, s.depth)
	if err != nil {
		s.edits = s.edits[:from]
		s.notJSON = end
		return i
	}
	return s.keep(end)
}

// match replaces what the user's patterns match, outside of markers.
func (r *Redactor) match(text []byte, from int) {
	var found []edit
	for start := 0; start < len(text); {
		end, next := len(text), len(text)
		for i := start; i < len(text); i++ {
			if n := bytes.IndexByte(text[i:], '['); n < 0 {
				break
			} else if i += n; markerEnd(text, i) > i {
				end, next = i, markerEnd(text, i)
				break
			}
		}
		for _, m := range r.pattern.FindAllIndex(text[start:end], -1) {
			if m[0] < m[1] {
				found = append(found, edit{start + m[0], start + m[1], Pattern, marker(Pattern)})
			}
		}
		start = next
	}
	if len(found) == 0 {
		return
	}
	found = append(found, r.edits[from:]...)
	slices.SortStableFunc(found, func(a, b edit) int { return a.start - b.start })
	r.edits = r.edits[:from]
	for _, e := range found {
		last := len(r.edits) - 1
		switch {
		case e.kind == "":
		case last >= from && e.start < r.edits[last].end:
			r.edits[last].end = max(r.edits[last].end, e.end)
		default:
			r.edits = append(r.edits, e)
		}
	}
}
