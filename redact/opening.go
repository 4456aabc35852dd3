package redact

import "bytes"

// opening finds the bracket of a value that begins at i, behind the names of its
// type, or is -1.
func (s *scanner) opening(i int, outer nesting) (at int, holds nesting) {
	const reach = 96
	word := i                   // where the last word begins
	typed, list := false, false // what was read is a type of Go, of a list
	for at = i; at < min(len(s.text), i+reach); at++ {
		before := s.text[word:at]
		switch c := s.text[at]; {
		case isWord(c) || c == '.' || c == '!' || c == '&' || c == '*' || c == '<' || c == '>' || c == ':' && at > word:
			if at > i && s.text[at-1] <= ' ' {
				if at > word && !isType(bytes.TrimSpace(before)) {
					return -1, 0
				}
				word = at
			}
		case c <= ' ':
			if len(bytes.TrimSpace(before)) == 0 {
				word = at + 1
			}
		case c == '\\' && at+1 < len(s.text) && isSpaceLetter(s.text[at+1]):
			at++
			word = at + 1
		case c == '(' && outer == hidden:
			if !isType(before) || bytes.IndexByte(before, '.') >= 0 { // a call
				return -1, 0
			}
			return at, hidden
		case c == '(' && string(before) == "dict":
			return at, named
		case c == '(':
			if len(before) > 0 && !isType(before) {
				return -1, 0
			}
			if end := wordEnd(s.text, at+1); end < len(s.text) && s.text[end] == ')' { // Map(1)
				at = end
			}
			word = at + 1
		case c == '[':
			if markerEnd(s.text, at) > at {
				return -1, 0
			}
			if end := typeEnd(s.text, at); end > at { // []Pair{, map[string]string{
				typed, list = true, list || end == at+2
				at = end - 1
				word = end
				continue
			}
			if len(before) > 0 && string(before) != "map" && !isType(bytes.TrimSpace(before)) {
				return -1, 0
			}
			holds = listed
			if string(before) == "map" {
				holds = named
			}
			return at, max(holds, outer)
		case c == '{':
			if before = bytes.TrimSpace(before); len(before) > 0 && !typed && !isType(before) {
				return -1, 0
			}
			if holds = named; list {
				holds = listed
			}
			return at, max(holds, outer)
		default:
			return -1, 0
		}
	}
	return -1, 0
}

// typeEnd returns the end of the brackets of a type in Go that begin at i, or i.
func typeEnd(text []byte, i int) int {
	if prototype := []byte("[Object: null prototype] "); bytes.HasPrefix(text[i:], prototype) { // as Node prints it
		return i + len(prototype)
	}
	end := wordEnd(text, i+1)
	if end+1 >= len(text) || text[end] != ']' || !isAlnum(text[end+1]) && text[end+1] != '{' && text[end+1] != '*' {
		return i
	}
	return end + 1
}

// isType reports whether a word before a bracket is a type's name.
func isType(word []byte) bool {
	word = bytes.TrimLeft(word, "&*")
	if len(word) == 0 {
		return false
	}
	switch string(word) {
	case "map", "vec!", "list", "tuple", "set":
		return true
	}
	if dot := bytes.LastIndexByte(word, '.'); dot >= 0 && dot+1 < len(word) {
		word = word[dot+1:]
	}
	return 'A' <= word[0] && word[0] <= 'Z' && !bytes.ContainsAny(word, "0123456789") && !isCapital(word)
}

func isSpaceLetter(c byte) bool { return c == 'n' || c == 'r' || c == 't' }

// closing is what closes the bracket c, or 0.
func closing(c byte) byte {
	switch c {
	case '[', '{':
		return c + 2
	case '(':
		return ')'
	}
	return 0
}

func closes(c byte) bool { return c == ']' || c == '}' || c == ')' }
