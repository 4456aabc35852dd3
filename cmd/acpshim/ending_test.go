package main

import (
	"strings"
	"testing"
)

// An error says the last line of standard error, whatever the lines before it are.
func TestTheLastLineOfStandardError(t *testing.T) {
	for text, want := range map[string]string{
		"Error: x\nlast":          "last",
		"Error: x\n  at a (b:1)":  "at a (b:1)",
		"Error: x\n\n \t\r\n\x1b": "Error: x",
		" \n":                     "",
		"":                        "",
	} {
		if got := lastLine(text); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

// The end of a line that is longer than all that is kept stays.
func TestTheEndOfALongLineOfStandardError(t *testing.T) {
	long := "a" + strings.Repeat("é", maxStderr/2) // the first é is cut
	for text, want := range map[string]string{
		"why":                  "why",
		long[1:]:               long[1:],
		long + "z":             strings.Repeat("é", maxStderr/2-1) + "z",
		"b\n" + long + "z":     strings.Repeat("é", maxStderr/2-1) + "z",
		long + "\nlast\nline":  "last\nline",
		"x" + long[1:] + "\ny": "y",
	} {
		if got := endOf(text); got != want {
			t.Errorf("of %d bytes: %.40q with %d bytes, want %.40q with %d", len(text), got, len(got), want, len(want))
		}
	}
}
