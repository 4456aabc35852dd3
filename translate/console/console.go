// Package console writes what a command printed as Markdown.
package console

import (
	"regexp"
	"strings"
)

// controls are what a terminal does not show as text.
var controls = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]`)

// Plain returns what a terminal shows of an output, without colors and other controls.
func Plain(output string) string {
	return strings.ReplaceAll(controls.ReplaceAllString(strings.ToValidUTF8(output, "\ufffd"), ""), "\r\n", "\n")
}

// Fence returns the line that begins and ends a code block with these texts in it.
func Fence(texts ...string) string {
	longest := 2
	for _, text := range texts {
		longest = max(longest, longestRun(text))
	}
	return strings.Repeat("`", longest+1)
}

// longestRun is how many backticks stand next to each other in a text, at most.
func longestRun(text string) (longest int) {
	run := 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
