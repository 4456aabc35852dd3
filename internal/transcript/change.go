package transcript

import (
	"bytes"
	"encoding/json"

	"acpshim/internal/wire"
)

// A Change is a place at which two messages differ. Before is "" if there is
// nothing, and After likewise.
type Change struct {
	Pointer       string // "" is the whole message
	Before, After string // as they stand there
}

// Where is the place in words.
func (c Change) Where() string {
	if c.Pointer == "" {
		return "the whole message"
	}
	return c.Pointer
}

// Changes returns the places at which two messages differ. There are none if the two say the same
// in another spelling. Ok is false if one of them is no JSON.
func Changes(before, after []byte) (changes []Change, ok bool) {
	before, isJSON := value(before)
	after, isJSONToo := value(after)
	if !isJSON || !isJSONToo {
		return nil, false
	}
	for _, d := range wire.Differences(before, after) {
		changes = append(changes, Change{d.Pointer.String(), string(d.Before), string(d.After)})
	}
	return changes, true
}

// value is what is in a line.
func value(line []byte) (value []byte, isJSON bool) {
	value = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	return value, json.Valid(value)
}
