package rule

import "bytes"

// A search finds which of many literals stand in a line, without looking at
// most of its bytes: where the last two bytes of a window the length of the
// shortest literal end no pair of any, the window moves on (Wu and Manber). It
// is for one goroutine.
type search struct {
	literals []string // by rule; "" is found in every line
	window   int
	shift    [tableSize]uint8
	ends     [tableSize][]int16 // literals whose window ends with this pair
	escaped  [128]bool          // characters of literals
	found    []bool             // by rule
	any      []bool             // by rule: what needs no search
}

const tableSize = 1 << 12

func pair(a, b byte) int { return (int(a)<<5 ^ int(b)) & (tableSize - 1) }

func newSearch(literals []string) *search {
	s := &search{literals: literals, window: 255, found: make([]bool, len(literals)), any: make([]bool, len(literals))}
	for i, l := range literals {
		if s.any[i] = l == ""; l != "" {
			s.window = min(s.window, len(l))
		}
	}
	for i := range s.shift {
		s.shift[i] = uint8(s.window - 1)
	}
	for i, l := range literals {
		if l == "" {
			continue
		}
		for at := 1; at < s.window; at++ {
			p := pair(l[at-1], l[at])
			s.shift[p] = min(s.shift[p], uint8(s.window-1-at))
		}
		last := pair(l[s.window-2], l[s.window-1])
		s.ends[last] = append(s.ends[last], int16(i))
		for _, c := range []byte(l) {
			s.escaped[c] = true
		}
	}
	return s
}

// in reports, by rule, whether the literal may stand in the line; false is
// certain. The result is valid until the next call. It takes time linear in
// the line: if too many places look like literals, all of them may be there.
func (s *search) in(line []byte) []bool {
	copy(s.found, s.any)
	if s.hasEscaped(line) {
		return s.all()
	}
	work := 64 + 4*len(line)
	for i := s.window - 1; i < len(line); {
		p := pair(line[i-1], line[i])
		if n := s.shift[p]; n > 0 {
			i += int(n)
			continue
		}
		start := line[i-s.window+1:]
		for _, l := range s.ends[p] {
			if text := s.literals[l]; len(start) >= len(text) && string(start[:len(text)]) == text {
				s.found[l] = true
			}
		}
		if work -= len(s.ends[p]); work < 0 {
			return s.all()
		}
		i++
	}
	return s.found
}

func (s *search) all() []bool {
	for i := range s.found {
		s.found[i] = true
	}
	return s.found
}

// hasEscaped reports whether a character of a literal is spelled \u00XX. A
// backslash before that one's makes no difference: that is a line more to look
// at, not one less.
func (s *search) hasEscaped(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(`\u00`))
		if i < 0 || i+6 > len(line) {
			return false
		}
		high, low := digit(line[i+4]), digit(line[i+5])
		if c := high<<4 | low; c < 128 && s.escaped[c] {
			return true
		}
		line = line[i+4:]
	}
}

// digit reads a hexadecimal digit; what is none gives 16, more than any.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}
