package translate

import (
	"strings"

	"acpshim/internal/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// The shapes of a plan in JSON, as [Explain] names them.
const (
	shapeEntries = "JSON entries"
	shapeUpdate  = "update_plan"
	shapeTodos   = "todo list"
	shapeCalls   = "tool calls"
)

// listShapes are the shapes by the member that holds their list.
var listShapes = map[string]string{"entries": shapeEntries, "plan": shapeUpdate, "todos": shapeTodos, "calls": shapeCalls}

// A shapeReader reads a plan from JSON, in one pass. The first list that begins
// as one of a known shape is the plan, and the first of equal members counts:
// so an entry that has been shown stays what it was when the text goes on.
type shapeReader struct {
	text  string
	dec   *jsontext.Decoder
	first int // the line that the text begins in
	line  int // that offset at stands in
	at    int

	shape       string   // "" as long as there is none
	empty       string   // the shape of an empty list
	members     []member // of the object around the list, lists without their value
	explanation string
	steps       []step
	calls       []call
	problems    problems
}

func newShapeReader(text string, line int) *shapeReader {
	return &shapeReader{text: text, dec: newDecoder(text), first: line, line: line}
}

// read reads the text as far as it is JSON. The error is the decoder's.
func (r *shapeReader) read() error {
	if r.dec.PeekKind() == '[' {
		return r.list("")
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	return r.object(func(name string) error {
		m := member{name: name}
		var err error
		if _, known := listShapes[name]; known && r.shape == "" && r.dec.PeekKind() == '[' {
			err = r.list(name)
		} else {
			m.value, err = r.value()
		}
		if err == nil {
			r.members = append(r.members, m)
			if name == "explanation" && r.explanation == "" {
				r.explanation, _ = wire.Text([]byte(m.value))
			}
		}
		return err
	})
}

// object reads an object from behind its brace; member reads the value of a name.
func (r *shapeReader) object(member func(name string) error) error {
	for r.dec.PeekKind() != '}' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := member(strings.ToValidUTF8(name.String(), "\ufffd")); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

func (r *shapeReader) value() (string, error) {
	v, err := r.dec.ReadValue()
	end := int(r.dec.InputOffset())
	return r.text[end-len(v) : end], err
}

// list reads a list; key is the name of the member, or empty.
func (r *shapeReader) list(key string) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	n, shape := 0, ""
	for r.dec.PeekKind() != ']' {
		e, err := r.element()
		if err != nil {
			return err
		}
		if n++; n == 1 {
			shape = e.shape(key)
			r.shape = shape
		}
		if shape != "" {
			r.take(n, e)
		}
	}
	if n == 0 && r.empty == "" {
		if r.empty = listShapes[key]; key == "" {
			r.empty = shapeEntries
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

func (r *shapeReader) element() (e element, err error) {
	if r.dec.PeekKind() != '{' {
		e.value, err = r.value()
		e.line = r.lineOf(int(r.dec.InputOffset()) - len(e.value))
		return e, err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return e, err
	}
	e.line, e.members = r.lineOf(int(r.dec.InputOffset())), []member{}
	err = r.object(func(name string) error {
		value, err := r.value()
		e.members = append(e.members, member{name, value})
		return err
	})
	return e, err
}

// lineOf returns the line of an offset that is behind those it was asked for.
func (r *shapeReader) lineOf(offset int) int {
	if offset > r.at {
		r.line += strings.Count(r.text[r.at:offset], "\n")
		r.at = offset
	}
	return r.line
}

// finish returns the shape, if there is one, and the steps.
func (r *shapeReader) finish(whole bool) (shape string, steps []step) {
	if r.shape == "" {
		r.shape = r.empty
	}
	if name := twice(r.members); name != "" && r.shape != "" {
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

// title is what a document that is no plan is called.
func (r *shapeReader) title() string {
	for _, name := range []string{"title", "name"} {
		if title := textOf(r.members, name); title != "" {
			return title
		}
	}
	return "JSON document"
}
