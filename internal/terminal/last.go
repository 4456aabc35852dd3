package terminal

import (
	"slices"
	"strings"
	"unicode"
)

// LastLines returns at most n of the last lines of a text that say something, each as [Line] and
// cut to so many columns. Those that are indented, or without a letter, do not: where programs
// fail, they belong to a trace of calls. If there are more, the first one that mentions an error
// stands in place of the first of them.
func LastLines(text string, n, columns int) (last []string) {
	var all []string
	for line := range strings.Lines(text) {
		isIndented := line[0] == ' ' || line[0] == '\t'
		if line = strings.TrimRight(Line(line), "\ufffd \t"); !isIndented && strings.ContainsFunc(line, unicode.IsLetter) {
			all = append(all, Cut(line, columns))
		}
	}
	if len(all) <= n {
		return all
	}
	last = all[len(all)-n:]
	first := slices.IndexFunc(all, func(line string) bool { return strings.Contains(strings.ToLower(line), "error:") })
	if first >= 0 && first < len(all)-n {
		last = append([]string{all[first]}, last[1:]...)
	}
	return last
}
