package translate

import "strings"

// ends reads the status and the priority that a text names at its ends, in any
// order, and takes them off. A level like P1 stays: people speak of it.
func (r *reading) ends(text string) (s Status, p Priority, rest string) {
	rest = text
	for range 2 {
		if s == "" {
			name, level := cutLevel(rest)
			said, left := r.legend.strip(shared(name))
			if left == "" {
				left = name
			}
			if s = said; s != "" {
				rest = strings.TrimSpace(left + " " + level)
			}
		}
		if p == "" {
			level, left := priority(rest, r.countsP())
			if p = level; left != "" {
				rest = left
			}
		}
	}
	if s != "" && p == "" {
		p, rest = bareLevel(rest)
	}
	return s, p, rest
}

// cutLevel splits a level, such as (P1), off the end of a text.
func cutLevel(text string) (rest, level string) {
	if i := strings.LastIndexByte(text, ' '); i > 0 && isLevel(strings.Trim(text[i+1:], "([])*:,.;")) {
		return strings.TrimSpace(text[:i]), text[i+1:]
	}
	return text, ""
}

// shared splits brackets at the end that say both, (done, high priority), in two.
func shared(text string) string {
	open := strings.LastIndexAny(text, "([")
	if open <= 0 || !strings.ContainsAny(text[len(text)-1:], ")]") {
		return text
	}
	first, second, found := strings.Cut(text[open+1:len(text)-1], ",")
	if !found {
		return text
	}
	for _, both := range [][2]string{{first, second}, {second, first}} {
		level := "(" + strings.TrimSuffix(strings.ToLower(strings.TrimSpace(both[1])), " priority") + ")"
		if _, alone := tagged(level, 1, 2, false); alone && legend(nil).exact(both[0]) != "" {
			return text[:open] + level + " (" + strings.TrimSpace(both[0]) + ")"
		}
	}
	return text
}

// bareLevel takes a word of priority off the end of a text, behind a dash, but
// not of one like "from low - high". A text that is nothing else keeps it.
func bareLevel(text string) (p Priority, rest string) {
	word := text
	rest = text
	for _, dash := range []string{" — ", " – ", " - ", " | "} {
		if i := strings.LastIndex(text, dash); i > 0 {
			rest, word = strings.TrimSpace(text[:i]), text[i+len(dash):]
			break
		}
	}
	word = strings.TrimSuffix(strings.ToLower(strings.Trim(word, "*_` ")), " priority")
	p = priorities[word]
	_, before, _ := strings.Cut(rest, " ")
	if p == "" || rest != text && priorities[strings.ToLower(before[strings.LastIndexByte(before, ' ')+1:])] != "" {
		return "", text
	}
	return p, rest
}
