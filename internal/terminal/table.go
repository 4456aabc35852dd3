package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table writes rows below their heads, in columns with two spaces between them. A column whose head
// begins with > has what is in it at its right side. It writes nothing if there are no rows, and no
// heads if they are nil.
func Table(w io.Writer, heads []string, rows [][]string) error {
	if len(rows) > 0 && heads != nil {
		shown := slices.Clone(heads)
		for i, head := range heads {
			shown[i] = strings.TrimPrefix(head, ">")
		}
		rows = append([][]string{shown}, rows...)
	}
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
			if i < len(heads) && strings.HasPrefix(heads[i], ">") {
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

// Beside puts lines beside others, in two columns on 80 of a terminal, whatever they say.
func Beside(left, right []string) string {
	const width = 38
	var b strings.Builder
	for i := range max(len(left), len(right)) {
		cell := func(lines []string) string {
			if i >= len(lines) {
				return ""
			}
			return Cut(oneLine(lines[i]), width)
		}
		line := "  " + Pad(cell(left), width) + "  " + cell(right)
		b.WriteString(strings.TrimRight(Cut(line, 2*width+4), " ") + "\n")
	}
	return b.String()
}

// oneLine is a text without what takes more columns, or fewer, than one knows.
func oneLine(text string) string { return strings.ReplaceAll(Line(text), "\t", " ") }
