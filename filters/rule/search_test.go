package rule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acpshim/wire"

	"github.com/go-json-experiment/json/jsontext"
)

func TestLiteral(t *testing.T) {
	for _, test := range []struct {
		when When
		want string
	}{
		{When{}, ""},
		{When{Absent: []string{"/params/longname"}}, ""},
		{When{Has: []string{"/params/ab", "/params/update/models"}}, `"models"`},
		{When{Has: []string{"/result/a~1longer", "/result/0", "/result/-"}}, ""},
		{When{Has: []string{"/x/a"}}, `"a"`},
		{equalTo("/params/update/content", "3"), `"content"`},
		{equalTo("/params/update/content", `"hi"`), `"hi"`},
		{equalTo("/params/update/content", `""`), `"content"`},
		{equalTo("/params/path", `"/home/user/x"`), "home"},
		{equalTo("/params/path", `"\nabc\u0064"`), "abcd"},
		{equalTo("/params/path", `"a\"bcd\"e"`), "bcd"},
		{equalTo("/params/path", `"grüße"`), `"path"`},
		{When{Glob: values("/params/path", "*ab?cdef*")}, "cdef"},
		{When{Glob: values("/params/path", "!*abcdef")}, `"path"`},
		{When{Glob: values("/params/path", "{abc,def}")}, `"path"`},
		{When{Regexp: values("/params/path", `abc\dx`)}, "abc"},
		{When{Regexp: values("/params/path", `"abc"`)}, "abc"},
		{When{Regexp: values("/params/path", `(?i)abc`)}, `"path"`},
		{When{Regexp: values("/params/path", `^abc|x`)}, `"path"`},
	} {
		if got := literal(&Rule{When: test.when}); got != test.want {
			t.Errorf("%+v: %q, want %q", test.when, got, test.want)
		}
	}
}

func TestSearch(t *testing.T) {
	literals := []string{"configOptions", "", `"abc"`, "abcabcabc", "opt", "Options"}
	s := newSearch(literals)
	for _, line := range []string{"", "o", "op", "opt", "xopt", `"abc"`, `abcabcabc`, `abcabcab`, `configOptions`, "configoptions", "xxxxxxxxxxxxxxxxxxxxxxOption", strings.Repeat("ab", 50)} {
		s.in([]byte(line))
		for i, found := range s.found {
			if want := strings.Contains(line, literals[i]); found != want {
				t.Errorf("%q in %q: %v", literals[i], line, found)
			}
		}
	}
	for line, want := range map[string]bool{`\u006fpt`: true, `\u006Fpt`: true, `\u001b\u2014`: false, `\u00`: false, `\u004`: false, `\u00zz`: false, `\u003c`: false, `\\\u006f`: true} {
		s.in([]byte(line))
		if got := s.found[4]; got != want {
			t.Errorf("opt may stand in %s: %v", line, got)
		}
	}
}

// A line that looks like literals everywhere takes linear time.
func TestSearchIsLinear(t *testing.T) {
	literals := []string{"aaaa"}
	for i := range 1000 {
		literals = append(literals, strings.Repeat("a", 100)+fmt.Sprint(i))
	}
	s := newSearch(literals)
	line := []byte(strings.Repeat("a", 16<<20))
	start := time.Now()
	s.in(line)
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("16 MiB took %v", d)
	}
	if !s.found[7] {
		t.Error("what was not looked at is taken as not there")
	}
}

// plenty are rules that ask for values in several ways.
func plenty(n int) []Rule {
	hit := []Setting{{"/hit", []byte("1")}}
	var rules []Rule
	for i := range n {
		r := Rule{Name: fmt.Sprint("rule ", i), Set: hit}
		switch i % 8 {
		case 0:
			r.Method, r.When = "session/update", equalTo("/params/update/title", fmt.Sprintf(`"title %d"`, i))
		case 1:
			r.Update, r.When = "tool_call*", When{Has: []string{fmt.Sprintf("/params/update/rawInput%d", i)}}
		case 2:
			r.Method, r.When = "session/*", When{Glob: map[string]string{"/params/_meta/a": fmt.Sprintf("*value%d*", i)}}
		case 3:
			r.When = When{Regexp: map[string]string{"/params/update/content/text": fmt.Sprintf(`secret%d\d`, i)}}
		case 4:
			r.Method = fmt.Sprintf("_x/%d*", i)
		case 5:
			r.Update = fmt.Sprintf("kind_%d", i)
		case 6:
			r.ResponseTo = fmt.Sprintf("_x/%d", i)
		case 7:
			r.Update, r.When = "agent_*", equalTo("/params/update/content", fmt.Sprintf(`{"n":%d}`, i))
			r.When.Has = []string{"/params/update/content/needle"}
		}
		rules = append(rules, r)
	}
	return rules
}

// FuzzSearchMissesNothing: what the beginning of a line and the search decide
// is what reading all of it by all rules gives.
func FuzzSearchMissesNothing(f *testing.F) {
	for _, seed := range []string{
		chunk("s", "secret33"), chunk("s", `secr\u0065t3 secret35`), strings.Replace(chunk("s", "x"), "agent", `\u0061gent`, 1),
		`{"method":"session/update","params":{"update":{"title":"title \u0030"}}}`, `{"method":"session/update","params":{"update":{"t\u0069tle":"title 8"}}}`,
		`{"method":"session/x","params":{"_meta":{"a":"a value2\/"}}}`, `{"params":{"update":{"sessionUpdate":"tool_call","rawInput1":null}},"method":"session/update"}`,
		`[{"method":"_x/4"},{"method":"_x/5"}]`, `{"method":"session/update","params":{"update":{"sessionUpdate":"agent_x","content":{"needle":1}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = []byte(strings.ReplaceAll(string(line), "\n", " "))
		rules := append(plenty(16), Rule{Name: "any", When: When{Equals: map[string]jsontext.Value{"/params/x": []byte(`"a/b"`)}}, Set: []Setting{{"/any", []byte("1")}}})
		set, problems := Compile(rules)
		if set == nil {
			t.Fatal(problems)
		}
		quick := set.NewChain(Options{}).FromAgent(nil)
		for range 2 { // the second time by what it remembers
			all := set.NewChain(Options{Events: Events{Step: func(Step) {}}}).FromAgent(nil)
			want := string(all.Rewrite(nil, line))
			if got := string(rewrite(quick, nil, line)); got != want {
				t.Fatalf("%q\nquickly gives %q\n      read %q", line, got, want)
			}
			if len(line) > 0 {
				for cut := range min(len(line), 200) { // of a line that comes in pieces, too
					if v := quick.Peek(line[:cut]); v == wire.Pass && want != string(line) {
						t.Fatalf("%q passes by %q", line, line[:cut])
					}
				}
			}
		}
	})
}
