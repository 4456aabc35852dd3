package document

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// digest returns a digest of a document. Space at the end does not count. Bare returns a line
// without marks, given its number from 1; nil means that no line has any.
//
// A digest decides whether people get a text once more. So it leaves out only what the entries
// show, and counts everything else: a person must not approve a change that nobody told.
func digest(text string, bare func(n int, line string) string) string {
	text = strings.TrimRight(text, " \t\r\n")
	kept := make([]byte, 0, len(text))
	n, read := 0, min(len(text), maxDocument)
	for line := range strings.Lines(text[:read]) {
		if n++; bare != nil {
			line = bare(n, line)
		}
		kept = append(kept, line...)
	}
	sum := sha256.Sum256(append(kept, text[read:]...))
	return string(sum[:])
}

// bareHead returns a function that removes the statuses of todos from the lines of a frontmatter.
func bareHead(lines int) func(n int, line string) string {
	return func(n int, line string) string {
		key, value, _ := cutKey(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "-")))
		if n <= lines && slices.Contains(statusNames, key) && legend(nil).isOnly(unquote(value)) {
			return ""
		}
		return line
	}
}

// bare returns a function that removes marks from the lines of a plan: boxes, statuses, and what
// agents write next to them, such as the commit of a completed task.
func (m *markdownDocument) bare(plan selection) func(n int, line string) string {
	entries, fields := map[int]*block{}, map[int]bool{} // by the number of their first line; of their line
	for _, i := range plan.blocks {
		b := &m.blocks[i]
		entries[b.line] = b
		if b.kind == heading && b.box.sign == 0 {
			for j := range m.below(i) {
				for n := range 1 + strings.Count(m.blocks[j].text, "\n") {
					fields[m.blocks[j].line+n] = true
				}
			}
		}
	}
	return func(n int, line string) string {
		switch b := entries[n]; {
		case b != nil && b.kind == row:
			return m.bareRow(b.table, line)
		case b != nil && b.kind != paragraph:
			return m.bareTask(b, line)
		case fields[n]:
			return m.bareFields(line)
		}
		return line
	}
}

func (m *markdownDocument) bareRow(t *table, line string) string {
	cells := splitRow(readLine(line).text)
	for i, text := range cells {
		switch {
		case i == t.status && m.legend.isOnly(text):
			cells[i] = ""
		case i == t.name:
			cells[i] = m.bareText(text)
		}
	}
	return strings.Join(cells, "|") + "\n"
}

// bareTask removes the marks from the first line of an item or a heading.
func (m *markdownDocument) bareTask(b *block, line string) string {
	text := readLine(strings.TrimSuffix(line, "\n")).text
	task := trimProposal(text)
	if _, title := cutHeading(task); b.kind == heading && title != "" {
		task = title
	}
	if b.kind == item {
		task = withoutMarkers(task)
	}
	before, after, _ := strings.Cut(line, task)
	if b.box.sign != 0 {
		_, task = cutBox(task)
	}
	if again, rest := cutBox(task); b.box.sign != 0 && rest != "" && strings.ContainsRune(" xX", again.sign) {
		task = rest
	}
	return before + m.bareText(task) + after
}

// bareText removes a status, and the marks next to it, from the text of an entry.
func (m *markdownDocument) bareText(text string) string {
	text = trimCommits(trimTime(text))
	if inside := strings.TrimSuffix(strings.TrimPrefix(text, "~~"), "~~"); len(inside) == len(text)-4 && !strings.Contains(inside, "~~") {
		text = inside
	}
	name, level := cutLevel(text)
	if s, rest := m.legend.cutStatus(splitBrackets(name)); s != "" {
		return strings.TrimSpace(rest + " " + level)
	}
	return text
}

// bareFields removes the fields that are only a status from a line below a heading.
func (m *markdownDocument) bareFields(line string) string {
	parts := strings.Split(line, "|")
	for i, part := range parts {
		if name, value := cutField(part); slices.Contains(statusNames, name) && m.legend.isOnly(value) {
			parts[i] = ""
		}
	}
	return strings.Join(parts, "|")
}

// withoutMarkers removes the list markers before a text or a box.
func withoutMarkers(text string) string {
	for {
		width, _, rest := cutMarker(text)
		if box, _ := cutBox(text); width == 0 || box.sign != 0 || isBreak(text) {
			return text
		}
		text = rest
	}
}

// dropsCells reports whether rows of a plan have cells that are not a part of its entries.
func (m *markdownDocument) dropsCells(plan selection) bool {
	return slices.ContainsFunc(plan.blocks, func(i int) bool {
		b := &m.blocks[i]
		if b.kind != row {
			return false
		}
		shown := []int{b.table.name, b.table.status, b.table.priority}
		for i, cell := range splitRow(b.text) {
			if cell != "" && leadingDigits(cell) < len(cell) && !slices.Contains(shown, i) {
				return true
			}
		}
		return false
	})
}
