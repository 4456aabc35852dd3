package paths

import (
	"strings"

	"acpshim/internal/wire"
)

// A tree has the pointers of a place by their steps. A leaf stands for a value that is a path.
type tree map[string]tree

// newTree makes a tree of pointers.
func newTree(pointers []string) tree {
	root := tree{}
	for _, pointer := range pointers {
		at := root
		for step := range strings.SplitSeq(pointer[1:], "/") {
			if at[step] == nil {
				at[step] = tree{}
			}
			at = at[step]
		}
	}
	return root
}

// A mapper collects the edits that map the paths of a line.
type mapper struct {
	text  func(string) (mapped string, ok bool)
	edits []wire.Edit
}

// object maps the paths in an object whose spans count from base in the line.
func (e *mapper) object(t tree, o *wire.Object, base int) {
	for _, m := range o.Members {
		below, ok := t[m.Name]
		switch {
		case !ok:
		case m.Object != nil:
			e.object(below, m.Object, base)
		default:
			e.value(below, o.Raw(m.Name), base+m.Value.Start)
		}
	}
}

// value maps the paths in a value that begins at base in the line. An object that is ambiguous
// stays as it is.
func (e *mapper) value(t tree, raw []byte, base int) {
	each, isList := t["*"]
	switch {
	case len(t) == 0:
		if text, ok := wire.Text(raw); ok {
			if mapped, ok := e.text(text); ok {
				e.edits = append(e.edits, wire.Edit{Span: wire.Span{Start: base, End: base + len(raw)}, With: wire.Quote(nil, mapped)})
			}
		}
	case isList:
		elements, _ := wire.Batch(raw)
		for _, s := range elements {
			e.value(each, raw[s.Start:s.End], base+s.Start)
		}
	case wire.IsObject(raw):
		if o, err := wire.Parse(raw); err == nil {
			e.object(t, o, base)
		}
	}
}
