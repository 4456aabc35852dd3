package translate

import (
	"strings"
	"unicode/utf8"
)

// A legend is what a document says its signs mean: an emoji, or a box like [-].
// The nil legend knows what they commonly mean.
type legend map[string]Status

func (l legend) of(sign string) (Status, bool) {
	if s, ok := l[sign]; ok {
		return s, true
	}
	s, ok := signs[sign]
	return s, ok
}

const selector = "\ufe0f" // follows an emoji that is drawn in colour

// lead splits the emoji of a status off the beginning of a text.
func (l legend) lead(text string) (s Status, rest string) {
	r, size := utf8.DecodeRuneInString(text)
	if r < 0x2000 {
		return "", text
	}
	s, ok := l.of(text[:size])
	if !ok {
		return "", text
	}
	return s, strings.TrimLeft(strings.TrimPrefix(text[size:], selector), " :-–—")
}

// tail splits the emoji of a status off the end of a text.
func (l legend) tail(text string) (s Status, rest string) {
	bare := strings.TrimSuffix(text, selector)
	r, size := utf8.DecodeLastRuneInString(bare)
	if r < 0x2000 {
		return "", text
	}
	s, ok := l.of(bare[len(bare)-size:])
	if !ok {
		return "", text
	}
	return s, strings.TrimRight(bare[:len(bare)-size], " :-–—")
}

// value reads a text that is said to be a status: words at its beginning count
// for more than an emoji that only warns, and less than one that says it all.
func (l legend) value(text string) Status {
	text = strings.Trim(strings.TrimSpace(text), "*_`[]() ")
	sign, rest := l.lead(text)
	if sign != "" && sign != Pending {
		return sign
	}
	fields := strings.Fields(strings.ToLower(strings.Trim(rest, "*_` ")))
	for n := min(3, len(fields)); n > 0; n-- {
		phrase := strings.Trim(strings.Join(fields[:n], " "), ".,;:!()*")
		if s, ok := words[phrase]; ok {
			return s
		}
		if s, ok := weak[phrase]; ok {
			return s
		}
	}
	return sign
}

// exact reads a text that is a status if it is nothing but one.
func (l legend) exact(text string) Status {
	text = strings.Trim(strings.TrimSpace(text), "*_`")
	sign, rest := l.lead(text)
	if rest == "" {
		return sign
	}
	s, ok := words[strings.ToLower(rest)]
	switch {
	case !ok:
		return ""
	case sign != "" && sign != Pending:
		return sign
	}
	return s
}

// strip reads and takes off the status that a text ends or begins with: in
// brackets, behind a dash, in capitals behind a colon, or as emoji.
func (l legend) strip(text string) (s Status, rest string) {
	if s, rest = l.lead(text); s != "" {
		if _, bare := l.suffix(rest); bare != "" {
			rest = bare
		}
		return s, rest
	}
	return l.suffix(text)
}

func (l legend) suffix(text string) (s Status, rest string) {
	if n := len(text); n > 0 && (text[n-1] == ')' || text[n-1] == ']') {
		open := strings.LastIndexAny(text, "([")
		if open > 0 {
			if s := l.exact(text[open+1 : n-1]); s != "" {
				return s, strings.TrimRight(text[:open], " :-–—")
			}
		}
	}
	for _, dash := range []string{" — ", " – ", " - ", " | "} {
		if i := strings.LastIndex(text, dash); i > 0 {
			if s := l.exact(text[i+len(dash):]); s != "" {
				return s, strings.TrimSpace(text[:i])
			}
		}
	}
	if s, rest := l.tail(text); s != "" {
		return s, rest
	}
	return l.shouted(text)
}

// shouted reads a status in capitals at the end: behind a colon or an emoji.
func (l legend) shouted(text string) (s Status, rest string) {
	i := strings.LastIndexByte(text, ' ')
	if last := text[i+1:]; i > 0 && last == strings.ToUpper(last) {
		if s, ok := words[strings.ToLower(last)]; ok {
			before := strings.TrimSpace(text[:i])
			if sign, rest := l.tail(before); sign != "" {
				return s, rest
			}
			if strings.HasSuffix(before, ":") {
				return s, strings.TrimRight(before, ": ")
			}
		}
	}
	return "", text
}
