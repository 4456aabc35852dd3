package redact

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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

// unescapeOne appends what the escape, or the two, at the beginning of raw stand for, and
// returns how long they are.
func unescapeOne(dst, raw []byte) ([]byte, int) {
	if n := strings.IndexByte(`"\/bfnrt`, raw[1]); n >= 0 {
		return append(dst, "\"\\/\b\f\n\r\t"[n]), 2
	}
	size := 6
	if raw[2]|0x20 == 'd' && raw[3] >= '8' && len(raw) >= 12 && string(raw[6:8]) == `\u` { // a pair
		size = 12
	}
	dst, _ = jsontext.AppendUnquote(dst, `"`+string(raw[:size])+`"`) // half a pair is appended, too
	return dst, size
}

// lift makes the edits of an unescaped text, in their order, edits of the line: raw is the
// text as it is escaped, and stands in the line from offset on.
func lift(edits []edit, raw []byte, offset int) {
	text, i := 0, 0 // as far as text and raw were read
	var one []byte
	// to steps to the unit with byte want of the text, or behind it.
	to := func(want int, behind bool) int {
		for text < want {
			n := bytes.IndexByte(raw[i:min(len(raw), i+want-text)], '\\')
			if n < 0 {
				n = want - text
			}
			if text, i = text+n, i+n; n == 0 {
				var size int
				if one, size = unescapeOne(one[:0], raw[i:]); text+len(one) > want && !behind {
					break
				}
				text, i = text+len(one), i+size
			}
		}
		return offset + i
	}
	for n := range edits {
		e := &edits[n]
		e.start, e.end = to(e.start, false), to(e.end, true)
		if e.with[0] == '"' || strings.Contains(e.with, `\`) {
			quoted := wire.Quote(nil, e.with)
			e.with = string(quoted[1 : len(quoted)-1])
		}
	}
}
