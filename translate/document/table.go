package document

import (
	"slices"
	"strings"
)

// A table has the columns of a table by their meaning, or -1, and their number.
type table struct{ name, status, priority, columns int }

// The names of statuses and priorities, in lower case: in the head of a table, in a line such as
// "Status: done", or as the key of a todo.
var (
	statusNames   = []string{"status", "state", "状態", "ステータス", "状态", "statut", "estado", "статус"}
	priorityNames = []string{"priority", "prio", "priorität", "優先度", "优先级"}
)

// Other heads of columns with a status, and heads of columns with the number of a row.
var (
	progressNames = []string{"progress", "done", "done?"}
	numberNames   = []string{"#", "id", "no", "no.", "nr"}
)

func newTable(cells []string) *table {
	t := &table{-1, -1, -1, len(cells)}
	for i, cell := range cells {
		name := strings.ToLower(inline(cell))
		switch in := func(names []string) bool { return slices.Contains(names, name) }; {
		case t.status < 0 && (in(statusNames) || in(progressNames)):
			t.status = i
		case t.priority < 0 && in(priorityNames):
			t.priority = i
		case t.name < 0 && !in(numberNames):
			t.name = i
		}
	}
	return t
}

// isDelimiter reports whether a line is the one between the head of a table and its rows.
func isDelimiter(text string) bool {
	return strings.Contains(text, "-") && strings.Contains(text, "|") && strings.Trim(text, "|-: \t") == ""
}

// maxColumns is the maximum number of cells of a row.
const maxColumns = 32

// splitRow returns the cells of a row. A line that is not a row is one cell.
func splitRow(text string) []string {
	if !strings.Contains(text, "|") {
		return []string{text}
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "|"), "|")
	var cells []string
	start, coded := 0, false
	for i := 0; i < len(text) && len(cells) < maxColumns; i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '`':
			coded = !coded
		case text[i] == '|' && !coded:
			cells = append(cells, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(cells, strings.TrimSpace(text[min(start, len(text)):]))
}

func cell(cells []string, i int) string {
	if i < 0 || i >= len(cells) {
		return ""
	}
	return cells[i]
}
