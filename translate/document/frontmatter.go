package document

import (
	"slices"
	"strings"
)

// A todo is one of the todos in the head of a document, as Cursor writes them.
type todo struct {
	line             int
	content          []byte
	cut              bool // there was more content
	status, priority string
}

// A headReader reads the lines of a head.
type headReader struct {
	lines   int
	steps   []step // the first todos that say something
	more    rest   // the others, open as far as is known
	inTodos bool   // below "todos:"
	dash    int    // the column of the todos' dashes, or -1
	todo    todo   // the one that is read
	column  int    // of the key of a content that may go on, or -1
}

// frontmatter splits the head, between lines of three dashes, off a document and reads the
// todos in it; lines is 0 if there is none. It reads lines, not YAML: models write what no
// YAML parser takes.
func frontmatter(document string) (todos []step, more rest, lines int, body string) {
	first, below, _ := strings.Cut(document, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, rest{}, 0, document
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
			return nil, rest{}, 0, document // a thematic break, and text
		}
	}
	r.finish()
	return r.steps, r.more, r.lines, below
}

// line reads a line, and reports whether it can be one of a head.
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

// set notes the value of a key that stands in a column.
func (r *headReader) set(key, value string, column int) {
	r.column = -1
	if slices.Contains([]string{">", "|", ">-", "|-"}, value) {
		value = "" // it is in the lines below
	}
	t := &r.todo
	switch {
	case slices.Contains(contentNames, key):
		if len(t.content) > 0 && key != "content" {
			return
		}
		value, t.cut = bounded(value)
		t.content, r.column = []byte(value), column
	case slices.Contains(statusNames, key):
		t.status = value
	case slices.Contains(priorityNames, key):
		t.priority = value
	}
}

// finish ends the todo that is read.
func (r *headReader) finish() {
	t := r.todo
	r.todo, r.column = todo{}, -1
	content := strings.TrimSpace(unquote(strings.TrimSpace(string(t.content))))
	if content == "" {
		return
	}
	if len(r.steps) == maxEntries {
		r.more = rest{r.more.n + 1, true}
		return
	}
	status := legend(nil).statusOf(strings.ToLower(unquote(t.status)))
	r.steps = append(r.steps, step{
		task: task{inline(content), status, priorityOf(unquote(t.priority))}, line: t.line, cut: t.cut,
	})
}

// cutKey splits "key: value".
func cutKey(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	if !ok || key == "" || strings.ContainsAny(key, " \t") || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return strings.Trim(key, `"'`), strings.TrimSpace(value), true
}

// isTodoKey reports whether a key is one that todos have.
func isTodoKey(key string) bool {
	return key == "id" || key == "dependencies" || slices.Contains(contentNames, key) ||
		slices.Contains(statusNames, key) || slices.Contains(priorityNames, key)
}

// escapes are what may stand for what in the double quotes of YAML.
var escapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, " ", `\t`, " ")

// unquote takes the quotes of YAML off a value, also off one that is still written.
func unquote(value string) string {
	if inside, found := strings.CutPrefix(value, `"`); found {
		return escapes.Replace(strings.TrimSuffix(inside, `"`))
	}
	if inside, found := strings.CutPrefix(value, "'"); found {
		return strings.ReplaceAll(strings.TrimSuffix(inside, "'"), "''", "'")
	}
	return value
}
