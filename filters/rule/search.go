package rule

import "bytes"

// A search finds which of many literals stand in a line, without looking at
// most of its bytes: where the last two bytes of a window the length of the
// shortest literal end no pair of any, the window moves on (Wu and Manber). It
// is for one goroutine.
type search struct {
	literals []string // by rule; "" is found in every line
	window   int      // the length of the shortest
	shift    [tableSize]uint8
	ends     [tableSize][]int16 // literals whose window ends with this pair
	escaped  [128]bool          // characters of literals
	found    []bool             // by rule
	work     int                // what may be looked at yet in the line
	any      bool               // one of those that needed a search was found
}

const tableSize = 1 << 12

func pair(a, b byte) int { return (int(a)<<5 ^ int(b)) & (tableSize - 1) }

func newSearch(literals []string) *search {
	s := &search{literals: literals, window: 255, found: make([]bool, len(literals))}
	for _, l := range literals {
		if l != "" {
			s.window = min(s.window, len(l))
		}
	}
	s.reset()
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

func (s *search) reset() {
	for i, l := range s.literals {
		s.found[i] = l == ""
	}
	s.any = false
}

// in reports whether any literal may stand in the line, or in what is left of
// one behind a value; found says, by rule, which: false is certain. It takes time
// linear in the line: if too many places look like literals, all may be there.
func (s *search) in(line []byte) bool {
	if s.any {
		s.reset()
	}
	if s.hasEscaped(line) {
		return s.all()
	}
	s.work = 64 + len(line)
	// Two windows move at a time, as each waits for the memory most of it.
	middle := len(line)/2 + s.window - 1
	i, j := s.window-1, middle
	for i < middle && j < len(line) {
		m, n := s.shift[pair(line[i-1], line[i])], s.shift[pair(line[j-1], line[j])]
		if m == 0 {
			m = s.look(line, i)
		}
		if n == 0 {
			n = s.look(line, j)
		}
		i, j = i+int(m), j+int(n)
	}
	s.rest(line, i, min(middle, len(line)))
	s.rest(line, j, len(line))
	if s.work < 0 {
		return s.all()
	}
	return s.any
}

// rest moves a window on until its end has passed the other.
func (s *search) rest(line []byte, i, end int) {
	for i < end {
		n := s.shift[pair(line[i-1], line[i])]
		if n == 0 {
			n = s.look(line, i)
		}
		i += int(n)
	}
}

// look notes the literals whose window ends at i, and returns how far it may
// move then. Where too much was looked at it moves as far as it can.
func (s *search) look(line []byte, i int) uint8 {
	ends := s.ends[pair(line[i-1], line[i])]
	if s.work -= len(ends); s.work < 0 {
		return 255
	}
	start := line[i-s.window+1:]
	for _, l := range ends {
		if text := s.literals[l]; len(start) >= len(text) && string(start[:len(text)]) == text {
			s.found[l], s.any = true, true
		}
	}
	return 1
}

func (s *search) all() bool {
	for i := range s.found {
		s.found[i] = true
	}
	s.any = true
	return true
}

// hasEscaped reports whether a character of a literal is spelled \u00XX.
func (s *search) hasEscaped(line []byte) bool {
	for {
		i := bytes.IndexByte(line, '\\')
		if i < 0 || i+6 > len(line) {
			return false
		}
		if string(line[i+1:i+4]) == "u00" {
			if c := digit(line[i+4])<<4 | digit(line[i+5]); c < 128 && s.escaped[c] {
				return true
			}
		}
		line = line[i+2:]
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
