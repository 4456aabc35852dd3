package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// mostRunes is the number of runes that a column may have. It bounds the marks on a letter.
const mostRunes = 8

// Width returns the number of columns that a terminal needs for a text on one line without hidden
// runes. What people read as one character is drawn as one. A character of ambiguous width is
// narrow.
func Width(text string) (columns int) {
	for len(text) > 0 {
		size, width, _ := character(text)
		columns += width
		text = text[size:]
	}
	return columns
}

// Cut returns the beginning of a text on one line in at most so many columns, with … at its end
// if there was more; 0 means no limit. It never cuts a character. The result also fits if a
// terminal draws the parts of a character next to each other.
func Cut(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	at, taken, runes, fit := 0, 0, 0, 0 // fit is where … has room
	for at < len(text) {
		size, _, most := character(text[at:])
		taken += most
		runes += utf8.RuneCountInString(text[at : at+size])
		if taken > columns || runes > mostRunes*columns {
			return text[:fit] + "…"
		}
		at += size
		if taken < columns {
			fit = at
		}
	}
	return text
}

// CutFront returns the end of a text in at most so many columns, with … before it if there was
// more.
func CutFront(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && Width(string(runes)) > columns-1 {
		runes = runes[max(1, len(runes)-mostRunes*columns):]
	}
	return "…" + string(runes)
}

// CutMiddle is [Cut] that returns both ends of the text, with … between them.
func CutMiddle(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	end := CutFront(text, columns/2+1)
	return Cut(text, columns-columns/2) + strings.TrimPrefix(end, "…")
}

// Pad returns a text with space after it, in at least so many columns.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-Width(text), 0))
}

// Wrap breaks a text between words into lines of at most so many columns, at least one. A longer
// word has a line of its own.
func Wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) > columns:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Blank returns space that is as wide as a text. Tabs stay.
func Blank(text string) string {
	parts := strings.Split(text, "\t")
	for i, part := range parts {
		parts[i] = strings.Repeat(" ", Width(part))
	}
	return strings.Join(parts, "\t")
}

// character measures the first character of a text, with the marks, joined signs and
// colours of skin that belong to it: its length in bytes, its columns, and those that
// it takes at most, where each of its runes is drawn by itself.
func character(text string) (size, columns, most int) {
	first, size := utf8.DecodeRuneInString(text)
	columns = runeWidth(first)
	most = columns
	if size == 1 && first < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return size, columns, most
	}
	isFlag, isEmoji := isRegional(first), isSign(first)
	for joined := false; size < len(text); {
		r, n := utf8.DecodeRuneInString(text[size:])
		switch {
		case isFlag && isRegional(r):
			columns, most = 2, 2
		case isMark(r) && unicode.Is(unicode.Mc, r): // is drawn next to the letter
			columns++
			most++
		case r == '\ufe0f': // as an emoji
			columns, most = max(columns, 2), most+1
		case isMark(r), isEmoji && (joined || isSkin(r)) && isSign(r):
			most += runeWidth(r)
		default:
			return size, columns, max(most, columns)
		}
		joined, isFlag = r == '\u200d', false // of a flag both halves are side by side
		size += n
	}
	return size, columns, max(most, columns)
}

// runeWidth is the width of a rune that is drawn by itself.
func runeWidth(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return 0
	case isRegional(r), isNewEmoji(r), unicode.Is(newlyWide, r):
		return 2
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// newlyWide are the runes that Unicode 16 made wide, which x/text does not know yet.
var newlyWide = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2630, Hi: 0x2637, Stride: 1}, {Lo: 0x268a, Hi: 0x268f, Stride: 1}, {Lo: 0x4dc0, Hi: 0x4dff, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x1d300, Hi: 0x1d356, Stride: 1}, {Lo: 0x1d360, Hi: 0x1d376, Stride: 1}},
}

// isMark reports whether a rune belongs to the character before it: marks, joiners, and
// the vowels and ends of Korean syllables.
func isMark(r rune) bool {
	return r >= 0x300 && (unicode.In(r, unicode.M) || r == '\u200c' || r == '\u200d' || 0x1160 <= r && r <= 0x11ff || 0xd7b0 <= r && r <= 0xd7ff)
}

// isSign reports whether a rune may be one of an emoji.
func isSign(r rune) bool {
	return r >= 0x2190 && (unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) || isNewEmoji(r))
}

func isSkin(r rune) bool { return 0x1f3fb <= r && r <= 0x1f3ff }

func isRegional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }
