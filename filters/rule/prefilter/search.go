package prefilter

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"acpshim/internal/wire"
)

// A search finds whether one of many texts is in a JSON string, without looking at most of its
// bytes. The window of a text is its first bytes, as many as the shortest text has. A gram is three
// or four bytes; one begins at each place of the window. Wherever in a string a text is, one of its
// grams begins at a multiple of the number of grams: only these places are looked at.
type search struct {
	window  int                   // bytes of the shortest text, at most maxWindow
	mask    uint32                // of a gram in four bytes: it has all of them, or 3
	stride  int                   // grams in a window
	offsets [1 << hashBits]uint16 // by the hash of a gram: where in a window it begins, a bit each
	texts   map[string][]string   // by their windows
}

const (
	maxWindow = 16
	hashBits  = 13 // 16 KiB stay in the fastest cache
)

// newSearch takes texts of at least minText plain characters.
func newSearch(texts []string) *search {
	s := &search{window: maxWindow, texts: map[string][]string{}}
	for _, text := range texts {
		s.window = min(s.window, len(text))
	}
	if s.mask, s.stride = 1<<32-1, s.window-3; s.window <= 6 {
		s.mask, s.stride = 1<<24-1, s.window-2 // shorter grams are less rare, and leave longer strides
	}
	for _, text := range texts {
		window := text[:s.window]
		s.texts[window] = append(s.texts[window], text)
		for offset := range s.stride {
			s.offsets[hash([]byte(text[offset:]+"\x00"), s.mask)] |= 1 << offset
		}
	}
	return s
}

// hash is that of the gram which a text of at least four bytes begins with.
func hash(text []byte, mask uint32) uint32 {
	return binary.LittleEndian.Uint32(text) & mask * 0x9e3779b1 >> (32 - hashBits)
}

// in reports whether one of the texts may stand in a string as it is spelled in JSON. It takes
// time linear in the string: where too many places look like texts, one of them may be there.
func (s *search) in(raw []byte) bool {
	if bytes.Contains(raw, []byte(`\u00`)) {
		text, _ := wire.Text(raw) // in which a character may be spelled so
		raw = []byte(text + `"`)
	}
	work, mask, stride := 64+len(raw)/4, s.mask, s.stride
	for i := 0; i+4 <= len(raw); i += stride { // the quote is behind the last gram of a text
		for offsets := s.offsets[hash(raw[i:], mask)]; offsets != 0; offsets &= offsets - 1 {
			start := i - bits.TrailingZeros16(offsets)
			if start < 0 || start+s.window > len(raw) {
				continue
			}
			texts := s.texts[string(raw[start:start+s.window])]
			if work -= 1 + len(texts); work < 0 {
				return true
			}
			for _, text := range texts {
				if bytes.HasPrefix(raw[start:], []byte(text)) {
					return true
				}
			}
		}
	}
	return false
}
