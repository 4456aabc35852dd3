package translate

import "strings"

// A todo is a step in the head of a document, as Cursor writes it.
type todo struct {
	line                      int
	content, status, priority string
	cut                       bool // there was more of the content
}

// todos are the todos that say something.
type todos struct {
	first  []todo // maxEntries at most
	number int
}

// frontmatter splits the head off a document, and reads the todos in it. It
// reads lines, not YAML: models write what no YAML parser takes.
func frontmatter(document string) (found todos, lines int, body string) {
	first, rest, _ := strings.Cut(document, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return todos{}, 0, document
	}
	r := todoReader{lines: 1}
	for rest != "" {
		var raw string
		var whole bool
		raw, rest, whole = strings.Cut(rest, "\n")
		r.lines++
		l := unindent(raw)
		if l.indent == 0 && (l.text == "---" || l.text == "...") {
			r.finish()
			return r.todos, r.lines, rest
		}
		if !r.line(l) && whole {
			return todos{}, 0, document // a rule, and text
		}
	}
	r.finish()
	return r.todos, r.lines, ""
}

// A todoReader reads the lines of a head.
type todoReader struct {
	lines   int
	todos   todos
	inside  bool // below todos:
	current todo
	last    *string
	more    []byte // what last goes on with
	column  int    // of the key that last belongs to
	dash    int    // column of the todos' dashes, plus one
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
		r.end()
		return keyed || r.lines > 2
	case !r.inside:
		return r.lines > 2
	case l.text[0] == '-' && (r.dash == 0 || l.indent+1 == r.dash):
		r.begin(l)
	case keyed && isTodoKey(key) && l.indent+1 > r.dash:
		r.set(key, value, l.indent)
	case r.last != nil && l.indent > r.column && len(*r.last)+len(r.more) < maxRaw:
		r.more = append(append(r.more, ' '), l.text[:min(len(l.text), maxRaw)]...)
	default:
		r.end()
	}
	return true
}

// end ends a value that may go on over lines.
func (r *todoReader) end() {
	if r.last != nil && len(r.more) > 0 {
		*r.last = strings.TrimSpace(*r.last + string(r.more))
	}
	r.last, r.more = nil, r.more[:0]
}

// begin reads the first line of a todo.
func (r *todoReader) begin(l line) {
	r.finish()
	r.dash, r.current.line = l.indent+1, r.lines
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
	r.end()
	r.column = column
	if r.dash == 0 {
		return
	}
	switch t := &r.current; key {
	case "content", "title", "text", "task", "description", "name":
		if t.content == "" || key == "content" {
			t.content, r.last = value, &t.content
			if len(value) > maxRaw {
				t.content, t.cut = strings.ToValidUTF8(value[:maxRaw], ""), true
			}
		}
	case "status", "state":
		t.status = value
	case "priority":
		t.priority = value
	}
}

// finish takes in the todo that is read, if it says something, without quotes.
func (r *todoReader) finish() {
	r.end()
	t := r.current
	t.content, t.status, t.priority = unquote(t.content), unquote(t.status), unquote(t.priority)
	r.current = todo{}
	if strings.TrimSpace(t.content) == "" {
		return
	}
	if r.todos.number++; len(r.todos.first) < maxEntries {
		r.todos.first = append(r.todos.first, t)
	}
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

// escapes are what may stand for what in the double quotes of YAML.
var escapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, " ", `\t`, " ")

// unquote takes the quotes of YAML off a value, also one that is still written.
func unquote(value string) string {
	if value == "" {
		return ""
	}
	switch quote := value[:1]; quote {
	case `"`:
		value = strings.TrimSuffix(value[1:], quote)
		return escapes.Replace(value)
	case `'`:
		return strings.ReplaceAll(strings.TrimSuffix(value[1:], quote), "''", "'")
	}
	return value
}
