package document

import "strings"

// Hides reports whether a document has anything that its entries do not show word for word, such as
// a title, a comment, or the target of a link. List markers and the marks of entries do not count.
// It is false for a document in JSON.
func Hides(text string) bool {
	if _, ok := readJSON(text); ok {
		return false
	}
	text = strings.TrimPrefix(text, "\ufeff")
	todos, _, lines, body := frontmatter(text)
	if len(todos) > 0 || len(text) > maxDocument {
		return true
	}
	s := scanner{lines: lines, section: -1}
	s.scan(body)
	m := newMarkdown(s.blocks)
	shown := map[int]string{} // contents of entries, by line
	for _, i := range m.plan().blocks {
		if b := &m.blocks[i]; b.kind != row {
			shown[b.line] = m.task(i).content
		}
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		said := m.said(line)
		content, isEntry := shown[n]
		hasMarkup := strings.ContainsAny(said, "]<>~&") // which may hide a part
		if isShown := isEntry && (content == said || !hasMarkup && content == inline(said)); said != "" && !isShown {
			return true
		}
	}
	return false
}

// said returns what a line says besides markers and marks.
func (m *markdownDocument) said(line string) string {
	_, said := cutBox(withoutMarkers(readLine(strings.TrimSuffix(line, "\n")).text))
	if _, title := cutHeading(said); title != "" {
		said = title
	}
	return m.bareText(said)
}
