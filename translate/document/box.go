package document

import (
	"strings"
	"unicode/utf8"

	"acpshim/translate/entry"
)

// A checkbox is the box of an item or a heading. The zero value means that there is no box.
type checkbox struct {
	sign     rune // the character inside; ' ' for an empty box
	optional bool // a star follows, as Kiro writes optional tasks
}

// cutBox splits a checkbox off the beginning of a text; rest may be empty. A link, a footnote or
// a citation is not a box.
func cutBox(text string) (box checkbox, rest string) {
	inside, _, closed := strings.Cut(text[:min(len(text), 9)], "]")
	if !closed || !strings.HasPrefix(text, "[") {
		return checkbox{}, text
	}
	after := text[len(inside)+1:]
	sign, size := ' ', 0
	if inside = strings.TrimSpace(inside[1:]); inside != "" {
		if sign, size = utf8.DecodeRuneInString(inside); size != len(inside) || isDigit(inside[0]) {
			return checkbox{}, text
		}
	}
	if after == "*" || strings.HasPrefix(after, "* ") {
		box.optional, after = true, after[1:]
	}
	if after != "" && after[0] != ' ' && after[0] != '\t' {
		if strings.IndexByte("([:", after[0]) >= 0 || !strings.ContainsRune(" xX", sign) {
			return checkbox{}, text
		}
	}
	box.sign = sign
	return box, strings.TrimSpace(after)
}

// hasPlainBox reports whether a line begins with a box that counts without a list marker.
func hasPlainBox(text string) bool {
	box, rest := cutBox(text)
	return rest != "" && strings.ContainsRune(" xX/~-", box.sign)
}

// status returns the meaning of the sign without a legend.
func (c checkbox) status() entry.Status {
	switch c.sign {
	case 'x', 'X', '✓', '✔', '✅', '☑':
		return entry.Completed
	case '/', '~':
		return entry.InProgress
	case '-':
		return entry.Cancelled
	}
	return entry.Pending
}
