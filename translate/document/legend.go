package document

import (
	"strings"
	"unicode/utf8"

	"acpshim/translate/entry"
)

// readLegend returns what the legends of a document say, or nil, and marks the blocks that
// are part of one.
func readLegend(blocks []block) (l legend) {
	below := false // a heading that names a legend
	for i := range blocks {
		b := &blocks[i]
		if b.kind == heading {
			below = namesLegend(b.text)
		}
		if b.kind == heading || b.kind == code || !below && !beginsLegend(b) {
			continue
		}
		text := b.text
		if b.box.sign != 0 {
			text = "[" + string(b.box.sign) + "] " + text
		}
		for sign, s := range signsIn(text) {
			if l == nil {
				l = legend{}
			}
			l[sign], b.legend = s, true
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

// hasAny reports whether a heading has one of some texts, given in lower case, in it. Long
// ones are sentences, and have none.
func hasAny(title string, texts ...string) bool {
	if len(title) > 60 {
		return false
	}
	title = strings.ToLower(title)
	for _, text := range texts {
		if strings.Contains(title, text) {
			return true
		}
	}
	return false
}

// signsIn returns the signs of a text with the status that the words behind each name.
func signsIn(text string) map[string]entry.Status {
	signs := map[string]entry.Status{}
	sign := ""
	from := 0 // the end of the sign
	note := func(words string) {
		words = strings.Trim(strings.ReplaceAll(words, selector, ""), " \t\n=:|,;.()*`-–—→\"'/")
		if s := legend(nil).statusOf(words); sign != "" && s != "" {
			signs[sign] = s
		}
	}
	for i := 0; i < len(text); {
		size := signSize(text[i:])
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		note(text[from:i])
		sign, from = text[i:i+size], i+size
		i = from
	}
	note(text[from:])
	return signs
}

// signSize returns the bytes of the sign that a text begins with, an emoji or a box, or 0.
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
