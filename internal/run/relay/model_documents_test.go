package relay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A modelDocument is a document whose meaning is known because it was made line by line. Nothing
// here reads markdown.
type modelDocument struct{ lines []modelLine }

// A modelLine is a line of a document, and what docs/plans.md says of it.
type modelLine struct {
	role  string // "title", "section", "words", "box", "number", "table", "row", "note" or "blank"
	text  string // without its end
	bare  string // without marks of entries, see "Only the marks of entries do not count as a change"
	entry modelEntry
	hides bool // the entry leaves out a part of the line
	least int  // the fewest bytes of the line that already mean what the line means
}

// A modelEntry is an entry of a plan. Statuses and priorities are those of version 1.
type modelEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// A modelReading is what a text means.
type modelReading struct {
	text    string       // all of it
	bare    string       // what counts as a change
	entries []modelEntry // of "Which part of a document is the plan"
	more    bool         // it has more than entries and headings
	columns bool         // it has a table with other columns
	hides   bool         // the entries do not show all of it word for word
	isEmpty bool         // there is nothing to show
	isOpen  bool         // it is only a title, headings and paragraphs
}

func (d modelDocument) text() string {
	var b strings.Builder
	for _, l := range d.lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// read returns the meaning of the first n bytes. If the document has not ended, it is that of the
// lines that have ended.
func (d modelDocument) read(n int, hasEnded bool) modelReading {
	r := modelReading{}
	var sections []modelEntry
	var plain []string // titles and lines of paragraphs
	headings := 0
	at := 0
	for _, l := range d.lines {
		left := n - at
		at += len(l.text) + 1
		if left <= 0 || left <= len(l.text) && !hasEnded {
			break
		}
		l = l.cut(min(left, len(l.text)))
		r.bare += l.bare + "\n"
		switch l.role {
		case "box", "number", "row":
			l.entry.Content = clipped(l.entry.Content)
			r.entries = append(r.entries, l.entry)
			r.columns = r.columns || l.role == "row" // which has more columns than the entry shows
			r.more = r.more || len(l.bare) > 200
			r.hides = r.hides || l.hides
		case "section":
			headings++
			sections = append(sections, l.entry)
		case "title":
			headings++
			plain = append(plain, l.entry.Content)
		case "words":
			plain = append(plain, l.text)
			r.more = true
		case "note":
			r.more = true
		}
	}
	r.text = d.text()[:n]
	r.bare = strings.TrimRight(r.bare, "\n")
	if len(r.entries) == 0 {
		r.isOpen = true
		// "All headings of one level, the highest that has at least two besides the title, or else
		// the highest that has one."
		r.entries = sections
	}
	if len(r.entries) == 0 && len(plain) > 0 {
		// "The title, or else the first line, as the only entry."
		r.entries = []modelEntry{{plain[0], "medium", "pending"}}
		r.more = len(plain) > 1
	}
	r.hides = r.hides || headings > 0 && (!r.isOpen || headings > len(r.entries))
	r.isEmpty = len(r.entries) == 0
	return r
}

// clipped: "an entry at most 200 characters".
func clipped(content string) string {
	if len(content) > 200 {
		return content[:strings.LastIndex(content[:200], " ")] + "…"
	}
	return content
}

// cut returns the first n bytes of a line.
func (l modelLine) cut(n int) modelLine {
	if n >= len(l.text) {
		return l
	}
	text := strings.TrimRight(l.text[:n], " ")
	if words := l.entry.Content; !strings.Contains(text, words) {
		for i := range words {
			if strings.HasSuffix(text, words[:i]) {
				l.entry.Content = words[:i]
			}
		}
	}
	l.bare = strings.TrimSuffix(l.bare, l.text[n:])
	l.text = text
	return l
}

// mayEnd reports whether the document can end after n bytes, so that read knows what it means. The
// text in between, such as "- [", is only for pieces that go on.
func (d modelDocument) mayEnd(n int) bool {
	at := 0
	for i, l := range d.lines {
		if i == 0 && l.role == "number" && n <= len(l.text) {
			return false // a numbered line alone may be a heading
		}
		if n <= at+len(l.text) {
			return n == at || n >= at+l.least
		}
		at += len(l.text) + 1
	}
	return true
}

// A documentMaker makes documents. Each text is in only one place.
type documentMaker struct {
	*rand.Rand
	last int
}

func (m *documentMaker) words() string {
	m.last++
	verbs := []string{"Read", "Patch", "Check", "Draw", "Measure", "Move"}
	things := []string{"the lexer", "a page", "its tables", "two files", "the cache"}
	return fmt.Sprintf("%s %s k%d", verbs[m.IntN(len(verbs))], things[m.IntN(len(things))], m.last)
}

func plainLine(role, text string) modelLine {
	return modelLine{role: role, text: text, bare: text, least: len(text)}
}

func (m *documentMaker) heading(role string) modelLine {
	words := m.words()
	l := plainLine(role, map[string]string{"title": "# ", "section": "## "}[role]+words)
	l.entry = modelEntry{words, "medium", "pending"}
	l.least = len(l.text) - len(words) + 1
	return l
}

func (m *documentMaker) paragraph() (lines []modelLine) {
	for range 1 + m.IntN(2) {
		l := plainLine("words", m.words()+".")
		l.least = 1
		lines = append(lines, l)
	}
	return append(lines, plainLine("blank", ""))
}

// box returns a line with a box, in which a link may hide its target, or a long text its end.
func (m *documentMaker) box(status string) modelLine {
	words := m.words()
	l := modelLine{role: "box", bare: words, entry: modelEntry{words, "medium", status}, least: len("- [ ] x")}
	switch m.IntN(8) {
	case 0:
		l.bare, l.hides = fmt.Sprintf("%s [it](f%d.go)", words, m.IntN(1000)), true
		l.entry.Content += " it"
		l.least = 1 << 20
	case 1:
		l.bare, l.hides = words+strings.Repeat(" and so on", 22)+fmt.Sprint(" e", m.IntN(1000)), true
		l.entry.Content, l.least = l.bare, 1<<20
	}
	return m.marked(l, status)
}

// marked returns a box with another status.
func (m *documentMaker) marked(l modelLine, status string) modelLine {
	sign := map[string]string{"pending": " ", "in_progress": "/", "completed": "x"}[status]
	l.entry.Status = status
	l.text = "- [" + sign + "] " + l.bare
	if status == "completed" && m.IntN(3) == 0 {
		l.text += " [4f2a91c]" // "commits and checkpoints are removed"
		l.least = len(l.text)
	}
	l.least = min(l.least, len(l.text))
	return l
}

func (m *documentMaker) status() string {
	return []string{"pending", "pending", "in_progress", "completed"}[m.IntN(4)]
}

// document makes a document of a random kind.
func (m *documentMaker) document() (d modelDocument) {
	if m.IntN(3) > 0 {
		d.lines = append(d.lines, m.heading("title"), plainLine("blank", ""))
	}
	if m.IntN(3) == 0 {
		d.lines = append(d.lines, m.paragraph()...)
	}
	switch kind := m.IntN(10); {
	case kind < 6:
		if len(d.lines) > 0 && d.lines[0].role == "title" && m.IntN(5) == 0 {
			d.lines = append(d.lines, m.heading("section"), plainLine("blank", ""))
		}
		for range 1 + m.IntN(3) {
			d.lines = append(d.lines, m.box(m.status()))
			if m.IntN(4) == 0 {
				d.lines = append(d.lines, plainLine("note", "  - "+m.words()))
			}
		}
	case kind < 7:
		for i := range 1 + m.IntN(3) {
			words := m.words()
			l := plainLine("number", fmt.Sprintf("%d. %s", i+1, words))
			l.entry, l.least = modelEntry{words, "medium", "pending"}, len("1. x")
			d.lines = append(d.lines, l)
		}
	case kind < 8:
		d.lines = append(d.lines, plainLine("table", "| Task | State | Why |"), plainLine("table", "|---|---|---|"))
		for range 1 + m.IntN(3) {
			d.lines = append(d.lines, m.row(m.words(), m.status(), m.words()))
		}
	default:
		if len(d.lines) == 0 || m.IntN(2) == 0 {
			d.lines = append(d.lines, m.paragraph()...)
		}
	}
	return d
}

func (m *documentMaker) row(task, status, why string) modelLine {
	word := map[string]string{"pending": "todo", "in_progress": "WIP", "completed": "Done"}[status]
	l := plainLine("row", fmt.Sprintf("| %s | %s | %s |", task, word, why))
	l.bare = fmt.Sprintf("| %s | | %s |", task, why)
	l.entry = modelEntry{task, "medium", status}
	return l
}

// isTable reports whether a document has a table: it is not sent in pieces, because the docs do not
// say what the head of a table is while its rows are missing.
func (d modelDocument) isTable() bool {
	return slices.ContainsFunc(d.lines, func(l modelLine) bool { return l.role == "table" })
}

// changed returns the document with a change of one line.
func (m *documentMaker) changed(d modelDocument) modelDocument {
	d.lines = slices.Clone(d.lines)
	i := m.IntN(len(d.lines))
	switch l := &d.lines[i]; l.role {
	case "box":
		switch m.IntN(6) {
		case 0:
			*l = m.box(l.entry.Status)
		case 1:
			d.lines = slices.Insert(d.lines, i+1, m.box(m.status()))
		default:
			*l = m.marked(*l, m.status())
		}
	case "row":
		*l = m.row(l.entry.Content, m.status(), m.words())
	case "note":
		*l = plainLine("note", "  - "+m.words())
	case "words":
		*l = plainLine("words", m.words()+".")
		l.least = 1
	case "title", "section":
		*l = m.heading(l.role)
	}
	return d
}

// isSound reports whether a document without some of its lines still means what its lines say.
func (d modelDocument) isSound() bool {
	before := ""
	for _, l := range d.lines {
		if l.role == "note" && before != "box" && before != "number" && before != "note" || l.role == "box" && before == "words" {
			return false
		}
		before = l.role
	}
	return strings.TrimSpace(d.text()) != ""
}
