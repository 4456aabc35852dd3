package editor

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// MaxSize is the size of the largest settings that are read, in bytes.
const MaxSize = 8 << 20

// A Document is the text of a file of settings: JSON, which may have comments and trailing commas.
// The text belongs to the caller, who must not change it while the Document is in use.
type Document struct {
	text []byte
	top  hujson.Value // null where there is nothing but space and comments
}

// Parse reads settings. An empty text, or one of comments only, stands for settings without
// entries. Errors have the line and the column.
func Parse(text []byte) (*Document, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("the file is larger than %d MiB", MaxSize>>20)
	}
	if tooDeep(text) {
		return nil, fmt.Errorf("the text is nested more than %d levels deep", maxDepth)
	}
	// hujson does not accept a byte order mark, and needs a line end after a comment at the end.
	// Spaces replace the mark, so that offsets stay those of the text.
	read := slices.Concat(text, []byte("\n"))
	if mark := []byte("\ufeff"); bytes.HasPrefix(text, mark) {
		copy(read, "   ")
	}
	top, err := hujson.Parse(read)
	if err != nil {
		if empty, e := hujson.Parse(append(read, "null"...)); e == nil {
			return &Document{text: text, top: empty}, nil
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := top.Value.(*hujson.Object); !ok {
		d := &Document{text: text}
		return nil, fmt.Errorf("%s: want an object with the settings", d.place(top.StartOffset))
	}
	return &Document{text: text, top: top}, nil
}

// maxDepth is the deepest nesting of settings. It bounds the parser's stack.
const maxDepth = 1000

// tooDeep reports whether a text ever has more than maxDepth open brackets outside of strings and
// comments.
func tooDeep(text []byte) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(text[i:], []byte("//")):
			i = endOf(text, i, "\n")
		case bytes.HasPrefix(text[i:], []byte("/*")):
			i = endOf(text, i+2, "*/")
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// endOf returns the offset of the last byte of the next such text after i, or the end of the text.
func endOf(text []byte, i int, next string) int {
	n := bytes.Index(text[i:], []byte(next))
	if n < 0 {
		return len(text)
	}
	return i + n + len(next) - 1
}

// place returns the line and column of an offset, for people.
func (d *Document) place(at int) string {
	before := d.text[:at]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), at-bytes.LastIndexByte(before, '\n'))
}

// members returns the members of an object, and nil for any other value.
func members(v hujson.Value) []hujson.ObjectMember {
	if o, ok := v.Value.(*hujson.Object); ok {
		return o.Members
	}
	return nil
}

// member returns the value of a member of an object, and nil if there is none. A repeated name is
// an error, because some readers take the first and some the last.
func (d *Document) member(of hujson.Value, name string) (*hujson.Value, error) {
	var found *hujson.Value
	for i, m := range members(of) {
		if text(m.Name) != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: %q is repeated, the first one ends before %s: remove one of the two",
				d.place(m.Name.StartOffset), name, d.place(found.StartOffset))
		}
		found = &members(of)[i].Value
	}
	return found, nil
}

// text returns the value of a string.
func text(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok {
		return l.String()
	}
	return ""
}

func isString(v *hujson.Value) bool { return v != nil && v.Value.Kind() == '"' }

func isNull(v *hujson.Value) bool { return v != nil && v.Value.Kind() == 'n' }

// lineEnd returns the line end that the text uses.
func (d *Document) lineEnd() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indent returns the space at the beginning of the line of an offset.
func (d *Document) indent(at int) string {
	line := d.text[1+bytes.LastIndexByte(d.text[:at], '\n') : at]
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns one step of indentation.
func (d *Document) unit() string {
	for _, m := range members(d.top) {
		if unit := d.indent(m.Name.StartOffset); unit != "" {
			return unit
		}
	}
	return "  "
}
