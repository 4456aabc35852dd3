package prefilter

import "bytes"

// object walks the members of an object from behind its brace, and returns where it ends. All
// functions of a walk return a negative number if a rule may match.
func (f *Filter) object(line []byte, i int, n *node) int {
	for {
		if i = space(line, i); at(line, i) == ',' {
			i = space(line, i+1)
		}
		switch at(line, i) {
		case '}':
			return i + 1
		case '"':
		default:
			return -1
		}
		end := stringEnd(line, i)
		name := line[i+1 : max(i+1, end-1)]
		colon := space(line, end)
		if at(line, colon) != ':' || bytes.IndexByte(name, '\\') >= 0 {
			return -1
		}
		i = space(line, colon+1)
		if below := n.find(name); below != nil {
			i = f.asked(line, i, below)
		} else {
			i = f.skip(line, i)
		}
		if i < 0 {
			return -1
		}
	}
}

// asked walks a value for which, or for something in which, a rule asks.
func (f *Filter) asked(line []byte, i int, n *node) int {
	switch c := at(line, i); {
	case n.present, c == '[' && n.below != nil:
		return -1 // which element a pointer names is not counted here
	case c == '{' && n.below != nil:
		return f.object(line, i+1, n)
	case c == '"' && (n.equal != nil || n.contains != nil):
		end := stringEnd(line, i)
		if f.vary(i, end, n); n.mayMatch(line[i:end]) {
			return -1
		}
		return end
	}
	return f.skip(line, i)
}

// skip steps over a value for which no rule asks.
func (f *Filter) skip(line []byte, i int) int {
	for depth := 0; i < len(line); {
		switch line[i] {
		case '"':
			end := stringEnd(line, i)
			f.vary(i, end, nil)
			if i = end; depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i // the end of the object around a number or a name
			}
			if depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}

// at returns a byte of a line, 0 behind its end.
func at(line []byte, i int) byte {
	if i < len(line) {
		return line[i]
	}
	return 0
}

// space returns where the space that begins at i ends.
func space(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

// stringEnd returns where a JSON string that begins at i ends, behind its quote, or the end of
// the line.
func stringEnd(line []byte, i int) int {
	start := i + 1
	for i = start; ; i++ {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return len(line)
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
