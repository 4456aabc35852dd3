package editor

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// An edit replaces a stretch of the document with a text.
type edit struct {
	start, end int
	text       string
}

// A Change replaces Old with New in one entry of a text. [Document.Undo] needs it.
type Change struct {
	Start    int // where Old begins in the text
	Old, New []byte
	Entry    int // where the value of the entry begins in New
}

// Apply returns the changed text, in new memory.
func (c Change) Apply(text []byte) []byte {
	return slices.Concat(text[:c.Start], c.New, text[c.Start+len(c.Old):])
}

// change joins edits, which must not overlap. Edits at the same place keep their order.
func (d *Document) change(edits []edit) Change {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	start, end := edits[0].start, edits[len(edits)-1].end
	var b bytes.Buffer
	at := start
	for _, e := range edits {
		b.Write(d.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	return Change{Start: start, Old: d.text[start:end:end], New: b.Bytes()}
}

// An object is a new JSON object: its members in order. A value is a string, a []string, an object,
// an []any of such values, or raw.
type object []struct {
	name  string
	value any
}

// A raw is the JSON text of a value.
type raw string

// inline writes a value on one line.
func inline(value any) string { return lines(value, "", "") }

func literal(text string) string { return string(hujson.String(text)) }

// lines writes a value with each member on a line of its own; the first line has begun already. end
// is a line end and the indentation of the first line. Without end and unit it writes one line.
func lines(value any, end, unit string) string {
	var parts []string
	add := func(name string, value any) { parts = append(parts, end+unit+name+lines(value, end+unit, unit)) }
	sep := ","
	if end == "" {
		sep = ", "
	}
	switch v := value.(type) {
	case raw:
		return string(v)
	case string:
		return literal(v)
	case []string:
		return "[" + list(v, ", ") + "]"
	case []any:
		for _, element := range v {
			add("", element)
		}
		return "[" + strings.Join(parts, sep) + end + "]"
	case object:
		for _, m := range v {
			add(literal(m.name)+": ", m.value)
		}
	}
	if parts == nil {
		return "{}"
	}
	return "{" + strings.Join(parts, sep) + end + "}"
}
