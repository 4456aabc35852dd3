package document

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"acpshim/translate/entry"
)

// punctuation can surround a word that names a priority.
const punctuation = "([])*:,.;"

// priorityOf returns the priority in a text that should be one, such as a cell of a table, or "".
func priorityOf(text string) entry.Priority {
	text, p := cutFlags(strings.Trim(text, " \t\n*_`[]()"))
	if p != "" {
		return p
	}
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return priorities()[strings.Trim(first, "`"+punctuation)]
}

// isLevel reports whether a word is one of P0 to P4.
func isLevel(word string) bool {
	return len(word) == 2 && word[0]|0x20 == 'p' && '0' <= word[1] && word[1] <= '4'
}

// cutPriority splits the priority off a text. P0 to P4 count, but stay in the text. With numbered,
// a P1 at the beginning is the number of a step.
func cutPriority(text string, numbered bool) (p entry.Priority, rest string) {
	text, p = cutFlags(text)
	if !mayNamePriority(text) {
		return p, text
	}
	fields := strings.Fields(text)
	kept := fields[:0]
	before := ""
	for i, word := range fields {
		found, drop := wordPriority(word, i, len(fields), numbered)
		if found == "" && strings.EqualFold(strings.TrimRight(word, ")]"), "priority") {
			found = priorities()[strings.ToLower(strings.TrimLeft(before, "(["))]
			if drop = found != "" && isOpen(before); drop && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
		}
		p = cmp.Or(p, found)
		if !drop {
			kept = append(kept, word)
		}
		before = word
	}
	return p, strings.Join(kept, " ")
}

func isOpen(word string) bool { return word != "" && (word[0] == '(' || word[0] == '[') }

// mayNamePriority reports whether a text can name a priority. It is a fast check.
func mayNamePriority(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			return true
		case 'P', 'p':
			if next := text[i+1:]; next != "" && '0' <= next[0] && next[0] <= '4' || strings.HasPrefix(next, "riority") {
				return true
			}
		}
	}
	return false
}

// wordPriority returns the priority in word i of n, such as (high), [P1] or priority:low. Alone
// reports whether the word is only a priority.
func wordPriority(word string, i, n int, numbered bool) (p entry.Priority, alone bool) {
	bare := strings.ToLower(strings.Trim(word, punctuation))
	if isLevel(bare) {
		if i == 0 && !numbered || i > 0 && i == n-1 || isOpen(word) {
			return priorities()[bare], false
		}
		return "", false
	}
	if key, value, _ := strings.Cut(strings.TrimLeft(word, "#["), ":"); strings.EqualFold(key, "priority") {
		p = priorities()[strings.ToLower(strings.TrimRight(value, "]),;"))]
		return p, p != ""
	}
	if level, found := strings.CutSuffix(bare, "-priority"); found {
		return priorities()[level], priorities()[level] != "" && isOpen(word)
	}
	if n := len(word); isOpen(word) && (word[n-1] == ')' || word[n-1] == ']') {
		switch bare := strings.ToLower(word[1 : n-1]); bare {
		case "critical", "urgent", "high", "medium", "low", "高", "中", "低", "hoch", "mittel", "niedrig":
			return priorities()[bare], true
		}
	}
	return "", false
}

// cutFlags removes the emoji of priorities from a text. P is the priority of the first one.
func cutFlags(text string) (rest string, p entry.Priority) {
	if utf8.RuneCountInString(text) == len(text) {
		return text, ""
	}
	flagged := false
	rest = strings.Map(func(r rune) rune {
		level := flags()[string(r)]
		p = cmp.Or(p, level)
		if level != "" || flagged && string(r) == selector {
			flagged = true
			return -1
		}
		flagged = false
		return r
	}, text)
	if p == "" {
		return text, p
	}
	return oneLine(rest), p
}

// sectionPriority returns the priority in a heading: "(Priority: P1)", "High Priority" or
// "P0 - Must".
func (m *markdownDocument) sectionPriority(text string) entry.Priority {
	lower := strings.ToLower(text)
	if _, after, found := strings.Cut(lower, "priority:"); found {
		return priorityOf(after)
	}
	if before, _, found := strings.Cut(lower, " priority"); found {
		return priorities()[strings.Trim(before[strings.LastIndexByte(before, ' ')+1:], "*(#[")]
	}
	if p, _ := cutPriority(text, false); p != "" {
		return p
	}
	_, p, _ := m.cutLabels(text)
	return p
}

// inherited returns the priority of a section, or of the nearest section around it that has one.
func (m *markdownDocument) inherited(section int) (p entry.Priority) {
	if section < 0 {
		return ""
	}
	p, known := m.priorities[section]
	if !known {
		p = cmp.Or(m.sectionPriority(m.blocks[section].text), m.inherited(m.blocks[section].section))
		m.priorities[section] = p
	}
	return p
}
