package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"acpshim/glob"
	"acpshim/wire"
)

// A Tool is a [[plan.tool]]: how the todo list of a tool call is found and
// read. Globs are checked with [glob.Compile], pointers with
// [wire.ParsePointer].
type Tool struct {
	Name   string // no two are the same
	Off    bool
	Agent  string // a glob on agentInfo.name; "" is any
	Method string // session/update, or an extension method

	// A call is recognised by one of the globs in Title, or by one in Tool that
	// matches the tool's name, found at one of the pointers in ToolAt. A method
	// other than session/update may be enough. Pointers lead from the update,
	// or from the params of another method.
	Title  []string
	Tool   []string
	ToolAt []string

	List      []string // pointers to the list, or to a string that holds it as JSON; the first that is there
	Text      []string // pointers to a markdown text, likewise
	Completed []string // pointers to a list of the ids that are now completed
	Merge     string   // a pointer; true there changes entries by id in place of the whole list; "" is never
	Nested    string   // each element holds a list under this name; "" is itself an entry

	// The members of an element, the first that is there.
	Content, Status, Priority, ID []string

	Words map[string]string // the tool's status words to pending, in_progress, completed, cancelled
}

func (t *Tool) keys() []key {
	return []key{
		{path: "name", set: text(&t.Name)},
		{path: "off", set: boolean(&t.Off)},
		{path: "agent", set: oneGlob(&t.Agent)},
		{path: "method", set: text(&t.Method)},
		{path: "title", set: list(&t.Title, "globs", checkGlob)},
		{path: "tool", set: list(&t.Tool, "globs", checkGlob)},
		{path: "tool_at", set: list(&t.ToolAt, "JSON Pointers", checkPointer)},
		{path: "list", set: list(&t.List, "JSON Pointers", checkPointer)},
		{path: "text", set: list(&t.Text, "JSON Pointers", checkPointer)},
		{path: "content", set: list(&t.Content, "names", checkName)},
		{path: "status", set: list(&t.Status, "names", checkName)},
		{path: "priority", set: list(&t.Priority, "names", checkName)},
		{path: "id", set: list(&t.ID, "names", checkName)},
		{path: "nested", set: text(&t.Nested)},
		{path: "merge", set: onePointer(&t.Merge)},
		{path: "completed", set: list(&t.Completed, "JSON Pointers", checkPointer)},
		{path: "words", set: words(&t.Words)},
	}
}

// tools reads the rows of one file. A row takes the place of one in to that has
// its name.
func tools(to *[]Tool) func() row {
	read := map[string]bool{}
	return func() row {
		t := Tool{
			Method:  sessionUpdate,
			Content: []string{"content"}, Status: []string{"status"}, Priority: []string{"priority"}, ID: []string{"id"},
		}
		return row{t.keys(), func(faulty map[string]bool) []error {
			errs := t.missing(faulty)
			if t.Name != "" && read[t.Name] {
				errs = append(errs, inside{{"name", fmt.Errorf("%q is the name of an earlier one in this file", t.Name)}})
			}
			read[t.Name] = true
			if i := slices.IndexFunc(*to, func(other Tool) bool { return other.Name == t.Name }); i >= 0 {
				(*to)[i] = t
			} else {
				*to = append(*to, t)
			}
			return errs
		}}
	}
}

const sessionUpdate = "session/update"

// missing says what a row needs and has not, apart from keys that are wrong.
func (t *Tool) missing(faulty map[string]bool) (errs []error) {
	none := func(values []string, key string) bool { return len(values) == 0 && !faulty[key] }
	if t.Name == "" && !faulty["name"] {
		errs = append(errs, errors.New(`want a name, such as name = "todos of my agent"`))
	}
	if t.Off {
		return errs
	}
	if none(t.Title, "title") && none(t.Tool, "tool") && t.Method == sessionUpdate && !faulty["method"] {
		errs = append(errs, errors.New(`want title, tool or a method other than "session/update", to recognise a call by`))
	}
	if len(t.Tool) > 0 && none(t.ToolAt, "tool_at") {
		errs = append(errs, errors.New("want tool_at with tool, to find the tool's name at"))
	}
	if none(t.List, "list") && none(t.Text, "text") && none(t.Completed, "completed") {
		errs = append(errs, errors.New("want list, text or completed, to find the todo list at"))
	}
	return errs
}

func text(to *string) func(any) error {
	return func(v any) error {
		s, _ := v.(string)
		if s == "" {
			return fmt.Errorf("want a text in quotes, not %s", describe(v))
		}
		*to = s
		return nil
	}
}

func oneGlob(to *string) func(any) error {
	return func(v any) error {
		pattern, ok := v.(string)
		if !ok {
			return fmt.Errorf("want a glob in quotes, not %s", describe(v))
		}
		*to = pattern
		return checkGlob(pattern)
	}
}

func onePointer(to *string) func(any) error {
	return func(v any) error {
		pointer, ok := v.(string)
		if !ok {
			return fmt.Errorf("want a JSON Pointer in quotes, not %s", describe(v))
		}
		*to = pointer
		return checkPointer(pointer)
	}
}

func checkGlob(pattern string) error {
	_, err := glob.Compile(pattern)
	return err
}

func checkPointer(pointer string) error {
	_, err := wire.ParsePointer(pointer)
	return err
}

func checkName(name string) error {
	if name == "" {
		return errors.New(`want names in quotes, not ""`)
	}
	return nil
}

// words reads a table of a tool's status words.
func words(to *map[string]string) func(any) error {
	return func(v any) error {
		table, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf(`want a table such as { done = "completed" }, not %s`, describe(v))
		}
		read := map[string]string{}
		var wrong inside
		for _, word := range slices.Sorted(maps.Keys(table)) {
			var status string
			if err := oneOf(&status, "pending", "in_progress", "completed", "cancelled")(table[word]); err != nil {
				wrong = append(wrong, part{word, err})
			}
			read[word] = status
		}
		if wrong != nil {
			return wrong
		}
		*to = read
		return nil
	}
}
