package config

import (
	"errors"

	"acpshim/internal/chain/acp"
	"acpshim/internal/text/glob"
	"acpshim/translate/todo"
)

// A Tool is a [[plan.tool]].
type Tool struct {
	todo.ToolOptions      // no two of one Name
	Off              bool // it is ignored
}

func (t *Tool) keys() []key {
	return []key{
		{path: "name", need: `a name, such as name = "todos of my agent"`, setting: text(&t.Name)},
		{path: "off", setting: boolean(&t.Off)},
		{path: "agent", setting: oneGlob(&t.Agent)},
		{path: "method", setting: text(&t.Method)},
		{path: "title", setting: list(&t.Title, "globs", parsed(glob.Compile))},
		{path: "tool", setting: list(&t.Tool, "globs", parsed(glob.Compile))},
		{path: "tool_at", setting: list(&t.ToolAt, "JSON Pointers", checkPointer)},
		{path: "list", setting: list(&t.List, "JSON Pointers", checkPointer)},
		{path: "text", setting: list(&t.Text, "JSON Pointers", checkPointer)},
		{path: "content", setting: list(&t.Content, "names", checkName)},
		{path: "status", setting: list(&t.Status, "names", checkName)},
		{path: "priority", setting: list(&t.Priority, "names", checkName)},
		{path: "id", setting: list(&t.ID, "names", checkName)},
		{path: "nested", setting: text(&t.Nested)},
		{path: "merge", setting: textOf(&t.Merge, "a JSON Pointer in quotes", nil, checkPointer)},
		{path: "completed", setting: list(&t.Completed, "JSON Pointers", checkPointer)},
		{path: "words", setting: words(&t.Words)},
	}
}

func (t *Tool) id() (path, name string, off bool) { return "plan.tool." + t.Name, t.Name, t.Off }

func (t *Tool) check(faulty map[string]bool) (errs, _ []error) {
	if t.Off {
		return nil, nil
	}
	none := func(values []string, key string) bool { return len(values) == 0 && !faulty[key] }
	if none(t.Title, "title") && none(t.Tool, "tool") && (t.Method == "" || t.Method == acp.SessionUpdate) && !faulty["method"] {
		errs = append(errs, errors.New(`want title, tool or a method other than "session/update", to recognise a call by`))
	}
	if none(t.List, "list") && none(t.Text, "text") && none(t.Completed, "completed") {
		errs = append(errs, errors.New("want list, text or completed, to find the todo list at"))
	}
	if len(errs)+len(faulty) == 0 && t.Name != "" {
		if _, err := todo.NewTool(t.ToolOptions); err != nil {
			errs = append(errs, err)
		}
	}
	return errs, nil
}

// TodoTools returns the tools that are not off. It returns none if plan.tools is false.
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
