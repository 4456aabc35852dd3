package transcript

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

func TestCompare(t *testing.T) {
	const written = "words\n-- client --\n1\n-- to agent --\na\nb\nc\n-- to client --\nx\n-- agent --\n2\n-- shows --\n[ ] s\n"
	for _, test := range []struct{ name, went, want string }{
		{"the same", written, ""},
		{"in another order of outputs", "words\n-- client --\n1\n-- to client --\nx\n-- to agent --\na\nb\nc\n-- agent --\n2\n-- shows --\n[ ] s\n", ""},
		{"one is another", "-- client --\n1\n-- to agent --\na\nB\nc\n-- to client --\nx\n-- agent --\n2\n-- shows --\n[x] s\n",
			"6 to agent 2: b, B; 13 shows 1: [ ] s, [x] s; "},
		{"one is missing", "-- client --\n1\n-- to agent --\na\nc\n-- to client --\nx\n-- agent --\n2\n-- shows --\n[ ] s\n", "6 to agent 2: b, ; "},
		{"one is too many", "-- client --\n1\n-- to agent --\na\nb\nb\nc\n-- to client --\nx\n-- agent --\n2\n-- shows --\n[ ] s\n", "2 to agent 3: , b; "},
		{"nothing comes", "-- client --\n1\n-- agent --\n2\n", "5 to agent 1: a, ; 6 to agent 2: b, ; 7 to agent 3: c, ; 9 to client 1: x, ; 13 shows 1: [ ] s, ; "},
		{"it comes of the next input", "-- client --\n1\n-- to agent --\na\nb\nc\n-- agent --\n2\n-- to client --\nx\n-- shows --\n[ ] s\n",
			"9 to client 1: x, ; 10 to client 1: , x; "},
	} {
		var got string
		for _, d := range Compare(txtar.Parse([]byte(written)), txtar.Parse([]byte(test.went))) {
			got += fmt.Sprintf("%d %s %d: %s, %s; ", d.Line, d.Section, d.Number, d.Want, d.Got)
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
	before := txtar.Parse([]byte("-- to agent --\na\n-- client --\n1\n"))
	if got := Compare(before, txtar.Parse([]byte("-- client --\n1\n"))); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("an output before all inputs: %+v", got)
	}
}

func TestChanges(t *testing.T) {
	for _, test := range []struct {
		before, after string
		want          []Change
	}{
		{`{"a":1}`, `{ "a" : 1 }`, nil},
		{`{"a":1,"b":[1,{"c":2}]}`, `{"b":[1,{"c":3},4],"d":null}`, []Change{{"/a", "1", ""}, {"/b/1/c", "2", "3"}, {"/b/2", "", "4"}, {"/d", "", "null"}}},
		{`{"a/b":[1,2],"~":{}}`, `{"a/b":[1],"~":[]}`, []Change{{"/a~1b/1", "2", ""}, {"/~0", "{}", "[]"}}},
		{`{"a":1.0}`, `{"a":1}`, []Change{{"/a", "1.0", "1"}}},
		{`[1]`, `{"<":1}`, []Change{{"", "[1]", `{"<":1}`}}},
	} {
		got, ok := Changes([]byte(test.before), []byte(test.after))
		if diff := cmp.Diff(test.want, got); diff != "" || !ok {
			t.Errorf("%s to %s (-want +got):\n%s", test.before, test.after, diff)
		}
	}
	for _, line := range []string{"", "npm", `{"a":`} {
		if _, ok := Changes([]byte(line), []byte("{}")); ok {
			t.Errorf("%q is JSON", line)
		}
	}
}
