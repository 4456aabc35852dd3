package rule

import "bytes"

// A beginning is one of lines for which the same was decided.
type beginning struct {
	head     []byte
	decision decision
	screen   *screen // nil if all such lines are read
	shared   shared
}

// A shared is how lines with one head go on, and end, around one string, and how
// far the screen came with that.
type shared struct {
	prefix []byte // with the head, up to the quote that begins the string
	suffix []byte // behind the one that ends it, where nobody found anything
	mark   mark
	last   []byte // the beginning of the line that it was learned from
}

// maxShared bounds what lines can have in common, in bytes.
const maxShared = 1 << 10

// begins reports whether the line begins like that.
func (b *shared) begins(line []byte) bool {
	return len(b.prefix) > 0 && bytes.HasPrefix(line, b.prefix)
}

// passes reports that no rule of the screen can match the line, and learns what
// it has in common with the one before it.
func (b *beginning) passes(line []byte) bool {
	shared := &b.shared
	if shared.begins(line) {
		end := stringEnd(line, shared.mark.at)
		if len(shared.suffix) > 0 && bytes.Equal(line[end:], shared.suffix) {
			return true
		}
		if !b.screen.passes(line, shared.mark, false) {
			return false
		}
		shared.suffix = append(shared.suffix[:0], line[end:min(len(line), end+maxShared)]...)
		return true
	}
	if !b.screen.passes(line, mark{}, true) {
		return false
	}
	same := 0
	for same < min(len(line), len(shared.last)) && line[same] == shared.last[same] {
		same++
	}
	shared.prefix, shared.suffix = shared.prefix[:0], shared.suffix[:0]
	for _, m := range b.screen.marks {
		if len(b.head) <= m.at && m.at < same { // what was decided rests on the head
			shared.mark, shared.prefix = m, append(shared.prefix[:0], line[:m.at+1]...)
		}
	}
	shared.last = append(shared.last[:0], line[:min(len(line), maxShared)]...)
	return true
}
