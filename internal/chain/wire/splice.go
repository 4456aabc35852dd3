package wire

import "slices"

// An Edit replaces a span of a line. An empty span inserts.
type Edit struct {
	Span
	With []byte
}

// Splice appends line to dst with the edits made. It sorts them; edits at the same place keep their
// order. They must not overlap. Nothing outside of their spans changes.
func Splice(dst, line []byte, edits ...Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	more := len(line)
	for _, e := range edits {
		more += len(e.With)
	}
	dst = slices.Grow(dst, more)
	at := 0
	for _, e := range edits {
		dst = append(dst, line[at:e.Start]...)
		dst = append(dst, e.With...)
		at = e.End
	}
	return append(dst, line[at:]...)
}

// A Setting is a member to set in an object.
type Setting struct {
	Name  string
	Value []byte // JSON on one line
}

// Set returns the edits that set these members of the object. It replaces the values of existing
// members, and adds the others after the last member. It skips a member that exists in another
// case, because two would be ambiguous.
func (o *Object) Set(settings ...Setting) []Edit {
	var edits []Edit
	var added []byte
	for _, s := range settings {
		if m := o.Get(s.Name); m != nil {
			edits = append(edits, Edit{m.Value, s.Value})
			continue
		} else if o.hasFold(s.Name, nil) {
			continue
		}
		if len(added) > 0 || len(o.Members) > 0 {
			added = append(added, ',')
		}
		added = append(Quote(added, s.Name), ':')
		added = append(added, s.Value...)
	}
	if len(added) == 0 {
		return edits
	}
	at := o.Start + 1
	if n := len(o.Members); n > 0 {
		at = o.Members[n-1].Value.End
	}
	return append(edits, Edit{Span{at, at}, added})
}

// With returns a JSON object with the value set at a path of names. It creates missing objects. It
// returns nil if something on the way is not an object, or is ambiguous.
func With(object []byte, path []string, value []byte) []byte {
	if IsAbsent(object) {
		object = []byte("{}")
	}
	o, err := Parse(object)
	if err != nil {
		return nil
	}
	if len(path) > 1 {
		value = With(o.Raw(path[0]), path[1:], value)
	}
	if value == nil || o.hasFold(path[0], o.Get(path[0])) {
		return nil
	}
	return Splice(nil, object, o.Set(Setting{Name: path[0], Value: value})...)
}

// EndLine appends a newline to lines if the last one has none. Empty input stays empty.
func EndLine(lines []byte) []byte {
	if n := len(lines); n > 0 && lines[n-1] != '\n' {
		lines = append(lines, '\n')
	}
	return lines
}
