package translate

import "strings"

// matches reports whether a text is what a glob says: * stands for anything.
func matches(glob, text string) bool {
	parts := strings.Split(glob, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == glob
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}
