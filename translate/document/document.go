// Package document finds the plan entries in a document in markdown or JSON. docs/plans.md
// describes how.
//
// [Read] reads a document, and [Message] returns the text for people. All functions take linear
// time, and keep no state, so any goroutine may call them.
package document

import (
	"errors"
	"slices"
	"strings"

	"acpshim/translate/entry"
)

// Limits of reading. Everything after the first maxDocument bytes or maxBlocks blocks is prose.
const (
	maxDocument = 256 << 10 // bytes
	maxBlocks   = 32 << 10  // headings, items, paragraphs and so on
	maxEntries  = 100       // the last one says how many more there are
)

// A Document is the result of reading a document.
type Document struct {
	// Entries are the plan: at most 100 entries of at most 200 characters. A document without a
	// plan has one entry.
	Entries []Entry
	// Prose reports whether the document has other text than the entries, its title, the
	// headings above its lists, and comments. Cells of other columns are such text.
	Prose bool
	// Digest is equal for documents that differ only in the marks and statuses of their entries.
	Digest string
	// Problem says what is wrong with a document in JSON, or is nil.
	Problem error
}

// ErrUnfinished is the problem of an incomplete document in JSON. The agent may still write it.
var ErrUnfinished = errors.New("unfinished JSON")

// An Entry is a plan entry with its origin.
type Entry struct {
	entry.Entry
	Line       int    // of the document, from 1
	Convention string // the rule that made it an entry
}

// IsTitle reports whether the only entry is a heading or the first line, because Read found no
// plan.
func (d Document) IsTitle() bool {
	return len(d.Entries) == 1 && (d.Entries[0].Convention == firstLine || d.Entries[0].Convention == headings)
}

// Plan returns the entries. They share no memory with the document.
func (d Document) Plan() (entries []entry.Entry) {
	entries = slices.Grow(entries, len(d.Entries))
	for _, e := range d.Entries {
		e.Content = strings.Clone(e.Content)
		entries = append(entries, e.Entry)
	}
	return entries
}

// Read reads a document.
func Read(text string) Document {
	if j, ok := readJSON(text); ok {
		return j.document()
	}
	whole := strings.TrimPrefix(text, "\ufeff")
	begin := whole
	if len(whole) > maxDocument {
		begin = whole[:1+strings.LastIndexByte(whole[:maxDocument], '\n')]
	}
	steps, more, lines, body := frontmatter(begin)
	s := scanner{lines: lines, section: -1}
	s.scan(body)
	d, convention, bare := Document{Prose: len(begin) < len(whole) || s.cut}, "frontmatter todos", bareHead(lines)
	if len(steps) > 0 {
		d.Prose = d.Prose || len(s.blocks) > 0
	} else {
		m := newMarkdown(s.blocks)
		plan := m.plan()
		steps, more = m.steps(plan)
		convention = plan.convention
		d.Prose = d.Prose || m.texts() > plan.shown || m.dropsCells(plan)
		bare = m.bare(plan)
	}
	entries, short := list(steps, more, convention)
	d.Entries, d.Prose, d.Digest = entries, d.Prose || short, digest(whole, bare)
	return d
}

// IsGrowing reports whether the last line of a document may be incomplete, so that it must not be
// shown yet. Grown says that the agent has appended to the document before. Many agents send a
// complete document, so a new one counts as complete. A new document of a single line without a box
// does not, because streams begin like that. JSON never counts as incomplete.
func IsGrowing(text string, grown bool) bool {
	if strings.HasSuffix(text, "\n") || !grown && (strings.Contains(text, "\n") || hasSteps(text)) {
		return false
	}
	_, isJSON := readJSON(text)
	return !isJSON
}

// HasList reports whether a line of a document begins like a list, a table or JSON. Such a document
// is not only a title.
func HasList(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		if line != "" && strings.IndexByte("-*+|[{0123456789", line[0]) >= 0 {
			return true
		}
	}
	return false
}

// hasSteps reports whether a document has a step with a box.
func hasSteps(text string) bool {
	return slices.ContainsFunc(Read(text).Entries, func(e Entry) bool { return strings.HasPrefix(e.Convention, "checkbox") })
}

// The conventions of documents without a plan.
const (
	headings  = "headings"
	firstLine = "first line"
)

// A step is a task with its origin.
type step struct {
	task
	line      int
	sign      rune // the sign in its box, or 0
	inHeading bool // the box is in a heading
	cut       bool // the content is truncated
}

func (s step) open() bool { return s.status != entry.Completed && s.status != entry.Cancelled }

func (s step) explain(convention string) string {
	if s.inHeading {
		convention += " in a heading"
	}
	if s.sign != 0 {
		convention += " [" + string(s.sign) + "]"
	}
	return convention
}

// An overflow counts the steps beyond maxEntries.
type overflow struct {
	n    int
	open bool // one of them is open
}

// list returns the entries of steps. It reports whether they are shorter than the steps.
func list(steps []step, more overflow, convention string) (entries []Entry, short bool) {
	entries = slices.Grow(entries, min(len(steps), maxEntries))
	for i, s := range steps {
		if n := len(steps) - i + more.n; len(entries) == maxEntries-1 && n > 1 {
			last := entry.More(n, more.open || slices.ContainsFunc(steps[i:], step.open))
			return append(entries, Entry{last, s.line, "more than 100"}), true
		}
		content := shorten(s.content)
		short = short || s.cut || content != s.content
		if e, ok := entry.New(content, s.priority, s.status, nil); ok {
			entries = append(entries, Entry{e, s.line, s.explain(convention)})
		}
	}
	return entries, short
}

// A markdownDocument is a document in markdown, split into blocks.
type markdownDocument struct {
	blocks []block
	legend legend

	numbered   bool                   // it numbers its boxes, as Kiro does
	countsP    bool                   // it numbers its steps P1, P2, P3 and so on
	priorities map[int]entry.Priority // a cache of the priorities of sections
	named      map[int]bool           // a cache of the sections whose headings name a plan
}

func newMarkdown(blocks []block) *markdownDocument {
	m := &markdownDocument{blocks: blocks, legend: readLegend(blocks), priorities: map[int]entry.Priority{}, named: map[int]bool{}}
	for i := range blocks {
		if b := &blocks[i]; hasBox(b) && !b.legend {
			m.numbered = m.numbered || isNumbered(b.text)
			m.countsP = m.countsP || isFifth(b.text)
		}
	}
	return m
}

// texts counts the blocks with text that are not headings.
func (m *markdownDocument) texts() (n int) {
	for i := range m.blocks {
		if b := &m.blocks[i]; b.kind != heading && b.text != "" {
			n++
		}
	}
	return n
}

// steps returns the steps of a plan. If two have the same content, the later one gets the name of
// its section. The first one stays, because the client may have it already.
func (m *markdownDocument) steps(plan selection) (_ []step, more overflow) {
	n := min(len(plan.blocks), maxEntries)
	steps, taken := make([]step, 0, n), make(map[string]bool, n)
	for _, i := range plan.blocks[:n] {
		b := &m.blocks[i]
		s := step{line: b.line, sign: b.box.sign, inHeading: b.kind == heading && b.box.sign != 0, cut: b.cut}
		if s.task = m.task(i); taken[s.content] && b.section >= 0 {
			if name := m.boxTask(b.section).content; name != "" {
				s.content = name + ": " + s.content
			}
		}
		taken[s.content] = true
		steps = append(steps, s)
	}
	for _, i := range plan.blocks[n:] {
		box := m.blocks[i].box
		more.n++
		more.open = more.open || box.sign == 0 || step{task: task{status: box.status()}}.open()
	}
	return steps, more
}
