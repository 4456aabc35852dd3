package document

import (
	"slices"
	"strings"
)

// A todo is one of the todos in the frontmatter of a document, as Cursor writes them.
type todo struct {
	line             int
	content          []byte
	cut              bool // the content is truncated
	status, priority string
}

// A headReader reads the lines of a frontmatter.
type headReader struct {
	lines   int
	steps   []step   // the first maxEntries todos with content
	more    overflow // the others, which count as open
	inTodos bool     // the line is below "todos:"
	dash    int      // the column of the todos' dashes, or -1
	todo    todo     // the current one
	column  int      // of the key of a content that may continue, or -1
}

// frontmatter splits the frontmatter, between lines of three dashes, off a document and reads its
// todos. Lines is the number of its lines, 0 without frontmatter. It reads line by line, because
// models write YAML that parsers refuse.
func frontmatter(document string) (todos []step, more overflow, lines int, body string) {
	first, below, _ := strings.Cut(document, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, overflow{}, 0, document
	}
	r := headReader{lines: 1, dash: -1, column: -1}
	for below != "" {
		raw, next, whole := strings.Cut(below, "\n")
		below = next
		r.lines++
		l := unindent(raw)
		if l.indent == 0 && (l.text == "---" || l.text == "...") {
			break
		}
		if !r.line(l) && whole {
			return nil, overflow{}, 0, document // it began with a thematic break
		}
	}
	r.finish()
	return r.steps, r.more, r.lines, below
}

// line reads a line, and reports whether it can be part of a frontmatter.
func (r *headReader) line(l line) bool {
	key, value, keyed := cutKey(l.text)
	switch {
	case l.text == "" || l.text[0] == '#':
		return true
	case l.indent == 0 && l.text[0] != '-':
		r.inTodos, r.column = keyed && key == "todos", -1
		return keyed || r.lines > 2
	case !r.inTodos:
		return r.lines > 2
	case l.text[0] == '-' && (r.dash < 0 || l.indent == r.dash):
		r.begin(l)
	case keyed && isTodoKey(key) && l.indent > r.dash && r.dash >= 0:
		r.set(key, value, l.indent)
	case r.column >= 0 && l.indent > r.column && len(r.todo.content) < maxText:
		r.todo.content = append(append(r.todo.content, ' '), l.text[:min(len(l.text), maxText)]...)
	default:
		r.column = -1
	}
	return true
}

// begin reads the first line of a todo.
func (r *headReader) begin(l line) {
	r.finish()
	r.dash, r.todo.line = l.indent, r.lines
	text := strings.TrimSpace(l.text[1:])
	if key, value, ok := cutKey(text); ok && isTodoKey(key) {
		r.set(key, value, l.indent+2)
	} else if text != "" {
		r.set("content", text, l.indent+2)
	}
}

// set sets the value of a key in the current todo. Column is that of the key.
func (r *headReader) set(key, value string, column int) {
	r.column = -1
	if slices.Contains([]string{">", "|", ">-", "|-"}, value) {
		value = "" // the lines below have it
	}
	t := &r.todo
	switch {
	case slices.Contains(contentNames, key):
		if len(t.content) > 0 && key != "content" {
			return
		}
		value, t.cut = truncate(value)
		t.content, r.column = []byte(value), column
	case slices.Contains(statusNames, key):
		t.status = value
	case slices.Contains(priorityNames, key):
		t.priority = value
	}
}

// finish adds the current todo to the steps.
func (r *headReader) finish() {
	t := r.todo
	r.todo, r.column = todo{}, -1
	content := strings.TrimSpace(unquote(strings.TrimSpace(string(t.content))))
	if content == "" {
		return
	}
	if len(r.steps) == maxEntries {
		r.more = overflow{r.more.n + 1, true}
		return
	}
	status := legend(nil).statusOf(strings.ToLower(unquote(t.status)))
	r.steps = append(r.steps, step{
		task: task{inline(content), status, priorityOf(unquote(t.priority))}, line: t.line, cut: t.cut,
	})
}

func cutKey(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	if !ok || key == "" || strings.ContainsAny(key, " \t") || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return strings.Trim(key, `"'`), strings.TrimSpace(value), true
}

func isTodoKey(key string) bool {
	return key == "id" || key == "dependencies" || slices.Contains(contentNames, key) ||
		slices.Contains(statusNames, key) || slices.Contains(priorityNames, key)
}

// escapes decodes the escapes in double quotes of YAML.
var escapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, " ", `\t`, " ")

// unquote removes the quotes of YAML from a value. The closing one may be missing.
func unquote(value string) string {
	if inside, found := strings.CutPrefix(value, `"`); found {
		return escapes.Replace(strings.TrimSuffix(inside, `"`))
	}
	if inside, found := strings.CutPrefix(value, "'"); found {
		return strings.ReplaceAll(strings.TrimSuffix(inside, "'"), "''", "'")
	}
	return value
}
