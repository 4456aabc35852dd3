package terminal

import (
	"slices"
	"strings"
)

// LastLines returns at most n of the last lines of a text that say something, each as [Line] and
// cut to so many columns. If there are more, the first one that mentions an error stands in place
// of the first of them.
func LastLines(text string, n, columns int) (last []string) {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(Line(line), "\ufffd \t"); len(strings.Trim(line, " \t{}[]()^")) > 0 {
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
