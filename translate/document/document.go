// Package document reads plans that are written as documents, in markdown or JSON: text in,
// plan entries out. What it takes for a plan is in docs/plans.md.
//
// [Read] reads a document, and [Message] is what a person is shown of it. Everything here is
// linear in the text, keeps no state, and is for any goroutine.
package document

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"acpshim/translate/entry"
)

// Bounds on what is read of a document.
const (
	maxDocument = 256 << 10 // bytes; what stands behind them is prose
	maxBlocks   = 32 << 10  // headings, items, paragraphs and so on; likewise
	maxEntries  = 100       // the last one says how many more there are
)

// A Document is what was read of a document.
type Document struct {
	// Entries are its plan, 100 at most, of 200 characters at most. A document that is no
	// plan is one entry.
	Entries []Explained
	// Prose reports whether it says more than the entries, its title, the headings above its
	// lists, and comments.
	Prose bool
	// Digest is equal for documents that differ only in how their steps stand.
	Digest string
	// Problem says for a person what is wrong with it, or is nil. Only JSON can be wrong.
	Problem error
}

// ErrUnfinished is the problem of a document that is the beginning of one in JSON: the rest
// may be on its way.
var ErrUnfinished = errors.New("unfinished JSON")

// An Explained is an entry with where it comes from.
type Explained struct {
	entry.Entry
	Line       int    // of the document, from 1
	Convention string // what made it an entry
}

// IsTitle reports whether the only entry is a heading or the first line, as nothing better was
// found.
func (d Document) IsTitle() bool {
	return len(d.Entries) == 1 && (d.Entries[0].Convention == firstLine || d.Entries[0].Convention == headings)
}

// Plan returns the entries. They share nothing with the document.
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
	inSteps := slices.Repeat([]bool{len(steps) > 0}, s.lines+1)
	prose, convention := len(begin) < len(whole) || s.cut, "frontmatter todos"
	if len(steps) > 0 {
		prose = prose || len(s.blocks) > 0
		clear(inSteps[lines+1:])
	} else {
		m := newMarkdown(s.blocks)
		plan := m.plan()
		steps, more = m.steps(plan)
		convention = plan.convention
		prose = prose || m.texts() > plan.shown
		m.mark(inSteps, plan)
	}
	entries, short := list(steps, more, convention)
	return Document{Entries: entries, Prose: prose || short, Digest: digest(whole, entries, inSteps)}
}

// IsGrowing reports whether the last line of a document may go on, so that it is better not read
// yet. Grown says that the document is an earlier one that went on. One that comes first is whole,
// as many agents send it, but for a single line without a box: so does a stream begin, and such a
// line would be shown as a step. JSON is read as far as it can be.
func IsGrowing(text string, grown bool) bool {
	if strings.HasSuffix(text, "\n") || !grown && (strings.Contains(text, "\n") || hasSteps(text)) {
		return false
	}
	_, isJSON := readJSON(text)
	return !isJSON
}

// hasSteps reports whether a document has a step with a box.
func hasSteps(text string) bool {
	return slices.ContainsFunc(Read(text).Entries, func(e Explained) bool { return strings.HasPrefix(e.Convention, "checkbox") })
}

// The conventions of documents without steps: a step for each heading, or one for the whole.
const (
	headings  = "headings"
	firstLine = "first line"
)

// A step is a task with where it comes from.
type step struct {
	task
	line      int
	sign      rune // of the box that made it one, or 0
	inHeading bool // the box is in a heading
	cut       bool // there was more content
}

// open reports whether there is something left to do.
func (s step) open() bool { return s.status != entry.Completed && s.status != entry.Cancelled }

// explain returns the convention with the box that made it hold.
func (s step) explain(convention string) string {
	if s.inHeading {
		convention += " in a heading"
	}
	if s.sign != 0 {
		convention += " [" + string(s.sign) + "]"
	}
	return convention
}

// A rest is the steps that there is no room for: how many, and whether one is open.
type rest struct {
	n    int
	open bool
}

// list makes entries of steps, by a convention. It reports whether they do not say all that
// the steps do.
func list(steps []step, more rest, convention string) (entries []Explained, short bool) {
	entries = slices.Grow(entries, min(len(steps), maxEntries))
	for i, s := range steps {
		if n := len(steps) - i + more.n; len(entries) == maxEntries-1 && n > 1 {
			last := entry.More(n, more.open || slices.ContainsFunc(steps[i:], step.open))
			return append(entries, Explained{last, s.line, "more than 100"}), true
		}
		content := shorten(s.content)
		short = short || s.cut || content != s.content
		if e, ok := entry.New(content, s.priority, s.status, nil); ok {
			entries = append(entries, Explained{e, s.line, s.explain(convention)})
		}
	}
	return entries, short
}

// digest returns a digest of a document in which its entries count by their contents. The lines,
// from 1, that are in steps or say how one stands do not count, nor does space at its end.
func digest(text string, entries []Explained, inSteps []bool) string {
	text = strings.TrimRight(text, " \t\r\n")
	kept := make([]byte, 0, len(text))
	for _, e := range entries {
		kept = append(append(kept, strings.TrimPrefix(e.Content, entry.CancelledPrefix)...), '\n')
	}
	n, read := 0, min(len(text), maxDocument)
	for line := range strings.Lines(text[:read]) {
		if n++; (n >= len(inSteps) || !inSteps[n]) && !isField(line) {
			kept = append(kept, line...)
		}
	}
	sum := sha256.Sum256(append(kept, text[read:]...))
	return string(sum[:])
}

// A markdown is a document in markdown, cut into blocks.
type markdown struct {
	blocks []block
	legend legend

	numbered   bool                   // it numbers its boxes, as Kiro does
	countsP    bool                   // it counts its steps P1, P2, P3 and so on
	priorities map[int]entry.Priority // of sections, as far as they were asked for
	named      map[int]bool           // sections named as a plan; likewise
}

func newMarkdown(blocks []block) *markdown {
	m := &markdown{blocks: blocks, legend: readLegend(blocks), priorities: map[int]entry.Priority{}, named: map[int]bool{}}
	for i := range blocks {
		if b := &blocks[i]; hasBox(b) && !b.legend {
			m.numbered = m.numbered || isNumbered(b.text)
			m.countsP = m.countsP || isFifth(b.text)
		}
	}
	return m
}

// texts counts the blocks that say something and are no headings.
func (m *markdown) texts() (n int) {
	for i := range m.blocks {
		if b := &m.blocks[i]; b.kind != heading && b.text != "" {
			n++
		}
	}
	return n
}

// mark marks the lines of the blocks of a plan.
func (m *markdown) mark(lines []bool, plan selection) {
	for _, i := range plan.blocks {
		b := &m.blocks[i]
		for n := range 1 + strings.Count(b.text, "\n") {
			lines[b.line+n] = true
		}
	}
}

// steps returns the steps of a plan. A content that there was before gets the name of its
// section, as the first of its name may have been shown before there was another.
func (m *markdown) steps(plan selection) (_ []step, more rest) {
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
