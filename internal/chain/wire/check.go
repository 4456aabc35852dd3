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
// accept what jsontext accepts. They run for each line that is held or recorded. With a loop over
// single bytes, a held line of 1 MiB takes three times as long. jsontext takes more than twice as
// long for a line of 8 KB.

// MaxNesting is the deepest nesting of a line's values, as in jsontext.
const MaxNesting = 10_000

// CheckValue reads a value inside of depth objects and arrays.
func CheckValue(line []byte, i, depth int) int {
	var room [64]byte
	closing := room[:0]
	for i >= 0 && i < len(line) {
		switch c := line[i]; c {
		case '{', '[':
			if depth+len(closing) == MaxNesting {
				return -1
			}
			closing = append(closing, c+2)
			if i = SpaceEnd(line, i+1); i < len(line) && line[i] == c+2 {
				break // it closes below
			}
			if c == '{' {
				i = checkName(line, i)
			}
			continue
		case '"':
			i = checkString(line, i)
		default:
			i = checkScalar(line, i)
		}
		if i, closing = checkNext(line, i, closing); len(closing) == 0 {
			return i
		}
	}
	return -1
}

// checkNext reads from the end of a value to the next value, or to the end of all open brackets, of
// which the last closes first. It returns the brackets that are still open.
func checkNext(line []byte, i int, closing []byte) (next int, left []byte) {
	for i >= 0 && len(closing) > 0 {
		last := closing[len(closing)-1]
		switch i = SpaceEnd(line, i); {
		case i < len(line) && line[i] == last:
			i++
			closing = closing[:len(closing)-1]
		case i < len(line) && line[i] == ',' && last == '}':
			return checkName(line, SpaceEnd(line, i+1)), closing
		case i < len(line) && line[i] == ',':
			return SpaceEnd(line, i+1), closing
		default:
			i = -1
		}
	}
	return i, closing
}

// checkName reads a member's name and everything up to its value.
func checkName(line []byte, i int) int {
	if i >= len(line) || line[i] != '"' {
		return -1
	}
	if i = checkString(line, i); i < 0 {
		return -1
	}
	if i = SpaceEnd(line, i); i == len(line) || line[i] != ':' {
		return -1
	}
	return SpaceEnd(line, i+1)
}

// checkScalar reads a number, true, false or null.
func checkScalar(line []byte, i int) int {
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

// checkString reads a string whose first quote is at i.
func checkString(line []byte, i int) int {
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

// ends finds the first quote, backslash or control character in eight bytes of a string. The lowest
// bit of the result is in its byte. (x-n)&^x has the high bit of each byte of x that is below n,
// and is exact up to the first such byte. Flipping the bit in which a quote and a space differ puts
// quotes next to the control characters.
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
