package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"acpshim/internal/wire"
)

// A text is what is searched, folded: as it is, and as it stands in a string of JSON.
type text struct{ plain, inJSON string }

func newText(value string) text {
	inJSON := fold(string(wire.Quote(nil, value)))
	return text{plain: fold(value), inJSON: inJSON[1 : len(inJSON)-1]}
}

// isIn reports whether the text stands in a line, which is folded.
func (t text) isIn(line string) bool {
	return strings.Contains(line, t.plain) || strings.Contains(line, t.inJSON)
}

// fold returns a text in which letters that differ in case only are the same, by the
// simple case folding of Unicode.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		if least < utf8.RuneSelf {
			least = unicode.ToLower(least)
		}
		return least
	}, text)
}
