package glob

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
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
		"[a":    "want a ] for each [",
		"a[":    "want a ] for each [",
		"[]":    "between [ and ]",
		"[^]":   "between [ and ]",
		"[-a]":  "between [ and ]",
		"[a-]":  "on both sides of -",
		"[z-a]": "the other way round",
		`[\`:    `after \`,
		`[a-\`:  `after \`,
		`a\`:    `after \`,
		"\xff":  "UTF-8",
	} {
		if _, err := Compile(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want in it %q", pattern, err, want)
		}
	}
}

// A matcher that tries every length of every run would not come to an end here.
func TestMatchIsBounded(t *testing.T) {
	g, err := Compile(strings.Repeat("a*", 100) + "b")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if g.Match(strings.Repeat("a", 1<<20)) {
		t.Error("matches")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("1 MiB took %v", took)
	}
}

// FuzzMatch compares with a regular expression of the same meaning, and what is
// a pattern with path.Match.
func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{{"*ab?c*", "xxabbcabc"}, {`[^a-z\-]*\*`, "-\n*"}, {"a*/*b", "a/b/b"}, {"[é-ü]\uFFFD", "é\xff"}, {"[a-", ""}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		g, err := Compile(pattern)
		if !utf8.ValidString(pattern) {
			return
		}
		if _, other := path.Match(pattern, ""); (err == nil) != (other == nil) && !strings.Contains(pattern, "[") {
			t.Fatalf("%q: %v, path.Match says %v", pattern, err, other)
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
	})
}

// expression spells a pattern that Compile takes as a regular expression.
func expression(pattern string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	inside, escaped := false, false
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
