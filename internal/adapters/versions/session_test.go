package versions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// prepared is a system prompt and options in a request that opens a session, in version 1.
const (
	systemPrompt = `"systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief."}]}`
	prepared     = systemPrompt + `,"configOptions":[{"configId":"model","value":"m1"},{"configId":"fast","type":"boolean","value":true}]`
	prepared2    = systemPrompt + `,"configOptions":[{"configId":"model","value":"m1","type":"id"},{"configId":"fast","type":"boolean","value":true}]`
)

func TestWhatASessionBeginsWith(t *testing.T) {
	for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
		w := newWorld(t, 0)
		oldClient(w)
		w.play(`c {"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"sessionId":"s","cwd":"/w","mcpServers":[],` + prepared + `}}`)
		if got := w.agent[len(w.agent)-1]; !strings.Contains(got, prepared2) {
			t.Errorf("%s: the agent of version 2 got %s", method, got)
		}
	}
	for _, method := range []string{"session/new", "session/resume", "session/fork"} {
		w := newWorld(t, 0)
		newClient(w)
		more := strings.Replace(prepared2, `"m1","type":"id"}`, `"m1","type":"id"},{"configId":"size","type":"number","value":3}`, 1)
		w.play(`c {"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"sessionId":"s","cwd":"/w",` + more + `}}`)
		if got := w.agent[len(w.agent)-1]; !strings.Contains(got, prepared) {
			t.Errorf("%s: the agent of version 1 got %s", method, got)
		}
	}
}

// What the options of a session are before it begins, and the capabilities for it.
func TestOptionsOfASessionThatHasNotBegun(t *testing.T) {
	const (
		capabilities = `"systemPrompt":{"mode":{"override":{}}},"options":{}`
		asks         = `c {"jsonrpc":"2.0","id":1,"method":"session/options","params":{"cwd":"/w","sessionId":"s"}}`
		option       = `"type":"select","name":"Speed","category":"speed","currentValue":"a","options":[{"value":"a","name":"A"}]`
		commands     = `"availableCommands":[{"type":"command","name":"go","description":"Go."}]`
	)
	w := newWorld(t, 0)
	w.play(`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`,
		`a {"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}}`,
		`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{`+capabilities+`}}}}`)
	if got := w.client[0]; !strings.Contains(got, `"sessionCapabilities":{"list":{},"resume":{},"close":{},`+capabilities+`}`) {
		t.Errorf("the client of version 1 got %s", got)
	}
	w.client = nil
	w.play(asks, `a {"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"configId":"s",`+option+`},{"configId":"n","type":"number","name":"N"}],`+commands+`}}`)
	want := `{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"configId":"s",` + option + `,"id":"s"}],` + commands + `}}`
	if got := w.messages(); got != want {
		t.Errorf("the client of version 1 got\n%s\nwant\n%s", got, want)
	}

	w = newWorld(t, 0)
	w.play(`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`)
	for range 2 {
		w.play(`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{` + capabilities + `}}}}`)
	}
	if got := w.client[0]; !strings.Contains(got, `"session":{"prompt":{},"mcp":{"stdio":{}},`+capabilities+`}`) {
		t.Errorf("the client of version 2 got %s", got)
	}
	w.client = nil
	w.play(asks, `a {"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"s",`+option+`}]}}`,
		asks, `a {"jsonrpc":"2.0","id":1,"result":{"modes":null,"configOptions":null}}`)
	want = `{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"s",` + option + `,"configId":"s"}]}}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"result":{"modes":null}}`
	if got := w.messages(); got != want {
		t.Errorf("the client of version 2 got\n%s\nwant\n%s", got, want)
	}
}

// Agents of version 2 cancel their requests when the client cancels the turn. In place of an agent
// of version 1, acpshim does it.
func TestQuestionsOfACancelledTurn(t *testing.T) {
	const (
		cancels  = `c {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
		closes   = `c {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`
		question = `a {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`
		allows   = `c {"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"selected","optionId":"n"}}}`
		declines = `c {"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"cancelled"}}`
		late     = `{"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"cancelled"}}}`
		goesOn   = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}`
		isIdle   = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}`
		none     = `{"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`
	)
	asks1 := fmt.Sprintf(asks, 1)
	other := strings.Replace(fmt.Sprintf(asks, 2), `"s"`, `"other"`, 1)
	withdraws := func(id string) string {
		return `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`
	}
	for name, c := range map[string]struct {
		lines         []string
		client, agent []string // what they get from the cancel on
	}{
		"two, and one of another session": {[]string{prompt1, asks1, question, other, cancels, allows, declines},
			[]string{withdraws(`"p1"`), withdraws("7"), goesOn}, []string{cancels[2:], late, none}},
		"the client has responded": {[]string{prompt1, asks1, allows, cancels}, nil, []string{cancels[2:]}},
		"one after the cancel":     {[]string{prompt1, cancels, question, asks1}, nil, []string{cancels[2:], none, late}},
		"the session is closed": {[]string{prompt1, asks1, closes, allows, question, `a {"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`},
			[]string{withdraws(`"p1"`), goesOn, isIdle, `{"jsonrpc":"2.0","id":9,"result":{}}`}, []string{late, cancels[2:], none}},
	} {
		w := newWorld(t, 0)
		newClient(w)
		for _, line := range c.lines {
			if line == cancels || line == closes {
				w.client, w.agent = nil, nil
			}
			w.play(line)
		}
		slices.Sort(w.client) // the two directions are not in order
		slices.Sort(c.client)
		if !slices.Equal(w.client, c.client) || !slices.Equal(w.agent, c.agent) {
			t.Errorf("%s: the client got\n%s\nand the agent\n%s", name, strings.Join(w.client, "\n"), strings.Join(w.agent, "\n"))
		}
	}
}

// The agent of version 2 gets one response, whatever the client sends.
func TestRequestsThatTheAgentCancels(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.client, w.agent = nil, nil
	withdraws := `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p1"}}`
	w.play(strings.Replace(childAsks, `"k"`, `"s"`, 1), "a "+withdraws, "a "+withdraws,
		`c {"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`)
	if got, want := strings.Join(w.agent, "\n"), `{"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"cancelled"}}}`; got != want {
		t.Errorf("the agent got\n%s\nwant\n%s", got, want)
	}
	if len(w.client) < 2 || w.client[1] != withdraws {
		t.Errorf("the client got\n%s", w.messages())
	}
}

// The client of version 1 gets skills as commands, and the agent of version 2 gets its commands as
// references to skills.
func TestSkills(t *testing.T) {
	const (
		skill    = `{"type":"skill","name":"pdf","description":"Read PDFs.","path":"/skills/pdf/SKILL.md"}`
		command  = `{"type":"command","name":"go","description":"Go."}`
		picture  = `{"type":"image","data":"eA==","mimeType":"image/png"}`
		commands = `a {"sessionUpdate":"available_commands_update","availableCommands":[` + skill + `,{"type":"_odd","name":"odd","description":"x"},` + command + `]}`
	)
	prompts := func(blocks string) string {
		return `c {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[` + blocks + `]}}`
	}
	text := func(text string) string { return `{"type":"text","text":"` + text + `"}` }
	reference := `{"type":"skill","name":"pdf"}`
	w := newWorld(t, 0)
	oldClient(w)
	w.client = nil
	w.play(commands)
	want := `s: {"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"pdf","description":"Read PDFs."},` + command + `]}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
	for sent, want := range map[string]string{
		text("/pdf"):                        reference,
		text("/pdf read it"):                reference + "," + text("read it"),
		picture + "," + text("/pdf\\nit"):   reference + "," + picture + "," + text("it"),
		text("/go on"):                      text("/go on"),
		text("/pdfs"):                       text("/pdfs"),
		text("see /pdf"):                    text("see /pdf"),
		text("see") + "," + text("/pdf it"): text("see") + "," + text("/pdf it"),
	} {
		w.play(prompts(sent))
		if got := w.agent[len(w.agent)-1]; got != prompts(want)[2:] {
			t.Errorf("the agent got\n%s\nwant\n%s", got, prompts(want)[2:])
		}
	}
	w.client = nil
	w.play(`c {"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}`,
		`a {"sessionUpdate":"user_message","messageId":"u","content":[`+reference+`,`+text("it")+`]}`,
		`a {"sessionUpdate":"user_message_chunk","messageId":"v","content":`+reference+`}`)
	want = `s: {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"/pdf "},"messageId":"u"}
s: {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"it"},"messageId":"u"}
s: {"sessionUpdate":"user_message_chunk","messageId":"v","content":{"type":"text","text":"/pdf "}}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
	w.checkSize(t, t.Name())

	w = newWorld(t, 0)
	newClient(w)
	w.client, w.agent = nil, nil
	w.play(prompts(reference), prompt2, ended2)
	if w.got() != "refused 1, user_message, response 2, running, idle" || len(w.agent) != 1 || !strings.Contains(w.client[0], "/pdf") {
		t.Errorf("the client got %q, and the agent %q", w.client, w.agent)
	}
}

func TestNamesAndDiffsOfCalls(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	w.client = nil
	w.play(`a {"sessionUpdate":"tool_call","toolCallId":"t","title":"T","name":"bash"}`,
		`a {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"diff","path":"/a","newText":"x","changes":[]},{"type":"diff","newText":"x"}]}`)
	want := `s: {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","name":"bash"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"diff","path":"/a","newText":"x","changes":[{"operation":"add","path":"/a"}],"patch":{"format":"git_patch","text":"diff --git /a /a\nnew file mode 100644\n--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n"}},{"type":"content","content":{"type":"text","text":"[diff]"}}]}`
	if w.messages() != want {
		t.Errorf("the client of version 2 got\n%s\nwant\n%s", w.messages(), want)
	}
	w = newWorld(t, 0)
	oldClient(w)
	w.client = nil
	w.play(`a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","name":"bash"}`,
		`a {"sessionUpdate":"tool_call_update","toolCallId":"t","name":null,"content":[{"type":"diff","changes":[]}]}`)
	want = `s: {"sessionUpdate":"tool_call","toolCallId":"t","title":"T","name":"bash"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]}`
	if w.messages() != want {
		t.Errorf("the client of version 1 got\n%s\nwant\n%s", w.messages(), want)
	}
}

// Whether a session has a question does not depend on the questions of other sessions.
func TestQuestionsOfOtherSessionsCostNothing(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	for i := range 100 {
		w.play(strings.Replace(fmt.Sprintf(asks, i), `"s"`, `"other"`, 1))
	}
	a := w.clientA.(*Client)
	if n := testing.AllocsPerRun(10, func() { a.isAsked("s"); a.cancelQuestions("s") }); n > 0 || !a.isAsked("other") {
		t.Errorf("%v allocations; another session is asked: %v", n, a.isAsked("other"))
	}
}
