package wire

import (
	"slices"
	"strings"
	"testing"
)

// AddCause keeps each name once, with all reasons for which there is room.
func TestAddCause(t *testing.T) {
	reason := func(text string) Cause { return Cause{Name: "a", Why: Reason{Text: text}} }
	long := strings.Repeat("x", maxWhy)
	x, y, none := reason("x"), reason("y"), Cause{Name: "a"}
	b := Cause{Name: "b"}
	of := func(value string) Cause { return Cause{Name: "a", Why: Reason{Code: "c", Text: "%s"}.With(value)} }
	for _, test := range []struct {
		name string
		add  []Cause
		want []Cause
	}{
		{"two names", []Cause{x, b}, []Cause{x, b}},
		{"two reasons", []Cause{b, x, y}, []Cause{b, x, y}},
		{"a reason that is known", []Cause{x, y, x}, []Cause{x, y}},
		{"one reason with two values", []Cause{of("1"), of("2"), of("1")}, []Cause{of("1"), of("2")}},
		{"a reason behind none", []Cause{none, x}, []Cause{x}},
		{"no reason behind one", []Cause{x, none}, []Cause{x}},
		{"a reason as long as there is room", []Cause{reason(long)}, []Cause{reason(long)}},
		{"a reason that is too long", []Cause{reason(long + "y"), b}, []Cause{none, b}},
		{"a value that is too long", []Cause{of(long), b}, []Cause{none, b}},
		{"a reason too many", []Cause{reason(long[1:]), reason("yy")}, []Cause{reason(long[1:])}},
	} {
		var got []Cause
		for _, c := range test.add {
			got = AddCause(got, c)
		}
		if !slices.EqualFunc(got, test.want, func(a, b Cause) bool { return a.Name == b.Name && a.Why.equal(b.Why) }) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Equal causes show the plans of both, each once, and copies of one do not change each other.
func TestShows(t *testing.T) {
	at := func(numbers ...int64) (shows []Origin) {
		for _, n := range numbers {
			shows = append(shows, Origin{Number: n})
		}
		return shows
	}
	shared := append(make([]Origin, 0, 8), at(1)...)
	one, other := []Cause{{Name: "a", Shows: shared}}, []Cause{{Name: "a", Shows: shared}}
	one, other = AddCause(one, Cause{Name: "a", Shows: at(1, 2)}), AddCause(other, Cause{Name: "a", Shows: at(3)})
	if !slices.Equal(one[0].Shows, at(1, 2)) || !slices.Equal(other[0].Shows, at(1, 3)) {
		t.Errorf("got %v and %v", one, other)
	}
}

// Values are in the text in their order, and a value with %s in it stays as it is.
func TestReasonText(t *testing.T) {
	r := Reason{Text: "%s becomes %s"}
	if got, want := r.With("%s", "b").String(), "%s becomes b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := r.String(); got != r.Text {
		t.Errorf("got %q", got)
	}
}

// Names has each name once, of changes and of added lines.
func TestNames(t *testing.T) {
	c := Change{By: []Cause{{Name: "a", Why: Reason{Text: "x"}}, {Name: "b"}, {Name: "a", Why: Reason{Text: "y"}}}, Added: []Addition{{By: []Cause{{Name: "b"}}}, {By: []Cause{{Name: "c"}}}}}
	if got := c.Names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("named are %q", got)
	}
}
