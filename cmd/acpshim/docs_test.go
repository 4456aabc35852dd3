package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents are the paths of README.md and docs/*.md.
func documents() []string {
	paths, _ := filepath.Glob("../../docs/*.md")
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

var (
	link    = regexp.MustCompile(`\[([^\]]+)\]\(([^)#:]*)(#[^)]+)?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// documentsNotThere are linked from README.md and not written yet. Whoever adds one takes it out
// of here.
var documentsNotThere = []string{"docs/config.md", "docs/rules.md", "docs/release.md", "config.md", "rules.md", "compatibility.md", "release.md"}

// A link leads to a file that there is, a heading in it, and the test that it is called by.
func TestDocumentsLinkToWhatThereIs(t *testing.T) {
	links := 0
	for _, path := range documents() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			target := path
			if m[2] != "" {
				target = filepath.Join(filepath.Dir(path), m[2])
			}
			_, err := os.Stat(target)
			if slices.Contains(documentsNotThere, m[2]) {
				if err == nil {
					t.Errorf("%s is there now: take it out of documentsNotThere", m[2])
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(path), m[0], err)
				continue
			}
			linked, _ := os.ReadFile(target) // nothing for a folder
			if name := strings.Trim(m[1], "`"); regexp.MustCompile(`^(Test|Fuzz|Benchmark)\w+$`).MatchString(name) && !strings.Contains(string(linked), "func "+name+"(") {
				t.Errorf("%s: %s is not in %s", filepath.Base(path), name, m[2])
			}
			if m[3] != "" && !slices.Contains(anchors(string(linked)), m[3]) {
				t.Errorf("%s: %s: there is no such heading", filepath.Base(path), m[0])
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links are in all documents", links)
	}
}

// anchors are the links to the headings of a document, as GitHub makes them.
func anchors(document string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(document, -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, "#"+strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

// The README is read to its end.
func TestTheREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n >= 150 {
		t.Errorf("it has %d lines, want fewer than 150", n)
	}
}
