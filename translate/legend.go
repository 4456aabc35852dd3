package translate

import (
	"strings"
	"unicode/utf8"
)

// readLegend returns what the legends of a document say, or nil, and marks the
// blocks that are part of one.
func readLegend(blocks []block) (l legend) {
	below := false // a heading that names one
	for i := range blocks {
		b := &blocks[i]
		if b.kind == title {
			below = namesLegend(b.raw)
		}
		if b.kind == title || b.kind == code || !below && !isLegend(b) {
			continue
		}
		text := b.raw
		if b.mark.sign != 0 {
			text = "[" + string(b.mark.sign) + "] " + text
		}
		pairs(text, func(sign string, s Status) {
			if l == nil {
				l = legend{}
			}
			l[sign], b.key = s, true
		})
	}
	return l
}

// isLegend reports whether a block begins with the name of a legend.
func isLegend(b *block) bool {
	colon := strings.IndexByte(b.raw[:min(len(b.raw), 40)], ':')
	return colon > 0 && b.mark.sign == 0 && namesLegend(b.raw[:colon])
}

func namesLegend(text string) bool {
	if len(text) > 60 {
		return false
	}
	text = strings.ToLower(text)
	for _, name := range []string{"legend", "legende", "status key", "symbols", "凡例", "图例"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return strings.Trim(text, "*_ ") == "key"
}

// pairs reads the signs of a text with the words behind them.
func pairs(text string, found func(sign string, s Status)) {
	sign, from := "", 0
	settle := func(to int) {
		if sign == "" {
			return
		}
		words := strings.Trim(strings.ReplaceAll(text[from:to], selector, ""), " \t\n=:|,;.()*`-–—→\"'/")
		if s := legend(nil).value(words); s != "" {
			found(sign, s)
		}
	}
	for i := 0; i < len(text); {
		if next, size := signAt(text[i:]); size > 0 {
			settle(i)
			sign, from = next, i+size
			i += size
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	settle(len(text))
}

// signAt reads a sign at the beginning of a text: an emoji or a box.
func signAt(text string) (sign string, size int) {
	if len(text) > 2 && text[0] == '[' && text[2] == ']' && text[1] < utf8.RuneSelf {
		return text[:3], 3
	}
	r, n := utf8.DecodeRuneInString(text)
	if r < 0x2190 || r >= 0x3000 && r < 0x1f000 || r == 0xfe0f || r == '→' || r == utf8.RuneError {
		return "", 0
	}
	return text[:n], n
}
