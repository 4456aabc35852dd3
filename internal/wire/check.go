package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions below step over JSON and check that it is valid, except for its UTF-8. They take a
// line and an offset, and return the offset after what they read, or -1 if it is not JSON. They
// accept what jsontext accepts. Libraries take three times as long, and these functions run for
// each line that is held or recorded.

// maxNesting is the deepest nesting of a line's values, as in jsontext.
const maxNesting = 10_000

// CheckValue reads a value at a nesting of depth.
func CheckValue(line []byte, i, depth int) int {
	var room [64]byte
	closing := room[:0]
	for i >= 0 && i < len(line) {
		switch c := line[i]; c {
		case '{', '[':
			if depth+len(closing) == maxNesting {
				return -1
			}
			closing = append(closing, c+2)
			if i = SpaceEnd(line, i+1); i < len(line) && line[i] == c+2 {
				break // it closes below
			}
			if c == '{' {
				i = CheckName(line, i)
			}
			continue
		case '"':
			i = CheckString(line, i)
		default:
			i = CheckScalar(line, i)
		}
		if i, closing = CheckNext(line, i, closing); len(closing) == 0 {
			return i
		}
	}
	return -1
}

// CheckNext reads from the end of a value to the next value, or to the end of all open brackets, of
// which the last closes first. It returns the brackets that are still open.
func CheckNext(line []byte, i int, closing []byte) (next int, left []byte) {
	for i >= 0 && len(closing) > 0 {
		last := closing[len(closing)-1]
		switch i = SpaceEnd(line, i); {
		case i < len(line) && line[i] == last:
			i++
			closing = closing[:len(closing)-1]
		case i < len(line) && line[i] == ',' && last == '}':
			return CheckName(line, SpaceEnd(line, i+1)), closing
		case i < len(line) && line[i] == ',':
			return SpaceEnd(line, i+1), closing
		default:
			i = -1
		}
	}
	return i, closing
}

// CheckName reads a member's name and everything up to its value.
func CheckName(line []byte, i int) int {
	if i >= len(line) || line[i] != '"' {
		return -1
	}
	if i = CheckString(line, i); i < 0 {
		return -1
	}
	if i = SpaceEnd(line, i); i == len(line) || line[i] != ':' {
		return -1
	}
	return SpaceEnd(line, i+1)
}

// CheckScalar reads a number, true, false or null.
func CheckScalar(line []byte, i int) int {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(line[i:], []byte(word)) {
			return i + len(word)
		}
	}
	if line[i] == '-' {
		i++
	}
	if i < len(line) && line[i] == '0' {
		i++
	} else if i = checkDigits(line, i); i < 0 {
		return -1
	}
	if i < len(line) && line[i] == '.' {
		if i = checkDigits(line, i+1); i < 0 {
			return -1
		}
	}
	if i < len(line) && (line[i] == 'e' || line[i] == 'E') {
		if i++; i < len(line) && (line[i] == '+' || line[i] == '-') {
			i++
		}
		return checkDigits(line, i)
	}
	return i
}

// checkDigits reads one or more digits.
func checkDigits(line []byte, i int) int {
	begin := i
	for i < len(line) && '0' <= line[i] && line[i] <= '9' {
		i++
	}
	if i == begin {
		return -1
	}
	return i
}

// CheckString reads a string whose first quote is at i.
func CheckString(line []byte, i int) int {
	for i++; i < len(line); {
		if len(line)-i >= 16 {
			words := line[i : i+16]
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
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && isShort[line[i+1]]:
			i += 2
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i = checkEscape(line, i+1); i < 0 {
				return -1
			}
		default:
			i++
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
// bit where a byte of x is below n, exact up to the first one. With the bit that
// is between a quote and a space the other way round, quotes are right above the
// control characters.
func ends(x uint64) uint64 {
	low, slash := x^2*ones, x^'\\'*ones
	return ((low-(' '+1)*ones)&^low | (slash-ones)&^slash) & highs
}

// isShort has the characters that may follow a backslash in an escape of two characters. A table
// avoids mispredicted branches.
var isShort = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// checkEscape reads the rest of a longer escape.
func checkEscape(line []byte, i int) int {
	if len(line)-i < 5 || line[i] != 'u' || len(bytes.Trim(line[i+1:i+5], "0123456789abcdefABCDEF")) > 0 {
		return -1
	}
	return i + 5
}

// whyNoJSON returns a library's error for a line that is not JSON.
func whyNoJSON(line []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(line, bom)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := d.SkipValue()
	if err == nil {
		err = errors.New("no JSON")
	}
	return fmt.Errorf("reading JSON: %w", err)
}
