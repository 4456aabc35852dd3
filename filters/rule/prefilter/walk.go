package prefilter

import (
	"bytes"

	"acpshim/internal/wire"
)

// object walks the members of an object from behind its brace, and returns the place behind it. A
// negative number, here and below, says that a rule may match.
func (f *Filter) object(line []byte, i int, n *node) int {
	for {
		if i = wire.SpaceEnd(line, i); at(line, i) == ',' {
			i = wire.SpaceEnd(line, i+1)
		}
		switch at(line, i) {
		case '}':
			return i + 1
		case '"':
		default:
			return -1
		}
		end := wire.StringEnd(line, i)
		if end < 0 || bytes.IndexByte(line[i:end], '\\') >= 0 {
			return -1
		}
		below := n.below[string(line[i+1:end-1])]
		if i = wire.SpaceEnd(line, end); at(line, i) != ':' {
			return -1
		}
		if i = f.value(line, wire.SpaceEnd(line, i+1), below); i < 0 {
			return -1
		}
	}
}

// value walks a value for which, or for something in which, rules ask; none does if n is nil.
func (f *Filter) value(line []byte, i int, n *node) int {
	c := at(line, i)
	switch {
	case n == nil:
	case n.present, c == '[' && n.named:
		return -1 // which element a number names is not counted here
	case c == '[' && n.elements != nil:
		return f.list(line, i+1, n.elements)
	case c == '{' && n.below != nil:
		return f.object(line, i+1, n)
	}
	end := wire.ValueEnd(line, i)
	if end < 0 || n != nil && c == '"' && n.mayMatch(line[i:end]) {
		return -1
	}
	if i < f.same {
		f.start, f.end, f.varied = i, end, n
	}
	return end
}

// list walks the elements of a list as object walks members.
func (f *Filter) list(line []byte, i int, n *node) int {
	for {
		if i = wire.SpaceEnd(line, i); at(line, i) == ']' {
			return i + 1
		}
		if i = f.value(line, i, n); i < 0 {
			return -1
		}
		switch i = wire.SpaceEnd(line, i); at(line, i) {
		case ',':
			i++
		case ']':
		default:
			return -1
		}
	}
}

// at returns a byte of a line, 0 behind its end.
func at(line []byte, i int) byte {
	if i < len(line) {
		return line[i]
	}
	return 0
}
