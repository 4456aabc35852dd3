package plans

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/setup/config"
	"acpshim/translate/todo"
)

// shipped returns the tools of config.toml.
func shipped() []*todo.Tool { return config.Default().TodoTools() }

// capable returns a conversation with a capable client.
func capable(opts options) *relay {
	c := newRelay(opts)
	through(c.FromClient(), strings.Replace(initialize, `{}`, `{"plan":{},"planCapabilities":{}}`, 1))
	through(c.FromAgent(), initialized)
	return c
}

func toolLine(kind, session, id, members string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,"toolCallId":%q,%s}}}`, session, kind, id, members)
}

// todowrite returns a completed call that writes a list of one step.
func todowrite(session, id, content string) string {
	return todoCall(session, id, content, "completed")
}

func todoCall(session, id, content, status string) string {
	return toolLine("tool_call", session, id, `"title":"todowrite","status":"`+status+`","rawInput":{"todos":[{"content":"`+content+`"}]}`)
}

// planLine returns the line with a plan of one pending step.
func planLine(session, content string) string {
	entries := `[{"content":"` + content + `","priority":"medium","status":"pending"}]`
	if content == "" {
		entries = `[]`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan","entries":%s}}}`, session, entries)
}

func lines(lines ...string) string { return strings.Join(append(lines, ""), "\n") }

func call(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func result(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// A turn is a line of one side, and the lines that reach the other side if they differ.
type turn struct {
	client bool
	line   string
	want   []string
}

var nothing = []string{}

func fromTheClient(line string) turn                { return turn{true, line, nil} }
func fromTheAgent(line string, want ...string) turn { return turn{false, line, want} }

func TestTodoToolsBecomePlans(t *testing.T) {
	prompt := fromTheClient(call(9, "session/prompt", `{"sessionId":"s","prompt":[]}`))
	failed := toolLine("tool_call_update", "s", "c", `"status":"failed"`)
	open := func(session string) string { return todoCall(session, "c", "a", "pending") }
	chunk := strings.Replace(chunkS, "\n", "", 1)
	cursor := `{"jsonrpc":"2.0","method":"cursor/update_todos","params":{"toolCallId":"c","todos":[{"id":"1","content":"a"}]}}`
	asked := strings.Replace(cursor, `"method"`, `"id":77,"method"`, 1)
	tests := []struct {
		name  string
		turns []turn
	}{
		{"a plan follows the call if it changed", []turn{
			fromTheAgent(todowrite("s", "c", "a"), todowrite("s", "c", "a"), planLine("s", "a")),
			fromTheAgent(todowrite("s", "d", "a")),
			fromTheAgent(todowrite("s", "e", "b"), todowrite("s", "e", "b"), planLine("s", "b")),
		}},
		{"a plan does not split its call", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(toolLine("tool_call_update", "s", "c", `"status":"in_progress"`)),
			fromTheAgent(toolLine("tool_call_update", "s", "c", `"status":"completed"`), toolLine("tool_call_update", "s", "c", `"status":"completed"`), planLine("s", "a")),
		}},
		{"messages of other sessions do not end its wait", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(strings.Replace(chunk, `"s"`, `"t"`, 1)),
			fromTheAgent(todowrite("t", "c", "b"), todowrite("t", "c", "b"), planLine("t", "b")),
			fromTheAgent(toolLine("tool_call_update", "s", "c", `"status":"completed"`), toolLine("tool_call_update", "s", "c", `"status":"completed"`), planLine("s", "a")),
		}},
		{"nor does a session that is opened", []turn{
			fromTheAgent(open("s")),
			fromTheClient(call(8, "session/new", `{"cwd":"/"}`)),
			fromTheAgent(result(8, `{"sessionId":"t"}`)),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
		}},
		{"a question and another call of the session do", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(reviewS, planLine("s", "a"), reviewS),
			fromTheAgent(todoCall("s", "d", "b", "in_progress")),
			fromTheAgent(todoCall("s", "e", "b", "in_progress"), planLine("s", "b"), todoCall("s", "e", "b", "in_progress")),
		}},
		{"so does the response", []turn{
			prompt,
			fromTheAgent(open("s")),
			fromTheAgent(result(9, `{"stopReason":"end_turn"}`), planLine("s", "a"), result(9, `{"stopReason":"end_turn"}`)),
		}},
		{"a call that fails while its plan waits shows none", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(failed),
			fromTheAgent(chunk),
		}},
		{"a failed call is undone", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheAgent(failed, failed, planLine("s", "")),
		}},
		{"sessions do not mix", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheAgent(strings.Replace(failed, `"s"`, `"t"`, 1)),
			fromTheAgent(todowrite("t", "c", "b"), todowrite("t", "c", "b"), planLine("t", "b")),
			fromTheAgent(failed, failed, planLine("s", "")),
		}},
		{"not before the client knows the session", []turn{
			fromTheClient(call(1, "session/new", `{"cwd":"/"}`)),
			fromTheAgent(todowrite("s", "c", "a")),
			fromTheAgent(todowrite("s", "d", "b")),
			fromTheAgent(result(1, `{"sessionId":"s"}`), result(1, `{"sessionId":"s"}`), planLine("s", "b")),
		}},
		{"a load resets the list and shows each state in its place", []turn{
			fromTheAgent(todowrite("s", "c", "b"), todowrite("s", "c", "b"), planLine("s", "b")),
			fromTheClient(call(1, "session/load", `{"sessionId":"s"}`)),
			fromTheAgent(todowrite("s", "c", "a"), todowrite("s", "c", "a"), planLine("s", "a")),
			fromTheAgent(todowrite("s", "d", "b"), todowrite("s", "d", "b"), planLine("s", "b")),
			fromTheAgent(result(1, `{}`)),
		}},
		{"a load without a list shows none", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheClient(call(1, "session/load", `{"sessionId":"s"}`)),
			fromTheAgent(result(1, `{}`)),
			fromTheAgent(failed),
		}},
		{"a closed session is forgotten", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheClient(call(1, "session/close", `{"sessionId":"s"}`)),
			fromTheAgent(`{"jsonrpc":"2.0","id":1,"result":{}}`),
			fromTheAgent(failed),
			fromTheAgent(todowrite("s", "c", "a"), todowrite("s", "c", "a"), planLine("s", "a")),
		}},
		{"as is a deleted one", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheClient(call(1, "session/delete", `{"sessionId":"s"}`)),
			fromTheAgent(`{"jsonrpc":"2.0","id":1,"result":{}}`),
			fromTheAgent(failed),
		}},
		{"a resumed one is shown in its place", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheClient(call(1, "session/resume", `{"sessionId":"s"}`)),
			fromTheAgent(todowrite("s", "d", "b"), todowrite("s", "d", "b"), planLine("s", "b")),
			fromTheAgent(failed),
			fromTheAgent(result(1, `{}`)),
		}},
		{"but not a resumed one", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheClient(call(1, "session/resume", `{"sessionId":"s"}`)),
			fromTheAgent(result(1, `{}`)),
			fromTheAgent(failed, failed, planLine("s", "")),
		}},
		{"the agent's own plan wins", []turn{
			fromTheAgent(open("s")),
			fromTheAgent(chunk, planLine("s", "a"), chunk),
			fromTheAgent(planLine("s", "own")),
			fromTheAgent(todowrite("s", "d", "b")),
			fromTheAgent(failed),
		}},
		{"one of its own that says the same is shown when it is said twice", []turn{
			fromTheAgent(todowrite("s", "c", "a"), todowrite("s", "c", "a"), planLine("s", "a")),
			fromTheAgent(planLine("s", "a"), nothing...),
			fromTheAgent(planLine("s", "a")),
		}},
		{"an empty one of its own says nothing where no plan was shown", []turn{
			fromTheAgent(planLine("s", ""), nothing...),
			fromTheAgent(todowrite("s", "c", "a"), todowrite("s", "c", "a"), planLine("s", "a")),
		}},
		{"until the session is loaded again", []turn{
			fromTheAgent(planLine("s", "own")),
			fromTheClient(call(1, "session/load", `{"sessionId":"s"}`)),
			fromTheAgent(result(1, `{}`)),
			fromTheAgent(todowrite("s", "d", "b"), todowrite("s", "d", "b"), planLine("s", "b")),
		}},
		{"a load of another session is no load of this one", []turn{
			fromTheClient(call(1, "session/load", `{"sessionId":"s"}`)),
			fromTheAgent(todowrite("s", "c", "a"), todowrite("s", "c", "a"), planLine("s", "a")),
			fromTheClient(call(2, "session/load", `{"sessionId":"t"}`)),
			fromTheAgent(result(1, `{}`)),
		}},
		{"after a batch", []turn{
			fromTheAgent("["+todowrite("s", "c", "a")+","+todowrite("t", "c", "b")+"]",
				"["+todowrite("s", "c", "a")+","+todowrite("t", "c", "b")+"]", planLine("s", "a"), planLine("t", "b")),
		}},
		{"a member last, or escaped", []turn{
			fromTheAgent(`{"params":{"update":{"rawInput":{"todos":[{"content":"a"}]},"title":"todo\u0077rite","toolCallId":"\u0063","status":"completed","sessionUpdate":"tool_call"},"sessionId":"s"},"method":"session/update"}`,
				`{"params":{"update":{"rawInput":{"todos":[{"content":"a"}]},"title":"todo\u0077rite","toolCallId":"\u0063","status":"completed","sessionUpdate":"tool_call"},"sessionId":"s"},"method":"session/update"}`, planLine("s", "a")),
		}},
		{"ambiguous messages say nothing", []turn{
			fromTheAgent(strings.Replace(todowrite("s", "c", "a"), `"title"`, `"title":"x","title"`, 1)),
		}},
		{"cursor's method in the session of the prompt", []turn{
			prompt,
			fromTheAgent(todowrite("t", "x", "b"), todowrite("t", "x", "b"), planLine("t", "b")),
			fromTheAgent(cursor, cursor, planLine("s", "a")),
		}},
		{"as a request", []turn{prompt, fromTheAgent(asked, asked, planLine("s", "a"))}},
		{"in the session of its call", []turn{
			prompt,
			fromTheAgent(toolLine("tool_call", "t", "c", `"title":"Update TODOs"`)),
			fromTheAgent(cursor, cursor, planLine("t", "a")),
		}},
		{"in the session that it names", []turn{
			prompt,
			fromTheAgent(strings.Replace(cursor, `"todos"`, `"sessionId":"u","todos"`, 1),
				strings.Replace(cursor, `"todos"`, `"sessionId":"u","todos"`, 1), planLine("u", "a")),
		}},
		{"in none, where its name is too long to be kept", []turn{
			fromTheAgent(strings.Replace(cursor, `"todos"`, `"sessionId":"`+strings.Repeat("u", conversation.MaxSessionID+1)+`","todos"`, 1)),
		}},
		{"in the only session", []turn{
			fromTheAgent(toolLine("tool_call", "t", "d", `"title":"x"`)),
			fromTheAgent(cursor, cursor, planLine("t", "a")),
		}},
		{"in none, where it is not clear", []turn{
			fromTheAgent(toolLine("tool_call", "s", "d", `"title":"x"`)),
			fromTheAgent(toolLine("tool_call", "t", "d", `"title":"x"`)),
			fromTheAgent(cursor),
			fromTheAgent(`{"jsonrpc":"2.0","method":"cursor/update_todos"}`),
		}},
		{"nor where two sessions have a prompt", []turn{
			prompt,
			fromTheClient(call(10, "session/prompt", `{"sessionId":"t","prompt":[]}`)),
			fromTheAgent(cursor),
		}},
		{"a long prompt that names its session last is of none", []turn{
			fromTheClient(call(9, "session/prompt", `{"prompt":["`+strings.Repeat("x", wire.HeadSize)+`"],"sessionId":"s"}`)),
			fromTheAgent(cursor),
		}},
	}
	for _, test := range tests {
		for name, c := range map[string]*relay{"old": old(options{Settings: settings{Tools: shipped()}}), "capable": capable(options{Settings: settings{Tools: shipped(), Bridge: true}}), "capable, no bridge": capable(options{Settings: settings{Tools: shipped()}})} {
			t.Run(test.name+" "+name, func(t *testing.T) {
				client, agent := c.FromClient(), c.FromAgent()
				for i, turn := range test.turns {
					want := lines(turn.line)
					if turn.want != nil {
						want = lines(turn.want...)
					}
					var from end = agent
					if turn.client {
						from = client
					}
					if got := through(from, turn.line); got != want {
						t.Fatalf("turn %d:\n%swant:\n%s", i+1, got, want)
					}
				}
			})
		}
	}
}

// A capable client would show the agent's plan_update next to the legacy plan.
func TestThePlanOfTodoToolsIsRemovedForTheAgentsPlan(t *testing.T) {
	for _, bridge := range []bool{true, false} {
		c := capable(options{Settings: settings{Tools: shipped(), Bridge: bridge}})
		agent := c.FromAgent()
		removed := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p","id":"p"}}}`
		own := strings.Replace(planUpdate("s", "p", "- [ ] x"), `"planId":"p"`, `"planId":"p","id":"p"`, 1)
		through(agent, todowrite("s", "c", "a"))
		for i, turn := range []turn{
			fromTheAgent(removed),
			fromTheAgent(own, own, planLine("s", "")),
			fromTheAgent(own),
			fromTheAgent(todowrite("s", "d", "b")),
		} {
			want := lines(turn.line)
			if turn.want != nil {
				want = lines(turn.want...)
			}
			if got := through(agent, turn.line); got != want {
				t.Errorf("bridge %v, turn %d:\n%swant:\n%s", bridge, i+1, got, want)
			}
		}
	}
}

func TestAnEmptyPlanPassesAfterPlanUpdates(t *testing.T) {
	update := func(update string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
	}
	for _, before := range []string{
		update(`{"sessionUpdate":"plan_removed","planId":"p"}`), update(`{"sessionUpdate":"plan_update","plan":7}`), planUpdate("s", "p", "- [ ] a"),
	} {
		agent := capable(options{Settings: settings{Tools: shipped()}}).FromAgent()
		if got := through(agent, before) + through(agent, planLine("s", "")); got != lines(before, planLine("s", "")) {
			t.Errorf("behind %s: got %s", before, got)
		}
	}
}

func TestPlansOfTodoToolsFollowShowAs(t *testing.T) {
	prompt, answer := call(9, "session/prompt", `{"sessionId":"s","prompt":[]}`), result(9, `{"stopReason":"end_turn"}`)
	for _, as := range []ShowAs{AsMessage, AsThought, AsNothing} {
		opts := options{Settings: settings{Tools: shipped(), ShowAs: as}}
		for name, c := range map[string]*relay{"old": old(opts), "capable": capable(opts)} {
			through(c.FromClient(), prompt)
			call, end := through(c.FromAgent(), todowrite("s", "c", "a")), through(c.FromAgent(), answer)
			switch {
			case name == "capable":
				if call != lines(todowrite("s", "c", "a"), planLine("s", "a")) || end != lines(answer) {
					t.Errorf("%s: %s", name, call+end)
				}
			case call != lines(todowrite("s", "c", "a")):
				t.Errorf("%s: %s", as, call)
			case as == AsNothing && end != lines(answer),
				as != AsNothing && (!strings.Contains(end, as.chunk()) || !strings.Contains(end, "- [ ] a") || !strings.HasSuffix(end, "\n"+lines(answer))):
				t.Errorf("%s: %s", as, end)
			}
		}
	}
}

// This is for a capable client.
func TestOnlyCallsOfTodoToolsAreHeld(t *testing.T) {
	large := `,"content":"` + strings.Repeat("x", 2*wire.HeadSize)
	update := func(session, id string) string {
		return toolLine("tool_call_update", session, id, `"status":"in_progress"`+large)
	}
	for name, c := range map[string]*relay{"old": old(options{Settings: settings{Tools: shipped()}}), "capable": capable(options{Settings: settings{Tools: shipped()}})} {
		agent := c.FromAgent()
		bash := toolLine("tool_call", "s", "bash", `"title":"Run","rawInput":{"command":"ls"}`)
		through(agent, bash)
		through(agent, todowrite("s", "todo", "a"))
		through(agent, planLine("own", "a"))
		for _, test := range []struct {
			name, head string
			want       wire.Verdict
		}{
			{"a chunk", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{`, wire.Pass},
			{"a call that begins", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolC`, wire.More},
			{"an update of another tool's", update("s", "bash"), wire.Pass},
			{"once more", update("s", "bash"), wire.Pass},
			{"its id in another session", update("t", "bash"), wire.Hold},
			{"an update of a todo tool's", update("s", "todo"), wire.Hold},
			{"of one that is not known", update("s", "new"), wire.Hold},
			{"an id with an escape", strings.Replace(update("s", "bash"), "bash", `b\u0061sh`, 1), wire.More},
			{"an id that begins", update("s", "bash")[:strings.Index(update("s", "bash"), "bash")+2], wire.More},
			{"in a session with plans of its own", update("own", "new"), wire.Pass},
			{"a call there", todowrite("own", "new", "a"), wire.Pass},
			{"a method of a todo tool", `{"jsonrpc":"2.0","id":5,"method":"cursor/update_todos","params":{`, wire.Hold},
			{"another method", `{"jsonrpc":"2.0","id":5,"method":"cursor/ask_question","params":{`, wire.Pass},
			{"an answer nobody waits for", `{"jsonrpc":"2.0","id":77,"result":{`, wire.Pass},
		} {
			if got := agent.Inspect([]byte(test.head), json.Valid([]byte(test.head))); got != test.want {
				t.Errorf("%s: %s: %v, want %v", name, test.name, got, test.want)
			}
		}
		b := []byte(update("s", "bash"))[:wire.HeadSize]
		if n := testing.AllocsPerRun(100, func() { agent.Inspect(b, false) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		through(agent, todowrite("s", "bash", "b")) // the id is used again
		if got := agent.Inspect(b, false); got != wire.Hold {
			t.Errorf("%s: %v for an update of a call that began anew", name, got)
		}
	}
}

// In a session with plans of the agent, calls of todo tools pass until the session is loaded
// again.
func TestCallsAreReadAgainAfterALoad(t *testing.T) {
	c := capable(options{Settings: settings{Tools: shipped()}})
	agent := c.FromAgent()
	update := []byte(toolLine("tool_call_update", "s", "c", `"title":"todowrite"`))
	through(agent, planLine("s", "own"))
	for range 2 {
		if got := agent.Inspect(update, false); got != wire.Pass {
			t.Errorf("%v before", got)
		}
	}
	through(c.FromClient(), call(1, "session/load", `{"sessionId":"s"}`))
	through(agent, result(1, `{}`))
	if got := agent.Inspect(update, false); got != wire.Hold {
		t.Errorf("%v after the session is loaded again", got)
	}
}

func TestCallsOfAnAgentWithoutTodoToolsPass(t *testing.T) {
	tool, err := todo.NewTool(todo.ToolOptions{Agent: "other*", Title: []string{"todowrite"}, List: []string{"/rawInput/todos"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*relay{
		"another agent":  old(options{Settings: settings{Tools: []*todo.Tool{tool}}}),
		"no tools":       old(options{}),
		"none, capable":  capable(options{}),
		"other, capable": capable(options{Settings: settings{Tools: []*todo.Tool{tool}}}),
	} {
		if got := c.FromAgent().Inspect([]byte(todowrite("s", "c", "a")), true); got != wire.Pass {
			t.Errorf("%s: %v", name, got)
		}
	}
	c := newRelay(options{Settings: settings{Tools: shipped()}})
	through(c.FromClient(), initialize)
	through(c.FromAgent(), strings.Replace(initialized, `:1}`, `:2}`, 1))
	if got := c.FromAgent().Inspect([]byte(todowrite("s", "c", "a")), false); got != wire.Pass {
		t.Errorf("version 2: %v", got)
	}
	if c.follows() {
		t.Error("version 2: sessions are noted")
	}
}

func TestTodoListsCountAsState(t *testing.T) {
	for _, c := range []*relay{old(options{Settings: settings{Tools: shipped()}}), capable(options{Settings: settings{Tools: shipped()}})} {
		content := strings.Repeat("w", 1<<18)
		for i := range 5 {
			through(c.FromAgent(), todowrite(fmt.Sprint("s", i), "c", content))
		}
		if sum := c.c.Recount(); c.c.Size() != sum || sum < 10*len(content) {
			t.Errorf("%d bytes are kept, %d are noted", sum, c.c.Size())
		}
		for i, plan := range []string{"", "own"} {
			before := c.c.Size()
			through(c.FromAgent(), planLine(fmt.Sprint("s", i), plan))
			if freed := before - c.c.Size(); freed < 2*len(content) {
				t.Errorf("%d bytes are freed by the agent's plan %q", freed, plan)
			}
		}
	}
}

func TestAPromptResponsePassesIfNothingIsPending(t *testing.T) {
	head := []byte(`{"jsonrpc":"2.0","id":3,"result":{`)
	for name, test := range map[string]struct {
		before []string
		want   wire.Verdict
	}{
		"nothing was said":  {nil, wire.Pass},
		"a plan was shown":  {[]string{itemsUpdate("s", "p", "a")}, wire.Pass},
		"a document is due": {[]string{planUpdate("s", "p", "Prose.\n\n- [ ] a")}, wire.Hold},
		"there are files":   {[]string{fileOf("s", 1)}, wire.Hold},
		"a plan waits":      {[]string{itemsUpdate("s", "p", strings.Repeat("a", largePlan))}, wire.Hold},
	} {
		c := old(options{Settings: settings{Prose: true}, ReadFile: func(string, []string) (string, error) { return "- [ ] a", nil }})
		through(c.FromClient(), promptS)
		for _, line := range test.before {
			through(c.FromAgent(), line)
		}
		if got := c.FromAgent().Inspect(head, false); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if c.Busy() != (test.want == wire.Hold) {
			t.Errorf("%s: a prompt is under way: %v", name, c.Busy())
		}
	}
}
