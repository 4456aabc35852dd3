package redact

import (
	_ "embed"
	"iter"
	"strings"
)

// Tables that people extend; each says in its first lines what it has.
var (
	//go:embed shapes.txt
	shapeTable string
	//go:embed commands.txt
	commandTable string
	//go:embed names.txt
	nameTable string
)

// rows yields the rows of a table. A line that begins with a space goes on with the one before it,
// and one that begins with # is a comment.
func rows(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for row := range strings.SplitSeq(strings.ReplaceAll(table, "\n  ", " "), "\n") {
			if row != "" && row[0] != '#' && !yield(row) {
				return
			}
		}
	}
}
