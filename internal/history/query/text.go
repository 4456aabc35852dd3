package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
