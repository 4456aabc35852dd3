package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"

	"golang.org/x/tools/txtar"
)

// A fenced block is what stands between two fences of a document. Behind the language the fence may
// name a file: "toml mine.toml" is written to mine.toml before the commands below it run, and
// "text x.txtar" is the drawing of that transcript.
type fenced struct {
	line       int // of the opening fence, from 1
	lang, file string
	text       string
	start, end int // of text in the document
}

// opening is the first line of a block; as many backticks alone end it.
var opening = regexp.MustCompile("^(```+)([^`\n]*)\n$")

// blocks returns the blocks of a document in their order.
func blocks(document string) (all []fenced) {
	var b fenced
	var fence string // of the block that is open
	at, line := 0, 0
	for text := range strings.Lines(document) {
		line++
		m := opening.FindStringSubmatch(text)
		switch {
		case fence == "" && m != nil:
			lang, file, _ := strings.Cut(m[2], " ")
			fence, b = m[1], fenced{line: line, lang: lang, file: file, start: at + len(text)}
		case fence != "" && strings.TrimRight(text, "\n") == fence:
			b.text, b.end = document[b.start:at], at
			all, fence = append(all, b), ""
		}
		at += len(text)
	}
	return all
}

// isSession reports whether a block shows commands behind "$ " with their output.
func (b fenced) isSession() bool {
	return b.lang == "console" || b.lang == "" && strings.HasPrefix(b.text, "$ ")
}

// notRun is the reason that a block gives in its first line for not being run, or "".
func (b fenced) notRun() string {
	reason, ok := strings.CutPrefix(b.text, "# Not run by the tests: ")
	if !ok {
		return ""
	}
	reason, _, _ = strings.Cut(reason, "\n")
	return strings.TrimSuffix(reason, ".")
}

// A command of a session, with the output that the document shows.
type command struct {
	text, output string
	start, end   int // of the output in the block
}

var prompt = regexp.MustCompile(`(?m)^\$ ((?:.*\\\n)*.*)\n`)

// commands returns the commands of a session.
func (b fenced) commands() (all []command) {
	found := prompt.FindAllStringSubmatchIndex(b.text, -1)
	for i, at := range found {
		end := len(b.text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		all = append(all, command{b.text[at[2]:at[3]], b.text[at[1]:end], at[1], end})
	}
	return all
}

// matches reports whether output is what a document shows: the same lines, where a line "..."
// stands for any lines that were left out. Empty lines at the end do not count.
func matches(shown, output string) bool {
	return matchLines(linesOf(shown), linesOf(output))
}

func linesOf(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

func matchLines(shown, output []string) bool {
	for i, line := range shown {
		if line == "..." {
			rest := shown[i+1:]
			for from := range len(output) + 1 {
				if matchLines(rest, output[from:]) {
					return true
				}
			}
			return false
		}
		if len(output) == 0 || output[0] != line {
			return false
		}
		output = output[1:]
	}
	return len(output) == 0
}

// drawing shows what the agent sends in a transcript, and beside it what the client gets of it.
func drawing(a *txtar.Archive) string {
	var b strings.Builder
	var sent []string
	for i, f := range a.Files {
		switch f.Name {
		case "agent":
			sent = messages(f.Data)
			if i+1 == len(a.Files) || a.Files[i+1].Name != "to client" {
				b.WriteString(terminal.Beside(sent, nil) + "\n")
			}
		case "to client":
			if got := messages(f.Data); len(sent)+len(got) > 0 {
				b.WriteString(terminal.Beside(sent, got) + "\n")
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func messages(lines []byte) (drawn []string) {
	for line := range bytes.Lines(lines) {
		drawn = append(drawn, transcript.Message(line)...)
	}
	return drawn
}

// unbalanced says which bracket of Lua or Emacs Lisp has no partner, or "". Those in strings
// do not count.
func unbalanced(text string) string {
	var open []rune
	text = regexp.MustCompile(`"(?:\\.|[^"\\])*"`).ReplaceAllString(text, "")
	for _, r := range text {
		switch i := strings.IndexRune(")]}", r); {
		case strings.ContainsRune("([{", r):
			open = append(open, r)
		case i >= 0 && (len(open) == 0 || open[len(open)-1] != rune("([{"[i])):
			return string(r)
		case i >= 0:
			open = open[:len(open)-1]
		}
	}
	return string(open)
}

func TestBlocksOfADocument(t *testing.T) {
	document := "a\n````text\n```sh\n```\n````\n```console\n$ one\n1\n$ two \\\n  2\n```\n\n```toml x.toml\na = 1\n```\n```sh\n# Not run by the tests: it is an example.\nfalse\n```\n"
	got := blocks(document)
	if len(got) != 4 || got[0].text != "```sh\n```\n" {
		t.Fatalf("got %+v", got)
	}
	got = got[1:]
	if got[0].line != 6 || got[1].file != "x.toml" || got[1].text != "a = 1\n" || document[got[1].start:got[1].end] != got[1].text {
		t.Fatalf("got %+v", got)
	}
	if reasons := fmt.Sprint(got[0].notRun(), got[1].notRun(), got[2].notRun()); reasons != "it is an example" {
		t.Errorf("reasons: %s", reasons)
	}
	want := []string{"one|1\n", "two \\\n  2|"}
	var commands []string
	for _, c := range got[0].commands() {
		commands = append(commands, c.text+"|"+c.output)
	}
	if !slices.Equal(commands, want) {
		t.Errorf("commands %q, want %q", commands, want)
	}
}

func TestShownOutputMatches(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		want          bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nb\n\n", true},
		{"a\nb\n", "a\n", false},
		{"a\n", "a\nb\n", false},
		{"...\nb\n", "b\n", true},
		{"...\nb\n", "a\na\nb\n", true},
		{"...\nb\n...\nd\n", "b\nb\nc\nd\n", true},
		{"...\nb\n...\n", "a\nc\n", false},
		{"a ...\n", "a b\n", false},
		{"", "a\n", false},
	} {
		if got := matches(c.shown, c.output); got != c.want {
			t.Errorf("matches(%q, %q) = %v", c.shown, c.output, got)
		}
	}
}

func TestUnbalancedBrackets(t *testing.T) {
	for text, want := range map[string]string{`(a "(" [b] {c})`: "", "(a": "(", "a)": ")", "(]": "]"} {
		if got := unbalanced(text); got != want {
			t.Errorf("unbalanced(%q) = %q, want %q", text, got, want)
		}
	}
}
