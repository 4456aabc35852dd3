package todo

import (
	"fmt"
	"strings"
	"testing"

	"acpshim"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"

	"github.com/BurntSushi/toml"
)

// shipped returns the tools of config.toml for an agent.
func shipped(t testing.TB, agent string) []*Tool {
	t.Helper()
	var file struct {
		Plan struct{ Tool []ToolOptions }
	}
	if _, err := toml.Decode(acpshim.DefaultConfig(), &file); err != nil {
		t.Fatal(err)
	}
	var tools []*Tool
	for _, options := range file.Plan.Tool {
		tool, err := NewTool(options)
		if err != nil {
			t.Fatal(err)
		}
		if tool.Serves(agent) {
			tools = append(tools, tool)
		}
	}
	return tools
}

// read passes an update, or the params of another method, to the tools.
func read(t testing.TB, todos *Todos, tools []*Tool, method, message string) {
	t.Helper()
	o, err := wire.Parse([]byte(message))
	if err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	if method == acp.SessionUpdate {
		todos.Read(tools, o)
		return
	}
	for _, tool := range tools {
		if tool.Method() == method {
			todos.ReadParams(tool, o)
		}
	}
}

// drawnSteps draws entries like "- a, ~ b, x c".
func drawnSteps(entries []entry.Entry) string {
	var steps []string
	for _, e := range entries {
		box := map[entry.Status]string{entry.Pending: "- ", entry.InProgress: "~ ", entry.Completed: "x "}[e.Status]
		mark := map[entry.Priority]string{entry.High: "!", entry.Low: "?"}[e.Priority]
		steps = append(steps, box+e.Content+mark)
	}
	return strings.Join(steps, ", ")
}

// a returns an update of the call "c".
func a(kind, members string) string {
	if members != "" {
		members = "," + members
	}
	return fmt.Sprintf(`{"sessionUpdate":%q,"toolCallId":"c"%s}`, kind, members)
}

const (
	start = "tool_call"
	next  = "tool_call_update"
)

// Each shipped tool reads messages in the format of its agent.
func TestShippedTools(t *testing.T) {
	type message struct{ message, want string }
	todowrite := func(title, list string) string {
		return a(next, `"status":"in_progress","title":`+title+`,"rawInput":{"todos":`+list+`}`)
	}
	tests := []struct {
		name, agent, method string
		messages            []message
	}{
		{"opencode", "OpenCode", "", []message{
			{a(start, `"title":"todowrite","kind":"other","status":"pending","rawInput":{}`), ""},
			{todowrite(`"todowrite"`, `[{"content":"look","status":"completed","priority":"high","id":"1"},{"content":"mend","status":"in_progress","priority":"low"},{"content":"leave","status":"cancelled"}]`),
				"x look!, ~ mend?, x [cancelled] leave"},
			{a(next, `"status":"completed","title":"1 todos","rawOutput":{"output":"[]","metadata":{"todos":[{"content":"look","status":"completed"},{"content":"mend it","status":"pending"}]}}`),
				"x look, - mend it"},
		}},
		{"opencode, the output as JSON in a string", "OpenCode", "", []message{
			{todowrite(`"todowrite"`, `[{"content":"in"}]`), "- in"},
			{a(next, `"status":"completed","rawOutput":{"output":"[\n {\"content\": \"out\", \"status\": \"in_progress\"}]"}`), "~ out"},
		}},
		{"opencode, a loaded session", "OpenCode", "", []message{
			{a(start, `"title":"12 todos","kind":"other","status":"pending","locations":[],"rawInput":{"todos":[{"content":"look","status":"completed","priority":"high"},{"content":"mend","status":"in_progress","priority":"low"}]}`),
				"x look!, ~ mend?"},
			{a(next, `"status":"completed","kind":"other","title":"12 todos","content":[],"rawInput":{"todos":[]},"rawOutput":{"output":"[]","metadata":{"todos":[{"content":"look","status":"completed"},{"content":"mend it","status":"pending"}],"truncated":false}}`),
				"x look, - mend it"},
			{`{"sessionUpdate":"tool_call","toolCallId":"d","title":"0 todos","status":"pending","rawInput":{"todos":[{"content":"mend it","status":"completed"}]}}`, "x mend it"},
			{`{"sessionUpdate":"tool_call_update","toolCallId":"d","title":"todowrite","status":"failed"}`, "x look, - mend it"},
		}},
		{"titles like those of a loaded session", "OpenCode", "", []message{
			{a(start, `"title":"2 todos","rawInput":{"path":"."}`), ""},
			{a(next, `"title":"2 todos","status":"completed","content":[{"type":"content","content":{"type":"text","text":"[{\"content\":\"no\",\"status\":\"pending\"}]"}}],"rawOutput":{"output":"[{\"content\":\"no\",\"status\":\"pending\"}]","metadata":{"count":2}}`), ""},
			{`{"sessionUpdate":"tool_call","toolCallId":"d","title":"Delete 2 todos","rawInput":{"todos":[{"content":"no"}]}}`, ""},
			{`{"sessionUpdate":"tool_call","toolCallId":"e","title":"2 todos left","rawInput":{"todos":[{"content":"no"}]}}`, ""},
			{`{"sessionUpdate":"tool_call","toolCallId":"f","title":"2 todos","rawInput":{"todos":"two"}}`, ""},
			{`{"sessionUpdate":"tool_call","toolCallId":"g","title":"2 todos","rawInput":{"todos":[1,{"file":"a.go"}]}}`, ""},
		}},
		{"goose", "goose", "", []message{
			{a(start, `"title":"todo: todo write","rawInput":{"content":"## Work\n\n- [x] set up\n- [ ] build"},"_meta":{"goose":{"toolCall":{"toolName":"todo__todo_write"}}}`), "x set up, - build"},
			{a(next, `"status":"completed","content":[]`), "x set up, - build"},
			{a(next, `"title":"writing the list"`), "x set up, - build"},
		}},
		{"goose, another title", "goose", "", []message{
			{a(start, `"title":"noting","rawInput":{"content":"- [ ] build"},"_meta":{"goose":{"toolCall":{"toolName":"todo__todo_write"}}}`), "- build"},
		}},
		{"cursor", "", "", []message{
			{a(start, `"title":"Update TODOs","status":"pending","rawInput":{"_toolName":"updateTodos","todos":[]}`), ""},
			{a(next, `"rawInput":{"_toolName":"updateTodos","todos":[{"id":"a","content":"one","status":"TODO_STATUS_IN_PROGRESS"},{"id":"b","content":"two","status":0},{"id":"c","content":"three","status":3}]}`), "~ one, - two, x [cancelled] three"},
			{`{"sessionUpdate":"tool_call","toolCallId":"d","title":"?","rawInput":{"_toolName":"updateTodos","merge":true,"todos":[{"id":"a","status":"TODO_STATUS_COMPLETED"},{"id":"e","content":"four"}]}}`, "x one, - two, x [cancelled] three, - four"},
			{`{"sessionUpdate":"tool_call_update","toolCallId":"d","status":"completed","rawInput":{"merge":true},"rawOutput":{"success":{"todos":[{"id":"a","content":"one","status":2}]}}}`, "x one"},
		}},
		{"cursor's method", "", "cursor/update_todos", []message{
			{`{"toolCallId":"c","todos":[{"id":"1","content":"one","status":"pending"},{"id":"2","title":"two","status":"in_progress"}],"merge":false}`, "- one, ~ two"},
			{`{"toolCallId":"d","todos":[{"id":"2","status":"completed"},{"id":"3","content":"three"}],"merge":true}`, "- one, x two, - three"},
			{`{"toolCallId":"e","todos":[]}`, ""},
		}},
		{"claude", "", "", []message{
			{a(start, `"title":"Terminal","rawInput":{},"_meta":{"claudeCode":{"toolName":"TodoWrite"}}`), ""},
			{a(next, `"title":"Update TODOs: one","rawInput":{"todos":[{"content":"one","status":"in_progress","activeForm":"doing one"}]}`), "~ one"},
		}},
		{"codex", "", "", []message{
			{a(start, `"title":"update_plan","status":"in_progress","rawInput":{"explanation":"so","plan":[{"step":"one","status":"completed"},{"step":"two","status":"inProgress"},{"step":"three","status":"in_progress"}]}`), "x one, ~ two, ~ three"},
		}},
		{"kimi", "", "", []message{
			{a(next, `"status":"completed","title":"Updating todo list","kind":"execute","rawInput":{"todos":[{"title":"one","status":"done"},{"title":"two","status":"in_progress"}]}`), "x one, ~ two"},
			{`{"sessionUpdate":"tool_call","toolCallId":"query","title":"Updating todo list","rawInput":{},"status":"completed"}`, "x one, ~ two"},
		}},
		{"oh-my-pi", "oh-my-pi", "", []message{
			{a(start, `"title":"todo: start","status":"pending","rawInput":{"op":"start"}`), ""},
			{a(next, `"status":"completed","rawOutput":{"details":{"phases":[{"name":"A","tasks":[{"content":"one","status":"completed"},{"content":"two","status":"abandoned"}]},{"name":"B","tasks":[{"content":"three","status":"blocked"}]}]}}`), "x one, x [cancelled] two, - three"},
			{`{"sessionUpdate":"tool_call_update","toolCallId":"d","title":"todo_write","status":"completed","rawOutput":{"details":{"phases":[]}}}`, ""},
		}},
		{"kiro", "Kiro CLI Agent", "", []message{
			{a(start, `"title":"todo_list","rawInput":{"command":"create","tasks":[{"task_description":"one"},{"task_description":"two"},{"task_description":"three"}]}`), "- one, - two, - three"},
			{a(next, `"status":"completed"`), "- one, - two, - three"},
			{`{"sessionUpdate":"tool_call","toolCallId":"d","title":"todo_list","rawInput":{"command":"complete","completed_task_ids":["1",3]}}`, "x one, - two, x three"},
			{`{"sessionUpdate":"tool_call","toolCallId":"e","title":"todo_list","rawInput":{"command":"complete","completed_task_ids":["2"]}}`, "x one, x two, x three"},
			{`{"sessionUpdate":"tool_call_update","toolCallId":"e","status":"failed"}`, "x one, - two, x three"},
		}},
		{"copilot", "Copilot", "", []message{
			{a(start, `"title":"Update todos","rawInput":{"todoList":[{"id":1,"title":"one","description":"more","status":"not-started"},{"id":2,"title":"two","status":"in-progress"}]}`), "- one, ~ two"},
			{`{"sessionUpdate":"tool_call","toolCallId":"d","title":"update_todo","rawInput":{"todos":"- [x] one\n- [ ] two"}}`, "x one, - two"},
			{`{"sessionUpdate":"tool_call","toolCallId":"e","title":"update_todo","rawInput":{"items":["three","four"]}}`, "- three, - four"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var todos Todos
			if test.method == "" {
				test.method = acp.SessionUpdate
			}
			tools := shipped(t, test.agent)
			for i, m := range test.messages {
				read(t, &todos, tools, test.method, m.message)
				if got := drawnSteps(todos.Entries()); got != m.want {
					t.Fatalf("after message %d: %q, want %q", i+1, got, m.want)
				}
			}
		})
	}
}

// Cursor sends its method and a tool call with the same id.
func TestAMethodReplacesTheListOfItsCall(t *testing.T) {
	var todos Todos
	tools := shipped(t, "")
	params := `{"toolCallId":"c","todos":[{"id":"1","content":"one"}]}`
	read(t, &todos, tools, "cursor/update_todos", params)
	for _, m := range []string{
		a(start, `"title":"Update TODOs","status":"pending","rawInput":{"_toolName":"updateTodos","todos":[]}`),
		a(next, `"status":"completed","rawInput":{"todos":[]}`),
	} {
		read(t, &todos, tools, acp.SessionUpdate, m)
		if got := drawnSteps(todos.Entries()); got != "- one" {
			t.Errorf("%q after %s", got, m)
		}
	}
	read(t, &todos, tools, "cursor/update_todos", `{"todos":[],"_meta":{"parentToolUseId":"p"}}`)
	read(t, &todos, tools, acp.SessionUpdate, strings.Replace(a(start, `"_meta":{"parentToolUseId":"p"}`), `"c"`, `"sub"`, 1))
	read(t, &todos, tools, "cursor/update_todos", `{"toolCallId":"sub","todos":[]}`)
	if got := drawnSteps(todos.Entries()); got != "- one" {
		t.Errorf("%q after a subagent's", got)
	}
}

func TestWhichMessagesOfACallCount(t *testing.T) {
	todo := func(members string) string { return a(start, `"title":"todowrite",`+members) }
	other := func(id, members string) string {
		return strings.Replace(a(start, `"title":"todowrite",`+members), `"c"`, `"`+id+`"`, 1)
	}
	one, two := `"rawInput":{"todos":[{"content":"one"}]}`, `"rawInput":{"todos":[{"content":"two"}]}`
	update := func(id, members string) string { return strings.Replace(a(next, members), `"c"`, `"`+id+`"`, 1) }
	tests := []struct {
		name     string
		messages []string
		want     string
	}{
		{"a failed call is undone", []string{other("b", one), todo(two), a(next, `"status":"failed"`)}, "- one"},
		{"the first call is undone if it fails", []string{todo(one), a(next, `"status":"failed"`)}, ""},
		{"a cancelled call is undone", []string{other("b", one), todo(two), a(next, `"status":"cancelled"`)}, "- one"},
		{"a call with an error as its result is undone", []string{other("b", one), todo(two), a(next, `"status":"completed","rawOutput":{"error":"denied"}`)}, "- one"},
		{"a call with isError in its result is undone", []string{other("b", one), todo(two), a(next, `"status":"completed","rawOutput":{"isError":true}`)}, "- one"},
		{"an error of null is not an error", []string{todo(one), a(next, `"status":"completed","rawOutput":{"error":null,"isError":false}`)}, "- one"},
		{"a failed call is not read", []string{todo(`"status":"failed",` + one)}, ""},
		{"later messages of a failed call are not read", []string{todo(`"status":"failed"`), a(next, one)}, ""},
		{"a failed call that wrote twice is undone completely", []string{other("b", one), todo(two), a(next, `"rawInput":{"todos":[{"content":"three"}]}`), a(next, `"status":"failed"`)}, "- one"},
		{"a completed call is not undone", []string{todo(one), a(next, `"status":"completed"`), a(next, `"status":"failed"`)}, "- one"},
		{"a completed call before another one is not undone", []string{other("a", one), todo(two), a(next, `"status":"completed"`), a(next, `"status":"failed"`), update("a", `"status":"failed"`)}, "- two"},
		{"two at once, the first fails", []string{other("a", one), other("b", two), update("a", `"status":"failed"`)}, "- two"},
		{"two at once, both fail", []string{other("z", one), update("z", `"status":"completed"`), other("a", two), other("b", two), update("a", `"status":"failed"`), update("b", `"status":"failed"`)}, "- one"},
		{"an empty list clears when the call is done", []string{other("b", one), todo(`"rawInput":{"todos":[]}`), a(next, `"status":"completed"`)}, ""},
		{"an empty list does not clear before the call is completed", []string{other("b", one), todo(`"rawInput":{"todos":[]}`)}, "- one"},
		{"an empty list does not clear if another call wrote meanwhile", []string{todo(`"rawInput":{"todos":[]}`), other("b", one), a(next, `"status":"completed"`)}, "- one"},
		{"a value that is not a list changes nothing", []string{todo(one), a(next, `"rawInput":{"todos":{"content":"two"}}`), a(next, `"rawInput":{"todos":"two"}`), a(next, `"rawInput":{"todos":[{"id":"1"}]}`), a(next, `"status":"completed","rawInput":{"todos":[1,{"x":1}]}`)}, "- one"},
		{"the input does not replace the output", []string{todo(one), a(next, `"status":"completed","rawOutput":{"metadata":{"todos":[{"content":"out"}]}}`), a(next, one)}, "- out"},
		{"a subagent's call is not read", []string{todo(one + `,"_meta":{"claudeCode":{"parentToolUseId":"t"}}`)}, ""},
		{"a subagent's call of qwen-code is not read", []string{todo(one + `,"_meta":{"parentToolCallId":"t"}`)}, ""},
		{"a later message of a subagent's call is not read", []string{todo(`"_meta":{"claudeCode":{"parentToolUseId":"t"}}`), a(next, one)}, ""},
		{"a subagent's call that is recognised late is undone", []string{other("b", one), todo(two), a(next, `"_meta":{"parentToolUseId":"t"}`)}, "- one"},
		{"a null parent is not a parent", []string{todo(one + `,"_meta":{"claudeCode":{"parentToolUseId":null}}`)}, "- one"},
		{"recognised by an update", []string{a(start, `"title":"tool"`), a(next, `"title":"todowrite"`), a(next, one)}, "- one"},
		{"another tool's call", []string{a(start, `"title":"read",`+one)}, ""},
		{"is not looked at again", []string{a(start, `"title":"read","rawInput":{"path":"/x"}`), a(next, `"title":"todowrite",`+one)}, ""},
		{"nor is one with a name", []string{a(start, `"name":"read"`), a(next, `"title":"todowrite",`+one)}, ""},
		{"but its id may start a new call", []string{a(start, `"title":"read","rawInput":{"path":"/x"}`), todo(one)}, "- one"},
		{"as may that of one that ended", []string{todo(one), a(next, `"status":"failed"`), todo(two)}, "- two"},
		{"or was completed", []string{todo(one), a(next, `"status":"completed"`), todo(two), a(next, `"status":"failed"`)}, "- one"},
		{"or was a subagent's", []string{todo(one + `,"_meta":{"parentToolUseId":"t"}`), todo(two)}, "- two"},
		{"rejected is not done", []string{other("b", one), todo(two), a(next, `"status":"rejected"`)}, "- one"},
		{"an input without a title names no tool", []string{a(start, `"rawInput":{"x":1}`), a(next, `"title":"todowrite",`+one)}, "- one"},
		{"an empty list does not clear before the call is done", []string{other("b", one), todo(`"rawInput":{"todos":[]}`), a(next, `"title":"todowrite"`)}, "- one"},
		{"without an id", []string{`{"sessionUpdate":"tool_call","title":"todowrite",` + one + `}`}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var todos Todos
			tools := shipped(t, "")
			for _, m := range test.messages {
				read(t, &todos, tools, acp.SessionUpdate, m)
			}
			if got := drawnSteps(todos.Entries()); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestTodoStatuses(t *testing.T) {
	tool, err := NewTool(ToolOptions{Title: []string{"*"}, List: []string{"/todos"}, Status: []string{"state", "done"},
		Words: map[string]string{"true": "completed", "open": "in_progress", "wontfix": "cancelled", "completed": "pending"}})
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[string]string{
		`"state":"pending"`: "- a", `"state":"in_progress"`: "~ a", `"state":"cancelled"`: "x [cancelled] a",
		`"done":true`: "x a", `"done":false`: "- a", `"state":"open"`: "~ a", `"state":"wontfix"`: "x [cancelled] a",
		`"state":"completed"`: "- a", `"state":"odd"`: "- a", `"state":null`: "- a", `"state":{}`: "- a", `"state":3`: "- a",
		`"state":"","done":true`: "x a", `"priority":"high"`: "- a!", `"priority":"odd"`: "- a",
	} {
		var todos Todos
		read(t, &todos, []*Tool{tool}, acp.SessionUpdate, a(start, `"title":"x","todos":[{"content":"a",`+status+`}]`))
		if got := drawnSteps(todos.Entries()); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}

func TestPatchesById(t *testing.T) {
	tool, err := NewTool(ToolOptions{Title: []string{"*"}, List: []string{"/todos"}, Merge: "/merge"})
	if err != nil {
		t.Fatal(err)
	}
	base := `[{"id":1,"content":"a","priority":"high"},{"id":"x","content":"b","status":"in_progress"}]`
	for patch, want := range map[string]string{
		`[{"id":"1","status":"completed"}]`:                "x a!, ~ b",
		`[{"id":"x","content":"bb","priority":"low"}]`:     "- a!, ~ bb?",
		`[{"id":"n","content":"c"}]`:                       "- a!, ~ b, - c",
		`[{"id":"n"}]`:                                     "- a!, ~ b",
		`[{"content":"b","status":"completed"}]`:           "- a!, x b",
		`[{"content":"c"},{"content":"c","status":"odd"}]`: "- a!, ~ b, - c",
		`[{"id":"x","status":"cancelled"}]`:                "- a!, x [cancelled] b",
		`[]`:                                               "- a!, ~ b",
	} {
		var todos Todos
		read(t, &todos, []*Tool{tool}, acp.SessionUpdate, a(start, `"title":"t","status":"completed","todos":`+base))
		merge := strings.Replace(a(start, `"title":"t","merge":true,"todos":`+patch), `"c"`, `"d"`, 1)
		for range 2 { // a repeated message changes nothing
			read(t, &todos, []*Tool{tool}, acp.SessionUpdate, merge)
			if got := drawnSteps(todos.Entries()); got != want {
				t.Errorf("%s: %q, want %q", patch, got, want)
			}
		}
	}
	var todos Todos
	for _, merge := range []string{`true`, `"true"`, `false`} {
		read(t, &todos, []*Tool{tool}, acp.SessionUpdate, a(start, `"title":"t","todos":[{"content":"`+strings.Trim(merge, `"`)[:1]+`"}],"merge":`+merge))
	}
	if got := drawnSteps(todos.Entries()); got != "- f" {
		t.Errorf("%q after lists that are whole", got)
	}
}

func TestNewToolRefuses(t *testing.T) {
	for want, o := range map[string]ToolOptions{
		"want a title or a tool":                    {List: []string{"/a"}},
		"want a list, a text or completed":          {Title: []string{"*"}},
		`pointer "a": it has to begin with /`:       {Title: []string{"*"}, List: []string{"a"}},
		`pointer "": want one to a member`:          {Title: []string{"*"}, Text: []string{""}},
		`pointer "b": it has to begin with /`:       {Method: "x/y", List: []string{"/a"}, Merge: "b"},
		`glob "["`:                                  {Title: []string{"["}, List: []string{"/a"}},
		`words: w: want pending, in_progress, comp`: {Title: []string{"*"}, List: []string{"/a"}, Words: map[string]string{"w": "done"}},
	} {
		o.Name = "mine"
		if _, err := NewTool(o); err == nil || !strings.HasPrefix(err.Error(), `tool "mine": `) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAToolWithItsOwnMethodReadsNoUpdates(t *testing.T) {
	tool, err := NewTool(ToolOptions{Method: "x/todos", Title: []string{"mine"}, List: []string{"/todos"}})
	if err != nil {
		t.Fatal(err)
	}
	var todos Todos
	parse := func(message string) *wire.Object {
		o, err := wire.Parse([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if todos.Read([]*Tool{tool}, parse(a(start, `"title":"mine","todos":["no"]`))) {
		t.Error("a session update was read")
	}
	for message, want := range map[string]bool{
		`{"title":"other","todos":["no"]}`:    false,
		`{"title":"mine","todos":{}}`:         false,
		`{"title":"mine","todos":["a","b"]}`:  true,
		`{"title":"mine","todos":[null,"c"]}`: true,
	} {
		if got := todos.ReadParams(tool, parse(message)); got != want {
			t.Errorf("%s: changed is %v", message, got)
		}
	}
}

func TestReadReportsOnlyChanges(t *testing.T) {
	tools := shipped(t, "")
	var todos Todos
	if todos.Knows("c") || todos.Ignores([]byte("c")) {
		t.Error("a call is known before there was one")
	}
	read := func(message string) bool {
		o, err := wire.Parse([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		return todos.Read(tools, o)
	}
	long := strings.Repeat("i", maxCallID)
	todo := a(start, `"title":"todowrite","rawInput":{"todos":[{"content":"one"}]}`)
	for _, step := range []struct {
		message string
		changed bool
	}{
		{todo, true}, {a(next, `"content":[]`), false}, {a(next, `"_meta":{"parentToolUseId":"t"}`), true},
		{strings.Replace(todo, `"c"`, `"`+long+`"`, 1), true}, {strings.Replace(todo, `"c"`, `"`+long+`i"`, 1), false},
	} {
		if got := read(step.message); got != step.changed {
			t.Errorf("%.200s: changed is %v", step.message, got)
		}
	}
	if !todos.Knows("c") || !todos.Ignores([]byte("c")) || todos.Knows("d") || todos.Ignores([]byte("d")) {
		t.Error("want the subagent's call known and ignored, another one neither")
	}
	if tool, err := NewTool(ToolOptions{Method: "x/todos", List: []string{"/todos"}}); err != nil {
		t.Error(err)
	} else {
		for _, id := range []string{"p", "", long + "i"} {
			o, _ := wire.Parse([]byte(`{"toolCallId":"` + id + `","todos":["two"]}`))
			if !todos.ReadParams(tool, o) || todos.Knows(id) != (id == "p") {
				t.Errorf("a list for the call %.9q changes nothing, or it is known: %v", id, todos.Knows(id))
			}
		}
	}
	if !todos.Knows(long) || todos.Knows(long+"i") {
		t.Errorf("want ids of up to %d bytes known", maxCallID)
	}
}

func TestATooLargeListIsNotShown(t *testing.T) {
	tools := shipped(t, "")
	write := func(n int, content string) string {
		element := `{"content":"` + content + `"}`
		return a(start, `"title":"todowrite","rawInput":{"todos":[`+strings.Repeat(element+",", n-1)+element+`]}`)
	}
	var todos Todos
	read(t, &todos, tools, acp.SessionUpdate, write(maxSteps, "w"))
	if entries := todos.Entries(); len(entries) != maxSteps || entries[maxSteps-1].Content != "w" {
		t.Errorf("%d steps of %d, the last is %q", len(entries), maxSteps, entries[len(entries)-1].Content)
	}
	read(t, &todos, tools, acp.SessionUpdate, write(8, strings.Repeat("w", maxBytes/8)))
	if n := len(todos.Entries()); n != 0 || todos.Size() > 1<<10 {
		t.Errorf("%d steps, %d bytes of a list of more than %d", n, todos.Size(), maxBytes)
	}
}

func TestFieldsThatAreNotScalarsAreMissing(t *testing.T) {
	tool, err := NewTool(ToolOptions{Title: []string{"*"}, List: []string{"/todos"}, Content: []string{"content", "title"}})
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{`{"x":1}`: "- t", `["x"]`: "- t", `null`: "- t", `""`: "- t", `7`: "- 7", `true`: "- true"} {
		var todos Todos
		read(t, &todos, []*Tool{tool}, acp.SessionUpdate, a(start, `"title":"x","todos":[{"content":`+content+`,"title":"t"}]`))
		if got := drawnSteps(todos.Entries()); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}

func TestTodosAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	tools := shipped(t, "")
	var todos Todos
	list := strings.Repeat(`{"content":"`+strings.Repeat("w", 100)+`"},`, 2*maxSteps) + `{"content":"last"}`
	for i := range 3 * maxCalls {
		if i > 2*maxVersions {
			list = ""
		}
		read(t, &todos, tools, acp.SessionUpdate, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"todowrite","rawInput":{"todos":[%s]}}`, i, list))
	}
	if n := todos.calls.Len(); n != maxCalls {
		t.Errorf("%d calls are kept, want %d", n, maxCalls)
	}
	entries := todos.Entries()
	if n := len(entries); n != maxSteps || entries[n-1].Content != "… and 1002 more" || len(todos.versions) != maxVersions {
		t.Errorf("%d steps in %d versions, the last is %q", n, len(todos.versions), entries[n-1].Content)
	}
	if size := todos.Size(); size < maxVersions*maxSteps*100 || size > maxBytes {
		t.Errorf("%d bytes are kept", size)
	}
	for i := range maxSteps {
		read(t, &todos, tools, "cursor/update_todos", fmt.Sprintf(`{"merge":true,"todos":[{"id":"n%d","content":"n"}]}`, i))
	}
	if n := len(todos.Entries()); n != maxSteps {
		t.Errorf("%d steps after patches, want %d", n, maxSteps)
	}
	read(t, &todos, tools, acp.SessionUpdate, `{"sessionUpdate":"tool_call","toolCallId":"`+strings.Repeat("i", maxCallID+1)+`","title":"todowrite","rawInput":{"todos":[]}}`)
	if n := todos.calls.Len(); n != maxCalls {
		t.Errorf("%d calls are kept, want %d", n, maxCalls)
	}
}

func TestACallWithAReusedIDReplacesTheOldOne(t *testing.T) {
	tools := shipped(t, "")
	var todos Todos
	var sizes [2]int
	for i := range sizes {
		read(t, &todos, tools, acp.SessionUpdate, a(start, `"title":"todowrite","status":"completed","rawInput":{"todos":[{"content":"one"}]}`))
		sizes[i] = todos.Size()
	}
	if sizes[0] != sizes[1] {
		t.Errorf("%d bytes after two calls, %d after one", sizes[1], sizes[0])
	}
}

// The ids of completed steps are in a list, in a string or alone. A list of the same call has
// priority.
func TestCompletedSteps(t *testing.T) {
	tool, err := NewTool(ToolOptions{Title: []string{"*"}, List: []string{"/todos"}, Text: []string{"/text"}, Completed: []string{"/done"}})
	if err != nil {
		t.Fatal(err)
	}
	for done, want := range map[string]string{`["1",2]`: "x a, x b", `"[1]"`: "x a, - b", `"2"`: "- a, x b", `2`: "- a, x b", `{}`: "- a, - b", `["3"]`: "- a, - b"} {
		for id, want := range map[string]string{"d": want, "c": "- a, - b"} {
			var todos Todos
			read(t, &todos, []*Tool{tool}, acp.SessionUpdate, a(start, `"title":"x","todos":["a","b"]`))
			read(t, &todos, []*Tool{tool}, acp.SessionUpdate, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id+`","title":"x","done":`+done+`}`)
			if got := drawnSteps(todos.Entries()); got != want {
				t.Errorf("%s of the call %s: %q, want %q", done, id, got, want)
			}
		}
	}
}

func TestACallWithoutAToolIsIgnoredAfterSomeMessages(t *testing.T) {
	tools := shipped(t, "")
	for _, test := range []struct {
		name, message string
		looks         int
	}{
		{"a name", `"name":"bash"`, 1},
		{"a title and an input", `"title":"bash","rawInput":{"command":"ls"}`, 1},
		{"a title", `"title":"bash","rawInput":{}`, maxLooks},
		{"nothing", `"content":[]`, maxLooks},
	} {
		var todos Todos
		n := 0
		for n < 10 && !todos.Ignores([]byte("c")) {
			read(t, &todos, tools, acp.SessionUpdate, a(next, test.message))
			n++
		}
		if n != test.looks {
			t.Errorf("%s: %d looks, want %d", test.name, n, test.looks)
		}
	}
}
