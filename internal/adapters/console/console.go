// Package console converts the output of commands to Markdown. It has no adapter.
package console

import (
	"regexp"
	"strings"
)

// controls matches control sequences and characters, except tab and line ends.
var controls = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]`)

// Plain returns an output without control sequences, such as colors, and in valid UTF-8.
func Plain(output string) string {
	return strings.ReplaceAll(controls.ReplaceAllString(strings.ToValidUTF8(output, "\ufffd"), ""), "\r\n", "\n")
}

// Fence returns a line of backticks that can begin and end a code block with these texts.
func Fence(texts ...string) string {
	longest := 2
	for _, text := range texts {
		longest = max(longest, longestRun(text))
	}
	return strings.Repeat("`", longest+1)
}

// longestRun returns the length of the longest run of backticks.
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

// Block returns a text as a code block. The language may be empty.
func Block(language, text string) string {
	fence := Fence(text)
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
