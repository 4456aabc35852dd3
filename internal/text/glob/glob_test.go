package glob

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"acpshim/internal/dev/growth"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"todowrite", "todowrite", true},
		{"todowrite", "TodoWrite", false},
		{"todowrite", "todowrites", false},
		{"*", "", true},
		{"*", "src/main.go", true},
		{"* todos", "12 todos", true},
		{"* todos", "todos", false},
		{"[0-9]* todos", "12 todos", true},
		{"**a**", "bab", true},
		{"a*b*c", "a/b/b/c", true},
		{"a*b*c", "acb", false},
		{"*ab", "aab", true},
		{"*a?c*", "abacabc", true},
		{"?", "é", true},
		{"?", "", false},
		{"?", "ab", false},
		{"?", "/", true},
		{"[^a]", "b", true},
		{"[^a]", "a", false},
		{"[^a]", "/", true},
		{"[a-cx]", "x", true},
		{`[\]\-]`, "-", true},
		{`\*\?\[`, "*?[", true},
		{`\a`, "a", true},
		{"a]", "a]", true},
		{"[€-☃]?", "☂é", true},
		{"?", "\xff", true},
		{"\uFFFD", "\xff", true},
		{"a\uFFFDb", "a\xffb", true},
		{"session/{new,load}", "session/load", true},
		{"session/{new,load}", "session/resume", false},
		{"session/{new,load}", "session/{new,load}", false},
		{"{a,b*}c", "bxc", true},
		{"{a,b*}c", "xc", false},
		{"a{,b}", "a", true},
		{"{,}", "", true},
		{"{a}", "a", true},
		{"{a,b}{c,d}", "bc", true},
		{"{a,b}{c,d}", "ab", false},
		{"*{*,b}*", "", true},
		{"a{*,b}*{*,c}", "a", true},
		{"{[a,b],c?}", ",", true},
		{"{[}],b}", "}", true},
		{`{\,,\}}`, "}", true},
		{`\{a\}`, "{a}", true},
		{"[{]a[}]", "{a}", true},
		{"a,b", "a,b", true},
	} {
		g, err := Compile(c.pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := g.Match(c.text); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.text, got)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for pattern, want := range map[string]string{
		"[a":                                     "want a ] for each [",
		"a[":                                     "want a ] for each [",
		"[]":                                     "between [ and ]",
		"[^]":                                    "between [ and ]",
		"[-a]":                                   "between [ and ]",
		"[a-]":                                   "on both sides of -",
		"[z-a]":                                  "the other way round",
		`[\`:                                     `after \`,
		`[a-\`:                                   `after \`,
		`a\`:                                     `after \`,
		"\xff":                                   "UTF-8",
		"{a":                                     "want a } for each {",
		"a}":                                     "want a { for each }",
		"{a{b}":                                  "inside others",
		"{}":                                     "between { and }",
		`{a\}`:                                   "want a } for each {",
		`{a\`:                                    `after \`,
		"{[a,b}":                                 "want a ] for each [",
		strings.Repeat("{a,b}", 7):               "at most 64",
		"{" + strings.Repeat(",", maxWays) + "}": "at most 64",
	} {
		if _, err := Compile(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want in it %q", pattern, err, want)
		}
	}
}

func TestTextsAndParts(t *testing.T) {
	for _, c := range []struct {
		pattern      string
		texts, parts []string
	}{
		{"", []string{""}, nil},
		{"a/b", []string{"a/b"}, []string{"a/b"}},
		{`\*a\[`, []string{"*a["}, []string{"*a["}},
		{"a\uFFFDb", nil, []string{"a", "b"}},
		{"ab*c?[d]ef", nil, []string{"ab", "c", "ef"}},
		{"x{a,b}yz{c,}", []string{"xayzc", "xayz", "xbyzc", "xbyz"}, []string{"x", "yz"}},
		{"x{a,b*}y", nil, []string{"x", "y"}},
		{"{ab}", []string{"ab"}, nil},
		{strings.Repeat("{a,b}", 6) + "[x]", nil, nil},
	} {
		g, err := Compile(c.pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := g.Texts(); !slices.Equal(got, c.texts) {
			t.Errorf("%q matches only %q, want %q", c.pattern, got, c.texts)
		}
		if got := g.Parts(); !slices.Equal(got, c.parts) {
			t.Errorf("in what %q matches stand %q, want %q", c.pattern, got, c.parts)
		}
	}
}

// A matcher that tries every length of every run would not come to an end here.
func TestMatchIsBounded(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("a*", 100) + "b", strings.Repeat("{a*,a}", 4) + "b"} {
		g, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		growth.Linear(t, pattern, 32<<10, func(size int) func() {
			text := strings.Repeat("a", size)
			return func() {
				if g.Match(text) {
					t.Errorf("%q matches", pattern)
				}
			}
		})
	}
}

// braced is what is a pattern, if it has no brackets and backslashes.
var braced = regexp.MustCompile(`\A([^{}]|\{[^{}]+\})*\z`)

// FuzzMatch compares with a regular expression of the same meaning, and what is
// a pattern with path.Match.
func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{{"*ab?c*", "xxabbcabc"}, {`[^a-z\-]*\*`, "-\n*"}, {"a*/*b", "a/b/b"}, {"[é-ü]\uFFFD", "é\xff"}, {"[a-", ""}, {"a{b*,[c,}]}{?,}d", "abxd"}, {`{\,,\{b}c*{d}`, "{bcd"}, {"{a,{b}", "a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		g, err := Compile(pattern)
		if !utf8.ValidString(pattern) {
			return
		}
		if _, other := path.Match(pattern, ""); (err == nil) != (other == nil) && !strings.ContainsAny(pattern, "[{}") {
			t.Fatalf("%q: %v, path.Match says %v", pattern, err, other)
		}
		if !strings.ContainsAny(pattern, `[\`) && (err == nil) != braced.MatchString(pattern) && (err == nil || !strings.Contains(err.Error(), "at most")) {
			t.Fatalf("%q: %v", pattern, err)
		}
		if err != nil {
			return
		}
		reference, err := regexp.Compile(expression(pattern))
		if err != nil {
			t.Skip(err) // larger than regexp likes
		}
		if got, want := g.Match(text), reference.MatchString(text); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
		if texts := g.Texts(); texts != nil && g.Match(text) != slices.Contains(texts, text) {
			t.Errorf("%q matches %q: %v, and only %q", pattern, text, g.Match(text), texts)
		}
		for _, part := range g.Parts() {
			if g.Match(text) && !strings.Contains(text, part) {
				t.Errorf("%q matches %q without %q", pattern, text, part)
			}
		}
	})
}

// expression spells a pattern that Compile takes as a regular expression.
func expression(pattern string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	inside, braces, escaped := false, false, false
	for _, r := range pattern {
		switch {
		case escaped:
			b.WriteString(quote(r))
			escaped = false
		case r == '\\':
			escaped = true
		case inside && (r == '-' || r == '^' && strings.HasSuffix(b.String(), "[")):
			b.WriteRune(r)
		case r == ']' && inside:
			b.WriteString("]")
			inside = false
		case inside:
			b.WriteString(quote(r))
		case r == '[':
			b.WriteString("[")
			inside = true
		case r == '{':
			b.WriteString("(?:")
			braces = true
		case r == '}':
			b.WriteString(")")
			braces = false
		case r == ',' && braces:
			b.WriteString("|")
		case r == '*':
			b.WriteString(".*")
		case r == '?':
			b.WriteString(".")
		default:
			b.WriteString(quote(r))
		}
	}
	return b.String() + `\z`
}

func quote(r rune) string {
	if r == '-' || r == '^' {
		return `\` + string(r)
	}
	return regexp.QuoteMeta(string(r))
}

func TestNegatable(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{{"!a*", "b", true}, {"!a*", "ab", false}, {"a*", "ab", true}, {`\!a`, "!a", true}, {"!", "", false}, {"!", "a", true}, {"!!a", "!a", false}} {
		g, err := CompileNegatable(c.pattern)
		if err != nil {
			t.Error(err)
		} else if got := g.Match(c.text); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.text, got)
		}
	}
	g, err := CompileNegatable("!abc")
	if err != nil || g.Texts() != nil || g.Parts() != nil {
		t.Errorf("!abc matches only %q, with %q in it (%v)", g.Texts(), g.Parts(), err)
	}
	if _, err := CompileNegatable("!{"); err == nil {
		t.Error("!{ is taken")
	}
}
