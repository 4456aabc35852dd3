package record

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how deep the values of a line may be nested that is kept as JSON:
// readers have limits, and what they read has it one level deeper.
const maxDepth = 200

// clean reports whether a line can be kept as a JSON value, so that whoever
// takes the value's bytes has the line's: one value in valid UTF-8 from the
// first byte to the newline at the end, without a carriage return. Libraries
// take three times as long, which is longer than to pass the line on.
func clean(line []byte) bool {
	n := len(line) - 1
	if n < 1 || line[n] != '\n' || !utf8.Valid(line) || bytes.IndexByte(line, '\r') >= 0 {
		return false
	}
	body := line[:n]
	return !isSpace(body[0]) && value(body, 0, maxDepth) == n
}

// value returns the index behind the JSON value that begins at b[i], or -1.
func value(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return text(b, i+1)
	case c == '{':
		return list(b, i+1, depth, '}')
	case c == '[':
		return list(b, i+1, depth, ']')
	case c == '-' || isDigit(c):
		return number(b, i)
	case c == 't':
		return word(b, i, "true")
	case c == 'f':
		return word(b, i, "false")
	case c == 'n':
		return word(b, i, "null")
	}
	return -1
}

// list reads the elements of an array or the members of an object, and what
// closes it.
func list(b []byte, i, depth int, closes byte) int {
	if depth == 0 {
		return -1
	}
	i = space(b, i)
	if i < len(b) && b[i] == closes {
		return i + 1
	}
	for i < len(b) {
		if closes == '}' {
			if b[i] != '"' {
				return -1
			}
			if i = text(b, i+1); i < 0 {
				return -1
			}
			if i = space(b, i); i >= len(b) || b[i] != ':' {
				return -1
			}
			i = space(b, i+1)
		}
		if i = value(b, i, depth-1); i < 0 {
			return -1
		}
		i = space(b, i)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case closes:
			return i + 1
		case ',':
			i = space(b, i+1)
		default:
			return -1
		}
	}
	return -1
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// ends finds, in eight bytes of a string, the first quote, backslash or control
// character: the lowest bit of the result is in its byte. (x-n)&^x has the high
// bit where a byte of x is below n, exact up to the first one.
func ends(x uint64) uint64 {
	quote, slash := x^'"'*ones, x^'\\'*ones
	return ((x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
}

func text(b []byte, i int) int {
	for i < len(b) {
		if len(b)-i >= 8 {
			found := ends(binary.LittleEndian.Uint64(b[i:]))
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		switch c := b[i]; {
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

// escape reads what stands behind a backslash.
func escape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if len(b)-i < 5 {
			return -1
		}
		for _, c := range b[i+1 : i+5] {
			if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return -1
			}
		}
		return i + 5
	}
	return -1
}

func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits reads one digit or more.
func digits(b []byte, i int) int {
	begin := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == begin {
		return -1
	}
	return i
}

func word(b []byte, i int, w string) int {
	if len(b)-i < len(w) || string(b[i:i+len(w)]) != w {
		return -1
	}
	return i + len(w)
}

func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
