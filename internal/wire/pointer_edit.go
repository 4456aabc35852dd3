package wire

import (
	"bytes"
	"errors"
	"strings"
)

// ErrExists: an object has a member of that name, or of one that differs only
// in case.
var ErrExists = errors.New("a member of that name is there")

// The edits below change what a pointer names and leave every other byte. A line has to be one JSON
// value, and a value JSON on one line. The errors are those of [Pointer.Locate], and others that
// are named: an ambiguous object on the way is never edited. For the empty pointer, which names the
// whole line, the error is ErrNoValue, but of Append.

// Set returns the edit that replaces the value, or adds it where only the last
// step is missing: as a member behind the others, or as an element where the
// step is "-" or the number of elements. The error is ErrExists for a member
// that would differ from one that is there only in case.
func (p Pointer) Set(line, value []byte) (Edit, error) {
	in, token, err := p.parent(line)
	if err != nil {
		return Edit{}, err
	}
	if in.object == nil {
		i, ok := index(token)
		switch {
		case ok && i < len(in.elements):
			return in.shift(Edit{in.elements[i], value}), nil
		case token == "-" || ok && i == len(in.elements):
			return in.append(value), nil
		}
		return Edit{}, ErrNoValue
	}
	if in.object.Get(token) == nil && in.hasFold(token, nil) {
		return Edit{}, ErrExists
	}
	edit := in.object.Set(Setting{token, value})[0]
	return in.shift(edit), nil
}

// Delete returns the edit that takes the value out: its member or element, and
// with it one comma and the space up to that.
func (p Pointer) Delete(line []byte) (Edit, error) {
	in, token, err := p.parent(line)
	if err != nil {
		return Edit{}, err
	}
	var spans []Span // of all that stand between commas
	at := -1
	if in.object != nil {
		for i, m := range in.object.Members {
			if m.Name == token {
				at = i
			}
			spans = append(spans, Span{m.Key.Start, m.Value.End})
		}
	} else if i, ok := index(token); ok && i < len(in.elements) {
		at, spans = i, in.elements
	}
	if at < 0 {
		return Edit{}, ErrNoValue
	}
	gone := spans[at]
	if at+1 < len(spans) {
		gone.End += bytes.IndexByte(in.raw[gone.End:], ',') + 1
	} else if at > 0 {
		gone.Start = spans[at-1].End
	}
	return in.shift(Edit{Span: gone}), nil
}

// Rename returns the edit that gives the member that the pointer names another
// name. The error is ErrExists if that is taken, and ErrNoValue for elements,
// which have no name.
func (p Pointer) Rename(line []byte, name string) (Edit, error) {
	in, token, err := p.parent(line)
	if err != nil {
		return Edit{}, err
	}
	m := in.object.Get(token)
	if m == nil {
		return Edit{}, ErrNoValue
	}
	if in.hasFold(name, m) {
		return Edit{}, ErrExists
	}
	return in.shift(Edit{m.Key, Quote(nil, name)}), nil
}

// Append returns the edit that adds value behind the last element of the array
// that the pointer names. The error is ErrNotArray if it names something else.
func (p Pointer) Append(line, value []byte) (Edit, error) {
	span, err := p.Locate(line)
	if err != nil {
		return Edit{}, err
	}
	raw := line[span.Start:span.End]
	elements, err := Batch(raw)
	if err != nil {
		return Edit{}, err
	}
	in := inside{raw: raw, base: span.Start, elements: elements}
	return in.append(value), nil
}

// parent opens what the value stands in, or would stand in, and returns the
// last step to it.
func (p Pointer) parent(line []byte) (inside, string, error) {
	if len(p) == 0 {
		return inside{}, "", ErrNoValue
	}
	in, err := p.open(line)
	return in, p[len(p)-1], err
}

// hasFold reports whether a member other than but has that name, case aside.
func (in inside) hasFold(name string, but *Member) bool {
	for i := range in.object.Members {
		if m := &in.object.Members[i]; m != but && strings.EqualFold(m.Name, name) {
			return true
		}
	}
	return false
}

func (in inside) append(value []byte) Edit {
	if n := len(in.elements); n > 0 {
		end := in.elements[n-1].End
		return in.shift(Edit{Span{end, end}, append([]byte{','}, value...)})
	}
	start := bytes.IndexByte(in.raw, '[') + 1
	return in.shift(Edit{Span{start, start}, value})
}

// shift makes an edit of raw one of the line.
func (in inside) shift(e Edit) Edit {
	return Edit{Span{in.base + e.Start, in.base + e.End}, e.With}
}
