package document

import "strings"

// A line is one line of a document.
type line struct {
	text   string // without quote marks, indentation, and space at its end
	indent int    // columns before the text; a tab goes on to a multiple of four
	quotes int    // quote marks (>) before the indentation
}

// maxQuotes bounds the quote marks taken off a line.
const maxQuotes = 16

// readLine takes the indentation and the quote marks off a line.
func readLine(raw string) line {
	l := unindent(raw)
	for l.quotes < maxQuotes && l.indent < 4 && strings.HasPrefix(l.text, ">") {
		quotes := l.quotes + 1
		l = unindent(strings.TrimPrefix(l.text[1:], " "))
		l.quotes = quotes
	}
	return l
}

// unindent takes the indentation off a line.
func unindent(raw string) line {
	column, at := 0, 0
	for ; at < len(raw) && (raw[at] == ' ' || raw[at] == '\t'); at++ {
		if column++; raw[at] == '\t' {
			column = (column + 3) / 4 * 4
		}
	}
	return line{text: strings.TrimRight(raw[at:], " \t\r"), indent: column}
}

// openingFence returns the run of ` or ~ with which a line opens a code block, or "".
func openingFence(text string) string {
	run := leadingRun(text)
	if len(run) < 3 || run[0] != '~' && (run[0] != '`' || strings.Contains(text[len(run):], "`")) {
		return ""
	}
	return run
}

// closesFence reports whether a line closes the code block that fence opened.
func closesFence(text, fence string) bool {
	return len(text) >= len(fence) && text[0] == fence[0] && len(leadingRun(text)) == len(text)
}

// leadingRun returns the run of equal bytes at the beginning of text.
func leadingRun(text string) string {
	n := 0
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return text[:n]
}

// cutHeading splits a heading into its level and its title; level 0 is none.
func cutHeading(text string) (level int, title string) {
	title = strings.TrimLeft(text, "#")
	level = len(text) - len(title)
	if level == 0 || level > 6 || title != "" && title[0] != ' ' && title[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(title)
	if bare := strings.TrimRight(title, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		title = strings.TrimSpace(bare)
	}
	return level, title
}

// isBreak reports whether a line is a thematic break.
func isBreak(text string) bool {
	return text != "" && strings.IndexByte("-*_", text[0]) >= 0 &&
		strings.Count(text, text[:1]) >= 3 && strings.Trim(text, text[:1]+" \t") == ""
}

// underline returns the level of the heading that a line makes of the paragraph above
// it, or 0. One or two dashes make none: more of them may be on their way.
func underline(text string) int {
	switch {
	case len(text) < 3:
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// cutMarker splits the marker of a list item off a line; rest is the text behind it, and
// width the columns up to there. Width 0 is no marker.
func cutMarker(text string) (width int, ordered bool, rest string) {
	n := 1
	if text == "" || strings.IndexByte("-*+", text[0]) < 0 {
		n = 1 + leadingDigits(text)
		if n == 1 || n > 10 || n > len(text) || text[n-1] != '.' && text[n-1] != ')' {
			return 0, false, text
		}
		ordered = true
	}
	rest = strings.TrimLeft(text[n:], " \t")
	gap := len(text) - n - len(rest)
	switch {
	case rest == "" || gap > 4:
		gap = 1
	case gap == 0:
		return 0, false, text
	}
	return n + gap, ordered, rest
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// leadingDigits counts the digits that a text begins with.
func leadingDigits(text string) (n int) {
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// isUndecided reports whether a last line without its end may still become anything: it is
// not read before there is more of it.
func isUndecided(text string) bool {
	_, _, rest := cutMarker(text)
	switch {
	case rest == "" || rest == "[" || len(rest) == 2 && rest[0] == '[' && rest[1] != ']':
		return true
	case len(rest) < len(text):
		return false
	case strings.HasPrefix(openProposal, text) || strings.HasPrefix(closeProposal, text):
		return true
	}
	return leadingDigits(text) == len(text) ||
		len(leadingRun(text)) == len(text) && strings.IndexByte("`~-=*+_#|<", text[0]) >= 0
}

// Codex puts these around a plan.
const openProposal, closeProposal = "<proposed_plan>", "</proposed_plan>"

// trimProposal takes the tags of a proposed plan off a line.
func trimProposal(text string) string {
	if !strings.Contains(text, "proposed_plan>") {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, openProposal), closeProposal))
}
