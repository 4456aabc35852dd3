package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Table writes rows below their heads, in columns. Those of right have what is in them
// at their right side. It writes nothing if there are no rows.
func Table(w io.Writer, heads []string, right map[string]bool, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	return Aligned(w, append([][]string{heads}, rows...), func(column int) bool { return right[heads[column]] })
}

// Aligned writes rows in columns, with two spaces between them. Right may be nil.
func Aligned(w io.Writer, rows [][]string, right func(column int) bool) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(oneLine(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = oneLine(cell)
			if right != nil && right(i) {
				cell = strings.Repeat(" ", widths[i]-Width(cell)) + cell
			}
			b.WriteString(Pad(cell, widths[i]) + "  ")
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// Beside puts a text beside another, each on one line of a column of that width.
func Beside(left, right string, columns int) string {
	line := "  " + Pad(Cut(oneLine(left), columns), columns) + "  " + Cut(oneLine(right), columns)
	return strings.TrimRight(Cut(line, 2*columns+4), " ") + "\n"
}

// oneLine is a text without what takes more columns, or fewer, than one knows.
func oneLine(text string) string { return strings.ReplaceAll(Line(text), "\t", " ") }
