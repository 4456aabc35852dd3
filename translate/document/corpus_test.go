package document

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/corpus.txt anew")

// plansFolder returns the folder with real plans, which are not in this repository.
func plansFolder(t *testing.T) string {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with real plans")
	}
	return filepath.Join(shared, "plans")
}

// The expected figures are in testdata/corpus.txt. Before you write them with -update, look at the
// changed checklists with -v.
func TestRealPlansAreReadAsBefore(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(plansFolder(t), "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	var got strings.Builder
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		entries, prose := Render(string(document))
		fmt.Fprintf(&got, "%s %s\n", filepath.Base(file), figures(entries, prose))
		var list strings.Builder
		explained := Read(string(document)).Entries
		for _, e := range explained {
			fmt.Fprintf(&list, "%4d %-24s %-6s %s\n", e.Line, e.Convention, e.Priority, checklist([]entry.Entry{e.Entry})[0])
		}
		t.Logf("%s: prose %v\n%s", filepath.Base(file), prose, &list)
	}
	pinned := filepath.Join("testdata", "corpus.txt")
	if *update {
		if err := os.WriteFile(pinned, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(pinned)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

// figures describes a result without the sentences of its author.
func figures(entries []entry.Entry, prose bool) string {
	count := map[string]int{}
	sum := sha256.New()
	for _, e := range entries {
		count[string(e.Status)]++
		count[string(e.Priority)]++
		fmt.Fprintf(sum, "%s\x00%s\x00%s\n", e.Content, e.Priority, e.Status)
	}
	return fmt.Sprintf("entries=%d pending=%d in_progress=%d completed=%d high=%d medium=%d low=%d prose=%v sha256=%.8x", len(entries),
		count["pending"], count["in_progress"], count["completed"], count["high"], count["medium"], count["low"], prose, sum.Sum(nil))
}

func TestMicroCases(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(plansFolder(t), "micro_cases.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for scanner := bufio.NewScanner(bytes.NewReader(file)); scanner.Scan(); {
		var c struct {
			ID, Markdown string
			Expected     []entry.Entry
		}
		if err := json.Unmarshal(scanner.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			got, _ := Render(c.Markdown)
			if len(got) == 0 && len(c.Expected) == 0 {
				return
			}
			if diff := cmp.Diff(c.Expected, got); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

// While a real plan is written, an entry keeps its content unless the convention changes. The
// level of the headings that are entries can become known late.
func TestStreamedEntriesOfRealPlansStay(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(plansFolder(t), "*.md"))
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var before []Entry
		for end := 0; end < len(document); end += 61 {
			now := Read(string(document[:end])).Entries
			for i := 0; i < len(before)-1 && len(now) > 0 && base(now[0]) == base(before[0]) && base(now[0]) != "headings"; i++ {
				if i >= len(now) || now[i].Content != before[i].Content {
					t.Fatalf("%s, after %d bytes: entry %q is gone", filepath.Base(file), end, before[i].Content)
				}
			}
			before = now
		}
	}
}

// base returns the convention of an entry without its sign.
func base(e Entry) string {
	convention, _, _ := strings.Cut(e.Convention, " [")
	return strings.TrimSuffix(convention, " in a heading")
}
