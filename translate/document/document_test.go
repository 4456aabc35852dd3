package document

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

// Render returns the plan of a document, and whether it has prose.
func Render(text string) (entries []entry.Entry, prose bool) {
	d := Read(text)
	return d.Plan(), d.Prose
}

func TestRender(t *testing.T) {
	tests := []struct {
		name     string
		document string
		want     []string // as checklist draws them
		prose    bool
	}{
		{"task list under a heading is no prose", "## Steps\n- [ ] Refactor module\n- [x] Add tests\n", []string{"[ ] Refactor module", "[x] Add tests"}, false},
		{"every bullet kind, ordered lists too", "* [X] a\n+ [ ] b\n\n1. [x] c\n2) [ ] d\n", []string{"[x] a", "[ ] b", "[x] c", "[ ] d"}, false},
		{"nested tasks come in reading order", "- [ ] a\n  - [x] b\n    1. [ ] c\n- [ ] d\n", []string{"[ ] a", "[x] b", "[ ] c", "[ ] d"}, false},
		{"notes below tasks are prose", "- [ ] a\n  - uses POST\n- [ ] b\n", []string{"[ ] a", "[ ] b"}, true},
		{"a paragraph is prose", "# Fix\n\nBe careful.\n\n- [ ] a\n", []string{"[ ] a"}, true},
		{"no box inside a backtick fence", "- [ ] a\n\n```md\n- [ ] not a step\n```\n", []string{"[ ] a"}, true},
		{"no box inside a tilde fence in an item", "- [ ] a\n  ~~~~\n  - [ ] no\n  ~~~\n  - [ ] no\n  ~~~~\n- [ ] b\n", []string{"[ ] a", "[ ] b"}, true},
		{"no box inside an open fence", "- [ ] a\n\n```\n- [ ] no\n", []string{"[ ] a"}, true},
		{"no box inside indented code", "- [ ] a\n\npara\n\n    - [ ] no\n", []string{"[ ] a"}, true},
		{"no box in a comment, and it is no prose", "<!-- - [ ] hidden -->\n\n- [ ] a\n", []string{"[ ] a"}, false},
		{"text after a comment", "<!-- n --> Keep the db.\n\n- [ ] a\n", []string{"[ ] a"}, true},
		{"an empty box hides no text", "Some words\n\n- [ ]", []string{"[ ] Some words"}, false},
		{"an empty box is no step", "- [ ] \n- [ ] a\n", []string{"[ ] a"}, false},
		{"a box needs a space after it", "- [ ](link) a\n- [ ] b\n", []string{"[ ] b"}, true},
		{"wrapped text is one line", "- [ ] one\n  two\n- [x] three\n", []string{"[ ] one two", "[x] three"}, false},
		{"ordered list", "Do this:\n\n1. Read\n2. Write\n", []string{"[ ] Read", "[ ] Write"}, true},
		{"ordered list alone", "1. Read\n2. Write\n", []string{"[ ] Read", "[ ] Write"}, false},
		{"ordered list keeps to its outer level", "1. Read\n   1. slowly\n2. Write\n", []string{"[ ] Read", "[ ] Write"}, true},
		{"headings without the title", "# Title\n\n## One\ntext\n### Detail\n## Two\n", []string{"[ ] One", "[ ] Two"}, true},
		{"headings that only name", "# A\n# B\n", []string{"[ ] A", "[ ] B"}, false},
		{"bullets below one heading", "# Title\n\n## Approach\n- Inspect\n- Change\n", []string{"[ ] Inspect", "[ ] Change"}, false},
		{"setext headings", "One\n===\n\nTwo\n===\n", []string{"[ ] One", "[ ] Two"}, false},
		{"the title if there is nothing else", "# Only\n\ntext\n", []string{"[ ] Only"}, true},
		{"bullets", "- a\n  - detail\n- b\n", []string{"[ ] a", "[ ] b"}, true},
		{"bullets alone", "* a\n* b\n", []string{"[ ] a", "[ ] b"}, false},
		{"first line", "Just do it.\n", []string{"[ ] Just do it."}, false},
		{"first line of many", "Just do it.\nThen rest.\n", []string{"[ ] Just do it."}, true},
		{"code alone has no steps", "```\n- [ ] make\n```\n", nil, true},
		{"first line that is no code", "```\nmake\n```\n\nThen rest.\n", []string{"[ ] Then rest."}, true},
		{"deeper headings are more to say", "# T\n## A\n### a\n## B\n", []string{"[ ] A", "[ ] B"}, true},
		{"a title is not", "# T\n## A\n## B\n", []string{"[ ] A", "[ ] B"}, false},
		{"BOM and CRLF", "\ufeff- [x] a\r\n- [ ] b\r\n", []string{"[x] a", "[ ] b"}, false},
		{"a rule is no prose", "- [ ] a\n\n--------------------------------\n\n- [ ] b\n", []string{"[ ] a", "[ ] b"}, false},
		{"nothing", "\n \n", nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			entries, prose := Render(test.document)
			if diff := cmp.Diff(test.want, checklist(entries)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			if prose != test.prose {
				t.Errorf("prose is %v, want %v", prose, test.prose)
			}
		})
	}
}

func TestRenderCutsLongDocuments(t *testing.T) {
	line := "- [ ] " + strings.Repeat("x", 58) + "\n" // 65 bytes
	entries, prose := Render(strings.Repeat(line, 10_000))
	last := fmt.Sprintf("… and %d more", maxDocument/len(line)-maxEntries+1)
	if len(entries) != maxEntries || !prose || entries[len(entries)-1].Content != last {
		t.Errorf("got %d entries, prose %v, the last one %q, want %d, true, %q", len(entries), prose, entries[len(entries)-1].Content, maxEntries, last)
	}
}

func TestTextAfterMaxBlocksIsProse(t *testing.T) {
	begin := "- [ ] a\n" + strings.Repeat("#\n", maxBlocks-1)
	if entries, prose := Render(begin); len(entries) != 1 || prose {
		t.Errorf("all blocks are read: %d entries, prose %v", len(entries), prose)
	}
	long := Read(begin + "- [ ] b\n")
	if len(long.Entries) != 1 || !long.Prose {
		t.Errorf("%d entries, prose %v", len(long.Entries), long.Prose)
	}
	if other := Read(begin + "- [ ] c\n"); other.Digest == long.Digest {
		t.Error("another text behind them is not told")
	}
}

func TestATodoIsProseOnlyIfItIsCut(t *testing.T) {
	for content, want := range map[string]bool{"wait…": false, strings.Repeat("a ", 101) + "b": true, strings.Repeat("[a](b)", 300): true} {
		entries, prose := Render("---\ntodos:\n- content: " + content + "\n---\n")
		if len(entries) != 1 || prose != want {
			t.Errorf("%.20s: %d entries, prose %v, want %v", content, len(entries), prose, want)
		}
	}
}

// FuzzRender: the entries of every document are valid.
func FuzzRender(f *testing.F) {
	for _, document := range []string{
		"# A\n\n- [ ] a\n  - [x] b\n\n```\n- [ ] no\n```\n\n1. x\n2. y\n", "- a\n  ```\n  code\n- b\n```\n- c\n",
		"Title\n===\n\ntext\n- [ ] a\n\n    code\n<div>\n- x\n\n</div>\n", "---\ntodos:\n  - content: a\n    status: done\n---\n",
		"## ~~a~~ \u2705 (P1)\n## b (done, high) \u2014 low\n## High - doing\n- ~~c~~ (low) - done\n", "| a | status |\n|---|---|\n| ~~b~~ | \u2705 |\n", "## A (P1) \u2014 done\n**Status:** wip\n## B\n", "> [!todo]\n> - [-] a \xff [[b|c]]\n",
	} {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document string) {
		entries, _ := Render(document)
		if len(entries) > maxEntries {
			t.Fatalf("%d entries", len(entries))
		}
		explained := Read(document).Entries
		for i, e := range explained {
			n := utf8.RuneCountInString(strings.TrimPrefix(e.Content, entry.CancelledPrefix))
			if e.Entry.Equal(entries[i]) && n > 0 && n <= maxContent && utf8.ValidString(e.Content) &&
				!strings.ContainsAny(e.Content, "\n\r\x00") && strings.TrimSpace(e.Content) != "" && e.Line > 0 && e.Convention != "" {
				continue
			}
			t.Fatalf("entry %d is %+v (%d characters)", i, e, n)
		}
	})
}

func TestRenderBounds(t *testing.T) {
	entries, prose := Render(strings.Repeat("- [x] a\n", maxEntries))
	if len(entries) != maxEntries || prose {
		t.Errorf("%d entries, prose %v: as many as are allowed are not cut", len(entries), prose)
	}
	entries, _ = Render(strings.Repeat("- [x] a\n", maxEntries+1))
	if last := entries[maxEntries-1]; len(entries) != maxEntries || last.Content != "… and 2 more" || last.Status != entry.Completed {
		t.Errorf("%d entries, the last is %+v", len(entries), last)
	}
	if entries, _ = Render(strings.Repeat("- [x] a\n", maxEntries) + "- [ ] a\n"); entries[maxEntries-1].Status != entry.Pending {
		t.Error("what is left out is not all done")
	}
	for text, want := range map[string]string{
		strings.Repeat("é", 200):                        strings.Repeat("é", 200),
		strings.Repeat("é", 201):                        strings.Repeat("é", 199) + "…",
		strings.Repeat("a word, ", 40):                  strings.Repeat("a word, ", 24) + "a word…",
		"start " + strings.Repeat("x", 300):             "start " + strings.Repeat("x", 193) + "…",
		strings.Repeat("word ", 39) + "12345 and so on": strings.Repeat("word ", 38) + "word…",
	} {
		entries, prose := Render("- [ ] " + text)
		if got := entries[0].Content; got != want || prose != (want != strings.TrimSpace(text)) {
			t.Errorf("%.30q became %q (%d characters), prose %v", text, got, utf8.RuneCountInString(got), prose)
		}
	}
}

func checklist(entries []entry.Entry) []string {
	var lines []string
	for _, e := range entries {
		box := map[entry.Status]string{entry.Pending: "[ ] ", entry.InProgress: "[~] ", entry.Completed: "[x] "}[e.Status]
		lines = append(lines, box+e.Content)
	}
	return lines
}
