package wire

import (
	"bytes"
	"strconv"
)

// A Difference is a place where two JSON values differ. Before or After is nil if that side has no
// value there.
type Difference struct {
	Pointer       Pointer
	Before, After []byte
}

// Sign returns + for an added value, - for a removed one and ~ for a changed one.
func (d Difference) Sign() string {
	switch {
	case d.Before == nil:
		return "+"
	case d.After == nil:
		return "-"
	}
	return "~"
}

// Bounds on the comparison.
const (
	maxDifferences = 1000
	maxDepth       = 64 // deeper values are compared as a whole
)

// Differences returns the places where after differs from before, in the order of before. Different
// spellings of a string or of space do not count; those of numbers do. Members are compared by
// name, elements from both ends of a list.
func Differences(before, after []byte) []Difference {
	return differences(nil, nil, before, after)
}

func differences(found []Difference, at Pointer, before, after []byte) []Difference {
	switch {
	case bytes.Equal(before, after) || len(found) >= maxDifferences:
		return found
	case len(at) >= maxDepth:
		return append(found, Difference{at, before, after})
	}
	a, errA := Parse(before)
	b, errB := Parse(after)
	if errA == nil && errB == nil {
		return differentMembers(found, at, a, b)
	}
	was, isWas := Elements(before)
	is, isIs := Elements(after)
	if isWas && isIs && (len(was) > 0) == (len(is) > 0) {
		return differentElements(found, at, was, is)
	}
	text, isText := Exact(before)
	if now, isToo := Exact(after); isText && isToo && text == now {
		return found
	}
	return append(found, Difference{at, before, after})
}

func differentMembers(found []Difference, at Pointer, a, b *Object) []Difference {
	for _, m := range a.Members {
		found = differences(found, at.below(m.Name), a.Raw(m.Name), b.Raw(m.Name))
	}
	for _, m := range b.Members {
		if a.Get(m.Name) == nil {
			found = differences(found, at.below(m.Name), nil, b.Raw(m.Name))
		}
	}
	return found
}

func differentElements(found []Difference, at Pointer, was, is [][]byte) []Difference {
	first := 0
	for first < min(len(was), len(is)) && bytes.Equal(was[first], is[first]) {
		first++
	}
	for len(was) > first && len(is) > first && bytes.Equal(was[len(was)-1], is[len(is)-1]) {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	for i := first; i < max(len(was), len(is)); i++ {
		var before, after []byte
		if i < len(was) {
			before = was[i]
		}
		if i < len(is) {
			after = is[i]
		}
		found = differences(found, at.below(strconv.Itoa(i)), before, after)
	}
	return found
}

// below returns the place of a member or an element of the value.
func (p Pointer) below(name string) Pointer { return append(p[:len(p):len(p)], name) }
