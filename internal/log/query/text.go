package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
)

// A text is a text to search for, folded: plain, and escaped as in a JSON string.
type text struct{ plain, inJSON string }

func newText(value string) text {
	inJSON := fold(string(wire.Quote(nil, value)))
	return text{plain: fold(value), inJSON: inJSON[1 : len(inJSON)-1]}
}

// isIn reports whether a folded line contains the text.
func (t text) isIn(line string) bool {
	return strings.Contains(line, t.plain) || strings.Contains(line, t.inJSON)
}

// fold maps letters that differ only in case to one of them, by the simple case folding of Unicode.
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
