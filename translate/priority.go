package translate

import (
	"strings"
	"unicode/utf8"
)

var priorities = map[string]Priority{
	"p0": High, "p1": High, "p2": Medium, "p3": Low, "p4": Low,
	"critical": High, "urgent": High, "highest": High, "high": High, "hoch": High, "高": High, "alta": High, "haute": High,
	"medium": Medium, "normal": Medium, "moderate": Medium, "mittel": Medium, "中": Medium, "media": Medium, "moyenne": Medium,
	"low": Low, "lowest": Low, "minor": Low, "niedrig": Low, "低": Low, "baja": Low, "basse": Low,
}

// flags are the emoji of a priority.
var flags = map[rune]Priority{
	'🔺': High, '⏫': High, '‼': High, '❗': High, '🔥': High,
	'🔼': Medium, '🔽': Low, '⏬': Low,
}

// priorityOf reads a text that is said to be a priority.
func priorityOf(text string) Priority {
	text = strings.ToLower(strings.Trim(text, " \t\n*_`[]()"))
	if r, size := utf8.DecodeRuneInString(text); r > 0x2000 && r < 0x3000 || r >= 0x1f000 {
		if p, ok := flags[r]; ok {
			return p
		}
		text = strings.TrimLeft(text[size:], selector+" ")
	}
	first, _, _ := strings.Cut(text, " ")
	return priorities[strings.Trim(first, ".,:;*`)]")]
}

// isLevel reports whether a word is one of P0 to P4.
func isLevel(word string) bool {
	return len(word) == 2 && (word[0] == 'P' || word[0] == 'p') && '0' <= word[1] && word[1] <= '4'
}

// priority reads the priority that a text names, and takes off what says
// nothing else. P0 to P4 stay: people speak of them. With numbered, P1 at the
// beginning is a number.
func priority(text string, numbered bool) (p Priority, rest string) {
	text, p = unflag(text)
	if !mayName(text) {
		return p, text
	}
	fields := strings.Fields(text)
	kept := fields[:0]
	for i, word := range fields {
		level, drop := tagged(word, i, len(fields), numbered)
		if level == "" && i > 0 && strings.EqualFold(strings.TrimRight(word, ")]"), "priority") {
			level = priorities[strings.ToLower(strings.TrimLeft(fields[i-1], "(["))]
			if drop = level != "" && strings.ContainsAny(fields[i-1][:1], "(["); drop && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
		}
		if level != "" && p == "" {
			p = level
		}
		if !drop {
			kept = append(kept, word)
		}
	}
	return p, strings.Join(kept, " ")
}

// mayName reports whether a text can name a priority: the words need not be
// looked at one by one in most.
func mayName(text string) bool {
	for i := 0; i < len(text); i++ {
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

// tagged reads a priority that is one word among others: (high), [P1],
// priority:low. Drop reports whether the word says nothing else.
func tagged(word string, i, n int, numbered bool) (p Priority, drop bool) {
	if bare := strings.Trim(word, "([])*:,.;"); isLevel(bare) {
		bracketed := strings.ContainsAny(word[:1], "([")
		if i == 0 && !numbered || i == n-1 && i > 0 || bracketed {
			return priorities[strings.ToLower(bare)], false
		}
		return "", false
	}
	if key, value, found := strings.Cut(strings.TrimLeft(word, "#["), ":"); found && strings.EqualFold(key, "priority") {
		p = priorities[strings.ToLower(strings.TrimRight(value, "]),;"))]
		return p, p != ""
	}
	if level, found := strings.CutSuffix(strings.ToLower(strings.Trim(word, "([])*:,.;")), "-priority"); found {
		return priorities[level], priorities[level] != "" && strings.ContainsAny(word[:1], "([")
	}
	if n := len(word); n > 2 && (word[0] == '(' && word[n-1] == ')' || word[0] == '[' && word[n-1] == ']') {
		switch bare := strings.ToLower(word[1 : n-1]); bare {
		case "critical", "urgent", "high", "medium", "low", "高", "中", "低", "hoch", "mittel", "niedrig":
			return priorities[bare], true
		}
	}
	return "", false
}

// unflag takes the emoji of priorities off a text.
func unflag(text string) (rest string, p Priority) {
	if isASCII(text) {
		return text, ""
	}
	var b strings.Builder
	flagged := false
	for _, r := range text {
		if flagged && r == 0xfe0f {
			continue
		}
		if level, ok := flags[r]; ok {
			if flagged = true; p == "" {
				p = level
			}
			continue
		}
		flagged = false
		b.WriteRune(r)
	}
	if p == "" {
		return text, p
	}
	return strings.Join(strings.Fields(b.String()), " "), p
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// sectionPriority is the priority that a heading gives to what is below it:
// "(Priority: P1)", "High Priority", "P0 - Must".
func (r *reading) sectionPriority(text string) Priority {
	lower := strings.ToLower(text)
	if i := strings.Index(lower, "priority:"); i >= 0 {
		return priorityOf(strings.TrimRight(text[i+len("priority:"):], ")]* "))
	}
	if i := strings.Index(lower, " priority"); i > 0 {
		before := lower[:i]
		return priorities[strings.Trim(before[strings.LastIndexByte(before, ' ')+1:], "*(#[")]
	}
	if p, _ := priority(text, false); p != "" {
		return p
	}
	_, p, _ := r.ends(text)
	return p
}
