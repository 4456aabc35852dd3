// Package terminal writes for people. Foreign text gets here whatever it says: what a
// terminal would obey, and what a reader would not see or would see in another order,
// does not go on. Columns are counted as terminals draw them.
package terminal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a rune must not be drawn: controls, line ends of any kind,
// what changes the direction, and what cannot be seen. The joiners of emoji and of
// Persian, variation selectors, and space can.
func Hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r == '\u200c', r == '\u200d', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r): // fillers, and tags that are not assigned
		return true
	}
	return !unicode.IsGraphic(r) && !isNewEmoji(r)
}

// isNewEmoji reports whether a rune is kept for emoji that Go's tables do not have yet.
func isNewEmoji(r rune) bool { return 0x1f000 <= r && r <= 0x1faff && !unicode.IsGraphic(r) }

// Text returns a text with its line ends and tabs, and U+FFFD for each rune that is
// hidden and each byte that is no UTF-8. It has as many runes as before.
func Text(text string) string { return shown(text, "\n\t") }

// Line is [Text] for what has to stay on one line: its line ends are U+FFFD, too.
func Line(text string) string { return shown(text, "\t") }

func shown(text, keep string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) && !strings.ContainsRune(keep, r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// Plain returns the beginning of a text on one line, in at most so many columns (0 is
// no limit): space of any kind is one space, and what is hidden is U+FFFD.
func Plain(text string, columns int) string {
	var b strings.Builder
	space := false
	runes := 0
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
		}
		if Hidden(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		space = false
		if runes++; columns > 0 && runes > mostRunes*columns {
			break
		}
	}
	return Cut(b.String(), columns)
}

// Quote returns a text in quotes, on one line: as Go writes it, but for letters and signs of any
// language, which stay as they are.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		piece := text[i : i+size]
		if Hidden(r) || r == '"' || r == '\\' || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(piece)
			piece = quoted[1 : len(quoted)-1]
		}
		b.WriteString(piece)
	}
	b.WriteByte('"')
	return b.String()
}

// JSON returns JSON in which each hidden rune is escaped, so that it says the same.
// Bytes that are no UTF-8 are U+FFFD, and lines end in a newline only. In what is no
// JSON hidden runes are spelled the same way.
func JSON(text []byte) []byte {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		bad := r == utf8.RuneError && size == 1
		i += size
		switch {
		case !bad && (!Hidden(r) || r == '\n' || r == '\t'):
			b = append(b, text[i-size:i]...)
		case r == '\r' && (i == len(text) || text[i] == '\n'):
		case r == '\r': // is space in JSON
			b = append(b, ' ')
		case r > 0xffff:
			r -= 0x10000
			b = fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// Message returns a message, or another line, for people: without its end, on one line, and with
// what is hidden in it as JSON spells it.
func Message(line []byte) string {
	return strings.ReplaceAll(string(JSON([]byte(strings.TrimRight(string(line), "\r\n")))), "\n", `\n`)
}

// Name returns a name that a peer wrote, such as that of a method, on one line; - for an empty one.
func Name(name string) string { return cmp.Or(Plain(name, 60), "-") }
