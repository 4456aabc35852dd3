package redact

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"acpshim/wire"
)

// unescape appends the text of a JSON string to dst, which is given without its
// quotes and has been checked to be one. Bytes that are no UTF-8 stay; half a
// surrogate pair is U+FFFD.
func unescape(dst, raw []byte) []byte {
	for {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:n]...)
		var size int
		dst, size = unescapeOne(dst, raw[n:])
		raw = raw[n+size:]
	}
}

// unescapeOne appends what the escape at the beginning of raw stands for, and
// returns how long it is.
func unescapeOne(dst, raw []byte) ([]byte, int) {
	switch c := raw[1]; c {
	case 'n':
		return append(dst, '\n'), 2
	case 'b', 'f', 'r', 't':
		return append(dst, "\b...\f...........\r.\t"[c-'b']), 2
	case 'u':
		r := unit(raw)
		if utf16.IsSurrogate(r) && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if whole := utf16.DecodeRune(r, unit(raw[6:])); whole != utf8.RuneError {
				return utf8.AppendRune(dst, whole), 12
			}
		}
		return utf8.AppendRune(dst, r), 6 // half a pair is appended as U+FFFD
	default:
		return append(dst, c), 2
	}
}

// unit is the code unit of \uXXXX.
func unit(raw []byte) (r rune) {
	n, _ := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(n)
}

// hexDigit is the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// lift makes the edits of an unescaped text edits of the line: raw is the text as
// it is escaped, and stands in the line from offset on.
func lift(edits []edit, raw []byte, offset int) []edit {
	kept := edits[:0]
	text, i := 0, 0 // as far as text and raw were read
	var one [utf8.UTFMax]byte
	// to steps to the unit with byte want of the text, or behind it.
	to := func(want int, behind bool) int {
		for text < want {
			rest := raw[i:min(len(raw), i+want-text)]
			n := bytes.IndexByte(rest, '\\')
			if n < 0 {
				n = len(rest)
			}
			if n > 0 {
				text, i = text+n, i+n
				continue
			}
			b, size := unescapeOne(one[:0], raw[i:])
			if text+len(b) > want && !behind {
				break
			}
			text, i = text+len(b), i+size
		}
		return offset + i
	}
	at := 0
	for _, e := range edits {
		if e.kind == "" || e.start < at {
			continue
		}
		at = e.end
		e.start = to(e.start, false)
		e.end = to(e.end, true)
		if e.with[0] == '"' || strings.Contains(e.with, `\`) {
			quoted := wire.Quote(nil, e.with)
			e.with = string(quoted[1 : len(quoted)-1])
		}
		kept = append(kept, e)
	}
	return kept
}
