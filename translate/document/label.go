package document

import (
	"cmp"
	"slices"
	"strings"

	"acpshim/translate/entry"
)

// cutLabels splits off the status and the priority that a text names at its ends, in any
// order. A level like P1 stays in rest: people speak of it.
func (m *markdown) cutLabels(text string) (s entry.Status, p entry.Priority, rest string) {
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

// splitBrackets makes brackets at the end that hold both a status and a priority,
// "(done, high priority)", two: "(high) (done)".
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

// cutLastPriority splits a word of priority off the end of a text, behind a dash, but not
// of one like "from low - high". A text that is nothing else keeps it.
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

// headingStatus returns the status that a heading or the fields below it name, or "".
func (m *markdown) headingStatus(i int) entry.Status {
	if s, _ := m.fields(i); s != "" {
		return s
	}
	s, _, _ := m.cutLabels(strings.Trim(m.blocks[i].text, "*"))
	return s
}

// maxFields bounds the blocks below a heading that may be fields.
const maxFields = 4

// fields returns what fields like "**Status:** done" at the beginning of a section say; one
// line may have several, with bars between them.
func (m *markdown) fields(section int) (s entry.Status, p entry.Priority) {
	for i := section + 1; i < len(m.blocks) && i <= section+maxFields; i++ {
		b := &m.blocks[i]
		if b.kind != paragraph && b.kind != item {
			break
		}
		for part := range strings.FieldsFuncSeq(b.text, func(c rune) bool { return c == '\n' || c == '|' }) {
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

// cutField splits a line like "**Status:** done"; name is in lower case, and empty if the
// line is none that begins with a name.
func cutField(line string) (name, value string) {
	name, value, found := strings.Cut(line, ":")
	if !found || len(name) > 40 {
		return "", ""
	}
	return strings.ToLower(strings.Trim(name, "*_- \t")), value
}

// isField reports whether a line says nothing but how a step stands.
func isField(line string) bool {
	name, _ := cutField(line)
	return slices.Contains(statusNames, name) || slices.Contains(priorityNames, name)
}
