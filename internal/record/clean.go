package record

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep the values of a line may be nested that is kept as JSON:
// readers have limits, and what they read has it one level deeper.
const maxDepth = 200

// A cleaner knows which lines can be kept as JSON values. Libraries take three
// times as long for that, which is longer than to pass the line on. A stream
// repeats its beginning, which is compared with that of a line before, not read.
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
	if n < 1 || line[n] != '\n' || isSpace(line[0]) || !utf8.Valid(line) {
		return false
	}
	body := line[:n]
	i, around, known := 0, 0, len(c.head)
	if known > 0 && bytes.HasPrefix(body, c.head) {
		i, around = c.follow(body, text(body, known), copy(c.stack[:], c.inside))
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
			i = space(b, i+1)
			if i < len(b) && b[i] == v+2 {
				break // follow closes it
			}
			if v == '{' {
				i = name(b, i)
			}
			continue
		case '"':
			if i < same {
				at, c.inside = i+1, append(c.inside[:0], c.stack[:n]...)
			}
			i = text(b, i+1)
		default:
			i = scalar(b, i)
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
	for i >= 0 && n > 0 {
		i = space(b, i)
		switch {
		case i < len(b) && b[i] == c.stack[n-1]:
			i++
			n--
		case i < len(b) && b[i] == ',':
			i = space(b, i+1)
			if c.stack[n-1] == '}' {
				i = name(b, i)
			}
			return i, n
		default:
			return -1, n
		}
	}
	return i, n
}

// name reads a member's name and what is between it and the value.
func name(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = text(b, i+1); i < 0 {
		return -1
	}
	if i = space(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return space(b, i+1)
}

// scalar reads a value that has no quotes and no brackets.
func scalar(b []byte, i int) int {
	end := i
	for end < len(b) && strings.IndexByte(" \t\r\n,]}", b[end]) < 0 {
		end++
	}
	if !jsontext.Value(b[i:end]).IsValid() {
		return -1
	}
	return end
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// ends finds, in eight bytes of a string, the first quote, backslash or control
// character: the lowest bit of the result is in its byte. (x-n)&^x has the high
// bit where a byte of x is below n, exact up to the first one. With the bit that
// is between a quote and a space the other way round, quotes are right above the
// control characters.
func ends(x uint64) uint64 {
	low, slash := x^2*ones, x^'\\'*ones
	return ((low-(' '+1)*ones)&^low | (slash-ones)&^slash) & highs
}

// text reads a string from behind its quote to behind the one at its end. It and those
// below return the place behind what they read, or -1 if it is none.
func text(b []byte, i int) int {
	for i < len(b) {
		if len(b)-i >= 16 {
			words := b[i : i+16]
			first, second := ends(binary.LittleEndian.Uint64(words)), ends(binary.LittleEndian.Uint64(words[8:]))
			if first|second == 0 {
				i += 16
				continue
			}
			if first == 0 {
				first, i = second, i+8
			}
			i += bits.TrailingZeros64(first) / 8
		}
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && isShort[b[i+1]]:
			i += 2
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i = escape(b, i+1); i < 0 {
				return -1
			}
		default:
			i++
		}
	}
	return -1
}

// isShort has what stands behind a backslash in the escapes of two characters. A
// table does not guess which one it is, and is not wrong.
var isShort = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escape reads what stands behind the backslash of a longer one.
func escape(b []byte, i int) int {
	if len(b)-i < 5 || b[i] != 'u' || len(bytes.Trim(b[i+1:i+5], "0123456789abcdefABCDEF")) > 0 {
		return -1
	}
	return i + 5
}

// space skips white space.
func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// isSpace reports whether c is space for us: lines with a carriage return are kept
// as bytes.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
