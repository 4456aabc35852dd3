package transcript

import (
	"bytes"
	"encoding/json"

	"acpshim/internal/chain/wire"
)

// A Change is a place at which two messages differ. Before and After are "" if a message has
// nothing there.
type Change struct {
	Pointer       string // "" is the whole message
	Before, After string // as JSON
}

// Where returns the place in words.
func (c Change) Where() string {
	if c.Pointer == "" {
		return "the whole message"
	}
	return c.Pointer
}

// Changes returns the places at which two messages differ. It returns none if they are the same
// JSON in other bytes. Ok is false if one of them is not JSON.
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

// value returns the JSON value in a line.
func value(line []byte) (value []byte, isJSON bool) {
	value = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	return value, json.Valid(value)
}
