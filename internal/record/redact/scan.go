package redact

import "bytes"

// The readers of a scanner, as bits in the order in which they are asked.
const (
	sessionBit uint8 = 1 << iota
	commandBit
	jsonBit
	formBit
	nameBit
)

// grams have the readers of what begins with three bytes, by the lowest five bits of each. Most
// positions of a text have none, and cost one look into this table.
type grams [1 << 15]uint8

// add adds a reader for what begins so. Any bytes may follow one or two.
func (g *grams) add(reader uint8, begins ...string) {
	for _, begin := range begins {
		at, bits := 0, 15
		for i := 0; i < len(begin) && bits > 0; i++ {
			at, bits = at<<5|int(begin[i]&31), bits-5
		}
		for rest := range 1 << bits {
			g[at<<bits|rest] |= reader
		}
	}
}

// A scanner looks for secrets in a text from its beginning to its end, once.
type scanner struct {
	*Redactor
	text      []byte
	depth     int       // how many strings are around the text
	floor     int       // what stands before was replaced, and no longer belongs to what follows
	candidate candidate // the latest; a variable would be allocated for each

	// What begins before these has been read already, so that nothing is read twice.
	notJSON, nameEnd, callEnd, bracketsEnd, valueEnd int
}

// scan adds the edits that a text needs.
func (r *Redactor) scan(text []byte, depth int) {
	s := &r.scanners[depth]
	*s = scanner{Redactor: r, text: text, depth: depth}
	i, from := 0, len(r.edits)
	if depth == 0 {
		if s.isJSON() {
			r.merge(0)
			return
		}
		i = s.resume()
	}
	for i+2 < len(text) {
		g := uint(text[i]&31)<<5 | uint(text[i+1]&31)
		for _, c := range text[i+2:] {
			if g = (g<<5 | uint(c&31)) & (1<<15 - 1); r.grams[g] != 0 {
				i = s.read(i, r.grams[g])
				break
			}
			i++
		}
	}
	r.findPatterns(text, from)
}

// read asks the readers of a gram for a secret that begins at i, and returns where to go on. A
// reader that finds none returns no more than i.
func (s *scanner) read(i int, gram uint8) int {
	readers := [...]func(s *scanner, i int) int{(*scanner).readSession, (*scanner).readCall, (*scanner).readJSON, (*scanner).readForm, (*scanner).readName}
	for n, read := range readers {
		if gram>>n&1 != 0 {
			if end := read(s, i); end > i {
				return end
			}
		}
	}
	return i + 1
}

// isJSON reads a text that is one value of JSON. What an earlier text left unfinished stays so,
// unless the value may be a line of it.
func (s *scanner) isJSON() bool {
	if s.unfinished.kind != "" && len(s.text) > 0 && s.text[0] <= ' ' {
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

// objectStarts match how an object of JSON begins.
var objectStarts = lazily(`\A\{\s*"(?:[^"\\]|\\.)*(?:\\?\z|"\s*(?::|\z))`)

// readJSON reads the object of JSON that may begin at i.
func (s *scanner) readJSON(i int) int {
	if s.text[i] != '{' || i < s.notJSON || s.depth > maxDepth || !objectStarts().Match(s.near(i, sure)) {
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

// near is the text from i on, up to n bytes.
func (s *scanner) near(i, n int) []byte { return s.text[i:min(len(s.text), i+n)] }

// back returns where the run of such bytes begins that ends at i, at most so far before it.
func (s *scanner) back(i, most int, is func(c byte) bool) int {
	for low := max(s.floor, i-most); i > low && is(s.text[i-1]); {
		i--
	}
	return i
}

// replace makes a span a marker, and returns where to go on.
func (s *scanner) replace(start, end int, kind Kind) int {
	return s.add(edit{start: start, end: end, kind: kind, with: marker(kind)})
}

// add adds an edit, unless it is of a marker or of nothing, and returns where to go on.
func (s *scanner) add(e edit) int {
	s.floor = max(e.start, e.end)
	if n := markerEnd(s.text, e.start); n > e.start {
		s.floor = n
	} else if e.kind != "" && e.start < e.end {
		s.edits = append(s.edits, e)
	}
	return s.floor
}
