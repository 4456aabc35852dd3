package rule

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A search tells whether one of many texts may stand in a JSON string, without
// looking at most of its bytes. Wherever a text lies, one of its first grams lies
// at a multiple of the stride: only these places are looked at, and none of them
// waits for what was found at another. It is for one goroutine.
type search struct {
	window  int                   // bytes of the shortest text, at most maxWindow
	gram    int                   // bytes of a gram, at most 4
	mask    uint32                // of a gram in four bytes
	stride  int                   // grams that begin in a window, and fit in it
	offsets [1 << hashBits]uint16 // by the hash of a gram: where in a window it stands, a bit each
	begun   map[string][]string   // the texts, by their first window
	escaped [128]bool             // characters of texts
	work    int                   // what may be looked at yet in the string
}

const (
	maxWindow = 16
	hashBits  = 13 // 16 KiB stay in the fastest cache
)

func hash(gram uint32) uint32 { return gram * 0x9e3779b1 >> (32 - hashBits) }

// newSearch takes texts of at least two bytes.
func newSearch(texts []string) *search {
	s := &search{window: maxWindow, begun: map[string][]string{}}
	for _, text := range texts {
		s.window = min(s.window, len(text))
	}
	// Longer grams are rarer, and leave shorter strides: a power of two of them.
	s.gram = min(4, s.window/2+s.window%2)
	s.mask = 1<<(8*s.gram) - 1
	s.stride = 1 << (bits.Len(uint(s.window-s.gram+1)) - 1)
	for _, text := range texts {
		s.begun[text[:s.window]] = append(s.begun[text[:s.window]], text)
		for offset := range s.stride {
			s.offsets[hash(s.read([]byte(text), offset))] |= 1 << offset
		}
		for _, c := range []byte(text) {
			s.escaped[c] = true
		}
	}
	return s
}

// read returns the gram that begins at i.
func (s *search) read(text []byte, i int) (gram uint32) {
	if i+4 <= len(text) {
		return binary.LittleEndian.Uint32(text[i:]) & s.mask
	}
	for n := range s.gram {
		gram |= uint32(text[i+n]) << (8 * n)
	}
	return gram
}

// in reports whether one of the texts may stand in a string as it is spelled in
// JSON: false is certain. It takes time linear in the string: if too many places
// look like texts, one of them may be there.
func (s *search) in(raw []byte) bool {
	if s.hasEscaped(raw) {
		return true
	}
	s.work = 64 + len(raw)
	offsets, mask, i := &s.offsets, s.mask, 0
	at := func(text []byte) uint16 { return offsets[hash(binary.LittleEndian.Uint32(text)&mask)] }
	switch s.stride { // which the compiler knows here: four places at a time
	case 4:
		for rest := raw; len(rest) >= 16; rest = rest[16:] {
			if at(rest)|at(rest[4:])|at(rest[8:])|at(rest[12:]) != 0 && s.from(raw, i, 4) {
				return true
			}
			i += 16
		}
	case 8:
		for rest := raw; len(rest) >= 32; rest = rest[32:] {
			if at(rest)|at(rest[8:])|at(rest[16:])|at(rest[24:]) != 0 && s.from(raw, i, 4) {
				return true
			}
			i += 32
		}
	}
	return s.from(raw, i, len(raw))
}

// from looks at n places from i on that are a stride apart.
func (s *search) from(raw []byte, i, n int) bool {
	for ; n > 0 && i+s.gram <= len(raw); n, i = n-1, i+s.stride {
		if offsets := s.offsets[hash(s.read(raw, i))]; offsets != 0 && s.at(raw, i, offsets) {
			return true
		}
	}
	return false
}

// at reports whether a text has one of these offsets at i, or too much was
// looked at.
func (s *search) at(raw []byte, i int, offsets uint16) bool {
	for ; offsets != 0; offsets &= offsets - 1 {
		start, last := i-bits.TrailingZeros16(offsets), s.stride-1
		if start < 0 || start+s.window > len(raw) {
			continue
		}
		if s.offsets[hash(s.read(raw, start))]&1 == 0 || s.offsets[hash(s.read(raw, start+last))]>>last&1 == 0 {
			continue
		}
		texts := s.begun[string(raw[start:start+s.window])]
		if s.work -= 1 + len(texts); s.work < 0 {
			return true
		}
		for _, text := range texts {
			if len(raw)-start >= len(text) && string(raw[start:start+len(text)]) == text {
				return true
			}
		}
	}
	return false
}

// hasEscaped reports whether a character of a text is spelled \u00XX.
func (s *search) hasEscaped(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+6 > len(raw) {
			return false
		}
		if string(raw[i+1:i+4]) == "u00" {
			if c := digit(raw[i+4])<<4 | digit(raw[i+5]); c < 128 && s.escaped[c] {
				return true
			}
		}
		raw = raw[i+2:]
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
