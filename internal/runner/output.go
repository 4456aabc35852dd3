package runner

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// An output keeps the end of what a command writes, as valid UTF-8. Its methods may be called from
// any goroutine.
type output struct {
	mu        sync.Mutex
	keep      int    // bytes
	text      []byte // at most slack bytes more than keep
	part      []byte // the beginning of a character
	truncated bool
}

// slack is how many bytes come until those that are too many are left out.
const slack = 64 << 10

// write adds what a command wrote. What is no UTF-8 becomes U+FFFD.
func (o *output) write(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b = append(o.part, b...)
	whole := wholeCharacters(b)
	o.part = bytes.Clone(b[whole:])
	o.add(b[:whole])
}

// end adds what is left when no more comes.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(o.part)
	o.part = nil
}

// add adds text. The lock is held.
func (o *output) add(b []byte) {
	o.text = append(o.text, bytes.ToValidUTF8(b, []byte("\ufffd"))...)
	if len(o.text) > o.keep+slack {
		o.text = append([]byte(nil), last(o.text, o.keep)...)
		o.truncated = true
	}
}

// last is what [terminals.Process].Output says.
func (o *output) last(n int) (text string, truncated bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := last(o.text, min(n, o.keep))
	return string(kept), o.truncated || len(kept) < len(o.text)
}

// last returns the last bytes of valid UTF-8, at most n, as whole characters.
func last(text []byte, n int) []byte {
	i := max(0, len(text)-n)
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return text[i:]
}

// wholeCharacters is how many bytes there are before the beginning of a character that stands at
// the end.
func wholeCharacters(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}
