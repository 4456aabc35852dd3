package glob

import (
	"strings"
	"unicode/utf8"
)

// An element matches one rune, or any run of them.
type element struct {
	run     bool
	class   *class // nil: the literal
	literal rune
}

// A class matches the runes of its ranges, or all other runes.
type class struct {
	not    bool
	ranges []span
}

type span struct{ low, high rune }

func (e *element) has(r rune) bool {
	if e.class == nil {
		return e.literal == r
	}
	for _, s := range e.class.ranges {
		if s.low <= r && r <= s.high {
			return !e.class.not
		}
	}
	return e.class.not
}

// blank replaces elements that are not literals. A U+FFFD of the pattern is not a literal, because
// it also matches bytes that are not UTF-8.
const blank = string(utf8.RuneError)

// spell returns the literals, with a blank for each other element.
func spell(elements []element) string {
	var b strings.Builder
	for _, e := range elements {
		if e.run || e.class != nil {
			e.literal = utf8.RuneError
		}
		b.WriteRune(e.literal)
	}
	return b.String()
}
