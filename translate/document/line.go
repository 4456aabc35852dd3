package document

import "strings"

// A line is one line of a document.
type line struct {
	text   string // without quote marks, indentation, and space at the end
	indent int    // columns before the text; tab stops are every four columns
	quotes int    // quote marks (>) before the indentation
}

// maxQuotes is how many quote marks are removed from a line.
const maxQuotes = 16

// readLine removes the indentation and the quote marks from a line.
func readLine(raw string) line {
	l := unindent(raw)
	for l.quotes < maxQuotes && l.indent < 4 && strings.HasPrefix(l.text, ">") {
		quotes := l.quotes + 1
		l = unindent(strings.TrimPrefix(l.text[1:], " "))
		l.quotes = quotes
	}
	return l
}

// unindent removes the indentation from a line.
func unindent(raw string) line {
	column, at := 0, 0
	for ; at < len(raw) && (raw[at] == ' ' || raw[at] == '\t'); at++ {
		if column++; raw[at] == '\t' {
			column = (column + 3) / 4 * 4
		}
	}
	return line{text: strings.TrimRight(raw[at:], " \t\r"), indent: column}
}

// openingFence returns the run of ` or ~ that opens a code block, or "".
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

func leadingRun(text string) string {
	n := 0
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return text[:n]
}

// cutHeading splits a heading into its level and its title. The level is 0 if it is not a heading.
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

func isBreak(text string) bool {
	return text != "" && strings.IndexByte("-*_", text[0]) >= 0 &&
		strings.Count(text, text[:1]) >= 3 && strings.Trim(text, text[:1]+" \t") == ""
}

// underline returns the level of the heading above an underline, or 0 for other lines. One or two
// dashes do not count, because the agent may still write more of them.
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

// cutMarker splits the marker of a list item off a line. Width is the columns before rest, and 0 if
// there is no marker.
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

func leadingDigits(text string) (n int) {
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// isUndecided reports whether the kind of an incomplete last line is not known yet, so that it must
// not be read.
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

// Codex writes these before and after a plan.
const openProposal, closeProposal = "<proposed_plan>", "</proposed_plan>"

// trimProposal removes the tags of a proposed plan from a line.
func trimProposal(text string) string {
	if !strings.Contains(text, "proposed_plan>") {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, openProposal), closeProposal))
}
