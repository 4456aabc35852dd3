package wire

import "bytes"

// The functions below step over JSON without checking it. They take a line and an offset, and
// return a later offset, or -1 if the line ends first.

// SpaceEnd returns the offset after the space at i, which may be the end of the line.
func SpaceEnd(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

// StringEnd returns the offset after a string whose first quote is at i.
func StringEnd(line []byte, i int) int {
	start := i + 1
	for i = start; ; i++ {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		before := i
		for before > start && line[before-1] == '\\' {
			before--
		}
		if (i-before)%2 == 0 {
			return i + 1
		}
	}
}

// ValueEnd returns the offset after a value that begins at i.
func ValueEnd(line []byte, i int) int {
	for depth := 0; 0 <= i && i < len(line); {
		switch line[i] {
		case '"':
			if i = StringEnd(line, i); depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i // the end of what is around a number or a name
			}
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}
