package document

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Each example is a document, whose name says what it shows, and its plan. -update writes the
// plans. "go test ./docs -update" writes those of testdata/conventions/known.txtar to
// docs/plans.md.
func TestExamplesOfTheManual(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		examples, err := txtar.ParseFile(path)
		if err != nil || len(examples.Files)%2 != 0 {
			t.Fatalf("%s: want a document and a plan in turn: %v", path, err)
		}
		for i := 0; i < len(examples.Files); i += 2 {
			document, plan := examples.Files[i], &examples.Files[i+1]
			got := drawnWithPriorities(Read(string(document.Data)))
			if !*update && (got != string(plan.Data) || plan.Name != "plan") {
				t.Errorf("%s: %s (-want +got):\n%s", path, document.Name, cmp.Diff(string(plan.Data), got))
			}
			plan.Data = []byte(got)
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(examples), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// drawnWithPriorities draws a document like docs/plans.md: one entry a line, with its priority
// unless it is medium, and a note if there is a message.
func drawnWithPriorities(d Document) string {
	lines := checklist(d.Plan())
	for i, e := range d.Entries {
		if e.Priority != entry.Medium {
			lines[i] += "  {" + string(e.Priority) + "}"
		}
	}
	if d.Prose {
		lines = append(lines, "", "and the text as a message")
	}
	return strings.Join(lines, "\n") + "\n"
}
