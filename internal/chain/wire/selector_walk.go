package wire

import (
	"bytes"
	"iter"
)

// A walk steps through a line of JSON to the values that a selector names. Each step takes time
// linear in the line. Allocations do not grow with the elements of arrays.
type walk struct {
	line    []byte
	steps   []step
	objects []Object // by the number of steps to them: what is read next there takes their memory

	// Callbacks for the place of the last step, and for an object that cannot be read. Each returns
	// false to end the walk.
	object func(o *Object, name string) bool
	array  func(at int) bool
	failed func(error) bool
}

// A step is one step of a selector.
type step struct {
	text        string
	index       int // of an element; -1 if the text is not an index
	name, value string
	isChoice    bool
}

func newWalk(line []byte, s Selector) *walk {
	w := &walk{line: line, steps: make([]step, len(s)), objects: make([]Object, len(s))}
	for i, text := range s {
		st := step{text: text, index: -1}
		st.name, st.value, st.isChoice = choice(text)
		if n, ok := index(text); ok {
			st.index = n
		}
		w.steps[i] = st
	}
	return w
}

func (w *walk) run() bool {
	start := 0
	if bytes.HasPrefix(w.line, bom) {
		start = len(bom)
	}
	return w.value(SpaceEnd(w.line, start), 0)
}

// value looks for a step in the value at an offset.
func (w *walk) value(at, depth int) bool {
	isLast := depth == len(w.steps)-1
	switch byteAt(w.line, at) {
	case '{':
		o, err := w.open(at, depth)
		if err != nil {
			return w.failed(err)
		}
		if isLast {
			return w.object(o, w.steps[depth].text)
		}
		m := o.Get(w.steps[depth].text)
		return m == nil || w.value(m.Value.Start, depth+1)
	case '[':
		if isLast {
			return w.array(at)
		}
		return w.chosenBy(at, depth, func(e Span) bool { return w.value(e.Start, depth+1) })
	}
	return true
}

// chosen visits the elements of an array that the last step names.
func (w *walk) chosen(at int, visit func(Span) bool) bool {
	return w.chosenBy(at, len(w.steps)-1, visit)
}

func (w *walk) chosenBy(at, depth int, visit func(Span) bool) bool {
	isIndex := w.steps[depth].index >= 0
	for i, element := range elements(w.line, at) {
		is, err := w.chooses(depth, i, element)
		switch {
		case err != nil && !w.failed(err), is && !visit(element):
			return false
		case is && isIndex:
			return true
		}
	}
	return true
}

// chooses reports whether a step names an element of an array.
func (w *walk) chooses(depth, i int, element Span) (bool, error) {
	s := &w.steps[depth]
	switch {
	case !s.isChoice:
		return i == s.index || s.text == "*", nil
	case w.line[element.Start] != '{':
		return false, nil
	}
	o, err := w.open(element.Start, depth)
	return err == nil && reads(o.Raw(s.name), s.value), err
}

// reads reports whether a value is this string, or a number, true, false or null with this
// spelling.
func reads(raw []byte, text string) bool {
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[':
		return false
	case raw[0] != '"':
		return string(raw) == text
	case bytes.IndexByte(raw, '\\') < 0 && string(raw[1:len(raw)-1]) == text:
		return true
	}
	got, _ := Text(raw)
	return got == text
}

// open reads the object at an offset. It is valid until another one is opened at the same depth.
func (w *walk) open(at, depth int) (*Object, error) {
	o := &w.objects[depth]
	known := o.Members[:cap(o.Members)] // elements of an array mostly have the same names
	*o = Object{Span: Span{Start: at}, Members: o.Members[:0], line: w.line}
	i := SpaceEnd(w.line, at+1)
	for n := 0; byteAt(w.line, i) == '"'; n++ {
		if n == MaxMembers {
			return nil, ErrMany
		}
		m := Member{Key: Span{i, StringEnd(w.line, i)}}
		if m.Key.End < 0 {
			break
		}
		m.Value.Start = SpaceEnd(w.line, SpaceEnd(w.line, m.Key.End)+1)
		if m.Value.End = ValueEnd(w.line, m.Value.Start); m.Value.End < 0 {
			break
		}
		if n < len(known) {
			m.Name = known[n].Name
		}
		m.Name = nameOf(w.line[m.Key.Start:m.Key.End], m.Name)
		o.Members = append(o.Members, m)
		i = next(w.line, m.Value.End)
	}
	if o.End = i + 1; ambiguous(o.Members) {
		return nil, ErrAmbiguous
	}
	return o, nil
}

// nameOf returns the name of a member. It reuses the name that is likely, which saves a copy.
func nameOf(key []byte, likely string) string {
	if inner := key[1 : len(key)-1]; string(inner) == likely && bytes.IndexByte(inner, '\\') < 0 {
		return likely
	}
	name, _ := Text(key)
	return name
}

// elements yields the elements of the array at an offset, with their indices.
func elements(line []byte, at int) iter.Seq2[int, Span] {
	return func(yield func(int, Span) bool) {
		i := SpaceEnd(line, at+1)
		for n := 0; i < len(line) && line[i] != ']'; n++ {
			end := ValueEnd(line, i)
			if end <= i || !yield(n, Span{i, end}) {
				return
			}
			i = next(line, end)
		}
	}
}

// next returns the offset after a value: after the comma, or of the bracket.
func next(line []byte, end int) int {
	if end = SpaceEnd(line, end); byteAt(line, end) == ',' {
		return SpaceEnd(line, end+1)
	}
	return end
}

// byteAt returns a byte of a line, or 0 after its end.
func byteAt(line []byte, i int) byte {
	if i < len(line) {
		return line[i]
	}
	return 0
}
