package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Find returns the first value, or the error of the first ambiguous object before it.
func TestFind(t *testing.T) {
	for _, test := range []struct {
		pointer, line, found string
		want                 error
	}{
		{"", " 1\n", " 1\n", nil},
		{"/a", `{"a": 1.0 }`, "1.0", nil},
		{"/*", `[1,2]`, "1", nil},
		{"/*/a", `[{},[],{"a":1},{"a":2}]`, "1", nil},
		{"/1", `[1,2,3]`, "2", nil},
		{"/*", `[]`, "", ErrNoValue},
		{"/a", `7`, "", ErrNoValue},
		{"/[a=1]/b", `[{"a":1},{"a":1,"b":2}]`, "2", nil},
		{"/[a=1]", `["a",1,["a",1],["a","1"],{"a":1}]`, `{"a":1}`, nil},
		{"/[a=1]", `[{"a":1,"a":2},{"a":1}]`, "", ErrAmbiguous},
		{"/*/b", `[{"a":1,"a":2},{"b":1}]`, "", ErrAmbiguous},
	} {
		s, err := ParseSelector(test.pointer)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Find([]byte(test.line))
		if string(found) != test.found || !errors.Is(err, test.want) {
			t.Errorf("%s in %s is %q, %v; want %q, %v", test.pointer, test.line, found, err, test.found, test.want)
		}
	}
}

func TestIsMany(t *testing.T) {
	for pointer, want := range map[string]bool{"": false, "/a/0/-": false, "/a/*/b": true, "/a/[b=c]": true, "/~2a]": false} {
		if s, err := ParseSelector(pointer); err != nil || s.IsMany() != want {
			t.Errorf("%s may name several values: %v (%v)", pointer, s.IsMany(), err)
		}
	}
}

// Errors of selectors say what would be right.
func TestParseSelectorRefuses(t *testing.T) {
	const name = "; write ~2 for a [ at the beginning of a name"
	for text, want := range map[string]string{
		"a":       `pointer "a": it has to begin with /`,
		"/a/~3":   `pointer "/a/~3": want ~0 for ~ and ~1 for /`,
		"/a/[b]":  `pointer "/a/[b]": step "[b]": write [NAME=VALUE], as in [modelId=gpt-5], or * for each element, or 0 for the first` + name,
		"/[b=c/d": `pointer "/[b=c/d": step "[b=c": write [NAME=VALUE], as in [modelId=gpt-5], with ~1 for a / in it` + name,
		"/[=c]":   `pointer "/[=c]": step "[=c]": write [NAME=VALUE], as in [modelId=gpt-5], with ~1 for a / in it` + name,
	} {
		if s, err := ParseSelector(text); err == nil || err.Error() != want {
			t.Errorf("%s: %q, %v; want %s", text, s, err, want)
		}
	}
}

// A truncated line is not edited, or keeps its end. Nothing after its end is read.
func TestCutLines(t *testing.T) {
	const line = `{"a":[{"b":"x\"","c":[1,{"b":"x"}]} , {"b":1,"c":[]}],"d":{"e":null}}`
	for _, pointer := range []string{"/a/*/b", "/a/[b=1]/c/*", "/a/1/c/-", "/d/e", "/a/*"} {
		s, err := ParseSelector(pointer)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(line) {
			cut := []byte(line[:n])
			for span, err := range s.Each(cut) {
				if span.End > n || span.Start > span.End {
					t.Errorf("%s in %s: %v, %v", pointer, cut, span, err)
				}
			}
		}
	}
}

// Allocations of a walk do not grow with the number of elements.
func TestEachOfManyAllocatesAsOfFew(t *testing.T) {
	s := Selector{"l", "[id=x]", "n"}
	allocations := func(elements int) float64 {
		line := fmt.Appendf(nil, `{"l":[{"id":"y","n":1}%s]}`, strings.Repeat(`,{"id":"x","n":2}`, elements))
		n := 0
		return testing.AllocsPerRun(10, func() {
			for range s.Each(line) {
				n++
			}
		})
	}
	if few, many := allocations(2), allocations(200); many > few {
		t.Errorf("%v allocations for 200 elements, %v for 2", many, few)
	}
}

func TestWithout(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":{"b":1 , "c":2}}`:   `{"a":{"c":2}}`,
		`{"a":{"c":2}}`:           `{"a":{"c":2}}`,
		`{"a":{"b":1,"b":2}}`:     `{"a":{"b":1,"b":2}}`,
		`{"a":[{"b":1}],"b":"b"}`: `{"a":[{"b":1}],"b":"b"}`,
	} {
		if got := string(Without([]byte(line), "a", "b")); strings.ReplaceAll(got, " ", "") != want {
			t.Errorf("%s became %s", line, got)
		}
	}
}
