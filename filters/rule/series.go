package rule

import (
	"bytes"

	"acpshim/wire"
)

// A series hands what its first interceptor makes of a line to its second, line
// by line.
type series struct {
	first, second Interceptor
	passed        bool // the first one's verdict on the line in progress
	made          []byte
	changedBy     []string
}

// A changer tells what changed the line that it rewrote last: a proxy.Changer.
type changer interface{ ChangedBy() []string }

// ChangedBy names what changed the line that was rewritten last.
func (s *series) ChangedBy() []string { return s.changedBy }

// noteChange adds the names of what one of the two changed a line with.
func (s *series) noteChange(by Interceptor, line, made []byte) {
	if c, ok := by.(changer); ok && !bytes.Equal(line, made) {
		s.changedBy = append(s.changedBy, c.ChangedBy()...)
	}
}

// Peek implements Interceptor.
func (s *series) Peek(head []byte) wire.Verdict {
	v := s.first.Peek(head)
	if s.passed = v == wire.Pass; s.passed {
		return s.second.Peek(head)
	}
	return v
}

// Rewrite implements Interceptor.
func (s *series) Rewrite(dst, line []byte) []byte {
	s.changedBy = nil
	if s.passed {
		n := len(dst)
		dst = s.second.Rewrite(dst, line)
		s.noteChange(s.second, line, dst[n:])
		return dst
	}
	s.made = s.first.Rewrite(s.made[:0], line)
	s.noteChange(s.first, line, s.made)
	for rest := s.made; len(rest) > 0; {
		if len(rest) < len(s.made) {
			dst = endLine(dst)
		}
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		before := len(dst)
		dst = rewrite(s.second, dst, rest[:n])
		s.noteChange(s.second, rest[:n], dst[before:])
		rest = rest[n:]
	}
	if cap(s.made) > maxKept {
		s.made = nil // one long line is no reason to keep its memory
	}
	return dst
}

// maxKept is how much memory is kept from line to line.
const maxKept = 512 << 10

// rewrite is what a pump does with a whole line.
func rewrite(i Interceptor, dst, line []byte) []byte {
	if i.Peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass {
		return append(dst, line...)
	}
	return i.Rewrite(dst, line)
}
