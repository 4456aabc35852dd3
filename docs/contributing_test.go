package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The table "Where do I change X?" names files and what to look for in them.
func TestWhereToChange(t *testing.T) {
	text, err := os.ReadFile("contributing/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| .* \\| `([^`]+)` \\| `([^`]+)` \\|$").FindAllStringSubmatch(string(text), -1)
	for _, row := range rows {
		source, err := os.ReadFile("../" + row[1])
		if err != nil || !strings.Contains(string(source), row[2]) {
			t.Errorf("%s has no %q: %v", row[1], row[2], err)
		}
	}
	if len(rows) < 10 {
		t.Errorf("there are %d rows", len(rows))
	}
}
