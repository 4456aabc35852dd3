package translate

import "strings"

// A todo is a step in the head of a document, as Cursor writes it.
type todo struct {
	line                      int
	content, status, priority string
}

// frontmatter splits the head off a document, and reads the todos in it. It
// reads lines, not YAML: models write what no YAML parser takes.
func frontmatter(document string) (todos []todo, lines int, body string) {
	first, rest, _ := strings.Cut(document, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, 0, document
	}
	r := todoReader{lines: 1}
	for rest != "" {
		var raw string
		var whole bool
		raw, rest, whole = strings.Cut(rest, "\n")
		r.lines++
		l := unindent(raw)
		if l.indent == 0 && (l.text == "---" || l.text == "...") {
			return r.finish(), r.lines, rest
		}
		if !r.line(l) && whole {
			return nil, 0, document // a rule, and text
		}
	}
	return r.finish(), r.lines, ""
}

// A todoReader reads the lines of a head.
type todoReader struct {
	lines  int
	todos  []todo
	inside bool // below todos:
	last   *string
	column int // of the key that last belongs to
	dash   int // column of the todos' dashes, plus one
}

// line reads a line, and reports whether it can be one of a head.
func (r *todoReader) line(l line) bool {
	key, value, keyed := splitKey(l.text)
	switch {
	case l.blank() || l.text[0] == '#':
		return true
	case l.indent == 0 && l.text[0] != '-':
		if r.inside = keyed && key == "todos"; !keyed && r.lines == 2 {
			return false
		}
		r.last = nil
		return keyed || r.lines > 2
	case !r.inside:
		return r.lines > 2
	case l.text[0] == '-' && (r.dash == 0 || l.indent+1 == r.dash):
		r.begin(l)
	case keyed && isTodoKey(key) && l.indent+1 > r.dash:
		r.set(key, value, l.indent)
	case r.last != nil && l.indent > r.column && len(*r.last) < maxRaw:
		*r.last = strings.TrimSpace(*r.last + " " + l.text)
	default:
		r.last = nil
	}
	return true
}

// begin reads the first line of a todo.
func (r *todoReader) begin(l line) {
	r.dash = l.indent + 1
	r.todos = append(r.todos, todo{line: r.lines})
	text := strings.TrimSpace(l.text[1:])
	if key, value, ok := splitKey(text); ok && isTodoKey(key) {
		r.set(key, value, l.indent+2)
	} else if text != "" {
		r.set("content", text, l.indent+2)
	}
}

func (r *todoReader) set(key, value string, column int) {
	if value == ">" || value == "|" || value == ">-" || value == "|-" {
		value = ""
	}
	r.last, r.column = nil, column
	if len(r.todos) == 0 {
		return
	}
	switch t := &r.todos[len(r.todos)-1]; key {
	case "content", "title", "text", "task", "description", "name":
		if t.content == "" || key == "content" {
			t.content = value
			r.last = &t.content
		}
	case "status", "state":
		t.status = value
	case "priority":
		t.priority = value
	}
}

// finish returns the todos that say something, without quotes.
func (r *todoReader) finish() []todo {
	var said []todo
	for _, t := range r.todos {
		t.content, t.status, t.priority = unquote(t.content), unquote(t.status), unquote(t.priority)
		if strings.TrimSpace(t.content) != "" {
			said = append(said, t)
		}
	}
	return said
}

// splitKey splits "key: value".
func splitKey(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	if !ok || key == "" || strings.ContainsAny(key, " \t") || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return strings.Trim(key, `"'`), strings.TrimSpace(value), true
}

func isTodoKey(key string) bool {
	switch key {
	case "id", "content", "title", "text", "task", "description", "name", "status", "state", "priority", "dependencies":
		return true
	}
	return false
}

// unquote takes the quotes of YAML off a value, also one that is still written.
func unquote(value string) string {
	if value == "" {
		return ""
	}
	switch quote := value[:1]; quote {
	case `"`:
		value = strings.TrimSuffix(value[1:], quote)
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, " ", `\t`, " ").Replace(value)
	case `'`:
		return strings.ReplaceAll(strings.TrimSuffix(value[1:], quote), "''", "'")
	}
	return value
}
