package versions

import (
	"hash"
	"hash/fnv"
)

// A sentText is the text that a peer has, as a length and a hash. The zero sentText is empty.
type sentText struct {
	length int
	sum    hash.Hash64
}

func (t *sentText) add(text string) {
	if t.sum == nil {
		t.sum = fnv.New64a()
	}
	t.length += len(text)
	t.sum.Write([]byte(text))
}

// isBeginningOf reports whether a text begins with the sent text.
func (t *sentText) isBeginningOf(text string) bool {
	if t.length == 0 || t.length > len(text) {
		return t.length == 0
	}
	sum := fnv.New64a()
	sum.Write([]byte(text[:t.length]))
	return sum.Sum64() == t.sum.Sum64()
}
