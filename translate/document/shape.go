package document

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The shapes of a plan in JSON, as entries name their convention.
const (
	shapeEntries = "JSON entries"
	shapeUpdate  = "update_plan"
	shapeTodos   = "todo list"
	shapeCalls   = "tool calls"
)

// listShapes are the shapes by the member that holds their list.
var listShapes = map[string]string{"entries": shapeEntries, "plan": shapeUpdate, "todos": shapeTodos, "calls": shapeCalls}

// A planReader reads a plan from JSON, in one pass. The first list that begins as one of a
// known shape is the plan: so an entry that has been shown stays what it was when the text
// goes on.
type planReader struct {
	text  string
	dec   *jsontext.Decoder
	at    int  // an offset, and
	line  int  // the line that it stands in
	named bool // an object has a name and a colon: then it is JSON, even if it is broken

	shape    string  // "" as long as there is none
	empty    string  // the shape of an empty list
	members  members // of the object around the list; a plan's without their value
	steps    []step
	calls    []call
	problems problems
}

// read reads the text as far as it is JSON. The error is the decoder's.
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

// object reads an object; member reads the value of a name.
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

// value reads a value, and returns it as it stands in the text.
func (r *planReader) value() (string, error) {
	v, err := r.dec.ReadValue()
	end := int(r.dec.InputOffset())
	return r.text[end-len(v) : end], err
}

// list reads a list, and makes it the plan if its first element has a shape. Name is that of
// the member, or empty.
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

// element reads an element of a list.
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

// plan returns the shape, if there is one, and the steps of what has been read. Whole says
// that this is all there will be.
func (r *planReader) plan(whole bool) (shape string, steps []step) {
	if r.shape == "" {
		r.shape = r.empty
	}
	if name := r.members.twice(); name != "" && r.shape != "" {
		r.problems.add("%s stands twice, the first one counts", quoted(name))
	}
	switch r.shape {
	case shapeUpdate:
		r.checkUpdate()
	case shapeCalls:
		r.steps = orderCalls(r.calls, whole, &r.problems)
	}
	return r.shape, r.steps
}

// title returns what a document that is no plan is called.
func (r *planReader) title() string {
	for _, name := range []string{"title", "name"} {
		if title := r.members.text(name); title != "" {
			return title
		}
	}
	return "JSON document"
}
