package wire

import (
	"bytes"
	"slices"
)

// MapElements returns a JSON array with its elements replaced by f; nil removes an element. It
// returns nil if nothing changed, or if raw is not an array.
func MapElements(raw []byte, f func(element []byte) []byte) []byte {
	spans, _ := Batch(raw)
	with := make([][]byte, len(spans))
	changed := false
	for i, s := range spans {
		element := raw[s.Start:s.End]
		if got := f(element); !bytes.Equal(got, element) {
			if got == nil {
				got = []byte{}
			}
			with[i], changed = got, true
		}
	}
	if !changed {
		return nil
	}
	if left := SpliceElements(nil, raw, spans, with); left != nil {
		return left
	}
	return []byte("[]")
}

// List returns a JSON array with these elements.
func List(elements [][]byte) []byte {
	size := len("[]")
	for _, element := range elements {
		size += len(",") + len(element)
	}
	list := append(make([]byte, 0, size), '[')
	for i, element := range elements {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, element...)
	}
	return append(list, ']')
}

// SpliceElements appends line, a JSON array with these elements, to dst. with has the replacement
// of each element; nil keeps it, and empty bytes remove it with one comma. Nothing is appended if
// all elements are removed.
func SpliceElements(dst, line []byte, elements []Span, with [][]byte) []byte {
	if len(elements) == 0 {
		return append(dst, line...)
	}
	size := len(line)
	for _, element := range with {
		size += len(element)
	}
	out, left := append(slices.Grow(dst, size), line[:elements[0].Start]...), 0
	for i, span := range elements {
		element := with[i]
		if element == nil {
			element = line[span.Start:span.End]
		}
		if len(element) == 0 {
			continue
		}
		if left++; left > 1 {
			out = append(out, line[elements[i-1].End:span.Start]...)
		}
		out = append(out, element...)
	}
	if left == 0 {
		return dst
	}
	return append(out, line[elements[len(elements)-1].End:]...)
}
