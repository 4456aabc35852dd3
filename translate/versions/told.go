package versions

import (
	"hash"
	"hash/fnv"
)

// A told is a text as far as a peer was told it, by its length and a sum. The zero told is no text.
type told struct {
	length int
	sum    hash.Hash64
}

func (t *told) add(text string) {
	if t.sum == nil {
		t.sum = fnv.New64a()
	}
	t.length += len(text)
	t.sum.Write([]byte(text))
}

// isBeginningOf reports whether a text begins with what was told.
func (t *told) isBeginningOf(text string) bool {
	if t.length == 0 || t.length > len(text) {
		return t.length == 0
	}
	sum := fnv.New64a()
	sum.Write([]byte(text[:t.length]))
	return sum.Sum64() == t.sum.Sum64()
}
