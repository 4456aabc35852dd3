package translate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

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
		{"text behind a comment", "<!-- n --> Keep the db.\n\n- [ ] a\n", []string{"[ ] a"}, true},
		{"an empty box hides no text", "Some words\n\n- [ ]", []string{"[ ] Some words"}, true},
		{"an empty box is no step", "- [ ] \n- [ ] a\n", []string{"[ ] a"}, false},
		{"a link is no box", "- [ ](link) a\n- [x]: b\n- [1] c\n- [ ] d\n", []string{"[ ] d"}, true},
		{"sloppy boxes", "- [] a\n- [x]b\n- [ x ] c\n-  [X]  d\n", []string{"[ ] a", "[x] b", "[x] c", "[x] d"}, false},
		{"marks of agents and note takers", "- [/] a\n- [~] b\n- [>] c\n- [>] d started:2026-01-01\n- [!] e\n- [?] f\n", []string{"[~] a", "[~] b", "[ ] c", "[~] d started:2026-01-01", "[ ] e", "[ ] f"}, false},
		{"a dash is cancelled", "- [-] a\n- [ ] b\n", []string{"[x] [cancelled] a", "[ ] b"}, false},
		{"a dash above boxes is in progress", "- [-] a\n  - [x] b\n  - [ ] c\n", []string{"[~] a", "[x] b", "[ ] c"}, false},
		{"a dash before a number is in progress", "- [-] 2. a\n- [-] 2.1 b\n- [-] 2026 c\n", []string{"[~] 2. a", "[~] 2.1 b", "[x] [cancelled] 2026 c"}, false},
		{"inline markup is plain text", "- [ ] **Bold** and `co**de` in [a link](http://x) &amp; *more*\n", []string{"[ ] Bold and `co**de` in a link & more"}, false},
		{"what is struck as a whole is cancelled", "- [ ] ~~given up~~\n- [x] ~~done~~\n", []string{"[x] [cancelled] given up", "[x] done"}, false},
		{"what is struck is gone", "- [ ] keep ~~drop~~ this\n", []string{"[ ] keep this"}, false},
		{"equal contents are told apart by their section", "## API\n- [ ] Test\n- [ ] Write\n## UI\n- [ ] Test\n", []string{"[ ] Test", "[ ] Write", "[ ] UI: Test"}, false},
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
	want := fmt.Sprintf("… and %d more", maxDocument/len(line)-maxEntries+1)
	if len(entries) != maxEntries || entries[maxEntries-1].Content != want || !prose {
		t.Errorf("got %d entries, the last is %q, prose %v, want %q", len(entries), entries[len(entries)-1].Content, prose, want)
	}
}

func TestRenderBounds(t *testing.T) {
	entries, prose := Render(strings.Repeat("- [x] a\n", maxEntries))
	if len(entries) != maxEntries || prose {
		t.Errorf("%d entries, prose %v: as many as are allowed are not cut", len(entries), prose)
	}
	entries, _ = Render(strings.Repeat("- [x] a\n", maxEntries+1))
	if last := entries[maxEntries-1]; len(entries) != maxEntries || last.Content != "… and 2 more" || last.Status != Completed {
		t.Errorf("%d entries, the last is %+v", len(entries), last)
	}
	if entries, _ = Render(strings.Repeat("- [x] a\n", maxEntries) + "- [ ] a\n"); entries[maxEntries-1].Status != Pending {
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

func TestRenderPriorities(t *testing.T) {
	entries, _ := Render("- [!] urgent\n- [ ] usual\n")
	if len(entries) != 2 || entries[0].Priority != High || entries[1].Priority != Medium {
		t.Errorf("got %+v", entries)
	}
}

// hostile are the inputs of libraries.md section 4 and their kin, at the full
// size, on which a markdown parser can be quadratic.
func hostile() map[string]string {
	var nested, stairs strings.Builder
	for depth := 0; nested.Len() < maxDocument; depth++ {
		nested.WriteString(strings.Repeat(" ", 2*depth) + "- a\n")
	}
	for indent := 0; indent <= maxIndent; indent += 2 * maxMarkers {
		stairs.WriteString(strings.Repeat(" ", indent) + strings.Repeat("- ", maxMarkers) + "a\n")
	}
	inputs := map[string]string{
		"nested":                    nested.String(),
		"blank lines in deep lists": stairs.String() + strings.Repeat("\n", maxDocument-stairs.Len()),
	}
	for name, unit := range map[string]string{
		"markers":      "- ",
		"tab markers":  "-\t",
		"numbers":      "1. ",
		"marker lines": strings.Repeat("- ", 10_000) + "\n",
		"quotes":       "> ",
		"emphasis":     "*a_ ",
		"brackets":     "[",
		"references":   "[a]: b\n",
		"ticks":        "`",
		"html":         "<a\n",
		"fences":       "```\n",
		"tasks":        "- [ ] a step to take\n",
	} {
		inputs[name] = strings.Repeat(unit, maxDocument/len(unit))
	}
	return inputs
}

// Depth is what makes the parser's work grow faster than the text, so depth is
// what tame has to bound.
func TestTameBoundsTheDepthOfHostileText(t *testing.T) {
	for name, document := range hostile() {
		source, _ := tame(document)
		if bytes.Contains(source, []byte("\n\n\n")) {
			t.Errorf("%s: two blank lines in a row are left", name)
		}
		for line := range bytes.Lines(source) {
			text := bytes.TrimLeft(line, " \t")
			if len(line)-len(text) > maxIndent {
				t.Errorf("%s: a line %d columns deep is left", name, len(line)-len(text))
			}
			if n := len(bytes.Fields(text[:len(text)-len(bytes.TrimLeft(text, "-1. \t"))])); n > maxMarkers {
				t.Errorf("%s: a line with %d markers is left", name, n)
			}
		}
	}
}

// FuzzRenderer: a renderer that has seen other states renders the next one as
// one that has not.
func FuzzRenderer(f *testing.F) {
	f.Add("# A\n\n- [ ] a\n  - [x] b\n\n```\n- [ ] no\n```\n\n1. x\n2. y\n", "- [ ] c\n", 30)
	f.Add("- a\n  ```\n  code\n- b\n```\n- c\n", "```\n- d", 12)
	f.Add("Title\n===\n\ntext\n- [ ] a\n\n    code\n<div>\n- x\n\n</div>\n", "---\n", 20)
	f.Add("-\n  - [ ] a\n- \n1.\n   2. b\n", "3. c\n", 9)
	f.Fuzz(func(t *testing.T, text, more string, at int) {
		at = max(0, min(at, len(text)))
		states := []string{text[:at], text, text + more, text[:at] + more, text[:at] + more + text[at:], text}
		var r Renderer
		for i, state := range states {
			got, gotProse := r.Render(state)
			want, wantProse := Render(state)
			if diff := cmp.Diff(want, got); diff != "" || gotProse != wantProse {
				t.Fatalf("state %d, %q: prose %v, want %v; entries (-want +got):\n%s", i, state, gotProse, wantProse, diff)
			}
		}
	})
}

func BenchmarkRenderHostile(b *testing.B) {
	for name, document := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			for b.Loop() {
				Render(document)
			}
		})
	}
}

func checklist(entries []Entry) []string {
	var lines []string
	for _, e := range entries {
		box := map[Status]string{Pending: "[ ] ", InProgress: "[~] ", Completed: "[x] "}[e.Status]
		lines = append(lines, box+e.Content)
	}
	return lines
}
