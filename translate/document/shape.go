package document

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The shapes of a plan in JSON. They are also the conventions of its entries.
const (
	shapeEntries = "JSON entries"
	shapeUpdate  = "update_plan"
	shapeTodos   = "todo list"
	shapeCalls   = "tool calls"
)

// listShapes are the shapes by the name of the member with the list.
var listShapes = map[string]string{"entries": shapeEntries, "plan": shapeUpdate, "todos": shapeTodos, "calls": shapeCalls}

// A planReader reads a plan from JSON in one pass. The first list whose first element has a known
// shape is the plan, so that entries do not change when the agent appends to the text.
type planReader struct {
	text  string
	dec   *jsontext.Decoder
	at    int  // the offset of the last element
	line  int  // the line of that offset
	named bool // an object has a name and a colon, so this is JSON even if it is invalid

	shape    string  // "" if it is not known yet
	empty    string  // the shape of an empty list
	members  members // of the object around the list; the list itself has no value
	steps    []step
	calls    []call
	problems problemList
}

// read reads the text. The error is that of the decoder.
func (r *planReader) read() error {
	if r.dec.PeekKind() == '[' {
		return r.list("")
	}
	return r.object(func(name string) (err error) {
		m := member{name: name}
		if listShapes[name] != "" && r.shape == "" && r.dec.PeekKind() == '[' {
			err = r.list(name)
		} else {
			m.value, err = r.value()
		}
		if err != nil {
			return err
		}
		r.members = append(r.members, m)
		return nil
	})
}

// object reads an object, and calls member to read each value.
func (r *planReader) object(member func(name string) error) error {
	_, err := r.dec.ReadToken()
	for err == nil && r.dec.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = r.dec.ReadToken(); err == nil {
			r.named = r.named || strings.HasPrefix(strings.TrimLeft(r.text[r.dec.InputOffset():], jsonSpace), ":")
			err = member(strings.ToValidUTF8(name.String(), "\ufffd"))
		}
	}
	if err == nil {
		_, err = r.dec.ReadToken()
	}
	return err
}

// value reads a value, and returns it as raw JSON.
func (r *planReader) value() (string, error) {
	v, err := r.dec.ReadValue()
	end := int(r.dec.InputOffset())
	return r.text[end-len(v) : end], err
}

// list reads a list, which is the plan if its first element has a shape. Name is the name of the
// list's member, or "".
func (r *planReader) list(name string) error {
	_, err := r.dec.ReadToken()
	n, shape := 0, ""
	for err == nil && r.dec.PeekKind() != ']' {
		var e element
		if e, err = r.element(); err != nil {
			return err
		}
		if n++; n == 1 {
			shape = e.shape(name)
			r.shape = shape
		}
		if shape != "" {
			r.addElement(n, e)
		}
	}
	if n == 0 && r.empty == "" {
		if r.empty = listShapes[name]; name == "" {
			r.empty = shapeEntries
		}
	}
	if err == nil {
		_, err = r.dec.ReadToken()
	}
	return err
}

func (r *planReader) element() (e element, err error) {
	begin := len(r.text) - len(strings.TrimLeft(r.text[r.dec.InputOffset():], jsonSpace+","))
	r.line += strings.Count(r.text[r.at:begin], "\n")
	r.at, e.line = begin, r.line
	if r.dec.PeekKind() != '{' {
		e.value, err = r.value()
		return e, err
	}
	e.members = members{}
	err = r.object(func(name string) error {
		value, err := r.value()
		e.members = append(e.members, member{name, value})
		return err
	})
	return e, err
}

// plan returns the shape, or "", and the steps. Whole says that the document is complete.
func (r *planReader) plan(whole bool) (shape string, steps []step) {
	if r.shape == "" {
		r.shape = r.empty
	}
	if name := r.members.duplicate(); name != "" && r.shape != "" {
		r.problems.add("%s is repeated; the first one counts", quoted(name))
	}
	switch r.shape {
	case shapeUpdate:
		r.checkUpdate()
	case shapeCalls:
		r.steps = orderCalls(r.calls, whole, &r.problems)
	}
	return r.shape, r.steps
}

func (r *planReader) title() string {
	for _, name := range []string{"title", "name"} {
		if title := r.members.text(name); title != "" {
			return title
		}
	}
	return "JSON document"
}
