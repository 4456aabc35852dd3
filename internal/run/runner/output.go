package runner

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"acpshim/internal/text/runes"
)

// An output keeps the end of the output of a command as valid UTF-8. Its methods may be called from
// any goroutine.
type output struct {
	mu        sync.Mutex
	keep      int    // how much is kept, in bytes
	text      []byte // at most keep+slack bytes
	part      []byte // the beginning of a character whose end has not come yet
	truncated bool
}

// slack is how many bytes are added before old ones are removed.
const slack = 64 << 10

// write adds output of the command. Invalid UTF-8 becomes U+FFFD.
func (o *output) write(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b = append(o.part, b...)
	whole := runes.Whole(b)
	o.part = bytes.Clone(b[whole:])
	o.add(b[:whole])
}

// end adds the beginning of a character at the end of the output.
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

// last implements the Output of [terminals.Process].
func (o *output) last(n int) (text string, truncated bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := last(o.text, min(n, o.keep))
	return string(kept), o.truncated || len(kept) < len(o.text)
}

// last returns whole characters from the end of a text, at most n bytes.
func last(text []byte, n int) []byte {
	i := max(0, len(text)-n)
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return text[i:]
}
