package editor

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A slot is the place for a new member or element: after the last one, and after a comment on its
// line. The text from start to at, such as the comment, stays before the new one. The new one
// replaces the space from at to end.
type slot struct {
	start, at, end int
	comma          bool   // one is missing at start, after the last member
	trailing       bool   // the last member ends in a comma, so the new one does
	lines          bool   // each member has its own line, so the new one gets one
	indent         string // of the line of the new member
	closing        string // the line end and indent to write before the closing brace, or ""
}

// slot finds the place in an object or an array.
func (d *Document) slot(in hujson.Value) slot {
	children := elements(in)
	s := slot{start: in.StartOffset + 1, end: in.EndOffset - 1, indent: d.indent(in.StartOffset) + d.unit()}
	s.lines = bytes.Contains(d.text[in.StartOffset:in.EndOffset], []byte("\n")) || len(children) == 0
	if n := len(children); n > 0 {
		last := children[n-1].Value
		s.start, s.comma = last.EndOffset, true
		if last.AfterExtra != nil {
			s.start, s.comma, s.trailing = last.EndOffset+len(last.AfterExtra)+1, false, true
		}
		first := children[n-1].Name
		if _, isArray := in.Value.(*hujson.Array); isArray {
			first = last
		}
		if strings.Contains(string(first.BeforeExtra), "\n") {
			s.indent = d.indent(first.StartOffset)
		}
	}
	rest := d.text[s.start:s.end]
	s.at = s.start + firstLine(rest)
	if s.lines && !bytes.Contains(d.text[s.at:s.end], []byte("\n")) {
		s.closing = d.lineEnd() + d.indent(in.StartOffset)
	} else {
		s.end = s.at
	}
	return s
}

// firstLine returns the length of the first line of a text of space and comments, without space at
// its end. A comment over several lines belongs to the line on which it begins.
func firstLine(extra []byte) int {
	for i := 0; i < len(extra); i++ {
		switch {
		case bytes.HasPrefix(extra[i:], []byte("//")):
			i += bytes.IndexByte(extra[i:], '\n') - 1
		case bytes.HasPrefix(extra[i:], []byte("/*")):
			i += 3 + bytes.Index(extra[i+2:], []byte("*/"))
		case extra[i] == '\n':
			return len(bytes.TrimRight(extra[:i], " \t\r"))
		}
	}
	return len(bytes.TrimRight(extra, " \t"))
}

// insert returns the edit that adds a member, or an element where the name is "".
func (d *Document) insert(in hujson.Value, name string, value any) edit {
	s := d.slot(in)
	var b strings.Builder
	if s.comma {
		b.WriteByte(',')
	}
	b.Write(d.text[s.start:s.at])
	end, unit := "", ""
	switch {
	case s.lines:
		end, unit = d.lineEnd()+s.indent, d.unit()
	case s.start > in.StartOffset+1:
		b.WriteByte(' ')
	}
	b.WriteString(end)
	if name != "" {
		b.WriteString(literal(name) + ": ")
	}
	b.WriteString(lines(value, end, unit))
	if s.trailing {
		b.WriteByte(',')
	}
	b.WriteString(s.closing)
	return edit{s.start, s.end, b.String()}
}

// insertEntry returns the edit that adds an entry to the editor's list. It adds a missing list,
// too.
func (d *Document) insertEntry(e Editor, name string, entry any) (edit, error) {
	for _, listName := range e.lists {
		list, err := d.member(d.top, listName)
		switch {
		case err != nil:
			return edit{}, err
		case list == nil || e.array && listName != e.lists[0]:
			continue
		case e.array != (list.Value.Kind() == '['), !e.array && list.Value.Kind() != '{':
			return edit{}, fmt.Errorf("%s: %q is not a list of agents", d.place(list.StartOffset), listName)
		case e.array:
			name = ""
		}
		return d.insert(*list, name, entry), nil
	}
	var list any = object{{name, entry}}
	if e.array {
		list = []any{entry}
	}
	if d.top.Value.Kind() == '{' {
		return d.insert(d.top, e.lists[0], list), nil
	}
	text, end := lines(object{{e.lists[0], list}}, d.lineEnd(), d.unit())+d.lineEnd(), len(d.text)
	if end > 0 && d.text[end-1] != '\n' {
		text = d.lineEnd() + text
	}
	return edit{end, end, text}, nil
}
