package config

import (
	"acpshim/translate/todo"
	"errors"
	"fmt"
	"slices"
)

// A Tool is a [[plan.tool]].
type Tool struct {
	todo.ToolOptions      // no two of one Name
	Off              bool // it is not used
}

func (t *Tool) keys() []key {
	return []key{
		{path: "name", setting: text(&t.Name)},
		{path: "off", setting: boolean(&t.Off)},
		{path: "agent", setting: oneGlob(&t.Agent)},
		{path: "method", setting: text(&t.Method)},
		{path: "title", setting: list(&t.Title, "globs", checkGlob)},
		{path: "tool", setting: list(&t.Tool, "globs", checkGlob)},
		{path: "tool_at", setting: list(&t.ToolAt, "JSON Pointers", checkPointer)},
		{path: "list", setting: list(&t.List, "JSON Pointers", checkPointer)},
		{path: "text", setting: list(&t.Text, "JSON Pointers", checkPointer)},
		{path: "content", setting: list(&t.Content, "names", checkName)},
		{path: "status", setting: list(&t.Status, "names", checkName)},
		{path: "priority", setting: list(&t.Priority, "names", checkName)},
		{path: "id", setting: list(&t.ID, "names", checkName)},
		{path: "nested", setting: text(&t.Nested)},
		{path: "merge", setting: onePointer(&t.Merge)},
		{path: "completed", setting: list(&t.Completed, "JSON Pointers", checkPointer)},
		{path: "words", setting: words(&t.Words)},
	}
}

// tools reads the rows of one file. A row takes the place of one in to that has
// its name. From gets the place of each.
func tools(to *[]Tool, from map[string]Place) func(Place) row {
	read := names{}
	below := len(*to) // those of the sources below
	return func(where Place) row {
		var t Tool
		return row{keys: t.keys(), add: func(s *section) (errs, warnings []error) {
			errs = t.missing(s.faulty)
			if _, err := todo.NewTool(t.ToolOptions); err != nil && len(errs)+len(s.faulty) == 0 && !t.Off {
				errs = append(errs, err)
			}
			errs = append(errs, read.again(t.Name)...)
			from[toolPath(t.Name)] = where
			if i := slices.IndexFunc(*to, func(other Tool) bool { return other.Name == t.Name }); i >= 0 {
				(*to)[i] = t
				return errs, nil
			}
			if t.Off {
				warnings = append(warnings, nothing("off", t.Name, namesOf((*to)[:below], func(t Tool) string { return t.Name })))
			}
			*to = append(*to, t)
			return errs, warnings
		}}
	}
}

// toolPath is what the place of a row is kept by.
func toolPath(name string) string { return "plan.tool." + name }

// nothing returns a warning for a row that switches on or off what is not before it.
func nothing(onOrOff, name string, before []string) error {
	hint := didYouMean(name, before)
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return at("name", fmt.Errorf("nothing is switched %s, none before has the name %q%s", onOrOff, name, hint))
}

func namesOf[T any](rows []T, nameOf func(T) string) (names []string) {
	for _, row := range rows {
		names = append(names, nameOf(row))
	}
	return names
}

// names are those of the rows of one source.
type names map[string]bool

// again adds a name. The error is that an earlier row has it.
func (n names) again(name string) (errs []error) {
	if name != "" && n[name] {
		errs = append(errs, at("name", fmt.Errorf("%q is the name of an earlier one in this file", name)))
	}
	n[name] = true
	return errs
}

// missing returns an error for each key that a row lacks, but for faulty ones.
func (t *Tool) missing(faulty map[string]bool) (errs []error) {
	none := func(values []string, key string) bool { return len(values) == 0 && !faulty[key] }
	if t.Name == "" && !faulty["name"] {
		errs = append(errs, errors.New(`want a name, such as name = "todos of my agent"`))
	}
	if t.Off {
		return errs
	}
	if none(t.Title, "title") && none(t.Tool, "tool") && (t.Method == "" || t.Method == todo.SessionUpdate) && !faulty["method"] {
		errs = append(errs, errors.New(`want title, tool or a method other than "session/update", to recognise a call by`))
	}
	if none(t.List, "list") && none(t.Text, "text") && none(t.Completed, "completed") {
		errs = append(errs, errors.New("want list, text or completed, to find the todo list at"))
	}
	return errs
}

// TodoTools are the tools that are used: none if plan.tools is off.
func (c Config) TodoTools() []*todo.Tool {
	var tools []*todo.Tool
	for _, t := range c.Plan.Tool {
		if tool, err := todo.NewTool(t.ToolOptions); err == nil && c.Plan.Tools && !t.Off {
			tools = append(tools, tool)
		}
	}
	return tools
}

// words reads a table of a tool's status words.
func words(to *map[string]string) setting {
	return table(to, `{ done = "completed" }`, func(word string, v any, _ *node) error {
		var status string
		err := oneOf(&status, "pending", "in_progress", "completed", "cancelled").set(v, nil)
		put(to, word, status)
		return err
	})
}
