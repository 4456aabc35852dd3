package todo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/text/glob"
	"acpshim/translate/entry"
)

// ToolOptions say how to recognise the calls of a todo tool, and where their list is. Pointers are
// JSON Pointers into the session update, or into the params of a message of Method.
type ToolOptions struct {
	Name   string   // for error messages
	Agent  string   // glob on agentInfo.name; "" means any agent
	Method string   // "" means session/update: tool_call and tool_call_update
	Title  []string // globs on the call's title
	Tool   []string // globs on the tool's name; the title or the name has to match
	ToolAt []string `toml:"tool_at"` // pointers to the tool's name; by default the places of known agents

	List      []string // pointers to the list, the best first: an array, or a string with an array as JSON
	Text      []string // pointers to a document, for messages without a list
	Nested    string   // the field with a list in each element of the list
	Merge     string   // a pointer to true if the list changes elements by id; not for lists in rawOutput
	Completed []string // pointers to the ids of elements that are completed now

	// The names of an element's fields, the best first. The defaults are content, status, priority
	// and id.
	Content, Status, Priority, ID []string

	// Words maps the tool's statuses to pending, in_progress, completed or cancelled. Statuses of
	// the protocol need no entry. All others are pending.
	Words map[string]string
}

// A Tool recognises and reads the calls of a todo tool. It is immutable, so any goroutine may use
// it.
type Tool struct {
	options                       ToolOptions
	agent, title, tool            []glob.Glob
	toolAt, list, text, completed []wire.Pointer
	merge                         wire.Pointer // nil without one
}

// NewTool returns the tool that the options describe, or an error if they are invalid.
func NewTool(o ToolOptions) (*Tool, error) {
	t, err := newTool(o)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", o.Name, err)
	}
	return t, nil
}

func newTool(o ToolOptions) (*Tool, error) {
	o.Method = cmp.Or(o.Method, acp.SessionUpdate)
	setDefault(&o.ToolAt, "/name", "/_meta/claudeCode/toolName", "/_meta/toolName")
	setDefault(&o.Content, "content")
	setDefault(&o.Status, "status")
	setDefault(&o.Priority, "priority")
	setDefault(&o.ID, "id")
	if o.Method == acp.SessionUpdate && len(o.Title)+len(o.Tool) == 0 {
		return nil, errors.New("want a title or a tool to recognise its calls by")
	}
	if len(o.List)+len(o.Text)+len(o.Completed) == 0 {
		return nil, errors.New("want a list, a text or completed to read")
	}
	for word, status := range o.Words {
		switch entry.Status(status) {
		case entry.Pending, entry.InProgress, entry.Completed, entry.Cancelled:
		default:
			return nil, fmt.Errorf("words: %s: want pending, in_progress, completed or cancelled, not %q", word, status)
		}
	}
	var err error
	t := &Tool{
		options:   o,
		agent:     compiled(&err, glob.Compile, cmp.Or(o.Agent, "*")),
		title:     compiled(&err, glob.Compile, o.Title...),
		tool:      compiled(&err, glob.Compile, o.Tool...),
		toolAt:    compiled(&err, memberPointer, o.ToolAt...),
		list:      compiled(&err, memberPointer, o.List...),
		text:      compiled(&err, memberPointer, o.Text...),
		completed: compiled(&err, memberPointer, o.Completed...),
	}
	if o.Merge != "" && err == nil {
		t.merge, err = memberPointer(o.Merge)
	}
	return t, err
}

func setDefault(to *[]string, names ...string) {
	if len(*to) == 0 {
		*to = names
	}
}

// compiled compiles texts, and sets err to the first error.
func compiled[T any](err *error, compile func(string) (T, error), texts ...string) []T {
	var all []T
	for _, text := range texts {
		one, failed := compile(text)
		if *err == nil {
			*err = failed
		}
		all = append(all, one)
	}
	return all
}

// memberPointer reads a pointer to a member of the message, or deeper.
func memberPointer(text string) (wire.Pointer, error) {
	p, err := wire.ParsePointer(text)
	if err == nil && len(p) == 0 {
		err = fmt.Errorf("pointer %q: want one to a member, such as \"/rawInput/todos\"", text)
	}
	return p, err
}

// Method returns the method of the messages that the tool reads.
func (t *Tool) Method() string { return t.options.Method }

// Serves reports whether an agent with that name may have the tool.
func (t *Tool) Serves(agent string) bool { return matches(t.agent, agent) }

// recognises reports whether a message is part of a call of the tool. Named reports whether the
// message names its tool.
func (t *Tool) recognises(message *wire.Object, title string) (is, named bool) {
	if matches(t.title, title) {
		return true, true
	}
	for _, at := range t.toolAt {
		if name, _ := wire.Text(value(message, at)); name != "" {
			named = true
			if matches(t.tool, name) {
				return true, true
			}
		}
	}
	return false, named
}

func matches(globs []glob.Glob, text string) bool {
	return slices.ContainsFunc(globs, func(g glob.Glob) bool { return g.Match(text) })
}

// value returns the value of a pointer in a message, or nil.
func value(message *wire.Object, p wire.Pointer) []byte { return p[1:].Raw(message.Raw(p[0])) }
