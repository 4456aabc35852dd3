package redact

import (
	"bytes"
	"strings"
)

// looksMade reports whether a value was made by a program or with care, as secrets are. It is not a
// word or a path: it has digits or signs among its letters, or capitals that no name has.
func looksMade(value []byte) bool {
	head := value[:min(len(value), sure)]
	hasDigit, hasLetter := bytes.ContainsAny(head, digits), bytes.ContainsAny(head, letters)
	hasSign := bytes.ContainsAny(head[:max(1, len(head))-1], "!@#$%^&+~=?")
	switch {
	case len(head) < 6, bytes.IndexByte(head, ' ') >= 0, bytes.Contains(head, []byte("://")):
		return false
	case !hasSign && strings.IndexByte("/.~<(", head[0]) >= 0 && bytes.IndexByte(head, '/') >= 0: // a path
		return false
	case !hasLetter:
		return hasDigit && len(head) >= 12
	}
	return hasDigit || hasSign && len(head) >= 8 || isOpaque(head) && len(head) >= 16
}

// isOpaque reports whether a value is neither made of words nor a number: at least a fifth of its
// letters and digits follow one of another kind. The kinds are capitals, small letters and digits.
func isOpaque(value []byte) bool {
	changes, n, last := 0, 0, byte(0)
	for _, c := range value[:min(len(value), sure)] {
		if isAlnum(c) {
			if n++; n > 1 && c&0x60 != last { // the bits that tell these kinds apart
				changes++
			}
			last = c & 0x60
		}
	}
	return changes*5 >= n && n >= 8
}

// isKey reports whether a value is as long and opaque as a key.
func isKey(value []byte) bool { return len(value) >= 16 && looksMade(value) && isOpaque(value) }

// isDecimal reports whether text has only digits.
func isDecimal(text []byte) bool { return len(bytes.Trim(text, digits)) == 0 }

const (
	digits  = "0123456789"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters = lower + upper
)

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || isLetter(c) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

// isName reports whether text may be a name in a program.
func isName(text []byte) bool {
	return len(bytes.Trim(text[:min(len(text), maxName)], letters+"._:$")) == 0
}

func hasFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}

// wordEnd returns the end of the word that begins at i.
func wordEnd(text []byte, i int) int {
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}
