package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table writes rows below their heads, in columns with two spaces between them. A column whose head
// begins with > is aligned to the right. Table writes no heads if heads is nil or there are no
// rows.
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

// Beside returns two lists of lines next to each other, on at most 80 columns.
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

// oneLine returns a text without runes whose width is unknown.
func oneLine(text string) string { return strings.ReplaceAll(Line(text), "\t", " ") }
