package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns the beginning of a text on one line, with no more than max runes
// (0 is no limit) and nothing in it that a terminal obeys: space of any kind is one space,
// and what has no picture is U+FFFD.
func Plain(text string, max int) string {
	var b strings.Builder
	n := 0
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if max > 0 && n+2 > max {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			n++
		}
		space = false
		b.WriteRune(visible(r))
		n++
	}
	return b.String()
}

// Visible returns a text with all its space but without what a terminal obeys
// other than newlines.
func Visible(text []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visible(r)
	}, string(text))
}

func visible(r rune) rune {
	if !unicode.IsGraphic(r) {
		return utf8.RuneError
	}
	return r
}
