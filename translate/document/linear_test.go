package document

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/dev/growth"
)

var everyPair = flag.Bool("pairs", false, "time all pairs of fragments at full size, for some minutes")

// fragments returns the pieces of hostile documents, each as a function of its number. Pieces of
// one line are also there as one long line.
func fragments() map[string]func(n int) string {
	all := map[string]func(n int) string{
		"growing bullets": func(n int) string { return strings.Repeat(" ", 2*(n%200)) + "- a\n" },
		"growing boxes":   func(n int) string { return strings.Repeat(" ", 2*(n%40)) + "- [-] a\n" },
		"deeper boxes":    func(n int) string { return strings.Repeat(" ", min(n, 64)) + "- [-] a\n" },
		"numbered steps":  func(n int) string { return fmt.Sprintf("## Step %d: a\n", n) },
		"unlike boxes":    func(n int) string { return fmt.Sprintf("- [ ] a %d\n", n) },
		"unlike headings": func(n int) string { return fmt.Sprintf("%s a %d\n", "######"[:1+n%6], n) },
		"references":      func(n int) string { return fmt.Sprintf("[a%d]: b\n", n) },
		"links":           func(n int) string { return fmt.Sprintf("[a][a%d] ", n) },
		"longer fences":   func(n int) string { return strings.Repeat("`", 3+n%60) + "\n" },
		"longer ticks":    func(n int) string { return strings.Repeat("`", 1+n%20) + " " },
	}
	for name, fragment := range map[string]string{
		"blank lines": "\n", "spaces": " ", "letters": "a", "words": "a b c. ", "lines": "a\n", "short lines": "a", "paragraphs": "a b\n\n", "carriage returns": "a\r\n", "zeros": "\x00", "invalid": "\xff",

		"headings": "# a\n", "deep headings": "###### a\n", "empty headings": "#\n", "underlined": "a\n===\n", "underlined again": "a\n---\n",
		"progress": "# Progress\n", "progress with a box": "## Progress\n- [x] a\n", "done": "## a \u2705 DONE\n", "doing": "## a (in progress)\n", "to do": "## a \u2014 TODO\n", "dropped": "## \u274c a\n",
		"status lines": "## a\n**Status:** done\n**Priority:** P1\n", "steps": "## Step 1\n", "tasks": "### Task 1: a\n", "phases": "## Phase 2\n", "numbered headings": "## 1. a\n",
		"plans": "## Steps\n", "acceptance": "## Acceptance Criteria\n", "high": "## High Priority\n", "levels": "## P1 \u2014 a\n", "legend headings": "## Legend\n", "heading boxes": "## [-] a\n",

		"bullets": "- a\n", "empty bullets": "-\n", "stars": "* a\n", "nested": "- a\n  - b\n", "notes": "    - a\n", "ordered": "1. a\n", "brackets": "1) a\n", "markers": "- ", "tabs": "-\t", "numbers": "1. ", "stated": "- a (done)\n", "struck": "- ~~a~~\n", "struck and marked": "- ~~a~~ \u2705\n", "emoji": "- \U0001f504 a\n",
		"open": "- [ ] a\n", "done boxes": "- [x] a\n", "doing boxes": "- [/] a\n", "tilde boxes": "- [~] a\n", "dashed": "- [-] a\n", "dashed over done": "- [-] a\n  - [x] b\n", "forwarded": "- [>] a\n", "urgent": "- [!] a\n", "questions": "- [?] a\n", "optional": "- [ ]* a\n", "plain boxes": "[ ] a\n", "unnamed boxes": "- [ ]\n", "numbered boxes": "- [-] 1. a\n", "P5": "- [ ] P5 a\n", "box heads": "- [",
		"spec-kit": "- [ ] T001 [P] [US1] a\n", "commits": "- [x] a [07ec315]\n", "times": "- [x] (2026-01-02 03:04Z) a\n", "dates": "- [ ] a \U0001f4c5 2026-01-02 due:2026-01-02\n", "high words": "- [ ] a (high) priority:low\n", "going on": "  goes on\n",

		"quotes": "> ", "quoted": "> a\n", "quoted boxes": "> - [ ] a\n", "deep quotes": "> > > > a\n", "callouts": "> [!note] a\n",
		"fences": "```\n", "tildes": "~~~\n", "fenced": "```\n- [ ] a\n```\n", "indented": "    a\n", "items of code": "- ```\n",
		"tables": "| a | status |\n|---|---|\n| b | done |\n", "rows": "| a | b |\n", "table heads": "a | b\n-|-\n", "bars": "|", "delimiters": "-|-\n",
		"html": "<a\n", "tags": "<b>a</b>\n", "divs": "<div>\n", "comments": "<!-- a -->\n", "open comments": "<!--", "closed comments": "<!---->", "addresses": "<http", "entities": "&amp;", "ampersands": "&",
		"rules": "---\n", "star rules": "***\n", "front matter": "---\ntodos:\n  - content: a\n    status: done\n", "todos": "  - content: \"a\"\n    status: done\n", "short todos": "- 'a\n", "keys": "a: b\n",
		"legends": "Legend: \u2705 = done, \u274c = in progress\n", "legend paragraphs": "Legend: [-] = done\n\n", "signs": "\u2705 ", "fields": "Status: done\n",
		"emphasis": "*a_ ", "bold": "**a** ", "opening": "*a ", "strikes": "~~a~~ ", "half strikes": "~~a ", "links in line": "[a](b) ", "half links": "[a](", "images": "![a](b) ", "open brackets": "[", "closed brackets": "]", "wikis": "[[a|b]] ", "open wikis": "[[a|", "ticks": "`", "code": "`a` ", "escapes": "\\*", "proposed": "<proposed_plan>\n",
		"braces": "{", "quotation": "\"", "objects": "{\"a\":\"b\"},\n",
	} {
		all[name] = func(int) string { return fragment }
		if strings.Contains(fragment, "\n") {
			continue
		}
		long := strings.Repeat(fragment, maxText/len(fragment))
		for begin, end := range map[string]string{"- [ ] ": "\n", "## ": " \u2014 DONE\n", "| a | status |\n|---|---|\n| ": " | done |\n"} {
			all[strings.TrimSpace(begin[:3])+" "+name] = func(int) string { return begin + long + end }
		}
	}
	return all
}

// everyday are the fragments that are tested in all pairs.
var everyday = []string{
	"headings", "unlike headings", "progress", "done", "to do", "numbered steps", "numbered headings", "plans", "acceptance", "high", "legend headings", "heading boxes",
	"bullets", "growing bullets", "ordered", "stated", "struck", "open", "dashed over done", "growing boxes", "optional", "going on",
	"quoted boxes", "fenced", "fences", "indented", "tables", "rows", "tags", "open comments", "rules", "front matter", "todos",
	"legends", "fields", "lines", "blank lines", "emphasis", "links", "references", "objects",
}

// beginnings are texts to put once before the fragments.
var beginnings = map[string]string{
	"":         "",
	"sections": "# a\n## b\n### c\n#### d\n##### e\n###### f\n",
	"legend":   "## Legend\n",
	"todos":    "---\ntodos:\n- content: \"",
	"table":    "| a | status |\n|---|---|\n",
	"lists":    strings.Repeat("- ", 16) + "a\n" + strings.Repeat(" ", 32) + strings.Repeat("- ", 16) + "a\n",
	"dashes":   strings.Repeat("###### [-] a\n", maxEntries-40) + dashes(),
}

// dashes returns nested boxes, each of which looks for open boxes below it.
func dashes() string {
	var b strings.Builder
	for i := range 40 {
		b.WriteString(strings.Repeat(" ", i) + "- [-] a\n")
	}
	return b.String()
}

// alternating returns a text of alternating fragments with at most size bytes.
func alternating(size int, fragments ...func(n int) string) string {
	var b strings.Builder
	for n := 0; ; n++ {
		for _, f := range fragments {
			next := f(n)
			if b.Len()+len(next) > size {
				return b.String()
			}
			b.WriteString(next)
		}
	}
}

// A generator makes a document of any size. From least on, the size determines the time.
type generator struct {
	name  string
	least int
	of    func(size int) string
}

// hostile returns documents of each fragment after each beginning. Long lines have no beginning.
func hostile() (documents []generator) {
	all := fragments()
	for _, begin := range slices.Sorted(maps.Keys(beginnings)) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			least := 2 * len(beginnings[begin])
			if strings.IndexAny(name, "-#|") == 0 {
				if least = maxText + 100; begin != "" {
					continue
				}
			}
			documents = append(documents, generator{begin + " > " + name, least, func(size int) string {
				return beginnings[begin] + alternating(size-len(beginnings[begin]), all[name])
			}})
		}
	}
	return documents
}

// alternatingPairs returns documents of two alternating fragments.
func alternatingPairs(names []string) (documents []generator) {
	all := fragments()
	for i, a := range names {
		for _, b := range names[:i] {
			documents = append(documents, generator{a + " + " + b, 0, func(size int) string { return alternating(size, all[a], all[b]) }})
		}
	}
	return documents
}

func TestHostileTextIsLinear(t *testing.T) {
	t.Parallel()
	checkLinear(t, hostile(), 1<<10, func(document string) { Read(document) })
}

// The time for a fragment may depend on another one.
func TestAlternatingTextIsLinear(t *testing.T) {
	t.Parallel()
	names, size := everyday, 1<<10
	if *everyPair {
		names, size = slices.Sorted(maps.Keys(fragments())), maxDocument/4
	}
	checkLinear(t, alternatingPairs(names), size, func(document string) { Read(document) })
}

// checkLinear checks that reading takes linear time. A document of four times size must take at
// most six times as long. Otherwise, the largest document must take at most 64 times as long as a
// sixteenth of it, or 50 ms.
func checkLinear(t *testing.T, documents []generator, size int, read func(string)) {
	growth.NeedsTime(t)
	for _, d := range documents {
		size := max(size, d.least)
		if took := d.times(read, size, 4*size, 6); took[1] <= 6*took[0] {
			continue
		}
		took := d.times(read, maxDocument/16, maxDocument, 64)
		if took[1] > 64*took[0] && took[1] > 50*time.Millisecond {
			t.Errorf("%s: %v for a sixteenth, %v for all of it", d.name, took[0], took[1])
		}
	}
}

// times returns the least times to read a document of two sizes. It tries up to three times, until
// the larger one takes at most "most" times as long.
func (d generator) times(read func(string), little, much int, most time.Duration) (took [2]time.Duration) {
	part, whole := d.of(little), d.of(much)
	took = [2]time.Duration{time.Hour, time.Hour}
	for try := 0; try < 3 && took[1] > most*took[0] || try == 0; try++ {
		took[0] = min(took[0], growth.Time(func() { read(part) }), growth.Time(func() { read(part) }))
		took[1] = min(took[1], growth.Time(func() { read(whole) }))
	}
	return took
}

// BenchmarkRenderHostile measures the mean over all hostile documents, and the slowest one. Use
// -benchtime 2000x to include all of them.
func BenchmarkRenderHostile(b *testing.B) {
	documents := append(hostile(), alternatingPairs(everyday)...)
	for name, document := range hostileJSON(maxDocument) {
		documents = append(documents, generator{name, 0, func(int) string { return document }})
	}
	var worst time.Duration
	var name string
	for i := 0; b.Loop(); i++ {
		d := documents[i%len(documents)]
		document := d.of(maxDocument)
		took := time.Hour
		for try := 0; try < 10 && took > worst; try++ {
			start := time.Now()
			Read(document)
			took = min(took, time.Since(start))
		}
		if took > worst {
			worst, name = took, d.name
		}
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
	b.Logf("the slowest: %s, %v", name, worst)
}
