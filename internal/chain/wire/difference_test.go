package wire

import (
	"fmt"
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{`{"a":1}`, `{"a":1}`, ""},
		{`{"a":1,"b":{"c":[1,2]}}`, `{"a":2,"b":{"c":[1,2,3]},"d/e":{}}`, `~ /a 1 2, + /b/c/2  3, + /d~1e  {}`},
		{`{"a":[1,2,3,4]}`, `{"a":[1,9,3,4]}`, `~ /a/1 2 9`},
		{`{"a":[1,2,3]}`, `{"a":[1,3]}`, `- /a/1 2 `},
		{`{"a":[{"b":1}]}`, `{"a":[{"b":null}]}`, `~ /a/0/b 1 null`},
		{`{"a":{}}`, `{"a":[]}`, `~ /a {} []`},
		{`{"a/b":[],"c":"\u0041","d":{"e":[ ]}}`, `{ "d":{"e":[]}, "c" : "A", "a/b":[ ] }`, ""},
		{`{"a":""}`, `{"a":1}`, `~ /a "" 1`},
		{`{"a":1.0}`, `{"a":1}`, `~ /a 1.0 1`},
		{`{"a":[1,1]}`, `{"a":[1]}`, `- /a/1 1 `},
		{`{"a":[1]}`, `{"a":[1,1]}`, `+ /a/1  1`},
		{`{"a":1,"a":2}`, `{"a":1}`, `~  {"a":1,"a":2} {"a":1}`},
	} {
		var got []string
		for _, d := range Differences([]byte(test.before), []byte(test.after)) {
			got = append(got, fmt.Sprintf("%s %s %s %s", d.Sign(), d.Pointer, d.Before, d.After))
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s to %s: got %s, want %s", test.before, test.after, text, test.want)
		}
	}
}

// The number and the depth of differences are bounded.
func TestDifferencesAreBounded(t *testing.T) {
	ones := func(n int, one string) []byte { return []byte("[" + strings.Repeat(one+",", n) + "0]") }
	if n := len(Differences(ones(2*maxDifferences, "1"), ones(2*maxDifferences, "2"))); n != maxDifferences {
		t.Errorf("%d differences", n)
	}
	deep := func(value string) []byte {
		return []byte(strings.Repeat("[", 2*maxDepth) + value + strings.Repeat("]", 2*maxDepth))
	}
	if found := Differences(deep("1"), deep("2")); len(found) != 1 || len(found[0].Pointer) != maxDepth {
		t.Errorf("deep below each other: %v", found)
	}
}
