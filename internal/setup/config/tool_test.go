package config

import (
	"strings"
	"testing"

	"acpshim/translate/todo"

	"github.com/google/go-cmp/cmp"
)

func TestToolRows(t *testing.T) {
	base := Default()
	base.Plan.Tool = []Tool{{ToolOptions: todo.ToolOptions{Name: "first"}}, {ToolOptions: todo.ToolOptions{Name: "second"}}}
	got, err := Parse(base, "f", `
[[plan.tool]]
name = "first"
off = true

[[plan.tool]]
name = "mine"
agent = "my-*"
method = "mine/checklist"
title = ["[0-9]* steps", "plan/*"]
tool = ["write_steps"]
tool_at = ["/_meta/tool", "/rawInput/a~1b"]
list = ["/steps", "/steps/0"]
text = ["/text"]
content = ["what", "title"]
status = []
priority = ["urgency"]
id = ["key"]
nested = "tasks"
merge = "/merge"
completed = ["/done"]
[plan.tool.words]
done = "completed"
"not yet" = "pending"
`)
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) []string { return []string{name} }
	want := []Tool{
		{ToolOptions: todo.ToolOptions{Name: "first"}, Off: true},
		{ToolOptions: todo.ToolOptions{Name: "second"}},
		{ToolOptions: todo.ToolOptions{
			Name: "mine", Agent: "my-*", Method: "mine/checklist",
			Title: []string{"[0-9]* steps", "plan/*"}, Tool: field("write_steps"), ToolAt: []string{"/_meta/tool", "/rawInput/a~1b"},
			List: []string{"/steps", "/steps/0"}, Text: field("/text"),
			Content: []string{"what", "title"}, Priority: field("urgency"), ID: field("key"),
			Nested: "tasks", Merge: "/merge", Completed: field("/done"),
			Words: map[string]string{"done": "completed", "not yet": "pending"},
		}},
	}
	if diff := cmp.Diff(want, got.Plan.Tool); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if base.Plan.Tool[0].Off || len(base.Plan.Tool) != 2 {
		t.Error("Parse changed its base")
	}
	inline, err := Parse(base, "f", `plan.tool = [{name = "x", title = ["*"], list = ["/a"]}, {name = "y", method = "a/b", completed = ["/c"]}]`)
	if err != nil || len(inline.Plan.Tool) != 4 {
		t.Errorf("rows in a line: %v, %v", inline.Plan.Tool, err)
	}
	none, err := Parse(Config{}, "f", "plan.tool = []")
	if err != nil || len(none.Plan.Tool) != 0 {
		t.Errorf("no rows: %v, %v", none.Plan.Tool, err)
	}
}

// Each case has all the problems of its source.
func TestToolRowProblems(t *testing.T) {
	const whole = "[[plan.tool]]\nname = \"a\"\ntitle = [\"*\"]\nlist = [\"/a\"]\n"
	tests := []struct{ name, source, want string }{
		{"a misspelled key, also in a later row", whole + "titel = [\"x\"]\n[[plan.tool]]\nname = \"b\"\ntitel = [\"*\"]\nlist = [\"/a\"]\n", `
f:5:1: unknown key "plan.tool.titel" (did you mean "plan.tool.title"?)
f:8:1: unknown key "plan.tool.titel" (did you mean "plan.tool.title"?)`},
		{"a key of another table", whole + "show_as = \"none\"\n", `
f:5:1: unknown key "plan.tool.show_as" (did you mean "plan.show_as"?)`},
		{"a key like none", whole + "x = 1\n", `
f:5:1: unknown key "plan.tool.x" ("acpshim config show" lists all keys)`},
		{"wrong types", whole + "off = 1\nagent = true\ntext = \"/x\"\nid = [1, \"x\", \"\"]\nwords = \"x\"\nnested = \"\"\nmerge = []\n", `
f:5:7: plan.tool.off: want true or false, not 1
f:6:9: plan.tool.agent: want a glob in quotes, not true
f:7:8: plan.tool.text: want a list of JSON Pointers in quotes, not "/x"
f:8:7: plan.tool.id: want names in quotes, not 1
f:8:15: plan.tool.id: want names in quotes, not ""
f:9:9: plan.tool.words: want a table such as { done = "completed" }, not "x"
f:10:10: plan.tool.nested: want a text in quotes, not ""
f:11:9: plan.tool.merge: want a JSON Pointer in quotes, not a list`},
		{"wrong pointers", "[[plan.tool]]\nname = \"a\"\ntitle = [\"*\"]\nlist = [\n  \"/a\",\n  \"b\", # no\n  \"/~\"]\nmerge = \"c\"\n", `
f:6:3: plan.tool.list: pointer "b": it has to begin with /
f:7:3: plan.tool.list: pointer "/~": want ~0 for ~ and ~1 for /
f:8:9: plan.tool.merge: pointer "c": it has to begin with /`},
		{"wrong globs", "[[plan.tool]]\nname = \"a\"\ntool = [\"ok\", \"[a\"]\nagent = \"[]\"\nlist = [\"/a\"]\ntool_at = [\"/b\"]\n", `
f:3:15: plan.tool.tool: glob "[a": want a ] for each [, or \[ for a bracket
f:4:9: plan.tool.agent: glob "[]": want runes or ranges between [ and ], and \ before a ] or - that is meant`},
		{"wrong words", whole + "words = { done = \"complete\", \"\" = 1 }\n", `
f:5:18: plan.tool.words: want "pending", "in_progress", "completed" or "cancelled", not "complete"
f:5:35: plan.tool.words: want "pending", "in_progress", "completed" or "cancelled", not 1`},
		{"one table", "[plan.tool]\nname = \"a\"\n", `
f:1:7: plan.tool: want a list of tables, [[plan.tool]] before each, not a table`},
		{"a value", "[plan]\ntool = true\n", `
f:2:8: plan.tool: want a list of tables, [[plan.tool]] before each, not true`},
		{"a list of more than tables", "plan.tool = [{}, 1]\n", `
f:1:13: plan.tool: want a list of tables, [[plan.tool]] before each, not a list`},
		{"the switch for the rows", "[[plan.tools]]\n", `
f:1:8: plan.tools: want true or false, not a list of tables (did you mean [[plan.tool]]?)`},
		{"a name twice", whole + whole, `
f:6:8: plan.tool: the name "a" is already used in this file; names must be different`},
		{"nothing", "[[plan.tool]]\n", `
f:1:8: plan.tool: want a name, such as name = "todos of my agent"
f:1:8: plan.tool: want title, tool or a method other than "session/update", to recognise a call by
f:1:8: plan.tool: want list, text or completed, to find the todo list at`},
		{"only a name, in a line", "plan.tool = [\n {name=\"a\"}]\n", `
f:2:2: plan.tool: want title, tool or a method other than "session/update", to recognise a call by
f:2:2: plan.tool: want list, text or completed, to find the todo list at`},
		{"a pointer to all", "[[plan.tool]]\nname = \"a\"\ntitle = [\"x\"]\nlist = [\"\"]\n", `
f:4:9: plan.tool.list: pointer "": want one to a member, such as "/rawInput/todos"`},
		{"off without a name", "[[plan.tool]]\noff = true\n", `
f:1:8: plan.tool: want a name, such as name = "todos of my agent"`},
		{"what is wrong is not missing", "[[plan.tool]]\nnmae = \"a\"\ntitle = 1\nmethod = \"session/update\"\nlist = \"/a\"\n", `
f:2:1: unknown key "plan.tool.nmae" (did you mean "plan.tool.name"?)
f:3:9: plan.tool.title: want a list of globs in quotes, not 1
f:5:8: plan.tool.list: want a list of JSON Pointers in quotes, not "/a"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(Default(), "f", test.source)
			if err == nil {
				t.Fatal("is taken")
			}
			var got []string
			for line := range strings.Lines(err.Error()) {
				if !strings.Contains(line[:min(8, len(line))], "| ") {
					got = append(got, strings.TrimRight(line, "\n"))
				}
			}
			if diff := cmp.Diff(strings.Split(strings.TrimPrefix(test.want, "\n"), "\n"), got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
