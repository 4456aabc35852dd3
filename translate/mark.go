package translate

import (
	"strings"
	"unicode/utf8"
)

// A checkmark is what stands in a checkbox. The zero checkmark is no box.
type checkmark struct {
	sign     rune // ' ' for an empty box
	optional bool // a star behind the box
}

// box splits a checkbox off a text. The text may be empty. A link is no box,
// nor is a number: that is a citation.
func box(text string) (m checkmark, rest string, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return checkmark{}, text, false
	}
	inside, _, found := strings.Cut(text[1:min(len(text), 9)], "]")
	if !found {
		return checkmark{}, text, false
	}
	rest = text[len(inside)+2:]
	sign, size := ' ', 0
	if trimmed := strings.TrimSpace(inside); trimmed != "" {
		if sign, size = utf8.DecodeRuneInString(trimmed); size != len(trimmed) || '0' <= sign && sign <= '9' {
			return checkmark{}, text, false
		}
	}
	if rest != "" && rest[0] == '*' && (len(rest) == 1 || rest[1] == ' ') {
		m.optional, rest = true, rest[1:]
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		if strings.IndexByte("([:", rest[0]) >= 0 || !strings.ContainsRune(" xX", sign) {
			return checkmark{}, text, false
		}
	}
	m.sign = sign
	return m, strings.TrimSpace(rest), true
}

// plainBox is a box as it may stand without a list marker before it.
func plainBox(text string) bool {
	return len(text) > 4 && text[0] == '[' && text[2] == ']' && text[3] == ' ' &&
		strings.IndexByte(" xX/~-", text[1]) >= 0
}

// The status of a list item, or "" if nothing tells. Beside the three of the
// protocol there is dropped.
const dropped Status = "cancelled"

// status is what a mark says where nothing around it says otherwise.
func (m checkmark) status() Status {
	switch m.sign {
	case 'x', 'X', '✓', '✔', '✅', '☑':
		return Completed
	case '/', '~':
		return InProgress
	case '-':
		return dropped
	}
	return Pending
}
