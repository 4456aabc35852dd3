package todo

import (
	"bytes"
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/translate/document"
)

// A step is an element of a todo list. A missing field is empty.
type step struct{ id, content, status, priority string }

// A change is a change of the list by one message.
type change struct {
	rank      int // of the place of the list in the message; lower is better
	steps     []step
	patch     bool     // steps change those with the same id, and the others stay
	completed []string // ids of steps that are completed now
}

// maxSteps is the maximum number of steps in a list.
const maxSteps = 1000

// read returns the change in a message of a call. Ok is false if the message has no change.
func (t *Tool) read(message *wire.Object) (w change, ok bool) {
	for _, at := range t.completed {
		w.completed = append(w.completed, scalars(value(message, at))...)
	}
	for i, at := range t.list {
		patch := t.merge != nil && at[0] != "rawOutput" && string(value(message, t.merge)) == "true"
		if steps, ok := t.steps(value(message, at), patch); ok {
			w.rank, w.steps, w.patch = i, steps, patch
			return w, true
		}
	}
	for i, at := range t.text {
		if text, ok := wire.Text(value(message, at)); ok {
			w.rank, w.steps = len(t.list)+i, documentSteps(text)
			return w, true
		}
	}
	w.rank, w.patch = len(t.list)+len(t.text), true
	return w, len(w.completed) > 0
}

// steps reads a list. Ok is false if raw is not a list, or if no element can be shown. If there are
// more than maxSteps, the last step says how many more.
func (t *Tool) steps(raw []byte, patch bool) (steps []step, ok bool) {
	elements, ok := array(raw)
	if !ok {
		return nil, false
	}
	if t.options.Nested != "" {
		var inner [][]byte
		for _, element := range elements {
			o, _ := wire.Parse(element)
			list, _ := wire.Elements(o.Raw(t.options.Nested))
			inner = append(inner, list...)
		}
		elements = inner
	}
	for i, element := range elements {
		if len(steps) == maxSteps-1 && len(elements)-i > 1 {
			return append(steps, step{content: fmt.Sprintf("… and %d more", len(elements)-i)}), true
		}
		if s := t.step(element); strings.TrimSpace(s.content) != "" || patch && s.id != "" {
			steps = append(steps, s)
		}
	}
	return steps, len(steps) > 0 || len(elements) == 0
}

// step reads an element of a list, which is a string or an object.
func (t *Tool) step(element []byte) step {
	if text, ok := wire.Text(element); ok {
		return step{content: text}
	}
	o, _ := wire.Parse(element)
	field := func(names []string) string {
		for _, name := range names {
			if text := scalar(o.Raw(name)); text != "" {
				return text
			}
		}
		return ""
	}
	s := step{field(t.options.ID), field(t.options.Content), field(t.options.Status), field(t.options.Priority)}
	if word, ok := t.options.Words[s.status]; ok {
		s.status = word
	}
	return s
}

func documentSteps(text string) (steps []step) {
	for _, e := range document.Read(text).Plan() {
		steps = append(steps, step{content: e.Content, status: string(e.Status), priority: string(e.Priority)})
	}
	return steps
}

// array returns the elements of an array, or of a string that has an array as JSON.
func array(raw []byte) ([][]byte, bool) {
	if text, ok := wire.Text(raw); ok {
		raw = []byte(text)
	}
	return wire.Elements(raw)
}

// scalars returns the scalars of an array, or a single scalar.
func scalars(raw []byte) (texts []string) {
	elements, ok := array(raw)
	if !ok {
		elements = [][]byte{raw}
	}
	for _, element := range elements {
		if text := scalar(element); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// scalar returns a string, number or boolean as text, or "".
func scalar(raw []byte) string {
	if text, ok := wire.Text(raw); ok {
		return text
	}
	if len(raw) == 0 || bytes.IndexByte([]byte("{[n"), raw[0]) >= 0 {
		return ""
	}
	return string(raw)
}
