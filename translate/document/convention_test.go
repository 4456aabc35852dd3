package document

import (
	"strings"
	"testing"

	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

// A line of want is a box, the priority unless it is medium, and the content.
func TestConventions(t *testing.T) {
	tests := []struct {
		name, document string
		want           []string
	}{
		{"every mark", "- [ ] a\n- [x] b\n- [X] c\n- [/] d\n- [~] e\n- [-] f\n- [>] g\n- [!] h\n- [?] i\n",
			[]string{"[ ] a", "[x] b", "[x] c", "[~] d", "[~] e", "[x] [cancelled] f", "[ ] g", "[ ] high h", "[ ] i"}},
		{"sloppy boxes", "- [] a\n- [x]b\n- [ x ] c\n- [ ]d\n[x] e\n", []string{"[ ] a", "[x] b", "[x] c", "[ ] d", "[x] e"}},
		{"links and citations are no boxes", "- [1] source\n- [x](link)\n- [y]: note\n- [ ] a\n", []string{"[ ] a"}},
		{"a dash over open boxes is in progress", "- [-] a\n  - [x] b\n  - [ ] c\n- [-] d\n  - [x] e\n",
			[]string{"[~] a", "[x] b", "[ ] c", "[x] [cancelled] d", "[x] e"}},
		{"a dash in a numbered document is in progress", "- [x] 1. a\n- [-] 2. b\n", []string{"[x] 1. a", "[~] 2. b"}},
		{"a legend of boxes", "Legend: [-] = in progress, [~] = cancelled\n\n- [-] a\n- [~] b\n", []string{"[~] a", "[x] [cancelled] b"}},
		{"a legend is no step", "## Legend\n\n- [x] Done\n- [/] Skipped\n\n## Work\n\n- [/] a\n- [ ] b\n", []string{"[x] [cancelled] a", "[ ] b"}},
		{"forwarded, or started", "- [>] a started:2026-03-01\n- [>] b\n", []string{"[~] a", "[ ] b"}},

		{"spec-kit", "## Phase 1: Base\n- [x] T001 Begin\n## Phase 2: Story (Priority: P1) MVP\n- [ ] T002 [P] [US1] Model\n## Phase 3: Rest (Priority: P3)\n### Tests\n- [ ] T003 [US2] Later\n",
			[]string{"[x] T001 Begin", "[ ] high T002 Model", "[ ] low T003 Later"}},
		{"Kiro", "- [x] 1. Base\n  - a note\n  - _Requirements: 1.1_\n- [-] 2. Core\n  - [ ] 2.1 Part (P)\n  - [ ]* 2.2 Extra\n",
			[]string{"[x] 1. Base", "[~] 2. Core", "[ ] 2.1 Part", "[ ] low 2.2 Extra"}},
		{"OpenSpec", "## 1. Core\n- [x] 1.1 Read\n- [ ] 1.2 Write\n", []string{"[x] 1.1 Read", "[ ] 1.2 Write"}},
		{"Conductor", "## [x] Phase: Base [checkpoint: 0a1b2c3]\n- [x] Task: Read [0a1b2c3]\n- [~] Task: Write\n", []string{"[x] Phase: Base", "[x] Task: Read", "[~] Task: Write"}},
		{"superpowers", "### Task 1: Base\n\n- [ ] **Step 1: Fail**\n\n````md\n```\n- [ ] no\n```\n- [ ] no\n````\n\n- [ ] **Step 2: Pass**\n", []string{"[ ] Step 1: Fail", "[ ] Step 2: Pass"}},
		{"tasks in headings before acceptance criteria", "## Phase 1\n### Task 1: A\n### Task 2: B\n## Phase 2\n### Task 3: C\n## Acceptance Criteria\n- [ ] works\n", []string{"[ ] Task 1: A", "[ ] Task 2: B", "[ ] Task 3: C"}},
		{"Cursor", "---\nname: x\ntodos:\n  - id: a\n    content: \"Write: it\"\n    status: completed\n    dependencies:\n      - z\n  - id: b\n    content: Broken: yaml \"here\n    status: in_progress\n  - content: >-\n      folded\n      text\n    status: cancelled\n---\n- [ ] body\n",
			[]string{"[x] Write: it", "[~] Broken: yaml \"here", "[x] [cancelled] folded text"}},
		{"Cursor, still written", "---\nname: x\ntodos:\n  - id: a\n    content: \"Wri", []string{"[ ] Wri"}},
		{"Cursor without todos", "---\nname: x\ntodos: []\n---\n1. a\n", []string{"[ ] a"}},
		{"a rule is no head", "---\nSome text.\n\n- [ ] a\n", []string{"[ ] a"}},
		{"ExecPlan", "# P\n## Progress\n- [x] (2026-03-01 10:00Z) Read\n- [ ] Write\n### More\n- [ ] Deep\n## Decisions\n- [ ] no\n", []string{"[x] Read", "[ ] Write", "[ ] Deep"}},
		{"P1 to P5 are numbers", "- [ ] P1 a\n- [ ] P3 b\n- [ ] P5 c\n", []string{"[ ] P1 a", "[ ] P3 b", "[ ] P5 c"}},
		{"proposed plan", "<proposed_plan>\n# T\n\n1. a\n2. b\n</proposed_plan>\n", []string{"[ ] a", "[ ] b"}},
		{"proposed plan, still written", "<proposed_plan>\n1. a\n</propo", []string{"[ ] a"}},

		{"headings with a status", "# T\n## Step 1: A ✅ DONE\n## Step 2: B (in progress)\n## Step 3: C\n## Notes\n", []string{"[x] Step 1: A", "[~] Step 2: B", "[ ] Step 3: C"}},
		{"status lines", "## A\n**Status:** ✅ Done\n**Priority:** P0\n## B\n- **Status**: In progress\n## C\nStatus: 🔴 Blocking\n", []string{"[x] high A", "[~] B", "[ ] C"}},
		{"status words after a dash", "- a — DONE\n- b - in progress\n- c\n- d (todo)\n", []string{"[x] a", "[~] b", "[ ] c", "[ ] d"}},
		{"words that say something else stay", "- [ ] Find what is (missing)\n- [x] Keep it open\n", []string{"[ ] Find what is (missing)", "[x] Keep it open"}},
		{"emoji", "- ✅ a\n- 🔄 b\n- ⏳ c\n- ❌ d\n", []string{"[x] a", "[~] b", "[ ] c", "[x] [cancelled] d"}},
		{"a legend wins", "Legend: ⏳ = in progress, 🔄 = planned\n\n- ⏳ a\n- 🔄 b\n", []string{"[~] a", "[ ] b"}},
		{"status table", "| # | Task | State | Prio |\n|--|:-:|--|--|\n| 1 | `a | b` | ✅ Done | P0 |\n| 2 | b | WIP | low |\n| 3 | c | 🔴 | |\n", []string{"[x] high `a | b`", "[~] low b", "[ ] c"}},
		{"a table of something else", "| A | B |\n|---|---|\n| x | y |\n\n1. a\n", []string{"[ ] a"}},
		{"struck", "- [ ] ~~a~~\n- [x] ~~b~~\n- [ ] c ~~not this~~ d\n- [-] t1 ~~e~~ #x\n", []string{"[x] [cancelled] a", "[x] b", "[ ] c d", "[x] [cancelled] t1 e #x"}},

		{"struck as a whole, and marked", "- ~~Write the parser~~ ✅\n- ~~b~~ (done)\n- ✅ ~~c~~\n- ~~d~~ — in progress\n", []string{"[x] Write the parser", "[x] b", "[x] c", "[~] d"}},
		{"struck as a whole after a box", "- [ ] ~~a~~ ✅\n- [ ] ~~b~~ (high)\n- [ ] 1. ~~c~~ ✅\n- [ ] ~~d~~ ✅ 2026-01-02\n- [ ] ~~e~~ f ✅\n- [x] ~~g~~ ✅\n",
			[]string{"[x] a", "[x] high [cancelled] b", "[x] 1. c", "[x] d", "[x] f", "[x] g"}},
		{"struck as a whole after a number", "- [ ] 1. a\n- [ ] 2. ~~b~~\n- [ ] Step 3: ~~c~~\n", []string{"[ ] 1. a", "[x] [cancelled] 2. b", "[x] [cancelled] Step 3: c"}},
		{"struck headings and rows, marked", "## Step 1: ~~a~~ ✅ DONE\n## ~~b~~ ✅\n## c (todo)\n", []string{"[x] Step 1: a", "[x] b", "[ ] c"}},
		{"a struck cell, marked", "| task | status |\n|--|--|\n| ~~a~~ ✅ | |\n| b | wip |\n", []string{"[x] a", "[~] b"}},

		{"status and priority in a heading", "## A (high) — DONE\n## B — in progress (high)\n## C ✅ (P1)\n## D (low) (done)\n## E (in progress, high priority)\n## F — Low — Done\n## G 🔥 ✅\n## H - I (done)\n## Go from low - high (done)\n## High priority - In progress\n",
			[]string{"[x] high A", "[~] high B", "[x] high C (P1)", "[x] low D", "[~] high E", "[x] low F", "[x] high G", "[x] H - I", "[x] Go from low - high", "[~] high High priority"}},
		{"a priority in a heading, a status below", "## A (high)\n**Status:** done\n## B P3\n**Status:** wip\n## C\n**Priority:** High | **Status:** done\n## D\nStatus: done (low priority)\n",
			[]string{"[x] high A", "[~] low B P3", "[x] high C", "[x] low D"}},
		{"priorities of sections with a status", "## High priority (in progress)\n- [ ] a\n## High — in progress\n- [ ] b\n## Low-priority ✅\n- [x] c\n", []string{"[ ] high a", "[ ] high b", "[x] low c"}},

		{"priorities", "- [ ] P0: a\n- [ ] [P1] b\n- [ ] c (P2)\n- [ ] P3 d\n- [ ] e (high)\n- [ ] [LOW] f\n- [ ] g #priority:high\n- [ ] h (high priority)\n- [ ] see P1 of i j\n",
			[]string{"[ ] high P0: a", "[ ] high [P1] b", "[ ] c (P2)", "[ ] low P3 d", "[ ] high e", "[ ] low f", "[ ] high g", "[ ] high h", "[ ] see P1 of i j"}},
		{"Obsidian", "- [ ] a 🔺 📅 2026-03-01\n- [ ] b 🔼\n- [x] c ⏬ ✅ 2026-03-02\n- [ ] ‼️ d\n", []string{"[ ] high a", "[ ] b", "[x] low c", "[ ] high d"}},
		{"section priorities", "## High Priority\n- [ ] a\n### Part\n- [ ] b (low)\n## P3 - Later\n- [ ] c\n## Rest\n- [ ] d\n", []string{"[ ] high a", "[ ] low b", "[ ] low c", "[ ] d"}},

		{"quotes and callouts", "> [!todo] Now\n> - [ ] a\n> > - [x] b\n\n> ```\n> - [ ] no\n\n- [ ] c\n", []string{"[ ] a", "[x] b", "[ ] c"}},
		{"comments", "<!--\n- [ ] no\n-->\n- [ ] a <!-- b --> c\n<!-- open\n- [ ] no\n", []string{"[ ] a c"}},
		{"other languages", "## 手順\n\n- 環境 — 完了\n- 実装 (進行中)\n- Prüfen — offen\n", []string{"[x] 環境", "[~] 実装", "[ ] Prüfen"}},
		{"inline markup", "- [ ] Use `a_b*c` in ![pic](x.png), [[page|name]], [the *docs*](http://x/y), **b** _i_ ***bi*** snake_case 2 * 3 \\*x\\* &lt;T&gt; List<int> <b>x</b> <http://z>\n",
			[]string{"[ ] Use `a_b*c` in pic, name, the docs, b i bi snake_case 2 * 3 *x* <T> List<int> x http://z"}},
		{"equal contents", "## A\n- [ ] test\n## B\n- [ ] test\n- [ ] ship\n", []string{"[ ] test", "[ ] B: test", "[ ] ship"}},
		{"no plan", "# Guide\n\n" + strings.Repeat("- remark\n- other\n", 20), []string{"[ ] Guide"}},
		{"steps named as such", "# T\n## Context\n- x\n## Steps\n- a\n- b\n## Risks\n- y\n", []string{"[ ] a", "[ ] b"}},
		{"numbered headings with lists below", "# T\n## 1. A\n1. x\n## 2. B\n1. y\n", []string{"[ ] 1. A", "[ ] 2. B"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			entries, _ := Render(test.document)
			if diff := cmp.Diff(test.want, drawn(entries)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestContentsAreCutAtAWord(t *testing.T) {
	entries, prose := Render("- [ ] " + strings.Repeat("wörd ", 60) + "\n")
	got := entries[0].Content
	if n := len([]rune(got)); n > maxContent || !strings.HasSuffix(got, "wörd…") || !prose {
		t.Errorf("got %d characters, %q, prose %v", n, got, prose)
	}
}

func TestEntriesHaveTheirLineAndConvention(t *testing.T) {
	if underlined := Read("a\nb\n===\n").Entries; underlined[0].Line != 1 {
		t.Errorf("an underlined heading begins in line %d", underlined[0].Line)
	}
	document := "---\ntitle: x\n---\n# T\n\n- note\n- [x] a\n  goes on\n\n## [/] b\n"
	var got []Entry
	explained := Read(document).Entries
	for _, e := range explained {
		e.Entry.Priority, e.Entry.Status = "", ""
		got = append(got, e)
	}
	want := []Entry{{entry.Entry{Content: "a goes on"}, 7, "checkbox [x]"}, {entry.Entry{Content: "b"}, 10, "checkbox in a heading [/]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// While a document is written, every entry but the last one keeps its content.
func TestStreamedEntriesStay(t *testing.T) {
	document := "# Plan\n\n- [x] Read **the code**\n  of `a.go`\n- [ ] Write it\n\n```sh\n- [ ] no\n```\n\n## Then\n\n- [/] Test [it](http://x)\n- [ ] Write it\n\n> - [ ] Ship\n\n~~~\nx\n~~~\n"
	var before []string
	for end := range len(document) {
		var now []string
		entries, _ := Render(document[:end])
		for _, e := range entries {
			now = append(now, e.Content)
		}
		boxes := strings.Count(document[:end], "] ") > 1
		for i := 0; boxes && i < len(before)-1; i++ {
			if i >= len(now) || now[i] != before[i] {
				t.Fatalf("after %q: entries %q, were %q", document[:end], now, before)
			}
		}
		before = now
	}
}
