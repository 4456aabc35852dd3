package document

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"acpshim/translate/entry"
)

// A legend has the meanings of signs in a document: emoji and boxes like [-]. For other signs, and
// in the nil legend, the common meaning counts.
type legend map[string]entry.Status

// status returns the meaning of a sign, or "".
func (l legend) status(sign string) entry.Status { return cmp.Or(l[sign], signs()[sign]) }

// selector is the variation selector after an emoji in colour.
const selector = "\ufe0f"

// separators are between a text and its status.
const separators = " :-–—"

// cutFirst splits the emoji of a status off the beginning of a text.
func (l legend) cutFirst(text string) (s entry.Status, rest string) {
	r, size := utf8.DecodeRuneInString(text)
	if r >= 0x2000 {
		if s = l.status(text[:size]); s != "" {
			return s, strings.TrimLeft(strings.TrimPrefix(text[size:], selector), separators)
		}
	}
	return "", text
}

// cutLast splits the emoji of a status off the end of a text.
func (l legend) cutLast(text string) (s entry.Status, rest string) {
	bare := strings.TrimSuffix(text, selector)
	r, size := utf8.DecodeLastRuneInString(bare)
	if r < 0x2000 {
		return "", text
	}
	if s = l.status(bare[len(bare)-size:]); s == "" {
		return "", text
	}
	return s, strings.TrimRight(bare[:len(bare)-size], separators)
}

// statusOf returns the status in a text that should be one, such as a cell of a table, or "". It
// is an emoji or up to three words at the beginning. If an emoji means pending, the words have
// priority.
func (l legend) statusOf(text string) entry.Status {
	text = strings.Trim(strings.TrimSpace(text), "*_`[]() ")
	sign, rest := l.cutFirst(text)
	if sign != "" && sign != entry.Pending {
		return sign
	}
	fields := strings.Fields(strings.ToLower(strings.Trim(rest, "*_` ")))
	for n := min(3, len(fields)); n > 0; n-- {
		phrase := strings.Trim(strings.Join(fields[:n], " "), ".,;:!()*")
		if s := cmp.Or(words()[phrase], weakWords()[phrase]); s != "" {
			return s
		}
	}
	return sign
}

// exact returns the status of a text that is only a status, or "".
func (l legend) exact(text string) entry.Status {
	sign, rest := l.cutFirst(strings.Trim(strings.TrimSpace(text), "*_`"))
	s := words()[strings.ToLower(rest)]
	if rest == "" || s != "" && sign != "" && sign != entry.Pending {
		return sign
	}
	return s
}

// isOnly reports whether a text that should be a status, such as a cell of a table, has nothing
// else.
func (l legend) isOnly(text string) bool {
	_, rest := l.cutFirst(strings.Trim(strings.TrimSpace(text), "*_`[]() "))
	rest = strings.ToLower(strings.Trim(rest, "*_` .,;:!"))
	return rest == "" || rest == "x" || words()[rest] != "" || weakWords()[rest] != ""
}

// cutStatus splits a status off the beginning or end of a text. It is an emoji, in brackets, after
// a dash, or in capitals after a colon.
func (l legend) cutStatus(text string) (s entry.Status, rest string) {
	sign, rest := l.cutFirst(text)
	s, bare := l.cutSuffix(rest)
	return cmp.Or(sign, s), cmp.Or(bare, rest)
}

func (l legend) cutSuffix(text string) (s entry.Status, rest string) {
	if before, inside := cutBrackets(text); inside != "" {
		if s := l.exact(inside); s != "" {
			return s, strings.TrimRight(before, separators)
		}
	}
	if before, after := cutDash(text); after != "" {
		if s := l.exact(after); s != "" {
			return s, before
		}
	}
	if s, rest := l.cutLast(text); s != "" {
		return s, rest
	}
	return l.cutCapitals(text)
}

// cutCapitals splits off a status in capitals after a colon or an emoji.
func (l legend) cutCapitals(text string) (s entry.Status, rest string) {
	i := strings.LastIndexByte(text, ' ')
	if last := text[i+1:]; i > 0 && last == strings.ToUpper(last) {
		s = words()[strings.ToLower(last)]
	}
	if s == "" {
		return "", text
	}
	before := strings.TrimSpace(text[:i])
	if sign, rest := l.cutLast(before); sign != "" {
		return s, rest
	}
	if strings.HasSuffix(before, ":") {
		return s, strings.TrimRight(before, ": ")
	}
	return "", text
}

// cutBrackets splits brackets off the end of a text. Inside is empty if the text does not end with
// brackets, or has nothing before them.
func cutBrackets(text string) (before, inside string) {
	end := len(text) - 1
	if end < 0 || text[end] != ')' && text[end] != ']' {
		return text, ""
	}
	open := strings.LastIndexAny(text, "([")
	if open <= 0 {
		return text, ""
	}
	return text[:open], text[open+1 : end]
}

// cutDash splits a text at its last dash or bar between spaces. After is empty if there is no such
// sign, or no text before it.
func cutDash(text string) (before, after string) {
	last, size := 0, 0
	for _, dash := range []string{" — ", " – ", " - ", " | "} {
		if i := strings.LastIndex(text, dash); i > last {
			last, size = i, len(dash)
		}
	}
	if last == 0 {
		return text, ""
	}
	return strings.TrimSpace(text[:last]), text[last+size:]
}
