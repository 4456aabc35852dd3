package translate

import "strings"

// A line is one line of a document without its end and its quote marks.
type line struct {
	text   string // without the indentation
	indent int    // columns before the text
	quotes int    // quote marks before the indentation
}

func (l line) blank() bool { return l.text == "" }

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

func unindent(raw string) line {
	column, at := 0, 0
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t') {
		if raw[at] == '\t' {
			column += 4 - column%4
		} else {
			column++
		}
		at++
	}
	return line{text: strings.TrimRight(raw[at:], " \t\r"), indent: column}
}

// fence returns the run of ` or ~ with which a line opens a code block, or "".
func fence(text string) string {
	run := leadingRun(text)
	if len(run) < 3 || run[0] != '`' && run[0] != '~' {
		return ""
	}
	if run[0] == '`' && strings.Contains(text[len(run):], "`") {
		return "" // a code span
	}
	return run
}

// closes reports whether a line closes a code block that open opened.
func closes(text, open string) bool {
	run := leadingRun(text)
	return len(run) >= len(open) && run[0] == open[0] && len(run) == len(text)
}

// leadingRun is the run of equal bytes at the start of text.
func leadingRun(text string) string {
	n := 0
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return text[:n]
}

// heading splits a heading into its level and its text; level 0 is none.
func heading(text string) (level int, title string) {
	run := leadingRun(text)
	if run == "" || run[0] != '#' || len(run) > 6 {
		return 0, ""
	}
	rest := text[len(run):]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	rest = strings.TrimSpace(rest)
	if bare := strings.TrimRight(rest, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		rest = strings.TrimSpace(bare)
	}
	return len(run), rest
}

// isRule reports whether a line is a thematic break.
func isRule(text string) bool {
	if text == "" || strings.IndexByte("-*_", text[0]) < 0 {
		return false
	}
	n := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// underline is the level of the heading that a line makes of the paragraph
// above it, or 0. One or two dashes are none: more may be on its way.
func underline(text string) int {
	if run := leadingRun(text); len(run) < 3 || len(run) != len(text) {
		return 0
	} else if run[0] == '=' {
		return 1
	} else if run[0] == '-' {
		return 2
	}
	return 0
}

// marker splits a list item's marker, with the columns up to its text, off a
// line; width 0 is none.
func marker(text string) (width int, ordered bool, rest string) {
	n := 0
	switch {
	case text == "":
		return 0, false, text
	case strings.IndexByte("-*+", text[0]) >= 0:
		n = 1
	default:
		for n < len(text) && n < 9 && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		if n == 0 || n == len(text) || text[n] != '.' && text[n] != ')' {
			return 0, false, text
		}
		n, ordered = n+1, true
	}
	rest = strings.TrimLeft(text[n:], " \t")
	gap := len(text) - n - len(rest)
	if rest != "" && gap == 0 {
		return 0, false, text
	}
	if rest == "" || gap > 4 {
		gap = 1
	}
	return n + gap, ordered, rest
}

// undecided reports whether an unfinished line may still become anything: it
// is not read before more of it is there.
func undecided(text string) bool {
	_, _, rest := marker(text)
	switch {
	case rest == "" || rest == "[" || len(rest) == 2 && rest[0] == '[' && rest[1] != ']':
		return true
	case len(rest) < len(text):
		return false
	case strings.HasPrefix(wrapOpen, text) || strings.HasPrefix(wrapClose, text):
		return true
	}
	return strings.Trim(text, "0123456789") == "" ||
		len(leadingRun(text)) == len(text) && strings.IndexByte("`~-=*+_#|<", text[0]) >= 0
}

// What Codex puts around a plan.
const wrapOpen, wrapClose = "<proposed_plan>", "</proposed_plan>"

// unwrap takes the tags of a proposed plan off a line.
func unwrap(text string) string {
	if !strings.Contains(text, "proposed_plan>") {
		return text
	}
	text = strings.TrimPrefix(text, wrapOpen)
	return strings.TrimSpace(strings.TrimSuffix(text, wrapClose))
}
