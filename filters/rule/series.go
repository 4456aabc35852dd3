package rule

import (
	"bytes"

	"acpshim/internal/wire"
)

// A series hands what its first interceptor makes of a line to its second, line
// by line.
type series struct {
	first, second wire.Interceptor
	passed        bool // the first one's verdict on the line in progress
	made          []byte
	by            []string // what changed the line that is rewritten
}

// note adds the names of what changed a line.
func (s *series) note(line, made []byte, by []string) {
	if !bytes.Equal(line, made) {
		s.by = append(s.by, by...)
	}
}

// Inspect implements wire.Interceptor.
func (s *series) Inspect(line []byte, whole bool) wire.Verdict {
	v := s.first.Inspect(line, whole)
	if s.passed = v == wire.Pass; s.passed {
		return s.second.Inspect(line, whole)
	}
	return v
}

// TooLong implements wire.Interceptor.
func (s *series) TooLong(head []byte) {
	s.first.TooLong(head)
	s.second.TooLong(head)
}

// Flush implements wire.Interceptor.
func (s *series) Flush(dst []byte, end bool) (out []byte, by []string) {
	s.by = nil
	n := len(dst)
	for len(dst) == n {
		if s.made, by = s.first.Flush(s.made[:0], end); len(s.made) == 0 {
			dst, by = s.second.Flush(dst, end)
			s.note(nil, dst[n:], by)
			break
		}
		s.note(nil, s.made, by)
		for line := range bytes.Lines(s.made) {
			dst, _ = wire.Apply(s.second, dst, line)
		}
	}
	return dst, s.by
}

// Rewrite implements wire.Interceptor.
func (s *series) Rewrite(dst, line []byte) (out []byte, by []string) {
	s.by = nil
	if s.passed {
		n := len(dst)
		dst, by = s.second.Rewrite(dst, line)
		s.note(line, dst[n:], by)
		return dst, s.by
	}
	s.made, by = s.first.Rewrite(s.made[:0], line)
	s.note(line, s.made, by)
	for rest := s.made; len(rest) > 0; {
		if len(rest) < len(s.made) {
			dst = endLine(dst)
		}
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		before := len(dst)
		dst, by = wire.Apply(s.second, dst, rest[:n])
		s.note(rest[:n], dst[before:], by)
		rest = rest[n:]
	}
	if cap(s.made) > maxKept {
		s.made = nil // one long line is no reason to keep its memory
	}
	return dst, s.by
}

// maxKept is how much memory is kept from line to line.
const maxKept = 512 << 10
