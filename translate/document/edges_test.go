package document

import (
	"strings"
	"testing"
)

// The texts are odd, incomplete, or almost match a convention. Want has the convention of the
// first entry, the entries with their priority unless it is medium, and + for prose.
func TestEdges(t *testing.T) {
	for group, tests := range map[string][][2]string{
		"boxes": {
			{"- [x]\ta\n- [ ]* b\n- [x]* c\n- [ ]*d\n- [✓] e\n- [✗✗] f\n- [5] g\n", "checkbox [x]: [x] a, [ ] low b, [x] low c, [ ] *d, [x] e +"},
			{"- [y]a\n- [x]: a\n- [ ][b]\n- [x]b\n", "checkbox [x]: [x] b +"},
			{"[x] a\n[~] b\n[?] c\n", "checkbox [x]: [x] a, [~] b [?] c"},
			{"text\n[ ] a\ntext\n", "checkbox [ ]: [ ] a text +"},
			{"- [-] a\n## [-] b\n- [x] c\n## [-] d\n- [ ] e\n", "checkbox [-]: [x] [cancelled] a, [x] [cancelled] b, [x] c, [~] d, [ ] e"},
			{"- [ ] [x] a\n- [~] [x] b\n- [ ] [ ] c\n- [x] [ ]\n", "checkbox [ ]: [x] a, [~] b, [ ] c, [x] [ ]"},
			{"- [!] a (low)\n- [ ]* b P0\n- [>] c\n- [~] d (done)\n- [x] e (in progress)\n- [ ] f (in progress)\n", "checkbox [!]: [ ] low a, [ ] high b P0, [ ] c, [~] d, [x] e, [~] f"},
		},
		"frontmatter": {
			{"---\ntodos:\n- a\n- content: b\n  status: done\n  priority: high\n---\n", "frontmatter todos: [ ] a, [x] high b"},
			{"---\ntodos:\n  - id: 1\n    title: a\n    content: b\n    name: c\n  - task: 'd''s'\n    state: wip\n...\n# e\n", "frontmatter todos: [ ] b, [~] d's +"},
			{"---\ntodos:\n  - content: |\n      a\n      b\n    status: \"in_progress\"\n  - content: a\n   b\n  - content: c\n---\n", "frontmatter todos: [~] a b, [ ] a, [ ] c"},
			{"---\ntodos:\n  - content: a\n  status: done\n---\n", "frontmatter todos: [ ] a"},
			{"---\n# comment\ntodos:\n\n  - content: a\n  x\n---\n", "frontmatter todos: [ ] a"},
			{"---\nx: y\ntodos:\n- content: a\nother:\n- content: b\n---\n", "frontmatter todos: [ ] a"},
			{"---\na b\n---\n- [ ] c\n", "checkbox [ ]: [ ] c"},
			{"---\nx:y\n- [ ] a\n", "checkbox [ ]: [ ] a +"},
			{"---\n- [ ] a\n", "checkbox [ ]: [ ] a"},
			{"--- \ntodos:\n- content: \"a \\\"b\\\" \\n c\"\n---\n", "frontmatter todos: [ ] a \"b\" c"},
			{"---\ntodos:\n- status: done\n- content: ' '\n---\n- [ ] a\n", "checkbox [ ]: [ ] a"},
			{"---\ntodos:\n  - content: a\n    dependencies:\n      - b\n    \"status\": done\n---\n", "frontmatter todos: [x] a"},
			{"----\ntodos:\n- content: a\n---\n", "bullets: [ ] content: a +"},
			{"---\ntodos:\n- content: a", "frontmatter todos: [ ] a"},
			{"---\ntodos: x\n- content: a\n---\n", "frontmatter todos: [ ] a"},
			{"---\ntodos:\n- content: of the users'\n- it''s\n---\n", "frontmatter todos: [ ] of the users', [ ] it''s"},
			{"---\ncontent: a\n---\nb\n", "first line: [ ] b"},
			{"---\ntodos:\n  - id: high\n    title: a\n      see: b\n  - fix: c\n    status: done\n---\n", "frontmatter todos: [ ] a see: b, [x] fix: c"},
		},
		"headings": {
			{"# t\n## 1. a\n## 2. b\n### c\n", "numbered headings: [ ] 1. a, [ ] 2. b +"},
			{"# t\n## **1. a**\n## *2.* b\n### c\n", "numbered headings: [ ] 1. a, [ ] 2. b +"},
			{"# a\n## b\n", "headings: [ ] b"},
			{"# t\n## 2024 a\n## 2025 b\n", "headings: [ ] 2024 a, [ ] 2025 b"},
			{"## Step 1\n## Step 2\n## Else\n", "step headings: [ ] Step 1, [ ] Step 2 +"},
			{"## Phase 1\n### Task 1\n### Task 2\n## Phase 2\n", "step headings: [ ] Task 1, [ ] Task 2 +"},
			{"## Phase 1\n## Phase 2\n### Task 1\n", "step headings: [ ] Phase 1, [ ] Phase 2 +"},
			{"## **Step 1**: a\n## Step #2 b\n## Steps\n## Step\n", "step headings: [ ] Step 1: a, [ ] Step #2 b +"},
			{"# a\n## b\n## c\n", "headings: [ ] b, [ ] c"},
			{"# a\n# b\n## c\n", "headings: [ ] a, [ ] b +"},
			{"## a\n### b\n### c\n", "headings: [ ] b, [ ] c"},
			{"# a\n", "headings: [ ] a"},
			{"## a\n- b\n", "bullets: [ ] b"},
			{strings.Repeat("## a\n", maxSections+1), "first line: [ ] a +"},
			{strings.Repeat("- a\n", maxBullets+1), "first line: [ ] a +"},
			{"## Test plan\n- a\n## b\n- c\n", "headings: [ ] Test plan, [ ] b +"},
			{"## Plan\n### x\n- a\n## b\n- c\n", "bullets: [ ] a +"},
			{"# Plan\n- a\n## b\n- c\n## d\n", "headings: [ ] b, [ ] d +"},
			{"## Steps of a very long heading that says much more than a name of a plan does\n- a\n## b\n- c\n", "headings: [ ] Steps of a very long heading that says much more than a name of a plan does, [ ] b +"},
			{"## a\n1. b\n## c\n1. d\n## e\n1. f\n## g\n1. h\n", "headings: [ ] a, [ ] c, [ ] e, [ ] g +"},
			{"- a\n  1. b\n  2. c\n", "ordered list: [ ] b, [ ] c +"},
			{"## Steps\n1. a\n## b\n1. c\n", "ordered list: [ ] a +"},
			{"## Progress\n- a\n## Progress:\n- [x] b\n### c\n- [ ] d\n## e\n- [ ] f\n", "progress section [x]: [x] b, [ ] d +"},
			{"## Progress\n- [x] a\n## b\n- [ ] c\n", "progress section [x]: [x] a +"},
			{"## Task 1\n## Task 2\n## Task 3\n## Verification\n- [ ] a\n- [ ] b\n", "step headings: [ ] Task 1, [ ] Task 2, [ ] Task 3 +"},
			{"## Task 1\n## Task 2\n## Verification\n- [ ] a\n", "checkbox [ ]: [ ] a"},
			{"## Phase 1\n## Phase 2\n## Phase 3\n## Verification\n- [ ] a\n", "checkbox [ ]: [ ] a"},
			{"## Task 1\n- [ ] a\n## Task 2\n## Task 3\n## Verification\n- [ ] b\n", "checkbox [ ]: [ ] a, [ ] b"},
			{"## a ✅\n### b ✅\n### c ✅\n", "status heading: [x] b, [x] c"},
			{"## a ✅\n## 1. b\n## c\n## d ✅\n", "status heading: [x] a, [ ] 1. b, [x] d +"},
		},
		"inline": {
			{"- [ ] \\a \\* \\\\ \\é\n", "checkbox [ ]: [ ] \\a * \\ \\é"},
			{"- [ ] &amp; &nope; &amp &lt; & b\n", "checkbox [ ]: [ ] & &nope; & < & b"},
			{"- [ ] a<br>b <br/> c</b> <x> <a href=\"x\">t</a> <\n", "checkbox [ ]: [ ] a b c <x> t <"},
			{"- [ ] <http://x y> <http://z> <https://w\n", "checkbox [ ]: [ ] <http://x y> http://z <https://w"},
			{"- [ ] [a] (b) c] [d](e)[f](g) [h](i\n", "checkbox [ ]: [ ] [a] (b) c] df h"},
			{"- [ ] [[a]] [[b|c|d]] [[e f [g]]\n", "checkbox [ ]: [ ] a c|d [[e f [g]]"},
			{"- [ ] *a* b* c\n", "checkbox [ ]: [ ] a b* c"},
			{"- [ ] a*b c* d\n- [ ] a *b c*d e* f\n", "checkbox [ ]: [ ] a*b c* d, [ ] a b c*d e f"},
			{"- [ ] x\n- [ ] [a]] b\n", "checkbox [ ]: [ ] x, [ ] [a]] b"},
			{"- [ ] ! a ![b](c) [!d]\n", "checkbox [ ]: [ ] ! a b [!d]"},
			{"- [ ] `a *b* c` *d*\n", "checkbox [ ]: [ ] `a *b* c` d"},
			{"- [ ] ``a ` b`` `c `` d` `e\n", "checkbox [ ]: [ ] ``a ` b`` `c `` d` `e"},
			{"- [ ] **a**b c**d** _e_f g_h_ *i*j\n", "checkbox [ ]: [ ] ab cd e_f g_h *i*j"},
			{"- [ ] ***a*** ****b**** ~c~ ~~~d~~~ * e * ** f **\n", "checkbox [ ]: [ ] a ****b**** ~c~ ~~~d~~~ * e * ** f **"},
			{"- [ ] a *b **c* d** _e *f_ g*\n", "checkbox [ ]: [ ] a b c d e f g"},
			{"- [ ] **a b\n", "checkbox [ ]: [ ] a b"},
			{"- [ ] **(a b\n", "checkbox [ ]: [ ] **(a b"},
			{"- [ ] **a b*\n", "checkbox [ ]: [ ] a b*"},
			{"- [ ] __a b\n", "checkbox [ ]: [ ] a b"},
			{"- [ ] ** a b\n", "checkbox [ ]: [ ] ** a b"},
			{"- [ ] src/*.go x/*y*/z\n", "checkbox [ ]: [ ] src/*.go x/*y*/z"},
			{"- [ ] ~~a [b](c)~~ d](e)\n", "checkbox [ ]: [ ] d](e)"},
			{"- [ ] a\u00a0 b\tc\n", "checkbox [ ]: [ ] a b c"},
			{"- [ ] a<b>b</b>c<br/>d\n", "checkbox [ ]: [ ] abc d"},
			{"- [ ] <!-- a --> b <!-- c\n", "checkbox [ ]: [ ] b"},
			{"- [ ] " + strings.Repeat("`", 16) + " *a* " + strings.Repeat("`", 16) + "\n", "checkbox [ ]: [ ] " + strings.Repeat("`", 16) + " a " + strings.Repeat("`", 16)},
			{"- [ ] *a* **b** _c_ __d__\n", "checkbox [ ]: [ ] a b c d"},
			{"- [ ] (*a*) \"_b_\" é*c*é\n", "checkbox [ ]: [ ] (a) \"b\" é*c*é"},
		},
		"legends": {
			{"Legend: ✅ = planned, [~]: done; 🔄 — nothing\n\n- ✅ a\n- 🔄 b\n- [~] c\n", "checkbox [~]: [x] c +"},
			{"**Key:** 🟣 done, 🟤 wip\n\n- 🟣 a\n- 🟤 b\n", "status list: [x] a, [~] b +"},
			{"## Status key\n\n🟣 done\n🟤 wip\n\n## b\n\n- 🟣 a\n- 🟤 b\n", "status list: [x] a, [~] b +"},
			{"Legends of old: ✅ = planned\n\n- ✅ a\n- ✅ b\n", "status list: [ ] a, [ ] b +"},
			{"## Legend\n```\n✅ = planned\n```\n- ✅ a\n", "bullets: [x] a +"},
			{"## Legend\n\n    ✅ = planned\n\n- ✅ a\n", "bullets: [x] a +"},
			{"## Legend: ✅ = planned\n- ✅ a\n", "bullets: [x] a"},
			{"- Legend: 🟣 done\n- 🟣 a\n- [ ] Legend: 🟣 wip\n", "checkbox [ ]: [ ] Legend: 🟣 wip +"},
			{"Legend of all that is known and named so: ✅ = planned\n\n- ✅ a\n- ✅ b\n", "status list: [x] a, [x] b +"},
			{"Legend: → done, [-] 🟣 dropped\n\n- [-] a\n", "checkbox [-]: [x] [cancelled] a +"},
		},
		"lines": {
			{"####### a\n# b #\n## c # d\n## e ##\n#f\n#\tg\n", "headings: [ ] b, [ ] g +"},
			{"a\n==\nb\n--\n\nc\n---\n", "headings: [ ] c +"},
			{"- - -\n- a\n* * *\n- b\n--x\n", "bullets: [ ] a, [ ] b --x"},
			{"123456789. a\n1234567890. b\n1) c\n1a. d\n1 e\n", "ordered list: [ ] a 1234567890. b, [ ] c 1a. d 1 e"},
			{"-a\n-  b\n-      c\n*\td\n+ e\n", "bullets: [ ] b, [ ] c, [ ] d, [ ] e +"},
			{"\t- a\n", ":  +"},
			{"-    a\n  - b\n", "bullets: [ ] a, [ ] b"},
			{"- a\n\t- b\n\t\t- c\n- d\n", "bullets: [ ] a, [ ] d +"},
			{"> > > - [ ] a\n>- [x] b\n", "checkbox [ ]: [ ] a, [x] b"},
			{strings.Repeat(">", maxQuotes+4) + " - [ ] a\n", "first line: [ ] >>>> - [ ] a"},
			{"~~~\n- [ ] a\n```\n~~~\n- [ ] b\n", "checkbox [ ]: [ ] b +"},
			{"``` a`b\n- [ ] a\n", "checkbox [ ]: [ ] a +"},
			{"````\n```\n- [ ] a\n````\n- [ ] b\n", "checkbox [ ]: [ ] b +"},
			{"- a\n\n  ```\n  - [ ] b\n  ```\n- [ ] c\n", "checkbox [ ]: [ ] c +"},
			{"- ```\n  - [ ] a\n  ```\n- [ ] b\n", "checkbox [ ]: [ ] b +"},
			{"> ```\n> - [ ] a\n- [ ] b\n", "checkbox [ ]: [ ] b +"},
			{"- [ ] a <!--\n- [ ] b\n", "checkbox [ ]: [ ] a, [ ] b"},
			{"<!-- a\n- [ ] b\n--> - [ ] c\n- [ ] d\n", "checkbox [ ]: [ ] d"},
			{"- [ ] a\n<!-- b -->\nc\n", "checkbox [ ]: [ ] a +"},
			{"<!-- a --><!-- b -->\n- [ ] c\n", "checkbox [ ]: [ ] c"},
			{"<div>\n- [ ] a\n</div>\n", "checkbox [ ]: [ ] a +"},
			{"para\n    - [ ] a\n\n    - [ ] b\n", "first line: [ ] para +"},
			{"- [ ] a\n          b\n", "checkbox [ ]: [ ] a b"},
			{"1. a\n\n       code\n2. b\n", "ordered list: [ ] a, [ ] b +"},
			{strings.Repeat("- ", 40) + "a\n", "first line: [ ] - - - - - - - - a"},
			{"[] a\n", "checkbox [ ]: [ ] a"},
			{"-    [ ] a\n     -    [ ] b\n         # c\n", "checkbox [ ]: [ ] a, [ ] b # c"},
			{"- [ ] a\n[ ]\n", "checkbox [ ]: [ ] a [ ]"},
		},
		"notes": {
			{"- [x] (2026-01-02) a\n- [x] (2026-01-02 10:00) — b\n- [ ] (2026) c\n- [ ] (a 2026-01-02) d\n", "checkbox [x]: [x] a, [x] b, [ ] (2026) c, [ ] (a 2026-01-02) d"},
			{"- [x] a [0a1b2c3]\n- [x] b [abcdefg]\n- [x] c [1234567] [`0a1b2c3`]\n- [x] d [checkpoint: x]\n- [x] e [abcdefa]\n- [x] [0a1b2c3]\n", "checkbox [x]: [x] a, [x] b [abcdefg], [x] c, [x] d, [x] e [abcdefa], [x] [0a1b2c3]"},
			{"- [ ] T001 [P] [US1] a [P]\n- [ ] [P] b\n- [ ] 1.1 (P) c\n- [ ] T1 a b c d e [P] f\n- [ ] T2 [USx] a\n", "checkbox [ ]: [ ] T001 a, [ ] [P] b, [ ] 1.1 c, [ ] T1 a b c d e [P] f, [ ] T2 [USx] a"},
			{"- [ ] a 📅 2026-01-02 b\n- [ ] a ✅ 2026-01-02\n- [ ] a due:2026-01-02 x:2026-01-02\n- [ ] a 2026-01-02\n- [ ] ⏳ 2026-1-02 a\n", "checkbox [ ]: [ ] a b, [ ] a, [ ] a x:2026-01-02, [ ] a 2026-01-02, [ ] 2026-1-02 a"},
			{"- [ ] 2026-01-02 a\n- [ ] 20260102xx due:20x6-01-02 a\n", "checkbox [ ]: [ ] 2026-01-02 a, [ ] 20260102xx due:20x6-01-02 a"},
			{"- [ ] ~~a~~ b\n- [ ] ~~a~~ (P1)\n- [ ] Step 1: ~~a~~ ✅\n- [ ] 2. ~~b~~\n- ~~c~~ 🔄 x\n", "checkbox [ ]: [ ] b, [x] high [cancelled] a (P1), [x] Step 1: a, [x] [cancelled] 2. b +"},
			{"- [ ] ) a\n- [ ] (2026-01-02 b\n", "checkbox [ ]: [ ] ) a, [ ] (2026-01-02 b"},
			{"- [ ] T4 a b c [P] d\n- [ ] T5 a b c d [P] e\n", "checkbox [ ]: [ ] T4 a b c d, [ ] T5 a b c d [P] e"},
			{"- [ ] T3 a b c d e f [P]\n", "checkbox [ ]: [ ] T3 a b c d e f"},
			{"- [ ] ~~a\n- [ ] a~~b~~c\n", "checkbox [ ]: [ ] a, [ ] ac"},
		},
		"priority": {
			{"- [ ] P0 a\n- [ ] a P1 b\n- [ ] a P1\n- [ ] (P2) a\n- [ ] a [P3] b\n- [ ] p4: a\n- [ ] P9 a\n", "checkbox [ ]: [ ] P0 a, [ ] a P1 b, [ ] high a P1, [ ] (P2) a, [ ] low a [P3] b, [ ] p4: a, [ ] P9 a"},
			{"- [ ] P5\n- [ ] P5x a\n- [ ] P1 a\n", "checkbox [ ]: [ ] P5, [ ] P5x a, [ ] high P1 a"},
			{"- [ ] P5: a\n- [ ] P1 a\n- [ ] a P1\n", "checkbox [ ]: [ ] P5: a, [ ] P1 a, [ ] high a P1"},
			{"- [ ] a priority:low\n- [ ] [priority:high] a\n- [ ] #Priority:medium a\n- [ ] priority: a\n- [ ] priority:odd a\n", "checkbox [ ]: [ ] low a, [ ] high a, [ ] a, [ ] priority: a, [ ] priority:odd a"},
			{"- [ ] a level:high (b)\n- [ ] c (d) priority\n", "checkbox [ ]: [ ] a level:high (b), [ ] c (d) priority"},
			{"- [ ] high-priority a\n- [ ] a (low-priority)\n- [ ] odd-priority a\n", "checkbox [ ]: [ ] high high-priority a, [ ] low a, [ ] odd-priority a"},
			{"- [ ] high priority a\n- [ ] a (high priority) b\n- [ ] a (odd priority)\n- [ ] priority a\n", "checkbox [ ]: [ ] high high priority a, [ ] high a b, [ ] a (odd priority), [ ] priority a"},
			{"- [ ] a (high)\n- [ ] (Low) b\n- [ ] c (hi)\n- [ ] d high)\n- [ ] e (normal)\n- [ ] ()\n- [ ] f (high, or so)\n- [ ] (\n", "checkbox [ ]: [ ] high a, [ ] low b, [ ] c (hi), [ ] d high), [ ] e (normal), [ ] (), [ ] f (high, or so), [ ] ("},
			{"- [ ] 🔺 a\n- [ ] b ⏬️ c\n- [ ] ‼️ d 🔽\n- [ ] é f\n- [ ] 🔺 g ☎️ h\n", "checkbox [ ]: [ ] high a, [ ] low b c, [ ] high d, [ ] é f, [ ] high g ☎️ h"},
			{"## (Priority: P1)\n- [ ] a\n## Low priority work\n- [ ] b\n## P3 c\n- [ ] d\n## High — e\n- [ ] f\n## g - high\n- [ ] h\n", "checkbox [ ]: [ ] high a, [ ] low b, [ ] low d, [ ] f, [ ] h"},
			{"## **High priority**\n- [ ] a\n## LOW PRIORITY\n- [ ] b\n## Priority: high\n- [ ] c\n", "checkbox [ ]: [ ] high a, [ ] low b, [ ] high c"},
			{"# P1\n## x\n- [ ] a\n## P3\n- [ ] b\n# y\n- [ ] c\n", "checkbox [ ]: [ ] high a, [ ] low b, [ ] c"},
			{"| a | status | prio |\n|--|--|--|\n| b | todo | 🔺 |\n| c | todo | High (now) |\n| d | todo | (low) |\n| e | todo | |\n", "status table: [ ] high b, [ ] high c, [ ] low d, [ ] e"},
			{"- a b — low — done\n- c d (high) (done)\n- e — f — wip\n", "status list: [x] low a b, [x] high c d, [~] e — f"},
			{"- a (done, high)\n- b (low, wip)\n- c (done, odd)\n- d (odd, high)\n- e — high (done)\n- f — low - high (done)\n- high (done)\n", "status list: [x] high a, [~] low b, [ ] c (done, odd), [ ] d (odd, high), [x] high e, [x] f — low - high, [x] high high"},
		},
		"status": {
			{"- ✅ a ❌\n- 🔄: b\n- ⏳ — c\n- ☑️ d\n", "status list: [x] a, [~] b, [ ] c, [x] d"},
			{"- a ✅\n- b 🔄️\n- c: ✅\n- d — ✅\n", "status list: [x] a, [~] b, [x] c, [x] d"},
			{"- a: DONE\n- b DONE\n- c: Done\n- d ✅ DONE\n- e — done\n", "status list: [x] a, [ ] b DONE, [ ] c: Done, [x] d, [x] e"},
			{"- a (done)\n- b [WIP]\n- c (**done**)\n- d (done.)\n- (done)\n", "status list: [x] a, [~] b, [x] c, [ ] d (done.), [ ] (done)"},
			{"- a | done\n- b – todo\n- c - cancelled\n- d — skipped\n", "status list: [x] a, [ ] b, [x] [cancelled] c, [x] [cancelled] d"},
			{"- a (✅ done)\n- b (⏳ done)\n- c (⏳)\n- d (🔴 blocked)\n", "status list: [x] a, [x] b, [ ] c, [ ] d (🔴 blocked)"},
			{"## a\nStatus: in progress, mostly\n## b\nState: ⏳ done\n## c\nStatus: (open)\n## d\nStatus: mostly\n", "status heading: [~] a, [x] b, [ ] c +"},
			{"## a\n**Status**: done | **Priority**: low\n## b\n- Status: wip\n- Priority: `P1`\n## c\nx\n\nx\n\nx\n\nx\n\nStatus: done\n", "status heading: [x] low a, [~] high b +"},
			{"## a ✅ Done\n## b (done) x\n## c — DONE\n", "headings: [ ] a ✅ Done, [ ] b (done) x, [x] c"},
			{"## Status: done\n## State: wip\n", "headings: [ ] Status: done, [ ] State: wip"},
			{"| Task | Done? |\n|--|--|\n| a | yes |\n| b | no |\n| c | x |\n| d | [x] |\n", "status table: [x] a, [ ] b, [ ] c, [x] d"},
			{"| Done | What | State |\n|--|--|--|\n| yes | a | wip |\n", "status table: [x] a +"},
			{"| a | status |\n|---|---|\n| b \\| c | done |\n| `d|e` | todo |\n|f|\n", "status table: [x] b | c, [ ] `d|e` +"},
			{"a | status\n--|--\nb | done\nc\n", "status table: [x] b +"},
			{"| | status |\n|--|--|\n| a | done |\n", "status table: [x] a"},
			{"| a | b | status |\n|--|--|--|\n| c | d | done |\n", "status table: [x] c +"},
			{"| Prio | a | Status | Priority |\n|--|--|--|--|\n| P0 | b | done | low |\n", "status table: [x] high b +"},
			{"| # | status |\n|--|--|\n| 1 | done |\n", ": "},
			{"- a (done)\n- b (wip)\n- c\n- d\n", "status list: [x] a, [~] b, [ ] c, [ ] d"},
			{"- a (done)\n- b\n- c\n- d\n", "bullets: [x] a, [ ] b, [ ] c, [ ] d"},
			{"- a (done)\n- b (done)\n- c\n- d\n- e\n", "bullets: [x] a, [x] b, [ ] c, [ ] d, [ ] e"},
			{"| a | status |\n|--|--|\n| b (high) | todo |\n", "status table: [ ] b (high)"},
			{"- ~~a~~ b\n- ~~c~~ d\n", "bullets: [ ] b, [ ] d"},
			{"- a (✅ wip)\n- b (✅ as ever)\n- c (done)\n", "status list: [x] a, [ ] b (✅ as ever), [x] c"},
			{"| a | status |\n|--|--|\n| ~~b~~ | wip |\n| ~~c~~ | todo |\n| ~~d~~ | done |\n", "status table: [~] b, [x] [cancelled] c, [x] d"},
			{"- ~~a~~\n- b ✅\n- c\n  - d ✅\n", "status list: [x] [cancelled] a, [x] b, [ ] c +"},
		},
		"unfinished": {
			{"- [ ] a\n-", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n- [", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n- [x", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n- [x]", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n12", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n12.", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n``", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n==", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n<propo", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n</proposed_p", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n|", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n## ", "checkbox [ ]: [ ] a"},
			{"- [ ] a\n\n***", "checkbox [ ]: [ ] a"},
			{"- [ ] a\nb", "checkbox [ ]: [ ] a b"},
			{"```\n- [", ":  +"},
		},
	} {
		for _, test := range tests {
			d := Read(test[0])
			convention := ""
			if len(d.Entries) > 0 {
				convention = d.Entries[0].Convention
			}
			got := convention + ": " + strings.Join(drawn(d.Plan()), ", ")
			if d.Prose {
				got += " +"
			}
			if got != test[1] {
				t.Errorf("%s: %q\n got %q\nwant %q", group, test[0], got, test[1])
			}
		}
	}
}

// Documents have the same digest only if they differ in nothing but marks and statuses of entries.
func TestDigests(t *testing.T) {
	const (
		boxes   = "# T\n\nProse.\n\n- [ ] a\n- [ ] b\n  more\n\nStatus: open\nPriority: low\n"
		table   = "| Task | State | Where |\n|---|---|---|\n| Parse | open | lexer |\n| Print | DONE | - |\n"
		heads   = "# M\n\n## Step 1: Dump (todo)\n**Status:** open\nOn a copy.\n\n## Step 2: Drop\n"
		list    = "- Read the old tests - todo\n- [it](a.go) - todo\n"
		head    = "---\ntodos:\n- content: a\n  status: open\n---\nx\n"
		title   = "Keep all files that\nare old.\n"
		ordered = "1. One\n2. ~~Two~~\n"
	)
	long := "- [ ] " + strings.Repeat("word ", 60) + "end\n"
	jsonText := `{"plan": [{"step": "a", "status": "pending"}]}`
	for _, test := range []struct {
		document, old, new string
		same               bool
	}{
		{boxes, "[ ] a", "[x] a", true}, {boxes, "[ ] b", "[-] b", true}, {boxes, "] a", "] ~~a~~", true},
		{boxes, "] a", "] a - DONE", true}, {boxes, "] a", "] a [4f2a91c]", true}, {boxes, "] a", "] (2026-11-01 10:00Z) a", true},
		{boxes, "low", "high", false}, {boxes, "open", "done", false}, {boxes, "more", "less", false}, {boxes, "- [ ] a", "  - [ ] a", false},
		{boxes, "[ ] a", "[ ] c", false}, {boxes, "Prose.", "Prose!", false}, {boxes, "# T", "# U", false}, {boxes, "- [ ] b\n", "", false},
		{boxes, "] a", "] a ~~b~~", false}, {boxes, "] a", "] a (never)", false},
		{table, "open", "done", true}, {table, "open", "✅", true}, {table, "open", "", true}, {table, "DONE", "open", true},
		{table, "open", "done, delete it", false}, {table, "lexer", "everywhere", false}, {table, "Parse", "Purge", false},
		{heads, "(todo)", "(done)", true}, {heads, "** open", "** ✅ Done", true}, {heads, "** open", "** done, drop it", false},
		{heads, "copy", "disk", false}, {heads, "## Step 2", "### Step 2", false},
		{list, "tests - todo", "tests - done", true}, {list, "a.go", "b.go", false}, {list, "- todo", "- on disk", false},
		{head, "open", "done", true}, {head, "content: a", "content: b", false}, {head, "x\n", "x\ny\n", false}, {head, "status: open", "status: drop it", false},
		{title, "are old", "are new", false}, {title, "Keep", "Drop", false},
		{ordered, "~~Two~~", "Two", true}, {ordered, "1. One", "1. ~~O~~ne", false},
		{long, "end", "and", false}, {long, "[ ]", "[x]", true},
		{jsonText, "pending", "completed", true}, {jsonText, `"a"`, `"b"`, false}, {jsonText, `{"plan"`, `{"explanation": "x", "plan"`, false},
	} {
		changed := strings.Replace(test.document, test.old, test.new, 1)
		if changed == test.document {
			t.Errorf("%q does not have %q", test.document, test.old)
		}
		if same := Read(test.document).Digest == Read(changed).Digest; same != test.same {
			t.Errorf("%q in %q becomes %q: one digest is %v", test.old, test.document, test.new, same)
		}
	}
}

// A person who is asked about a plan must get what its entries do not show.
func TestHides(t *testing.T) {
	for text, want := range map[string]bool{
		"- [ ] a\n  - [x] b\n\n1. c\n":         true, // the number is not an entry
		"- [ ] a\n- [x] **b** `c`\n":           false,
		"- [x] ~~a~~ [4f2a91c]\n- [/] b - WIP": false,
		"## One\n\n## Two\n":                   false,
		"# Drop all\n\n- [ ] a\n":              true,
		"## Drop all\n\n- [ ] a\n":             true,
		"- [ ] a\n<!-- then drop it -->\n":     true,
		"- [ ] [a](drop.go)\n":                 true,
		"- [ ] a\n\n[b]: drop.go\n":            true,
		"---\ntodos:\n- content: a\n---\n":     true,
	} {
		if got := Hides(text); got != want {
			t.Errorf("%q hides something: %v", text, got)
		}
	}
}

func TestLongTextsAreTruncated(t *testing.T) {
	for _, test := range []struct {
		name, document string
		entries        int
		prose          bool
	}{
		{"a block that fits", "- [ ] a" + strings.Repeat(" ", maxText-2) + "b\n", 1, false},
		{"a block", "- [ ] a" + strings.Repeat(" ", maxText) + "b\n", 1, true},
		{"lines that fit", "- [ ] a\nb" + strings.Repeat(" ", maxText-4) + "c\n", 1, false},
		{"lines", "- [ ] a\nb" + strings.Repeat(" ", maxText-3) + "c\n", 1, true},
		{"a paragraph", "- [ ] a\n" + strings.Repeat("[](x)\n", maxText/5), 1, true},
		{"a todo", "---\ntodos:\n- content: a" + strings.Repeat("[](x)", maxText/5) + "\n---\n", 1, true},
		{"a document that fits", "- [ ] a\n" + strings.Repeat("\n", maxDocument-8), 1, false},
		{"a document", "- [ ] a\n" + strings.Repeat("\n", maxDocument-7), 1, true},
		{"lines of code that are one block", strings.Repeat("    c\n", maxBlocks) + "\n- [ ] a\n", 1, true},
		{"todos", "---\ntodos:\n" + strings.Repeat("- a\n", maxEntries+1), maxEntries, true},
	} {
		d := Read(test.document)
		if len(d.Entries) != test.entries || d.Prose != test.prose {
			t.Errorf("%s: %d entries, prose %v, want %d, %v", test.name, len(d.Entries), d.Prose, test.entries, test.prose)
		}
	}
}
