package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^````*[^`\\n]*\\n.*?^````*$")
	link        = regexp.MustCompile(`\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)`)
	isTest      = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]\w+$`)
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor    = regexp.MustCompile(`[^\pL\pN _-]`)
)

// notThere are documents that README.md links to before they are written. Whoever adds one takes
// it out of here.
var notThere = []string{}

// Links of README.md and between documents lead to files and headings that there are, and those
// that are called by a test to its file.
func TestLinksLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	forContributors, _ := filepath.Glob("contributing/*.md")
	if err != nil || len(documents) == 0 {
		t.Fatal("no documents: ", err)
	}
	for _, name := range append(append(documents, forContributors...), "../README.md") {
		for _, l := range link.FindAllStringSubmatch(fencedBlock.ReplaceAllString(read(t, name), ""), -1) {
			title, to, anchor := strings.Trim(l[1], "`"), filepath.Join(filepath.Dir(name), l[2]), strings.TrimPrefix(l[3], "#")
			if strings.Contains(l[2], "://") || slices.Contains(notThere, filepath.Base(to)) {
				continue
			}
			if l[2] == "" {
				to = name
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if anchor != "" && !anchors(read(t, to))[anchor] {
				t.Errorf("%s: %s has no heading #%s", name, to, anchor)
			} else if isTest.MatchString(title) && !strings.Contains(read(t, to), "func "+title+"(") {
				t.Errorf("%s: %s has no %s", name, to, title)
			}
		}
	}
	for _, name := range notThere {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is there: take it out of notThere", name)
		}
	}
}

// anchors are those of a document's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range headingLine.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		name := noAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}
