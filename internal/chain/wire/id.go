package wire

import (
	"bytes"
	"crypto/sha256"
	"strconv"
)

// maxID is the longest key of an id that holds the id itself, in bytes. Real
// ids are numbers, or strings of some 40.
const maxID = 128

// ID returns a key for a raw JSON-RPC id. Ids of the same type and value have the same key however
// they are spelled (1 and 1.0, "a" and "\u0061"); 1 and "1" have different keys. The key is empty
// for an id that names no request: a missing one, null, or a value that is neither string nor
// number. For an id over maxID bytes it is a digest, so it is never long.
func ID(raw []byte) string {
	key := id(raw)
	if len(key) > maxID {
		sum := sha256.Sum256([]byte(key))
		return "#" + string(sum[:])
	}
	return key
}

func id(raw []byte) string {
	switch {
	case len(raw) == 0:
		return ""
	case raw[0] == '"':
		text, _ := Text(raw)
		return `"` + text
	case raw[0] != '-' && (raw[0] < '0' || raw[0] > '9'):
		return ""
	case bytes.ContainsAny(raw, ".eE") || raw[0] == '-':
		// A whole number has one canonical spelling; numbers with more digits than a float64 are
		// distinguished by their text.
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == float64(int64(f)) && f > -1<<53 && f < 1<<53 {
			return strconv.FormatInt(int64(f), 10)
		}
	}
	return string(raw)
}
