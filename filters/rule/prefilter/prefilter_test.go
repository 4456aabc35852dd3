package prefilter

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"acpshim/internal/wire"
)

func requires(t *testing.T, pointer string, kind Kind, text string) []Requirement {
	t.Helper()
	p, err := wire.ParseSelector(pointer)
	if err != nil {
		t.Fatal(err)
	}
	return []Requirement{{p, kind, text}}
}

func TestMayMatch(t *testing.T) {
	rules := [][]Requirement{
		requires(t, "/params/update/title", Equal, "a title"),
		requires(t, "/params/update/title", Equal, "other title"),
		requires(t, "/params/update/title", Contains, "some of it"),
		requires(t, "/params/a/b/c/d/e/f/g", Present, ""),
		requires(t, "/params/list/0", Present, ""),
		requires(t, "/params/many/*/name", Equal, "a name"),
		requires(t, "/params/many/[id=x]/text", Contains, "some of it"),
		requires(t, "/params/many/[id=x]/list/*", Present, ""),
	}
	for line, want := range map[string]bool{
		`{"params":{"update":{"title":"a title"}}}`:                            true,
		`{"params":{"update":{"title":"other title"}}}`:                        true,
		`{"params":{"update":{"title":"another"}}}`:                            false,
		`{"params":{"update":{"title":"a title and more"}}}`:                   false,
		`{"params":{"update":{"title":"a tit\u006ce"}}}`:                       true,
		`{"params":{"update":{"title":"\u0061\u0020\u0074\u0069tle"}}}`:        true,
		`{"params":{"update":{"title":"an\u006fther"}}}`:                       false,
		`{"params":{"update":{"title":"a\n\u001b\u2014"}}}`:                    false,
		`{"params":{"update":{"title":"this is some of it."}}}`:                true,
		`{"params":{"update":{"title":"this is some of that"}}}`:               false,
		`{"params":{"update":{"title":["some of it"]}}}`:                       false,
		`{"params":{"update":{"t\u0069tle":"a title"}}}`:                       true,
		`{"params":{"update":{"x\u0069":{"y\u0069":"a title"}}}}`:              true,
		`{"params":{"x":{"y\u0069":"a title"}}}`:                               false,
		`{"params":{"update":{"x":[{"title":"a title"}],"y":"\"title\":\""}}}`: false,
		` { "params" : { "x" : 1 , "update" : { "title" : "a title" } } }`:     true,
		` { "params" : { "x" : 1 , "update" : { "title" : "a tale" } } }`:      false,
		`{"params":{"x":"a\\","update":{"title":"a title"}}}`:                  true,
		`{"params":{"x":"a\\\"","update":{"title":"a title"}}}`:                true,
		`{"title":"a title","update":{"title":"a title"}}`:                     false,
		`{"params":{"update":["a title"]}}`:                                    true,
		`{"params":{"update":"a title","a":{"b":{"c":{"d":{"e":{"f":0}}}}}}}`:  false,
		`{"params":{"a":{"b":{"c":{"d":{"e":{"f":{"g":null}}}}}}}}`:            true,
		`{"params":{"a":{"b":{"c":{"d":{"e":{"f":{"h":null}}}}}}}}`:            false,
		`{"params":{"list":[]}}`:                                               true,
		`{"params":{"list":{"0":1}}}`:                                          true,
		`{"params":{"list":{"1":1},"x":[1,2,{"0":0}]}}`:                        false,
		`{"params":{"list":7}}`:                                                false,
		`{"params":{"update":{"title":{"a title":0}}}}`:                        false,
		`[{"params":{"update":{"title":"a title"}}}]`:                          true,
		`{"params":{"many":[]}}`:                                               false,
		`{"params":{"many":[{"name":"a name"}]}}`:                              true,
		`{"params":{"many":[ 1 , {"name":"another"} ,[], {"name":"a name"}]}}`: true,
		`{"params":{"many":[ 1 , {"name":"another"} ,[{"name":"a name"}]]}}`:   true, // it is not counted whether it is there
		`{"params":{"many":["a name",{"name":["a name"]}]}}`:                   false,
		`{"params":{"many":{"*":{"name":"a name"}}}}`:                          true,
		`{"params":{"many":{"*":{"name":"another"}}}}`:                         false,
		`{"params":{"many":{"x":{"name":"a name"}}}}`:                          false,
		`{"params":{"many":{"[id=x]":{"n":1}}}}`:                               true, // it is a name there
		`{"params":{"many":[{"id":"y","text":"some of it"}]}}`:                 true, // which one is not decided here
		`{"params":{"many":[{"id":"x","text":"some of that"}]}}`:               false,
		`{"params":{"many":[{"id":"x","list":[]}]}}`:                           false,
		`{"params":{"many":[{"id":"x","list":[0]}]}}`:                          true,
		`{"params":{"many":[{"id":"x"},`:                                       true,
		`{"params":{"many":[{"id":"x"} 1]}}`:                                   true,
		`{"params":{"many":7,"update":{}}}`:                                    false,
		`{"params":{"update":{}}`:                                              true,
		`{"params":{"update":{"x`:                                              true,
		`{"params":{"update":{"x":`:                                            true,
		`{"params":{"update":{"title":`:                                        true,
		`{"params":{"update":{"title":,"x":1}}}`:                               false,
		`{"params":{"update":{"x":[`:                                           true,
		`{"x"=1}`:                                                              true,
		`{"params" {"update":1}}`:                                              true,
		`{"`:                                                                   true,
		``:                                                                     true,
	} {
		if got := New(rules).MayMatch([]byte(line)); got != want {
			t.Errorf("%s may match: %v", line, got)
		}
	}
	if !New(append(rules, nil)).MayMatch([]byte(`{}`)) {
		t.Error("a rule that requires nothing matches not all")
	}
	if New(rules).MayMatch([]byte(`{}`)) {
		t.Error("rules that require something may match an object without members")
	}
}

// A line in which nothing is found takes no memory.
func TestWalkingTakesNoMemory(t *testing.T) {
	f := New([][]Requirement{requires(t, "/a", Equal, "a title"), requires(t, "/b", Contains, "some of it"), requires(t, "/c", Equal, "")})
	lines := [][]byte{[]byte(`{"a":"one","b":"two","c":"three"}`), []byte(`{"a":"three","b":"one","c":"two"}`)}
	if n := testing.AllocsPerRun(100, func() {
		for _, line := range lines {
			if f.MayMatch(line) {
				t.Errorf("%s may match", line)
			}
		}
	}); n > 0 {
		t.Errorf("it takes memory %v times", n)
	}
}

// What is rarest of the requirements of a rule decides.
func TestRarest(t *testing.T) {
	rule := append(append(append(requires(t, "/here", Present, ""), requires(t, "/here/below", Present, "")...),
		requires(t, "/here/text", Contains, "abcd")...), requires(t, "/other", Contains, "ab")...)
	for line, want := range map[string]bool{
		`{"here":{"below":1,"text":"abc","other":"ab"}}`: false,
		`{"here":{"below":1,"text":"xabcdx"}}`:           true,
	} {
		if got := New([][]Requirement{rule}).MayMatch([]byte(line)); got != want {
			t.Errorf("%s may match: %v", line, got)
		}
	}
	without := [][]Requirement{append(rule[:2:2], rule[3])}
	if New(without).MayMatch([]byte(`{"here":{"other":"ab"}}`)) {
		t.Error("a text that is too short to search for counts more than a place")
	}
}

// However a string is spelled in a line, it is found.
func TestSpellings(t *testing.T) {
	for _, test := range []struct {
		kind       Kind
		text, line string
		want       bool
	}{
		{Equal, "hi", `{"x":"hi"}`, true},
		{Equal, "hi", `{"x":"\u0068\u0069"}`, true},
		{Equal, "hi", `{"x":"hi "}`, false},
		{Equal, "a/b\n", `{"x":"a\/b\n"}`, true},
		{Equal, "", `{"x":""}`, true},
		{Equal, "", `{"x":" "}`, false},
		{Equal, "hi", `{"x":7}`, false},
		{Equal, "\ufffd", "{\"x\":\"\xff\"}", true},
		{Contains, "abc", `{"x":"ab c"}`, false},
		{Contains, "abc", `{"x":"ab abc"}`, true},
		{Contains, `say "hello" /`, `{"x":"I say \"hello\" \/"}`, true},
		{Contains, `say "hello" /`, `{"x":"I say \"hell\" \/"}`, false},
		{Contains, "grüße", `{"x":"gr\u00fc\u00dfe"}`, true},
	} {
		f := New([][]Requirement{{{wire.Selector{"x"}, test.kind, test.text}}})
		if got := f.MayMatch([]byte(test.line)); got != test.want {
			t.Errorf("%q in %s: %v", test.text, test.line, got)
		}
	}
}

// A line that differs from the one before in one string is not walked.
func TestRepeats(t *testing.T) {
	for _, test := range []struct {
		before, line string // with % for what differs
		want         bool
	}{
		{`{"id":1,"update":{"a":"x","b":["y","%"],"c":1},"n":[]}`, `{"id":1,"update":{"a":"x","b":["y","other"],"c":1},"n":[]}`, true},
		{`{"id":1,"update":{"a":"%"}}`, `{"id":1,"update":{"a":"\"}"}}`, true},
		{`{"params":{"title":"%"},"n":1}`, `{"params":{"title":"other"},"n":1}`, true},
		{`{"params":{"title":"%"},"n":1}`, `{"params":{"title":"a title"},"n":1}`, false},
		{`{"params":{"title":"%"},"n":1}`, `{"params":{"title":["other"]},"n":1}`, false},
		{`{"params":{"title":"%"},"n":1}`, `{"params":{"title":"other"},"m":1}`, false},
		{`{"%":"x","n":1}`, `{"other":"x","n":1}`, false},
		{`{"a":"%","n":"` + strings.Repeat("x", maxRepeated-len(`,"n":""}`)) + `"}`, `{"a":"other","n":"` + strings.Repeat("x", maxRepeated-len(`,"n":""}`)) + `"}`, true},
		{`{"a":"%","n":"` + strings.Repeat("x", maxRepeated) + `"}`, `{"a":"other","n":"` + strings.Repeat("x", maxRepeated) + `"}`, false},
		{`{"a":"` + strings.Repeat("x", maxRepeated) + `","b":"%"}`, `{"a":"` + strings.Repeat("x", maxRepeated) + `","b":"other"}`, false},
	} {
		f := New([][]Requirement{requires(t, "/params/title", Equal, "a title")})
		for _, text := range []string{"one", "two"} {
			if line := strings.Replace(test.before, "%", text, 1); f.MayMatch([]byte(line)) {
				t.Errorf("%.80s may match", line)
			}
		}
		if got := f.repeats([]byte(test.line)); got != test.want {
			t.Errorf("%.80s after %.80s: %v", test.line, test.before, got)
		}
		if at := strings.Index(test.before, `%`) - len(`"`); test.want && len(f.prefix) != at {
			t.Errorf("%.80s differ at %d, want %d", test.before, len(f.prefix), at)
		}
	}
}

func TestLongestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abc": "abc", "/home/user": "home", "a\"bcd\"e": "bcd", "ab\\cde": "cde", "grüße, du": "e, du", "\nabcd\x7fe": "abcd",
	} {
		if got := longestPlain(text); got != want {
			t.Errorf("of %q %q is plain, want %q", text, got, want)
		}
	}
}

// Lines that differ in one string from the one before are decided as if they had come alone.
func TestLinesRepeat(t *testing.T) {
	rules := [][]Requirement{requires(t, "/params/title", Equal, "a title"), requires(t, "/title", Equal, "a title")}
	f := New(rules)
	for _, line := range []string{
		`{"params":{"id":"1","text":"one","n":1}}`,
		`{"params":{"id":"1","text":"two","n":1}}`,
		`{"params":{"id":"1","text":"two\"","n":1}}`,
		`{"params":{"id":"1","text":"","title":"a title","x":"","n":1}}`,
		`{"params":{"id":"1","text":"two\\","title":"a title","n":1}}`,
		`{"params":{"id":"1","text":"two","n":1,"title":"a title"}}`,
		`{"params":{"id":"2","text":"two","n":1}}`,
		`{"params":{"id":"3","text":"two","n":1}}`,
		`{"params":{"id":"3","title":"a title","n":1}}`,
		`{"params":{"id":"3","text":"` + strings.Repeat("x", 5000) + `","n":1}}`,
		`{"params":{"id":"3","text":"` + strings.Repeat("y", 5000) + `","n":1}}`,
		`{"params":{"id":"3","text":"","n":` + strings.Repeat("1", 5000) + `}}`,
		`{"params":{"id":"3","text":"x","n":` + strings.Repeat("1", 5000) + `}}`,
		`{"params":{"title":"another"}}`,
		`{"params":{"title":"a title"}}`,
		`{"titlx":"a title"}`, // a name is no value
		`{"titly":"a title"}`,
		`{"title":"a title"}`,
		`{"params":{"x":1,"titlx":"a title"}}`,
		`{"params":{"x":1,"titly":"a title"}}`,
		`{"params":{"x":1,"title":"a title"}}`,
		`{"params":{"x":["1"],"titlx":"a title"}}`,
		`{"params":{"x":["1"],"titly":"a title"}}`,
		`{"params":{"x":["1"],"title":"a title"}}`,
		`{"params":{"x":["1","2"],"y":1}}`,
		`{"params":{"x":["1","3"],"y":1}}`,
		`{"params":{"x":["1","4"],"title":"a title","y":["5"],"y":1}}`,
		`{"params":"x"}`,
		`{"params":"y"}`,
		`{"params":{"title":"a title"}}`,
		`{"params":{"title":"x","y":1}}`,
		`{"params":{"title":"y","y":1}}`,
		`{"params":{"title":"a title","y":1}}`,
	} {
		for range 2 {
			if got, want := f.MayMatch([]byte(line)), strings.Contains(line, `"title":"a title"`); got != want {
				t.Errorf("%.100s may match: %v", line, got)
			}
		}
	}
}

// Whatever came before, a line is decided as it is by a Filter that has seen none.
func TestLinesBefore(t *testing.T) {
	rules := [][]Requirement{
		requires(t, "/a/b", Equal, "hit"), requires(t, "/title", Contains, "needle"),
		requires(t, "/a/title", Contains, "needle"), requires(t, "/b/a/a", Present, ""),
		requires(t, "/params/*/b", Equal, "hit"), requires(t, "/params/[b=x]/title", Contains, "needle"),
	}
	names := []string{"a", "b", "title", `x\"y`, "params"}
	texts := []string{`"hit"`, `"x"`, `"needle"`, `"a\"b"`, `"xneedley"`, `"\u006eeedle"`, `""`, "1", "[1]"}
	changes := []string{"x", "hit", "needle", `"`, `\`, ",", ":", ""}
	random := rand.New(rand.NewSource(1))
	var object func(depth int) string
	object = func(depth int) string {
		var members []string
		for range random.Intn(4) {
			value := texts[random.Intn(len(texts))]
			if depth > 0 && random.Intn(4) == 0 {
				value = "[" + value + ", " + object(depth-1) + "]"
			}
			if depth > 0 && random.Intn(2) == 0 {
				value = object(depth - 1)
			}
			members = append(members, `"`+names[random.Intn(len(names))]+`":`+value)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for range 40 {
		f, line := New(rules), "{}"
		for range 1000 {
			if i := random.Intn(len(line) + 1); random.Intn(3) == 0 {
				line = object(3)
			} else { // a little of it
				line = line[:i] + changes[random.Intn(len(changes))] + line[min(len(line), i+random.Intn(8)):]
			}
			if got, want := f.MayMatch([]byte(line)), New(rules).MayMatch([]byte(line)); got != want {
				t.Fatalf("%s may match: %v, by itself %v", line, got, want)
			}
		}
	}
}

func TestSearch(t *testing.T) {
	for _, texts := range [][]string{{"configOptions"}, {"abc", "abcabcabc", "opt"}, {"Options", "configOptions"}, {"the text of one", "the text of two"}, {"abc", "bcd"}, {"a text that is longer than a window"}} {
		s := newSearch(texts)
		for _, in := range []string{"", "o", "op", "opt", "xopt", `abc`, `abcabcabc`, `abcabcab`, "configOptions", "configoptions", "abd", "abcd", "a text that is longer than", "a text that is longer than a window",
			strings.Repeat("x", 22) + "Option", strings.Repeat("x", 57) + "Options" + strings.Repeat("x", 31), strings.Repeat("ab", 50), strings.Repeat("the text of ", 9) + "two"} {
			for pad := range 34 { // it may lie anywhere
				raw := `"` + strings.Repeat("-", pad) + in + `"`
				want := false
				for _, text := range texts {
					want = want || strings.Contains(raw, text)
				}
				if got := s.in([]byte(raw)); got != want {
					t.Errorf("%q in %q: %v", texts, raw, got)
				}
			}
		}
	}
	// What looks like a text now and then is no reason to give up.
	if newSearch([]string{"the text"}).in([]byte(`"` + strings.Repeat("where the plan is drawn, a", 4000) + `"`)) {
		t.Error("the text is found where it is not")
	}
	s := newSearch([]string{"opt"})
	for raw, want := range map[string]bool{`\u006fpt`: true, `\u006Fpt`: true, `\u001b\u2014`: false, `\u003c`: false, `\\\u006fpt`: true, `\u00e9`: false, `\\u006fpt`: false} {
		if got := s.in([]byte(`"` + raw + `"`)); got != want {
			t.Errorf("opt may stand in %s: %v", raw, got)
		}
	}
}

// A string that looks like texts everywhere is not searched to its end.
func TestSearchIsLinear(t *testing.T) {
	var texts []string
	for i := range 1000 {
		texts = append(texts, strings.Repeat("a", 100)+fmt.Sprint(i))
	}
	if !newSearch(texts).in([]byte(strings.Repeat("a", 16<<20))) {
		t.Error("what was not looked at is taken as not there")
	}
}
