package rule

import (
	"bytes"

	"acpshim/wire"
)

// A series hands what its first interceptor makes of a line to its second, line
// by line.
type series struct {
	first, second Interceptor
	passes        [2]func(line []byte) bool // of these
	passed        bool                      // the first one's verdict on the line in progress
	made          []byte
	changedBy     []string
}

func newSeries(first, second Interceptor) *series {
	return &series{first: first, second: second, passes: [2]func([]byte) bool{passes(first), passes(second)}}
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

// A passer is a proxy.Passer, and so on.
type (
	passer     interface{ Passes(line []byte) bool }
	overlooker interface{ Overlooked(head []byte) }
	flusher    interface {
		Flush(dst []byte, end bool) []byte
	}
)

// Passes implements proxy.Passer.
func (s *series) Passes(line []byte) bool {
	return s.passes[0](line) && s.passes[1](line)
}

// passes is Passes of an Interceptor that may be none that has it.
func passes(i Interceptor) func(line []byte) bool {
	if p, ok := i.(passer); ok {
		return p.Passes
	}
	return func(line []byte) bool { return i.Peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass }
}

// Overlooked implements proxy.Overlooker.
func (s *series) Overlooked(head []byte) {
	for _, i := range []Interceptor{s.first, s.second} {
		if o, ok := i.(overlooker); ok {
			o.Overlooked(head)
		}
	}
}

// Flush implements proxy.Flusher.
func (s *series) Flush(dst []byte, end bool) []byte {
	s.changedBy = nil
	n := len(dst)
	if f, ok := s.first.(flusher); ok {
		for len(dst) == n {
			if s.made = f.Flush(s.made[:0], end); len(s.made) == 0 {
				break
			}
			s.noteChange(s.first, nil, s.made)
			for line := range bytes.Lines(s.made) {
				dst = rewrite(s.second, dst, line)
			}
		}
	}
	if f, ok := s.second.(flusher); ok && len(dst) == n {
		dst = f.Flush(dst, end)
		s.noteChange(s.second, nil, dst[n:])
	}
	return dst
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
	if passes(i)(line) || i.Peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass {
		return append(dst, line...)
	}
	return i.Rewrite(dst, line)
}
