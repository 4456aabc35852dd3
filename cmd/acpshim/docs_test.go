package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents returns the paths of README.md and of all documents but the generated commands.md.
func documents() []string {
	paths, _ := filepath.Glob("../../docs/*.md")
	forContributors, _ := filepath.Glob("../../docs/contributing/*.md")
	paths = append(paths, forContributors...)
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == "commands.md" })
	return append(paths, "../../README.md")
}

// A document that names a test names one that there is.
func TestDocumentsNameTestsThatThereAre(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"../../*/*_test.go", "../../*/*/*_test.go", "../../*/*/*/*_test.go", "../../*/*/*/*/*_test.go"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(b)
		}
	}
	for _, path := range documents() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w+`).FindAllString(string(text), -1) {
			if !strings.Contains(source.String(), "func "+name+"(") {
				t.Errorf("%s names %s, which is nowhere", filepath.Base(path), name)
			}
		}
		for _, name := range regexp.MustCompile(`\b\w+\.txtar\b`).FindAllString(string(text), -1) {
			scripts, _ := filepath.Glob("testdata/script/" + name)
			transcripts, _ := filepath.Glob("../../testdata/transcripts/" + name)
			rules, _ := filepath.Glob("../../testdata/rules/" + name)
			if len(scripts)+len(transcripts)+len(rules) == 0 {
				t.Errorf("%s names %s, which is nowhere", filepath.Base(path), name)
			}
		}
	}
}

// A stranger finds what they need in 12 pages of 3,000 lines.
func TestTheDocumentsAreShort(t *testing.T) {
	paths, _ := filepath.Glob("../../docs/*.md")
	lines, pages := 0, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) != "commands.md" {
			pages++
			lines += strings.Count(string(text), "\n")
		}
	}
	if pages > 12 || lines > 3000 {
		t.Errorf("there are %d pages with %d lines, want at most 12 with 3,000", pages, lines)
	}
}

// The README is read to its end.
func TestTheREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 110 {
		t.Errorf("it has %d lines, want at most 110", n)
	}
}
