package translate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds on what is shown of a document: some clients refuse more.
const (
	maxEntries = 100 // the last one says how many more there are
	maxContent = 200 // characters of an entry
)

// entries makes entries of points. Cut reports whether something was left out.
// Equal contents get the name of their section, as some clients tell entries by
// content; others keep theirs, and keep it while the document grows.
func (r *reading) entries(points []point) (entries []Entry, cut bool) {
	seen := map[string]bool{}
	for i, p := range points {
		if i == maxEntries-1 && len(points) > maxEntries {
			return append(entries, more(points[i:])), true
		}
		content := shorten(p.content)
		cut = cut || content != p.content
		if section := r.section(p.at); seen[content] && section != "" && section != content {
			content = shorten(section + ": " + content)
		}
		seen[content] = true
		if e, ok := legalEntry(content, string(p.priority), string(p.status), nil); ok {
			entries = append(entries, e)
		}
	}
	return entries, cut
}

// section is the heading that stands nearest above a place.
func (r *reading) section(at int) string {
	name := ""
	for _, h := range r.heads {
		if h.at >= at {
			break
		}
		name = h.content
	}
	return name
}

// more is the entry that stands for points that are too many.
func more(points []point) Entry {
	status := Completed
	for _, p := range points {
		if p.status != Completed && p.status != dropped {
			status = Pending
		}
	}
	return Entry{Content: fmt.Sprintf("… and %d more", len(points)), Priority: Medium, Status: status}
}

// shorten cuts a text at a word.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= maxContent {
		return text
	}
	end, n := 0, 0
	for end = range text {
		if n++; n == maxContent {
			break
		}
	}
	head := text[:end]
	if i := strings.LastIndexByte(head, ' '); i > end/2 && text[end] != ' ' {
		head = head[:i]
	}
	return strings.TrimRight(head, " ,;:-–—") + "…"
}
