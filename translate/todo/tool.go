package todo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/glob"
	"acpshim/internal/wire"
	"acpshim/translate/document"
	"acpshim/translate/entry"
)

// ToolOptions say by what the calls of a todo tool are recognised, and where
// the list stands in them. Pointers are JSON Pointers into the session update,
// or into the params of a message of Method.
type ToolOptions struct {
	Name   string   // for messages
	Agent  string   // glob on agentInfo.name; "" is any agent
	Method string   // "" is session/update: tool_call and tool_call_update
	Title  []string // globs on the call's title
	Tool   []string // globs on the tool's name; a call is recognised by its title or its name
	ToolAt []string `toml:"tool_at"` // pointers to the tool's name; none is DefaultToolAt

	List      []string // pointers to the list, the best first: an array, or a string that holds one as JSON
	Text      []string // pointers to a document, looked at if there is no list
	Nested    string   // the field in which each element of the list holds a list
	Merge     string   // a pointer to true where the list changes elements by their id; never one in rawOutput
	Completed []string // pointers to the ids of elements that are completed now

	// The names of an element's fields, the best first. None is content, status,
	// priority and id.
	Content, Status, Priority, ID []string

	// Words are statuses and what they are in the protocol: pending,
	// in_progress, completed, or cancelled, which is shown as completed and
	// marked. The protocol's own need no entry; others are pending.
	Words map[string]string
}

// DefaultToolAt is where agents tell a tool's name.
var DefaultToolAt = []string{"/name", "/_meta/claudeCode/toolName", "/_meta/toolName"}

// SessionUpdate is the method whose messages carry tool calls.
const SessionUpdate = "session/update"

// A Tool recognises and reads the calls of a todo tool. It does not change, and
// is for any goroutine.
type Tool struct {
	options                       ToolOptions
	agent, title, tool            []glob.Glob
	toolAt, list, text, completed []wire.Pointer
	merge                         wire.Pointer // nil if there is none
}

// NewTool returns the tool that the options describe. The error says what is
// wrong with them.
func NewTool(o ToolOptions) (*Tool, error) {
	fail := func(err error) (*Tool, error) { return nil, fmt.Errorf("tool %q: %w", o.Name, err) }
	defaults := func(to *[]string, names ...string) {
		if len(*to) == 0 {
			*to = names
		}
	}
	if o.Method == "" {
		o.Method = SessionUpdate
	}
	defaults(&o.ToolAt, DefaultToolAt...)
	defaults(&o.Content, "content")
	defaults(&o.Status, "status")
	defaults(&o.Priority, "priority")
	defaults(&o.ID, "id")
	if o.Method == SessionUpdate && len(o.Title)+len(o.Tool) == 0 {
		return fail(errors.New("want a title or a tool to recognise its calls by"))
	}
	if len(o.List)+len(o.Text)+len(o.Completed) == 0 {
		return fail(errors.New("want a list, a text or completed to read"))
	}
	for word, status := range o.Words {
		if !slices.Contains([]string{string(entry.Pending), string(entry.InProgress), string(entry.Completed), string(entry.Cancelled)}, status) {
			return fail(fmt.Errorf("words: %s: want pending, in_progress, completed or cancelled, not %q", word, status))
		}
	}
	t := &Tool{options: o}
	var agent []string
	if o.Agent != "" {
		agent = []string{o.Agent}
	}
	for _, g := range []struct {
		to   *[]glob.Glob
		from []string
	}{{&t.agent, agent}, {&t.title, o.Title}, {&t.tool, o.Tool}} {
		for _, pattern := range g.from {
			compiled, err := glob.Compile(pattern)
			if err != nil {
				return fail(err)
			}
			*g.to = append(*g.to, compiled)
		}
	}
	for _, p := range []struct {
		to   *[]wire.Pointer
		from []string
	}{{&t.toolAt, o.ToolAt}, {&t.list, o.List}, {&t.text, o.Text}, {&t.completed, o.Completed}} {
		for _, text := range p.from {
			pointer, err := memberPointer(text)
			if err != nil {
				return fail(err)
			}
			*p.to = append(*p.to, pointer)
		}
	}
	if o.Merge != "" {
		var err error
		if t.merge, err = memberPointer(o.Merge); err != nil {
			return fail(err)
		}
	}
	return t, nil
}

// memberPointer reads a pointer to a member of the message, or deeper.
func memberPointer(text string) (wire.Pointer, error) {
	p, err := wire.ParsePointer(text)
	if err == nil && len(p) == 0 {
		err = fmt.Errorf("pointer %q: want one to a member, such as \"/rawInput/todos\"", text)
	}
	return p, err
}

// Method is the method of the messages that the tool reads.
func (t *Tool) Method() string { return t.options.Method }

// Serves reports whether agents of that name have the tool.
func (t *Tool) Serves(agent string) bool {
	return len(t.agent) == 0 || t.agent[0].Match(agent)
}

// recognises reports whether a message is of a call of the tool. Named reports
// whether it tells the name of its tool at all.
func (t *Tool) recognises(message *wire.Object, title string) (is, named bool) {
	if slices.ContainsFunc(t.title, func(g glob.Glob) bool { return g.Match(title) }) {
		return true, true
	}
	for _, at := range t.toolAt {
		if name, ok := wire.Text(value(message, at)); ok && name != "" {
			named = true
			if slices.ContainsFunc(t.tool, func(g glob.Glob) bool { return g.Match(name) }) {
				return true, true
			}
		}
	}
	return false, named
}

// value is what a pointer names in a message, or nil.
func value(message *wire.Object, p wire.Pointer) []byte {
	raw := message.Raw(p[0])
	if raw == nil {
		return nil
	}
	return p[1:].Raw(raw)
}

// A todoStep is an element of a todo list. An empty field was not given.
type todoStep struct {
	id, content, status, priority string
}

// A writing is what one message does to the list.
type writing struct {
	rank      int // the lower the better the place it was found at
	steps     []todoStep
	patch     bool     // steps change those with their id, the rest stays
	completed []string // ids of steps that are completed then
}

// read finds what a message of a call does to the list; ok is false if it says
// nothing of it.
func (t *Tool) read(message *wire.Object) (w writing, ok bool) {
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

// steps reads a list; ok is false if raw is none, or one in which nothing can
// be shown. At most maxSteps are read, the last one says how many more there
// are.
func (t *Tool) steps(raw []byte, patch bool) (steps []todoStep, ok bool) {
	elements, ok := array(raw)
	if !ok {
		return nil, false
	}
	if t.options.Nested != "" {
		var nested [][]byte
		for _, element := range elements {
			if o, _ := wire.Parse(element); o != nil {
				inner, _ := wire.Elements(o.Raw(t.options.Nested))
				nested = append(nested, inner...)
			}
		}
		elements = nested
	}
	for i, element := range elements {
		if len(steps) == maxSteps-1 && len(elements)-i > 1 {
			return append(steps, todoStep{content: fmt.Sprintf("… and %d more", len(elements)-i)}), true
		}
		if s := t.step(element); strings.TrimSpace(s.content) != "" || patch && s.id != "" {
			steps = append(steps, s)
		}
	}
	return steps, len(steps) > 0 || len(elements) == 0
}

// maxSteps bounds what an agent can make a list hold.
const maxSteps = 1000

func (t *Tool) step(element []byte) todoStep {
	if text, ok := wire.Text(element); ok {
		return todoStep{content: text}
	}
	o, _ := wire.Parse(element) // what is ambiguous is read as its first member
	if o == nil {
		return todoStep{}
	}
	field := func(names []string) string {
		for _, name := range names {
			if text := scalar(o.Raw(name)); text != "" {
				return text
			}
		}
		return ""
	}
	s := todoStep{field(t.options.ID), field(t.options.Content), field(t.options.Status), field(t.options.Priority)}
	if word, ok := t.options.Words[s.status]; ok {
		s.status = word
	}
	return s
}

// documentSteps are the steps of a document.
func documentSteps(text string) []todoStep {
	entries, _ := document.Render(text)
	var steps []todoStep
	for _, e := range entries {
		steps = append(steps, todoStep{content: e.Content, status: string(e.Status), priority: string(e.Priority)})
	}
	return steps
}

// array are the elements of an array, or of one that a string holds as JSON.
func array(raw []byte) ([][]byte, bool) {
	if text, ok := wire.Text(raw); ok {
		raw = []byte(text)
	}
	return wire.Elements(raw)
}

// scalars are the scalars of an array, or a scalar that stands alone.
func scalars(raw []byte) []string {
	elements, ok := array(raw)
	if !ok {
		elements = [][]byte{raw}
	}
	var texts []string
	for _, element := range elements {
		if text := scalar(element); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// scalar is a string, number or truth value as text, or empty.
func scalar(raw []byte) string {
	if text, ok := wire.Text(raw); ok {
		return text
	}
	if len(raw) == 0 || bytes.IndexByte([]byte("{[n"), raw[0]) >= 0 {
		return ""
	}
	return string(raw)
}
