package document

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A call is written "NAME reads > writes", where reads is a text with references to the state.
func TestCallsComeInTheOrderOfTheirDependencies(t *testing.T) {
	tests := []struct {
		name    string
		calls   []string
		want    string
		problem string
	}{
		{"none", []string{"a", "b", "c"}, "a b c", ""},
		{"one that is listed too early", []string{"a †state.x", "b", "c > †state.x", "d"}, "b c a d", ""},
		{"the listed order where it is possible", []string{"a > †state.a", "b > †state.b", "c †state.b", "d †state.a"}, "a b c d", ""},
		{"chain, backwards", []string{"a †state.b", "b †state.c > †state.b", "c †state.d > †state.c", "d > †state.d"}, "d c b a", ""},
		{"diamond", []string{"end †state.l †state.r", "right †state.s > †state.r", "left †state.s > †state.l", "start > †state.s"}, "start right left end", ""},
		{"inside a longer string", []string{"a Say: “†state.x.”, twice", "b > †state.x"}, "b a", ""},
		{"only input", []string{"a †input.x", "b †input.y.z > †state.x"}, "a b", ""},
		{"no reference", []string{"a †1815 †state † x †other.x †.x †state..x †state-x", "b"}, "a b", ""},
		{"after other words with a dagger", []string{"a †1815, †other.y, †state.x", "b > †state.x"}, "b a", ""},
		{"a part of a written path", []string{"a †state.x.y[0].z", "b > †state.x"}, "b a", ""},
		{"a path of which parts are written", []string{"a †state.x", "b > †state.x.y", "c > †state.x[0]", "d"}, "b c a d", ""},
		{"another part", []string{"a †state.x.y > †state.x.z", "b > †state.x.y"}, "b a", ""},
		{"a longer name is another path", []string{"a †state.xy", "b > †state.x"}, "a b", "tool calls: no call writes †state.xy, which call 1 (a) reads"},
		{"hyphens and other letters", []string{"a †state.ä-b_1-", "b > †state.ä-b_1"}, "b a", ""},
		{"alternatives", []string{"a †state.x || †state.y", "b > †state.y", "c > †state.x"}, "b c a", ""},
		{"alternatives, one is written", []string{"a †state.x||†state.y", "b > †state.y"}, "b a", ""},
		{"alternatives, none is written", []string{"b †state.z", "a †state.x || †state.y.z", "c > †state.z"}, "b a c", "tool calls: no call writes †state.x or †state.y.z, which call 2 (a) reads"},
		{"alternatives, one is given", []string{"a †state.x || †input.y", "b"}, "a b", ""},
		{"alternatives, one is a word", []string{"a †state.x || none", "b none || †state.x", "c †state.x || none || †state.y > †state.z"}, "a b c", ""},
		{"no alternatives", []string{"a †state.x and †state.y", "b > †state.x"}, "a b", "no call writes †state.y, which call 1 (a) reads"},
		{"no alternatives, the first is not written", []string{"a †state.x and †state.y", "b > †state.y"}, "a b", "tool calls: no call writes †state.x, which call 1 (a) reads"},
		{"an alternative to nothing", []string{"a || †state.x", "b"}, "a b", ""},
		{"a cycle", []string{"z †state.c", "a †state.b > †state.a", "b †state.c > †state.b", "c †state.a > †state.c"}, "z a b c",
			"tool calls: calls depend on each other: 2 (a) reads from 3 (b) reads from 4 (c) reads from 2 (a)"},
		{"a cycle of two parts", []string{"a †state.x > †state.y", "b †state.y > †state.x.z"}, "a b", "1 (a) reads from 2 (b) reads from 1 (a)"},
		{"itself", []string{"a †state.y", "b †state.x > †state.x", "c > †state.y"}, "a b c", "tool calls: calls depend on each other: 2 (b) reads from 2 (b)"},
		{"itself, or input", []string{"a †state.x || 0 > †state.x"}, "a", ""},
		{"a path that is written again", []string{"a > †state.x", "b †state.x > †state.x", "c †state.x", "d †state.x > †state.x"}, "a b c d", ""},
		{"a path that is written later", []string{"a †state.x > †state.x", "b > †state.x"}, "b a", ""},
		{"parts in place", []string{"a > †state.x.a", "b †state.x > †state.x.b", "c †state.x > †state.x.c"}, "a b c", ""},
		{"two problems", []string{"a †state.a > †state.a", "b †state.b"}, "a b", "no call writes †state.b, which call 2 (b) reads; calls depend on each other: 1 (a)"},
		{"no path to write to", []string{"a †state.x > state.x", "b > †state.x and more", "c > †input.x"}, "a b c",
			`tool calls: call 1 (a): _outputPath "state.x": want "†state.NAME"; call 2 (b): _outputPath "†state.x and more": want "†state.NAME"; call 3 (c): _outputPath "†input.x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var list []string
			for _, c := range test.calls {
				c, writes, _ := strings.Cut(c, " > ")
				name, reads, _ := strings.Cut(c, " ")
				element := fmt.Sprintf(`{"_tool":%q,"in":{"nested":[0,%q]}`, name, reads)
				if writes != "" {
					element += fmt.Sprintf(`,"_outputPath":%q`, writes)
				}
				list = append(list, element+"}")
			}
			document := "[" + strings.Join(list, ",") + "]"
			for _, document := range []string{document, strings.ReplaceAll(document, dagger, `\u2020`)} {
				r := Read(document)
				entries := r.Plan()
				var got []string
				for _, e := range entries {
					name, _, _ := strings.Cut(e.Content, "(")
					got = append(got, name)
				}
				if strings.Join(got, " ") != test.want {
					t.Errorf("order %q, want %q", got, test.want)
				}
				if problem := r.Problem; test.problem == "" && problem != nil || test.problem != "" && (problem == nil || !strings.Contains(problem.Error(), test.problem)) {
					t.Errorf("problem %v, want %q", problem, test.problem)
				}
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	long := strings.Repeat("word ", 30)
	tests := []struct{ call, want string }{
		{`{"_tool":"a"}`, `a()`},
		{`{"_tool":"a b","_outputPath":"†state.x"}`, `a b()`},
		{`{"x":1.50,"_tool":"a","y":true,"z":null}`, `a(x: 1.50, y: true, z: null)`},
		{`{"_tool":"a","path":"/src/a.go","q":"go test ./...","ref":"†state.a || †state.b"}`, `a(path: /src/a.go, q: go test ./..., ref: †state.a || †state.b)`},
		{`{"_tool":"a","a":"","b":"1","c":"true","d":"a, b","e":"say \"x\"","f":"k: v","g":" in\nlines "}`,
			`a(a: "", b: "1", c: "true", d: "a, b", e: "say \"x\"", f: "k: v", g: in lines)`},
		{`{"_tool":"a","x":{"b": [1,  "c"]},"y":[]}`, `a(x: {"b": [1, "c"]}, y: [])`},
		{`{"_tool":"a","x":"` + long + `"}`, `a(x: word word word word word word word word word word word word…)`},
		{`{"_tool":"a","x":"` + long + `","y":"` + long + `","z":"` + long + `","last":1}`,
			`a(x: word word word word word word word word word word word word…, y: word word word word word word word word word word word word…, z: word word word word word word word word word word word word…`},
	}
	for _, test := range tests {
		entries, _ := Render("[" + test.call + "]")
		if len(entries) != 1 {
			t.Errorf("%s: %d entries", test.call, len(entries))
		} else if diff := cmp.Diff(test.want, entries[0].Content); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.call, diff)
		}
	}
	entries, _ := Render(`[{"_tool":"a"` + strings.Repeat(`,"x":"`+long+`"`, 9) + `}]`)
	if n := utf8.RuneCountInString(entries[0].Content); n > maxContent || !strings.HasSuffix(entries[0].Content, "…") {
		t.Errorf("%d characters: %q", n, entries[0].Content)
	}
}
