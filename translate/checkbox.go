package translate

import (
	"strings"
	"unicode/utf8"
)

// checkbox splits a list item into the sign of its box, a space for an empty
// one, and its text, which may be empty. Sloppy boxes count: [], [ x ], [x]text.
// A link is no box, nor is a number: that is a citation.
func checkbox(content string) (sign rune, task string, ok bool) {
	if !strings.HasPrefix(content, "[") {
		return 0, "", false
	}
	inside, _, found := strings.Cut(content[1:min(len(content), 9)], "]")
	if !found {
		return 0, "", false
	}
	task = content[len(inside)+2:]
	sign = ' '
	if inside = strings.TrimSpace(inside); inside != "" {
		size := 0
		if sign, size = utf8.DecodeRuneInString(inside); size != len(inside) || '0' <= sign && sign <= '9' {
			return 0, "", false
		}
	}
	if task != "" && task[0] != ' ' && (strings.IndexByte("([:", task[0]) >= 0 || !strings.ContainsRune(" xX", sign)) {
		return 0, "", false
	}
	return sign, strings.TrimSpace(task), true
}

// boxed is what a box and its text say of a step. Parent tells that the item has
// boxes below it.
//
// [-] is cancelled in Obsidian and in progress in Kiro, which numbers its tasks
// and nests them; [>] is deferred, or started with a date.
func boxed(sign rune, task string, parent bool) (Status, Priority) {
	switch sign {
	case 'x', 'X':
		return Completed, Medium
	case '/', '~':
		return InProgress, Medium
	case '-':
		if parent || numbered(task) {
			return InProgress, Medium
		}
		return dropped, Medium
	case '>':
		if strings.Contains(task, "started:") {
			return InProgress, Medium
		}
	case '!':
		return Pending, High
	}
	return Pending, Medium
}

// dropped is a status that version 1 does not have: see legalEntry.
const dropped Status = "cancelled"

// numbered reports whether a text begins with a number as in "2." or "2.1 ".
func numbered(text string) bool {
	rest := strings.TrimLeft(text, "0123456789.")
	head := text[:len(text)-len(rest)]
	return strings.HasPrefix(rest, " ") && strings.Contains(head, ".") && head[0] != '.'
}
