package redact

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unescape returns the text of a JSON string, which is given without its quotes and is known to be
// valid. Bytes that are not UTF-8 stay. Half a surrogate pair becomes U+FFFD.
func unescape(raw []byte) []byte {
	n := bytes.IndexByte(raw, '\\')
	if n < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for size := 0; n >= 0; n = bytes.IndexByte(raw, '\\') {
		text, size = unescapeOne(append(text, raw[:n]...), raw[n:])
		raw = raw[n+size:]
	}
	return append(text, raw...)
}

// unescapeOne appends what the escape at the beginning of raw stands for, and returns how long the
// escape is. A pair of surrogates is one.
func unescapeOne(dst, raw []byte) ([]byte, int) {
	if n := strings.IndexByte(`"\/bfnrt`, raw[1]); n >= 0 {
		return append(dst, "\"\\/\b\f\n\r\t"[n]), 2
	}
	size := len(`\u0000`)
	if raw[2]|0x20 == 'd' && raw[3] >= '8' && bytes.HasPrefix(raw[size:], []byte(`\u`)) {
		size *= 2
	}
	dst, _ = jsontext.AppendUnquote(dst, `"`+string(raw[:size])+`"`) // half a pair is appended, too
	return dst, size
}

// lift changes edits of an unescaped text into edits of the line in which it stands, escaped, from
// i on.
func lift(edits []edit, line []byte, i int) {
	text := 0 // how much of the text was read
	var one []byte
	for n := range edits {
		e := &edits[n]
		start := i
		for text < e.end {
			width, size := 1, 1
			if line[i] == '\\' {
				one, size = unescapeOne(one[:0], line[i:])
				width = len(one)
			}
			text, i = text+width, i+size
			if text <= e.start {
				start = i
			}
		}
		e.start, e.end = start, i
		e.with = strings.ReplaceAll(strings.ReplaceAll(e.with, `\`, `\\`), `"`, `\"`)
	}
}
