package redact

import "bytes"

// grams say what may begin with three bytes, by the lowest five bits of each: bits for
// the readers of (*scanner).at.
type grams [1 << 15]uint8

const (
	lookSession uint8 = 1 << iota
	lookCommand
	lookJSON
	lookForm
	lookName
)

// add adds a look at what begins so; one or two bytes may have any others behind them.
func (g *grams) add(look uint8, begins ...string) {
	for _, begin := range begins {
		at, bits := 0, 15
		for i := 0; i < len(begin) && bits > 0; i++ {
			at, bits = at<<5|int(begin[i]&31), bits-5
		}
		for rest := range 1 << bits {
			g[at<<bits|rest] |= look
		}
	}
}

// A scanner looks for secrets in a text from its beginning to its end, once.
type scanner struct {
	*Redactor
	text  []byte
	depth int // how many strings around
	floor int // what stands before it was replaced, and is not looked back at

	// What begins before these was read, or is none.
	notJSON, nameEnd, callEnd, bracketsEnd, runEnd int
}

// scan leaves the edits that text needs.
func (r *Redactor) scan(text []byte, depth int) {
	s := &r.scanners[depth]
	*s = scanner{Redactor: r, text: text, depth: depth}
	i, from := 0, len(r.edits)
	if depth == 0 {
		if s.whole() {
			r.merge(0)
			return
		}
		i = s.resume()
	}
	for i+2 < len(text) {
		g := uint(text[i]&31)<<5 | uint(text[i+1]&31)
		for _, c := range text[i+2:] {
			if g = (g<<5 | uint(c&31)) & (1<<15 - 1); r.grams[g] != 0 {
				i = s.at(i, r.grams[g])
				break
			}
			i++
		}
	}
	r.also(text, from)
}

// whole reads a text that is one value of JSON. What an earlier text left open stays so.
func (s *scanner) whole() bool {
	if s.unfinished.kind != "" && len(s.text) > 0 && s.text[0] <= ' ' { // JSON over several lines
		return false
	}
	base := len(s.text) - len(bytes.TrimPrefix(s.text, []byte("\xef\xbb\xbf")))
	end, err := s.walk(base)
	if err == nil && len(bytes.TrimSpace(s.text[end:])) == 0 {
		return true
	}
	s.edits = s.edits[:0]
	return false
}

// at looks for what may begin at i, and returns where to go on. The readers, in the order of the
// bits, return i for nothing.
func (s *scanner) at(i int, look uint8) int {
	for bit, read := range [...]func(*scanner, int) int{(*scanner).session, (*scanner).called, (*scanner).json, (*scanner).formed, (*scanner).named} {
		if look>>bit&1 != 0 {
			if n := read(s, i); n > i {
				return n
			}
		}
	}
	return i + 1
}

// near is the text from i on, as far as it is looked at.
func (s *scanner) near(i, n int) []byte { return s.text[i:min(len(s.text), i+n)] }

// replace makes a span a marker, if it is none yet, and returns where to go on.
func (s *scanner) replace(start, end int, kind Kind) int {
	return s.make(edit{start, end, kind, marker(kind), ""})
}

func (s *scanner) make(e edit) int {
	s.floor = max(e.start, e.end)
	if n := markerEnd(s.text, e.start); n > e.start {
		s.floor = n
	} else if e.kind != "" && e.start < e.end {
		s.edits = append(s.edits, e)
	}
	return s.floor
}

// objects match how an object of JSON begins, as far as that is near.
var objects = lazily(`\A\{\s*"(?:[^"\\]|\\.)*(?:\\?\z|"\s*(?::|\z))`)

// json reads the JSON object that may begin at i.
func (s *scanner) json(i int) int {
	if s.text[i] != '{' || i < s.notJSON || s.depth > maxDepth || !objects().Match(s.near(i, sure)) {
		return i
	}
	from := len(s.edits)
	end, err := s.walk(i)
	if err != nil {
		s.edits = s.edits[:from]
		s.notJSON = end
		return i
	}
	s.floor = end
	return end
}
