// Package terminal writes for people. It replaces control characters, invisible characters and
// characters that change the order of foreign text. It counts columns as terminals draw them.
package terminal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a rune must not be drawn: controls, line ends of any kind, changes of
// direction, and invisible characters. The joiners of emoji and of Persian, variation selectors,
// and space may be drawn.
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

// Text returns a text with U+FFFD for each hidden rune and for each byte that is not UTF-8. Line
// ends and tabs stay. The number of runes does not change.
func Text(text string) string { return shown(text, "\n\t") }

// Line is [Text] for one line: line ends become U+FFFD, too.
func Line(text string) string { return shown(text, "\t") }

func shown(text, keep string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) && !strings.ContainsRune(keep, r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// Plain returns the beginning of a text on one line of at most so many columns (0 means no limit).
// Space of any kind becomes one space, and hidden runes become U+FFFD.
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

// Quote returns a text in quotes, on one line. It escapes as Go does, but keeps letters and signs
// of every language.
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

// JSON returns JSON of the same meaning in which hidden runes are escaped. Bytes that are not UTF-8
// become U+FFFD, and lines end in a newline only. In a text that is not JSON, hidden runes are
// escaped in the same way.
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

// Message returns a message, or another line, for people: on one line, without its line end, and
// with hidden runes escaped as in JSON.
func Message(line []byte) string {
	return strings.ReplaceAll(string(JSON([]byte(strings.TrimRight(string(line), "\r\n")))), "\n", `\n`)
}

// Name returns a name that a peer wrote, such as that of a method, on one line; - for an empty one.
func Name(name string) string { return cmp.Or(Plain(name, 60), "-") }
