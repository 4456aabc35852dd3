package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNeed(t *testing.T) {
	for _, test := range []struct {
		when          When
		pointer, text string
	}{
		{When{}, "", ""},
		{When{Absent: []string{"/params/longname"}}, "", ""},
		{When{Has: []string{""}}, "", ""},
		{When{Has: []string{"/params/ab", "/params/update/models"}}, "/params/update/models", ""},
		{equalTo("/params/update/content", "3"), "/params/update/content", ""},
		{equalTo("/params/update/content", `"hi"`), "/params/update/content", `"hi"`},
		{equalTo("/params/update/content", `""`), "/params/update/content", ""},
		{equalTo("/params/path", `"/home/user/x"`), "/params/path", "home"},
		{equalTo("/params/path", `"\nabc\u0064"`), "/params/path", "abcd"},
		{equalTo("/params/path", `"a\"bcd\"e"`), "/params/path", "bcd"},
		{equalTo("/params/path", `"grüße"`), "/params/path", ""},
		{When{Glob: values("/params/path", "*ab?cdef*")}, "/params/path", "cdef"},
		{When{Glob: values("/params/path", "!*abcdef")}, "/params/path", ""},
		{When{Glob: values("/params/path", "{abc,def}")}, "/params/path", ""},
		{When{Glob: values("/params/path", "abc{defgh,i}jk")}, "/params/path", "abc"},
		{When{Glob: values("/params/path", "[abcd]?xyz[e]")}, "/params/path", "xyz"},
		{When{Glob: values("/params/path", `ab\cd\*e`)}, "/params/path", "abcd*e"},
		{When{Glob: values("/params/path", `"abcd"`)}, "/params/path", "abcd"},
		{When{Glob: values("/params/path", `ab\\cd`)}, "/params/path", ""},
		{When{Regexp: values("/params/path", `abc\dx`)}, "/params/path", "abc"},
		{When{Regexp: values("/params/path", `"abc"`)}, "/params/path", "abc"},
		{When{Regexp: values("/params/path", `(?i)abc`)}, "/params/path", ""},
		{When{Regexp: values("/params/path", `^abc|x`)}, "/params/path", ""},
		{When{Has: []string{"/params/update/content"}, Regexp: values("/params/path", "abc")}, "/params/path", "abc"},
	} {
		if got := needOf(&Rule{When: test.when}); got.pointer.String() != test.pointer || got.text != test.text {
			t.Errorf("%+v: %q in %s, want %q in %s", test.when, got.text, got.pointer, test.text, test.pointer)
		}
	}
}

func TestSearch(t *testing.T) {
	for _, texts := range [][]string{{"configOptions"}, {`"abc"`, "abcabcabc", "opt"}, {"Options", "configOptions"}, {"the text of one", "the text of two"}, {"abc", "bcd"}} {
		s := newSearch(texts)
		for _, in := range []string{"", "o", "op", "opt", "xopt", `"abc"`, `abcabcabc`, `abcabcab`, "configOptions", "configoptions", "abd", "abcd",
			strings.Repeat("x", 22) + "Option", strings.Repeat("x", 57) + "Options" + strings.Repeat("x", 31), strings.Repeat("ab", 50), strings.Repeat("the text of ", 9) + "two"} {
			for pad := range 34 { // it may lie anywhere
				raw := strings.Repeat("-", pad) + in
				want := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(raw, text) })
				if got := s.in([]byte(raw)); got != want {
					t.Errorf("%q in %q: %v", texts, raw, got)
				}
			}
		}
	}
	s := newSearch([]string{"opt"})
	for raw, want := range map[string]bool{`\u006fpt`: true, `\u006Fpt`: true, `\u001b\u2014`: false, `\u00`: false, `\u004`: false, `\u00zz`: false, `\u003c`: false, `\\\u006f`: true} {
		if got := s.in([]byte(raw)); got != want {
			t.Errorf("opt may stand in %s: %v", raw, got)
		}
	}
}

// A string that looks like texts everywhere takes linear time.
func TestSearchIsLinear(t *testing.T) {
	var texts []string
	for i := range 1000 {
		texts = append(texts, strings.Repeat("a", 100)+fmt.Sprint(i))
	}
	s := newSearch(texts)
	linear(t, "a text that looks like all", 256<<10, func(size int) func() {
		text := []byte(strings.Repeat("a", size))
		return func() {
			if !s.in(text) {
				t.Error("what was not looked at is taken as not there")
			}
		}
	})
}

// linear checks that work takes about as long for eight times the size as eight times for the
// size: eight times as long would be quadratic. Both take as long, so that other processes
// delay both. It is measured again before it fails.
func linear(t *testing.T, name string, size int, work func(size int) func()) {
	t.Helper()
	little, much := work(size), work(8*size)
	eight, one := time.Hour, time.Hour
	for range 20 {
		begun := time.Now()
		for range 8 {
			little()
		}
		eight = min(eight, time.Since(begun))
		begun = time.Now()
		if much(); time.Since(begun) < one {
			one = time.Since(begun)
		}
		if one < 3*eight {
			return
		}
	}
	t.Errorf("%s: %v for eight parts, %v for all at once", name, eight, one)
}
