package record

import (
	"bytes"
	"unicode/utf8"

	"acpshim/internal/wire"
)

// maxDepth is how deep the values of a line may be nested that is kept as JSON:
// readers have limits, and what they read has it one level deeper.
const maxDepth = 200

// A cleaner knows which lines can be kept as JSON values. A stream repeats its
// beginning, which is compared with that of a line before, not read.
type cleaner struct {
	before []byte // the beginning of the last line that was read
	head   []byte // of that, what is up to the quote that begins a value
	inside []byte // what closes the values around it, the outermost first
	stack  [maxDepth]byte
}

// maxHead is the longest beginning that is kept, in bytes.
const maxHead = 4 << 10

// clean reports whether whoever takes a value's bytes has the line's: it is one
// value in valid UTF-8 from the first byte to the newline at the end, without a
// carriage return, nested at most maxDepth.
func (c *cleaner) clean(line []byte) bool {
	n := len(line) - 1
	if n < 1 || line[n] != '\n' || bytes.IndexByte(line, '\r') >= 0 || !utf8.Valid(line) {
		return false
	}
	body := line[:n]
	i, around, known := 0, 0, len(c.head)
	if known > 0 && bytes.HasPrefix(body, c.head) {
		i, around = c.follow(body, wire.CheckString(body, known-1), copy(c.stack[:], c.inside))
		if around == 0 {
			return i == n
		}
	} else {
		known = 0
	}
	same := known + alike(body[known:], c.before[min(known, len(c.before)):])
	at, ok := c.value(body, i, around, same)
	switch {
	case ok && at > known:
		c.head = append(c.head[:0], body[:at]...)
	case at > 0 || known == 0:
		c.head = c.head[:0] // c.inside is of another
	}
	c.before = append(c.before[:0], body[:min(n, maxHead)]...)
	return ok
}

// alike is how many bytes a and b have in common at their beginning.
func alike(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// value reports whether b[i:] is a value, and behind it what the lowest n of
// the stack ask for. At is where the last string begins, behind its quote, that
// does so within the first same bytes; what is around it is in c.inside.
func (c *cleaner) value(b []byte, i, n, same int) (at int, ok bool) {
	for i >= 0 && i < len(b) {
		switch v := b[i]; v {
		case '{', '[':
			if n == maxDepth {
				return at, false
			}
			c.stack[n] = v + 2 // the bracket that closes it
			n++
			i = wire.SpaceEnd(b, i+1)
			if i < len(b) && b[i] == v+2 {
				break // it closes below
			}
			if v == '{' {
				i = wire.CheckName(b, i)
			}
			continue
		case '"':
			if i < same {
				at, c.inside = i+1, append(c.inside[:0], c.stack[:n]...)
			}
			i = wire.CheckString(b, i)
		default:
			i = wire.CheckScalar(b, i)
		}
		if i, n = c.follow(b, i, n); n == 0 {
			return at, i == len(b)
		}
	}
	return at, false
}

// follow reads what follows a value inside the lowest n of the stack, up to the
// next value. It returns where that begins, or -1, and what is around it; if
// that is nothing, it is the end.
func (c *cleaner) follow(b []byte, i, n int) (next, around int) {
	next, left := wire.CheckNext(b, i, c.stack[:n])
	return next, len(left)
}
