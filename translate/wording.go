package translate

import (
	"strings"
	"unicode/utf8"
)

// trimWording takes off a task what is there for tools: the time before an
// ExecPlan's step, the commits behind a Conductor's, spec-kit's labels, dates.
func trimWording(text string) string {
	text = trimTime(text)
	text = trimCommits(text)
	text = trimLabels(text)
	return trimDates(text)
}

// trimTime takes off a time in brackets at the beginning.
func trimTime(text string) string {
	if len(text) > 11 && text[0] == '(' && isDate(text[1:]) {
		if end := strings.IndexByte(text[:min(len(text), 48)], ')'); end > 0 {
			return strings.TrimLeft(text[end+1:], " :-–—")
		}
	}
	return text
}

// isDate reports whether a text begins with a date like 2026-01-31.
func isDate(text string) bool {
	if len(text) < 10 {
		return false
	}
	for i := range 10 {
		if digit := '0' <= text[i] && text[i] <= '9'; digit == (i == 4 || i == 7) {
			return false
		}
	}
	return text[4] == '-' && text[7] == '-'
}

// trimCommits takes off [07ec315] and [checkpoint: 07ec315] at the end.
func trimCommits(text string) string {
	for strings.HasSuffix(text, "]") {
		open := strings.LastIndexByte(text, '[')
		if open <= 0 {
			break
		}
		inside := strings.TrimSpace(text[open+1 : len(text)-1])
		if !strings.HasPrefix(inside, "checkpoint:") && !isCommit(inside) {
			break
		}
		text = strings.TrimSpace(text[:open])
	}
	return text
}

func isCommit(text string) bool {
	text = strings.Trim(text, "`")
	return len(text) >= 7 && len(text) <= 40 && strings.Trim(text, "0123456789abcdef") == "" &&
		strings.ContainsAny(text, "0123456789")
}

// trimLabels takes [P], (P) and [US1] off a numbered task: in parallel, and
// for which story.
func trimLabels(text string) string {
	fields := strings.Fields(text)
	if len(fields) < 2 || !isNumber(fields[0]) {
		return text
	}
	kept := fields[:1]
	for i, word := range fields[1:] {
		if label := word == "[P]" || word == "(P)" || isStory(word); label && (i < 4 || i == len(fields)-2) {
			continue
		}
		kept = append(kept, word)
	}
	return strings.Join(kept, " ")
}

func isStory(word string) bool {
	return strings.HasPrefix(word, "[US") && strings.Trim(word[3:], "0123456789") == "]"
}

// isNumber reports whether a word numbers a task: 1. or 1.1 or T001.
func isNumber(word string) bool {
	bare := strings.TrimPrefix(word, "T")
	return bare != "" && '0' <= bare[0] && bare[0] <= '9' && strings.Trim(bare, "0123456789.)*:") == ""
}

// trimDates takes off dates that are marked as such: by Obsidian's emoji or by
// a key like started:.
func trimDates(text string) string {
	if strings.Count(text, "-") < 2 {
		return text
	}
	fields := strings.Fields(text)
	kept := fields[:0]
	for i := 0; i < len(fields); i++ {
		r, size := utf8.DecodeRuneInString(fields[i])
		if strings.ContainsRune("📅⏳🛫➕✅❌🗓", r) && strings.TrimPrefix(fields[i][size:], selector) == "" &&
			i+1 < len(fields) && isDate(fields[i+1]) {
			i++
			continue
		}
		if key, value, found := strings.Cut(fields[i], ":"); found && isDate(value) && isDateKey(key) {
			continue
		}
		kept = append(kept, fields[i])
	}
	return strings.Join(kept, " ")
}

func isDateKey(key string) bool {
	switch key {
	case "started", "start", "completed", "done", "due", "created", "logged", "declined", "cancelled", "scheduled", "verified":
		return true
	}
	return false
}

// maxContent bounds the content of a rendered entry, in characters.
const maxContent = 200

// shorten cuts a text to maxContent characters, at a word if there is one.
func shorten(text string) string { return clip(text, maxContent) }

// clip cuts a text to that many characters, at a word if there is one.
func clip(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
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
