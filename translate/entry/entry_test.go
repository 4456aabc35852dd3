package entry

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNew(t *testing.T) {
	for _, test := range []struct {
		content  string
		priority Priority
		status   Status
		want     Entry
	}{
		{"a", High, InProgress, Entry{"a", High, InProgress, nil}},
		{" a ", Low, Completed, Entry{" a ", Low, Completed, nil}},
		{"a", "", "", Entry{"a", Medium, Pending, nil}},
		{"a", Medium, Pending, Entry{"a", Medium, Pending, nil}},
		{"a", "urgent", "done", Entry{"a", Medium, Pending, nil}},
		{"a", High, Cancelled, Entry{"[cancelled] a", High, Completed, nil}},
		{"[cancelled] a", High, Cancelled, Entry{"[cancelled] a", High, Completed, nil}},
	} {
		got, ok := New(test.content, test.priority, test.status, nil)
		if diff := cmp.Diff(test.want, got); diff != "" || !ok {
			t.Errorf("%q, %q, %q: ok is %v (-want +got):\n%s", test.content, test.priority, test.status, ok, diff)
		}
	}
	for _, content := range []string{"", " \t\n"} {
		if e, ok := New(content, High, Pending, nil); ok {
			t.Errorf("%q became %+v", content, e)
		}
	}
}

func TestMore(t *testing.T) {
	if got, want := More(3, true), (Entry{"… and 3 more", Medium, Pending, nil}); !got.Equal(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := More(2, false), (Entry{"… and 2 more", Medium, Completed, nil}); !got.Equal(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestEqualAndDigest(t *testing.T) {
	base := Entry{"a", High, Pending, []byte("{}")}
	lists := [][]Entry{
		nil, {base}, {base, base}, {{"b", High, Pending, []byte("{}")}}, {{"a", Low, Pending, []byte("{}")}},
		{{"a", High, Completed, []byte("{}")}}, {{"a", High, Pending, nil}}, {{"a{", High, Pending, []byte("}")}},
		// Entries without _meta, and one whose content or _meta spells out the second of them.
		{{"a", Low, Pending, nil}, {"b", Low, Pending, nil}},
		{{"a 0 low pending b", Low, Pending, nil}}, {{"a", Low, Pending, []byte("1 low pending b")}},
	}
	for i, a := range lists {
		for j, b := range lists {
			if got := slices.EqualFunc(a, b, Entry.Equal); got != (i == j) {
				t.Errorf("%+v and %+v: equal is %v", a, b, got)
			}
			if got := DigestOf(a) == DigestOf(b); got != (i == j) {
				t.Errorf("%+v and %+v: equal digests are %v", a, b, got)
			}
		}
	}
	if DigestOf([]Entry{}) != (Digest{}) {
		t.Error("the digest of an empty list is not zero")
	}
}

func TestAppend(t *testing.T) {
	for want, entries := range map[string][]Entry{
		`[]`: nil,
		`[{"content":"a \"b\"\n","priority":"high","status":"in_progress","_meta":{"x":1}},{"content":"c","priority":"low","status":"completed"}]`: {
			{"a \"b\"\n", High, InProgress, []byte(`{"x":1}`)}, {"c", Low, Completed, nil},
		},
	} {
		if got := string(Append([]byte("x"), entries)); got != "x"+want {
			t.Errorf("got %s, want x%s", got, want)
		}
	}
}

func TestItem(t *testing.T) {
	for want, e := range map[string]Entry{
		"- [ ] a\n":               {"a", Medium, Pending, nil},
		"- [ ] a (in progress)\n": {"a", Medium, InProgress, nil},
		"- [x] a\n  b\n":          {"a\nb", Medium, Completed, nil},
	} {
		if got := e.Item(); got != want {
			t.Errorf("%+v: %q, want %q", e, got, want)
		}
	}
}
