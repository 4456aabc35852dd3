package translate

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
)

// Bounds on what is rendered of a document.
const (
	maxDocument = 256 << 10 // bytes that are read; what stands behind is prose
	maxBlocks   = 32 << 10  // headings, items, paragraphs and so on; likewise
	maxEntries  = 100       // the last one says how many more there are
)

// Render reads a document, in markdown or JSON, as a plan: what it says of steps
// and how they stand, in any of the conventions of docs/plans.md. A document
// that is no plan is one entry. Prose reports whether the document says more
// than its entries, its title, the headings above its lists, and comments.
//
// Time is linear in the text.
func Render(document string) (entries []Entry, prose bool) {
	r := render(document)
	return r.plain(), r.prose
}

// An Explained is an entry with where it comes from.
type Explained struct {
	Entry
	Line       int    // of the document, from 1
	Convention string // what made it an entry
}

// Explain returns the entries of [Render] with where they come from, and what is
// wrong with the document, for a person. Only JSON can be wrong; ErrUnfinished
// is the error of one that breaks off.
func Explain(document string) (entries []Explained, problem error) {
	r := render(document)
	return r.entries, r.problem
}

// A rendered is what was made of a document.
type rendered struct {
	entries []Explained
	prose   bool
	said    string // tells documents apart, however their steps stand
	problem error  // see Explain
}

// plain are the entries. They hold on to nothing of the document.
func (r rendered) plain() (entries []Entry) {
	for _, e := range r.entries {
		e.Content = strings.Clone(e.Content)
		entries = append(entries, e.Entry)
	}
	return entries
}

// A reading is a document, read.
type reading struct {
	blocks      []block
	legend      legend
	kiro, steps answer
	given       map[int]Priority // by sections, as far as asked
}

func render(document string) rendered {
	if s, ok := readStructured(document); ok {
		return s.render()
	}
	document = strings.TrimPrefix(document, "\ufeff")
	whole, cut := document, len(document) > maxDocument
	if cut {
		document = document[:maxDocument]
		document = document[:strings.LastIndexByte(document, '\n')+1]
	}
	todos, lines, body := frontmatter(document)
	s := scanner{lines: lines, section: -1}
	s.scan(body)
	cut = cut || s.cut
	if todos.number > 0 {
		entries, short := todos.entries()
		steps := make([]bool, lines+1)
		for i := range steps {
			steps[i] = true
		}
		return rendered{entries: entries, prose: cut || short || len(s.blocks) > 0, said: said(whole, entries, steps)}
	}
	r := reading{blocks: s.blocks}
	r.legend = readLegend(r.blocks)
	c := r.choose()
	entries, short := r.entries(c)
	steps := make([]bool, s.lines+1)
	for _, i := range c.blocks {
		b := &r.blocks[i]
		for n := range 1 + strings.Count(b.raw, "\n") {
			steps[b.line+n] = true
		}
	}
	return rendered{entries: entries, prose: cut || short || r.texts() > c.said, said: said(whole, entries, steps)}
}

// said is a digest of a document in which its steps count by their contents.
// Steps are the lines, from 1, in which they stand.
func said(document string, entries []Explained, steps []bool) string {
	h := sha256.New()
	for _, e := range entries {
		io.WriteString(h, strings.TrimPrefix(e.Content, cancelled)+"\n")
	}
	n, at, from := 0, 0, 0 // what is before from has been written, or is not
	for line := range strings.Lines(document[:min(len(document), maxDocument)]) {
		n++
		_, _, stands := field(line)
		if stands || n < len(steps) && steps[n] {
			io.WriteString(h, document[from:at])
			from = at + len(line)
		}
		at += len(line)
	}
	io.WriteString(h, document[from:])
	return string(h.Sum(nil))
}

// texts counts the blocks that say something and are no headings.
func (r *reading) texts() (n int) {
	for i := range r.blocks {
		if b := &r.blocks[i]; b.kind != title && b.raw != "" {
			n++
		}
	}
	return n
}

// entries renders a choice. Short reports whether something had to be cut.
func (r *reading) entries(c choice) (entries []Explained, short bool) {
	names := names{}
	for n, i := range c.blocks {
		if len(entries) == maxEntries-1 && n+1 < len(c.blocks) {
			return append(entries, r.more(c, n)), true
		}
		b, t := &r.blocks[i], r.task(i)
		t.content = names.unique(t.content, func() string { return r.sectionName(b) })
		content := shorten(t.content)
		short = short || content != t.content || b.cut
		if e, ok := legalEntry(content, string(t.priority), string(t.status), nil); ok {
			entries = append(entries, Explained{e, b.line, c.explain(b)})
		}
	}
	return entries, short
}

// explain names the convention of one entry.
func (c choice) explain(b *block) string {
	if b.mark.sign == 0 {
		return c.convention
	}
	if b.kind == title {
		return c.convention + " in a heading [" + string(b.mark.sign) + "]"
	}
	return c.convention + " [" + string(b.mark.sign) + "]"
}

// more is the entry that stands for those from n on.
func (r *reading) more(c choice, n int) Explained {
	e := Entry{Content: fmt.Sprintf("… and %d more", len(c.blocks)-n), Priority: Medium, Status: Completed}
	for _, i := range c.blocks[n:] {
		if b := &r.blocks[i]; b.mark.sign == 0 || b.mark.status() != Completed {
			e.Status = Pending
		}
	}
	return Explained{e, r.blocks[c.blocks[n]].line, "more than 100"}
}

func (todos *todos) entries() (entries []Explained, short bool) {
	for n, t := range todos.first {
		if len(entries) == maxEntries-1 && n+1 < todos.number {
			more := Entry{Content: fmt.Sprintf("… and %d more", todos.number-n), Priority: Medium, Status: Pending}
			return append(entries, Explained{more, t.line, "more than 100"}), true
		}
		whole := inline(t.content)
		content := shorten(whole)
		short = short || content != whole || t.cut
		s := legend(nil).value(strings.ToLower(t.status))
		if e, ok := legalEntry(content, string(priorityOf(t.priority)), string(s), nil); ok {
			entries = append(entries, Explained{e, t.line, "frontmatter todos"})
		}
	}
	return entries, short
}

// names knows the contents that are taken.
type names map[string]bool

// unique prefixes a content that is taken with the name of its section. The
// first of its name keeps it: it may have been shown before there was another.
func (n names) unique(content string, section func() string) string {
	if n[content] {
		if name := section(); name != "" {
			content = name + ": " + content
		}
	}
	n[content] = true
	return content
}

// sectionName is the heading above a block, without what is no name.
func (r *reading) sectionName(b *block) string {
	if b.section < 0 {
		return ""
	}
	return r.itemTask(b.section).content
}
