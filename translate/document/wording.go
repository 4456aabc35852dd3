package document

import (
	"strings"
	"time"
	"unicode/utf8"
)

// trimNotes removes notes for tools from a task: the times of ExecPlans, the commits of Conductor,
// the labels of spec-kit, and dates.
func trimNotes(text string) string {
	return trimWords(trimCommits(trimTime(text)))
}

// trimTime removes a time in brackets from the beginning.
func trimTime(text string) string {
	inside, _, found := strings.Cut(text[:min(len(text), 48)], ")")
	if !found || inside == "" || inside[0] != '(' || !isDate(inside[1:]) {
		return text
	}
	return strings.TrimLeft(text[len(inside)+1:], separators)
}

// isDate reports whether a text begins with a date like 2026-01-31.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	return err == nil
}

// trimCommits removes [07ec315] and [checkpoint: 07ec315] from the end.
func trimCommits(text string) string {
	for strings.HasSuffix(text, "]") {
		before, inside := cutBrackets(text)
		if inside = strings.TrimSpace(inside); !strings.HasPrefix(inside, "checkpoint:") && !isCommit(inside) {
			break
		}
		text = strings.TrimSpace(before)
	}
	return text
}

func isCommit(text string) bool {
	text = strings.Trim(text, "`")
	return len(text) >= 7 && len(text) <= 40 && strings.Trim(text, "0123456789abcdef") == "" &&
		strings.ContainsAny(text, "0123456789")
}

// trimWords removes the labels of a numbered task, [P] (in parallel) and [US1] (its story), and
// dates after an emoji of Obsidian or a key like started:.
func trimWords(text string) string {
	numbered := text != "" && (isDigit(text[0]) || text[0] == 'T')
	dated := strings.Count(text, "-") >= 2
	if !numbered && !dated {
		return text
	}
	fields := strings.Fields(text)
	numbered = numbered && isNumber(fields[0])
	kept := fields[:0]
	for i := 0; i < len(fields); i++ {
		switch word := fields[i]; {
		case numbered && isLabel(word) && (i < 5 || i == len(fields)-1):
		case dated && isDateSign(word) && i+1 < len(fields) && isDate(fields[i+1]):
			i++
		case dated && isDateField(word):
		default:
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

func isLabel(word string) bool {
	return word == "[P]" || word == "(P)" || strings.HasPrefix(word, "[US") && strings.Trim(word[3:], "0123456789") == "]"
}

// isNumber reports whether a word is the number of a task: 1. or 1.1 or T001.
func isNumber(word string) bool {
	bare := strings.TrimPrefix(word, "T")
	return bare != "" && isDigit(bare[0]) && strings.Trim(bare, "0123456789.)*:") == ""
}

// isDateSign reports whether a word is an emoji that Obsidian puts before a date.
func isDateSign(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return strings.ContainsRune("📅⏳🛫➕✅❌🗓", r) && strings.TrimPrefix(word[size:], selector) == ""
}

// isDateField reports whether a word is a key with a date, like started:2026-01-31.
func isDateField(word string) bool {
	key, value, found := strings.Cut(word, ":")
	if !found || !isDate(value) {
		return false
	}
	switch key {
	case "started", "start", "completed", "done", "due", "created", "logged", "declined", "cancelled", "scheduled", "verified":
		return true
	}
	return false
}

// maxContent is the maximum content of an entry, in characters.
const maxContent = 200

func shorten(text string) string { return clip(text, maxContent) }

// clip shortens a text to at most that many characters, at the end of a word if possible.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	end, n := 0, 0
	for end = range text {
		if n++; n == most {
			break
		}
	}
	head := text[:end]
	if text[end] != ' ' {
		if i := strings.LastIndexByte(head, ' '); i > end/2 {
			head = head[:i]
		}
	}
	return strings.TrimRight(head, " ,;:-–—…") + "…"
}
