package document

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// readLegend reads the legends of a document, and marks their blocks.
func readLegend(blocks []block) (l legend) {
	l = legend{}
	below := false // the last heading names a legend
	for i := range blocks {
		switch b := &blocks[i]; {
		case b.kind == heading:
			below = namesLegend(b.text)
		case below && b.box.sign != 0:
			b.legend = l.note("[" + string(b.box.sign) + "] " + b.text)
		case below && b.kind != code || beginsLegend(b):
			b.legend = l.note(b.text)
		}
	}
	return l
}

// beginsLegend reports whether a block begins with the name of a legend and a colon.
func beginsLegend(b *block) bool {
	name, _, found := strings.Cut(b.text[:min(len(b.text), 40)], ":")
	return found && name != "" && b.box.sign == 0 && namesLegend(name)
}

func namesLegend(text string) bool {
	return hasAny(text, "legend", "legende", "status key", "symbols", "凡例", "图例") ||
		strings.EqualFold(strings.Trim(text, "*_ "), "key")
}

// hasAny reports whether a heading contains one of some texts, which are in lower case. It is false
// for long headings, which are sentences.
func hasAny(title string, texts ...string) bool {
	lower := strings.ToLower(title)
	return len(title) <= 60 && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(lower, text) })
}

// note adds each sign of a text that is followed by the words of a status. It reports whether there
// are any.
func (l legend) note(text string) (found bool) {
	sign := ""
	for {
		at, size := findSign(text)
		words := strings.Trim(strings.ReplaceAll(text[:at], selector, ""), " \t\n=:|,;.()*`-–—→\"'/")
		if s := legend(nil).statusOf(words); sign != "" && s != "" {
			l[sign], found = s, true
		}
		if size == 0 {
			return found
		}
		sign, text = text[at:at+size], text[at+size:]
	}
}

// findSign returns the offset and the size of the first sign in a text. Without one, the size is 0.
func findSign(text string) (at, size int) {
	for at = range text {
		if size = signSize(text[at:]); size > 0 {
			return at, size
		}
	}
	return len(text), 0
}

// signSize returns the bytes of the emoji or box at the beginning of a text, or 0.
func signSize(text string) int {
	if len(text) > 2 && text[0] == '[' && text[2] == ']' && text[1] < utf8.RuneSelf {
		return 3
	}
	r, size := utf8.DecodeRuneInString(text)
	if r < 0x2190 || r >= 0x3000 && r < 0x1f000 || r == 0xfe0f || r == '→' || r == utf8.RuneError {
		return 0
	}
	return size
}
