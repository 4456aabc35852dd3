package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^````*[a-z]*\\n.*?^````*$")
	link        = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor    = regexp.MustCompile(`[^\pL\pN _-]`)
)

// Links between documents lead to files and headings that there are.
func TestLinksLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	if err != nil || len(documents) == 0 {
		t.Fatal("no documents: ", err)
	}
	for _, name := range documents {
		for _, l := range link.FindAllStringSubmatch(fencedBlock.ReplaceAllString(read(t, name), ""), -1) {
			to, anchor := l[1], strings.TrimPrefix(l[2], "#")
			if strings.Contains(to, "://") {
				continue
			}
			if to == "" {
				to = name
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if anchor != "" && !anchors(read(t, to))[anchor] {
				t.Errorf("%s: %s has no heading #%s", name, to, anchor)
			}
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
