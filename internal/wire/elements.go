package wire

import "bytes"

// MapElements returns a JSON array with its elements as f returns them: nil takes one out. It is
// nil if nothing changed, or raw is no array.
func MapElements(raw []byte, f func(element []byte) []byte) []byte {
	spans, _ := Batch(raw)
	with := make([][]byte, len(spans))
	changed, left := false, len(spans)
	for i, s := range spans {
		element := raw[s.Start:s.End]
		got := f(element)
		if bytes.Equal(got, element) {
			continue
		}
		changed = true
		if with[i] = got; got == nil {
			with[i] = []byte{}
			left--
		}
	}
	switch {
	case !changed:
		return nil
	case left == 0:
		return []byte("[]")
	}
	return SpliceElements(nil, raw, spans, with)
}

// SpliceElements appends line, a JSON array with these elements, to dst. An element is replaced by
// what with has at its index; nil leaves it, and empty bytes take it out with one comma. Nothing is
// appended if all elements are taken out.
func SpliceElements(dst, line []byte, elements []Span, with [][]byte) []byte {
	var edits []Edit
	left := len(elements)
	for i, span := range elements {
		if with[i] == nil {
			continue
		}
		if len(with[i]) == 0 {
			left--
			// The comma is the one before it, unless all before it are gone, too.
			if i+1 < len(elements) && left == len(elements)-i-1 {
				span.End = elements[i+1].Start
			} else if i > 0 && left > 0 {
				span.Start = elements[i-1].End
			}
		}
		edits = append(edits, Edit{Span: span, With: with[i]})
	}
	if left == 0 && len(elements) > 0 {
		return dst
	}
	return Splice(dst, line, edits...)
}
