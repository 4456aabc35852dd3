package document

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"acpshim/translate/entry"
)

// cutLabels splits a status and a priority, in any order, off the ends of a text. A level like P1
// stays in rest, because people refer to it.
func (m *markdownDocument) cutLabels(text string) (s entry.Status, p entry.Priority, rest string) {
	rest = text
	for range 2 {
		if s == "" {
			name, level := cutLevel(rest)
			var left string
			if s, left = m.legend.cutStatus(splitBrackets(name)); s != "" {
				rest = strings.TrimSpace(cmp.Or(left, name) + " " + level)
			}
		}
		if p == "" {
			var left string
			p, left = cutPriority(rest, m.countsP)
			rest = cmp.Or(left, rest)
		}
	}
	if s != "" && p == "" {
		p, rest = cutLastPriority(rest)
	}
	return s, p, rest
}

// cutLevel splits a level, such as (P1), off the end of a text.
func cutLevel(text string) (rest, level string) {
	if i := strings.LastIndexByte(text, ' '); i > 0 && isLevel(strings.Trim(text[i+1:], punctuation)) {
		return strings.TrimSpace(text[:i]), text[i+1:]
	}
	return text, ""
}

// splitBrackets splits brackets at the end with a status and a priority: "(done, high priority)"
// becomes "(high) (done)".
func splitBrackets(text string) string {
	before, inside := cutBrackets(text)
	first, second, found := strings.Cut(inside, ",")
	if !found {
		return text
	}
	for _, both := range [][2]string{{first, second}, {second, first}} {
		p := "(" + strings.TrimSuffix(strings.ToLower(strings.TrimSpace(both[1])), " priority") + ")"
		if _, alone := wordPriority(p, 1, 2, false); alone && legend(nil).exact(both[0]) != "" {
			return before + p + " (" + strings.TrimSpace(both[0]) + ")"
		}
	}
	return text
}

// cutLastPriority splits a priority after a dash off the end of a text, but not if the text is
// like "from low - high". A text that is only a priority keeps it.
func cutLastPriority(text string) (p entry.Priority, rest string) {
	rest, word := cutDash(text)
	if word == "" {
		word = text
	}
	p = priorities()[strings.TrimSuffix(strings.ToLower(strings.Trim(word, "*_` ")), " priority")]
	before := strings.Fields(rest)
	if p == "" || rest != text && len(before) > 1 && priorities()[strings.ToLower(before[len(before)-1])] != "" {
		return "", text
	}
	return p, rest
}

// headingStatus returns the status in a heading or in the fields below it, or "".
func (m *markdownDocument) headingStatus(i int) entry.Status {
	if s, _ := m.fields(i); s != "" {
		return s
	}
	s, _, _ := m.cutLabels(strings.Trim(m.blocks[i].text, "*"))
	return s
}

// maxFields is how many blocks below a heading can be fields.
const maxFields = 4

// fields returns the status and the priority in fields like "**Status:** done" at the beginning of
// a section. One line can have several fields, separated by bars.
func (m *markdownDocument) fields(section int) (s entry.Status, p entry.Priority) {
	for i := range m.below(section) {
		for part := range strings.FieldsFuncSeq(m.blocks[i].text, func(c rune) bool { return c == '\n' || c == '|' }) {
			switch name, value := cutField(part); {
			case slices.Contains(statusNames, name):
				s = m.legend.statusOf(value)
				if found, _ := cutPriority(value, false); p == "" {
					p = found
				}
			case slices.Contains(priorityNames, name):
				p = priorityOf(value)
			}
		}
	}
	return s, p
}

// below returns the indexes of the blocks below a heading that can be its fields.
func (m *markdownDocument) below(section int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := section + 1; i < len(m.blocks) && i <= section+maxFields; i++ {
			if b := &m.blocks[i]; b.kind != paragraph && b.kind != item || !yield(i) {
				return
			}
		}
	}
}

// cutField splits a line like "**Status:** done". Name is in lower case, and empty if the line is
// not a field.
func cutField(line string) (name, value string) {
	name, value, found := strings.Cut(line, ":")
	if !found || len(name) > 40 {
		return "", ""
	}
	return strings.ToLower(strings.Trim(name, "*_- \t")), value
}
