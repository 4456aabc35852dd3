package wire

import (
	"slices"
	"strings"
	"testing"
)

// AddCause keeps each name once, with all reasons for which there is room.
func TestAddCause(t *testing.T) {
	long := strings.Repeat("x", maxWhy)
	for _, test := range []struct {
		name string
		add  []Cause
		want []Cause
	}{
		{"two of different names", []Cause{{"a", "x"}, {"b", "x"}}, []Cause{{"a", "x"}, {"b", "x"}}},
		{"two reasons", []Cause{{"b", ""}, {"a", "x"}, {"a", "y"}}, []Cause{{"b", ""}, {"a", "x; y"}}},
		{"a reason that is known", []Cause{{"a", "x and y"}, {"a", "y"}}, []Cause{{"a", "x and y"}}},
		{"a reason behind none", []Cause{{"a", ""}, {"a", "x"}}, []Cause{{"a", "x"}}},
		{"no reason behind one", []Cause{{"a", "x"}, {"a", ""}}, []Cause{{"a", "x"}}},
		{"a reason as long as there is room", []Cause{{"a", long}}, []Cause{{"a", long}}},
		{"a reason that is too long", []Cause{{"a", long + "y"}, {"b", ""}}, []Cause{{"a", ""}, {"b", ""}}},
		{"a reason too many", []Cause{{"a", long[1:]}, {"a", "yy"}}, []Cause{{"a", long[1:]}}},
	} {
		var got []Cause
		for _, c := range test.add {
			got = AddCause(got, c)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Names has each name once, of changes and of added lines.
func TestNames(t *testing.T) {
	c := Change{By: []Cause{{"a", "x"}, {"b", ""}, {"a", "y"}}, Added: []Addition{{By: []Cause{{"b", ""}}}, {By: []Cause{{"c", ""}}}}}
	if got := c.Names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("named are %q", got)
	}
}
