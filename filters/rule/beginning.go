package rule

import "bytes"

// A beginning is one of lines for which the same was decided.
type beginning struct {
	head     []byte
	decision decision
	screen   *screen // nil if all such lines are read
	shared   shared
}

// A shared is how lines begin and end around one string, and how far the screen
// came with the beginning.
type shared struct {
	prefix []byte // up to the quote that begins the string
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
func (b *shared) passes(s *screen, line []byte) bool {
	if b.begins(line) {
		end := stringEnd(line, b.mark.at)
		if len(b.suffix) > 0 && bytes.Equal(line[end:], b.suffix) {
			return true
		}
		if !s.passes(line, b.mark, false) {
			return false
		}
		b.suffix = append(b.suffix[:0], line[end:min(len(line), end+maxShared)]...)
		return true
	}
	if !s.passes(line, mark{}, true) {
		return false
	}
	same := 0
	for same < min(len(line), len(b.last)) && line[same] == b.last[same] {
		same++
	}
	b.prefix, b.suffix = b.prefix[:0], b.suffix[:0]
	for _, m := range s.marks {
		if m.at < same {
			b.mark, b.prefix = m, append(b.prefix[:0], line[:m.at+1]...)
		}
	}
	b.last = append(b.last[:0], line[:min(len(line), maxShared)]...)
	return true
}
