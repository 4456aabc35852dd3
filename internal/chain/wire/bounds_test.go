package wire

import (
	"errors"
	"strings"
	"testing"
)

// Parse keeps a bounded amount of a line with any number of members and elements.
func TestParseIsBounded(t *testing.T) {
	members := func(n int) []byte { return []byte(`{` + strings.Repeat(`"a":1,`, n-1) + `"b":1}`) }
	if _, err := Parse(members(MaxMembers)); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("%d members: %v", MaxMembers, err)
	}
	if o, err := Parse(members(MaxMembers + 1)); o != nil || !errors.Is(err, ErrMany) {
		t.Errorf("%d members: %v", MaxMembers+1, err)
	}
	elements := func(n int) []byte { return []byte(`[` + strings.Repeat(`1,`, n-1) + `1]`) }
	if spans, err := Batch(elements(MaxElements)); err != nil || len(spans) != MaxElements {
		t.Errorf("%d elements: %d, %v", MaxElements, len(spans), err)
	}
	if _, err := Batch(elements(MaxElements + 1)); !errors.Is(err, ErrMany) {
		t.Errorf("%d elements: %v", MaxElements+1, err)
	}
	n := 0
	for _, err := range EachElement(elements(3 * MaxElements)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3*MaxElements {
		t.Errorf("%d elements were met", n)
	}
	if id := `"` + strings.Repeat("x", maxID-1); ID([]byte(id+`"`)) != id {
		t.Errorf("an id of %d bytes is not its own key", maxID)
	}
	long := strings.Repeat("x", 3000)
	if a, b := ID([]byte(`"`+long+`a"`)), ID([]byte(`"`+long+`b"`)); len(a) > maxID || a == b || a != ID([]byte(`"\u0078`+long[1:]+`a"`)) {
		t.Errorf("keys of long ids: %q, %q", a, b)
	}
}
