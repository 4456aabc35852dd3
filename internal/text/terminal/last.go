package terminal

import (
	"slices"
	"strings"
	"unicode"
)

// LastLines returns up to n of the last lines of a text, each as [Line] and cut to so many columns.
// It skips lines that are indented or have no letter, because they usually belong to a stack trace.
// If there are more lines, the first line that mentions an error replaces the first of the result.
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
