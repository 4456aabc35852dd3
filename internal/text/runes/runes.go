// Package runes finds the places where a text can be cut without cutting a character.
package runes

import "unicode/utf8"

// Before returns the last place up to n at which no character is cut. In bytes that are not UTF-8
// it returns n.
func Before[T string | []byte](text T, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for i := n; i > n-utf8.UTFMax && i >= 0; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return n
}

// Whole returns the length of a text without an incomplete character at its end.
func Whole(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if last := Before(text, len(text)-1); !utf8.FullRune(text[last:]) {
		return last
	}
	return len(text)
}
