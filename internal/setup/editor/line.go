package editor

import (
	"strings"
	"unicode"
)

// Line writes words as one line that [words] and a POSIX shell split into the same words.
func Line(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// quote puts a word in double quotes if it needs them.
func quote(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range word {
		if strings.ContainsRune("\"\\$`", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}

// words splits a line as acpx does: at space outside of quotes. A backslash escapes the next
// character, except in single quotes. ends has the offset after each word. ok is false if a quote
// is not closed.
func words(line string) (words []string, ends []int, ok bool) {
	var word strings.Builder
	var quote rune
	in, escaped := false, false
	for i, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, in = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && (unicode.IsSpace(r) || r == '\ufeff'):
			if in {
				words, ends = append(words, word.String()), append(ends, i)
				word.Reset()
				in = false
			}
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if escaped {
		word.WriteByte('\\')
	}
	if in {
		words, ends = append(words, word.String()), append(ends, len(line))
	}
	return words, ends, quote == 0
}
