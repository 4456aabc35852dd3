package view

import (
	"bytes"
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/wire"
)

// A Difference is a place where two JSON values differ. One of Before and After is nil where there
// is nothing.
type Difference struct {
	Pointer       wire.Pointer
	Before, After []byte
}

// Sign is + for what was added, - for what is gone and ~ for what is another.
func (d Difference) Sign() string {
	switch {
	case d.Before == nil:
		return "+"
	case d.After == nil:
		return "-"
	}
	return "~"
}

// Bounds on what is looked for.
const (
	maxDifferences = 1000
	maxDepth       = 64 // deeper values are compared as a whole
)

// Differences are where after differs from before, in the order of before. Members are compared by
// name, elements from both ends of a list.
func Differences(before, after []byte) []Difference {
	return differences(nil, nil, before, after)
}

func differences(found []Difference, at wire.Pointer, before, after []byte) []Difference {
	switch {
	case bytes.Equal(before, after) || len(found) >= maxDifferences:
		return found
	case len(at) >= maxDepth:
		return append(found, Difference{at, before, after})
	}
	a, errA := wire.Parse(before)
	b, errB := wire.Parse(after)
	if errA == nil && errB == nil {
		return members(found, at, a, b)
	}
	was, isWas := wire.Elements(before)
	is, isIs := wire.Elements(after)
	if isWas && isIs && len(was) > 0 && len(is) > 0 {
		return elements(found, at, was, is)
	}
	return append(found, Difference{at, before, after})
}

func members(found []Difference, at wire.Pointer, a, b *wire.Object) []Difference {
	for _, m := range a.Members {
		found = differ(found, step(at, m.Name), a.Raw(m.Name), b.Raw(m.Name))
	}
	for _, m := range b.Members {
		if a.Get(m.Name) == nil {
			found = append(found, Difference{step(at, m.Name), nil, b.Raw(m.Name)})
		}
	}
	return found
}

func elements(found []Difference, at wire.Pointer, was, is [][]byte) []Difference {
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
		found = differ(found, step(at, fmt.Sprint(i)), before, after)
	}
	return found
}

// differ is differences for values of which one may not be there.
func differ(found []Difference, at wire.Pointer, before, after []byte) []Difference {
	if before == nil || after == nil {
		return append(found, Difference{at, before, after})
	}
	return differences(found, at, before, after)
}

func step(at wire.Pointer, name string) wire.Pointer {
	return append(at[:len(at):len(at)], name)
}

// mostChanged is how many places a row names.
const mostChanged = 6

// changed says in short where a message differs from the one whose place it took: "" if it is about
// something else.
func changed(m *history.Message) string {
	if m.Of == nil || m.Of.Method != m.Method || m.Of.Update != m.Update {
		return ""
	}
	var parts []string
	sign, parent := "", ""
	found := Differences(m.Of.JSON, m.JSON)
	for _, d := range found[:min(len(found), mostChanged)] {
		path := strings.Join(d.Pointer, ".")
		for _, usual := range []string{"params.update.", "params.", "result."} {
			path = strings.TrimPrefix(path, usual)
		}
		in := path[:strings.LastIndexByte(path, '.')+1]
		switch {
		case d.Sign() != sign:
			parts = append(parts, d.Sign()+" "+path)
		case in == parent && in != "":
			parts[len(parts)-1] += ", ." + strings.TrimPrefix(path, in)
		default:
			parts[len(parts)-1] += ", " + path
		}
		sign, parent = d.Sign(), in
	}
	if more := len(found) - mostChanged; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, " ")
}
