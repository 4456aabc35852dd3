package translate

import "strings"

// A table is the head of a table: which column holds what; -1 is none.
type table struct{ name, status, priority, columns int }

// newTable reads the cells of a head.
func newTable(cells []string) *table {
	t := &table{-1, -1, -1, len(cells)}
	for i, cell := range cells {
		switch name := strings.ToLower(inline(cell)); {
		case t.status < 0 && (name == "status" || name == "state" || name == "progress" || name == "done" || name == "done?" ||
			name == "状態" || name == "ステータス" || name == "状态" || name == "statut" || name == "estado"):
			t.status = i
		case t.priority < 0 && (name == "priority" || name == "prio" || name == "優先度" || name == "优先级"):
			t.priority = i
		case name == "#" || name == "id" || name == "no" || name == "no." || name == "nr":
		case t.name < 0:
			t.name = i
		}
	}
	return t
}

// isDelimiter reports whether a line stands between the head of a table and
// its rows.
func isDelimiter(text string) bool {
	return strings.Contains(text, "-") && strings.Contains(text, "|") && strings.Trim(text, "|-: \t") == ""
}

// splitRow returns the cells of a row. A line that is none is one cell.
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

const maxColumns = 32

// cell returns a cell of a row, or "".
func cell(cells []string, i int) string {
	if i < 0 || i >= len(cells) {
		return ""
	}
	return cells[i]
}
