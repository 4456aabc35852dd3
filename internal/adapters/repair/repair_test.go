package repair_test

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

type adapterOf = func(*conversation.Conversation, repair.IsOn) dispatch.Adapter

func diffs(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewDiffs(c, same, isOn)
}

func newToolCalls(c *conversation.Conversation, isOn repair.IsOn, on repair.CallSettings) dispatch.Adapter {
	return repair.NewToolCalls(c, func(client, agent conversation.Implementation) repair.CallSettings {
		if isOn(client, agent) {
			return on
		}
		return repair.CallSettings{}
	})
}

func toolCalls(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return newToolCalls(c, isOn, repair.CallSettings{Announce: true})
}

func askedCalls(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return newToolCalls(c, isOn, repair.CallSettings{Asked: true})
}

func mcp(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter { return repair.NewMCP(isOn) }

func auth(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewAuth(isOn)
}

func version(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewVersion(isOn)
}

func agentVersion(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewAgentVersion(isOn)
}

func shell(os string) adapterOf {
	return func(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
		return repair.NewShellLines(os, isOn)
	}
}

// newSession is newBench with a session s in the folder /w, and a session l that was loaded without
// a folder.
func newSession(adapter adapterOf, isOn bool) *dispatchtest.Bench {
	b := newBench(adapter, isOn)
	b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{"cwd":"/w"}}`)
	b.Says(dispatch.Agent, `{"id":"n","result":{"sessionId":"s"}}`)
	b.Says(dispatch.Client, `{"id":"l","method":"session/load","params":{"sessionId":"l"}}`)
	b.Says(dispatch.Agent, `{"id":"l","result":{}}`)
	return b
}

func apply(d *dispatch.Direction, line string) string {
	out, _ := wire.Apply(d, nil, []byte(line))
	return string(out)
}

// call returns a tool call, or an update of one.
func call(kind, session, id, members string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,"toolCallId":%q%s}}}`, session, kind, id, members)
}

// An input that describes an edit becomes a diff. Other inputs stay unchanged.
func TestDiffsOfInputs(t *testing.T) {
	for _, test := range []struct{ session, input, want string }{
		{"s", `{"file_path":"/a","old_string":"1","new_string":"2"}`, `"path":"/a","oldText":"1","newText":"2"`},
		{"s", `{"path":"C:\\a","oldText":"1","newText":"2"}`, `"path":"C:\\a","oldText":"1","newText":"2"`},
		{"s", `{"path":"\\\\host\\a","old_str":"1","new_str":""}`, `"path":"\\\\host\\a","oldText":"1","newText":""`},
		{"s", `{"filepath":"b/../a","oldString":"","newString":"2"}`, `"path":"/w/a","oldText":"","newText":"2"`},
		{"l", `{"filepath":"a","oldString":"","newString":"2"}`, ""}, // in no known folder
		{"s", `{"path":"/a","content":"x"}`, `"path":"/a","newText":"x"`},
		{"s", `{"path":"/a","content":"x","overwrite":true,"mode":"overwrite","description":"d"}`, `"path":"/a","newText":"x"`},
		{"s", `{"path":"/a","content":"x","overwrite":false}`, ""},
		{"s", `{"path":"/a","content":"x","mode":"append"}`, ""},
		{"s", `{"path":"/a","content":"x","line":7}`, ""},
		{"s", `{"path":"/a","new_string":"2"}`, ""},
		{"s", `{"path":"/a","old_string":"1"}`, ""},
		{"s", `{"path":"","old_string":"1","new_string":"2"}`, ""},
		{"s", `{"path":7,"old_string":"1","new_string":"2"}`, ""},
		{"s", `"text"`, ""},
		{"s", `{"path":"/a","content":"` + strings.Repeat("x", 4<<20) + `"}`, ""}, // it would be sent twice
	} {
		line := call("tool_call", test.session, "c", `,"kind":"edit","rawInput":`+test.input)
		want := line
		if test.want != "" {
			want = strings.TrimSuffix(line, "}}}") + `,"content":[{"type":"diff",` + test.want + `}]}}}`
		}
		if got := apply(newSession(diffs, true).Agent, line); got != want {
			t.Errorf(" got %.300s\nwant %.300s", got, want)
		}
		if got := apply(newSession(diffs, false).Agent, line); got != line {
			t.Errorf("switched off: got %s", got)
		}
	}
}

// A diff is kept in front of what would replace it.
func TestDiffsAreKept(t *testing.T) {
	const (
		input    = `,"rawInput":{"path":"/a","content":"x"}`
		text     = `,"content":[ {"type":"content","content":{"type":"text","text":"ok"}} ]`
		terminal = `,"content":[{"type":"terminal","terminalId":"t"}]`
		diff     = `{"type":"diff","path":"/a","newText":"x"}`
		agents   = `{"type":"diff","path":"a","newText":"y"}`
		own      = `,"content":[` + agents + `]`
	)
	begin, of := call("tool_call", "s", "c", `,"kind":"edit"`), func(members string) string { return call("tool_call_update", "s", "c", members) }
	made, kept := of(input), strings.Replace(text, "[", "["+diff+",", 1)
	prompt, response := `{"id":"p","method":"session/prompt","params":{"sessionId":"s"}}`, `{"id":"p","result":{"stopReason":"end_turn"}}`
	for name, test := range map[string]struct {
		before   []string
		sent     string // by the agent
		received string // by the client; "" if it is what was sent
	}{
		"a text":                       {[]string{begin, made}, of(text), of(kept)},
		"a second text":                {[]string{begin, made, of(text)}, of(text), of(kept)},
		"a text at the end":            {[]string{begin, made}, of(`,"status":"completed"` + text), of(`,"status":"completed"` + kept)},
		"a text after the end":         {[]string{begin, made, of(`,"status":"completed"`)}, of(text), of(kept)},
		"a text after the turn":        {[]string{prompt, begin, made, of(`,"status":"completed"`), response}, of(text), ""},
		"a text of an open edit":       {[]string{prompt, begin, made, response}, of(text), of(kept)},
		"a terminal":                   {[]string{begin, made}, of(terminal), of(strings.Replace(terminal, "[", "["+diff+",", 1))},
		"an empty list":                {[]string{begin, made}, of(`,"content":[]`), of(`,"content":[` + diff + `]`)},
		"no list":                      {[]string{begin}, of(input + `,"content":7`), ""},
		"a text after no list":         {[]string{begin, made, of(`,"content":7`)}, of(text), ""},
		"null":                         {[]string{begin, made}, of(`,"content":null`), ""},
		"no content":                   {[]string{begin, made}, of(`,"status":"completed"`), ""},
		"the agent's diff":             {[]string{begin, made}, of(own), ""},
		"a text after the agent's":     {[]string{begin, made, of(own)}, of(text), of(strings.Replace(text, "[", "["+agents+",", 1))},
		"nothing after the agent's":    {[]string{begin, of(own)}, of(`,"content":[]`), ""},
		"a text after nothing":         {[]string{begin, of(own), of(`,"content":[]`)}, of(text), ""},
		"a terminal after the agent's": {[]string{begin, of(own)}, of(terminal), ""},
		"a failure":                    {[]string{begin, made}, of(`,"status":"failed"` + text), ""},
		"a text after a failure":       {[]string{begin, made, of(`,"status":"failed"`)}, of(text), ""},
		"a failure with an input":      {[]string{begin}, of(`,"status":"failed"` + input), ""},
		"a text before the input":      {[]string{begin, of(text)}, made, ""},
		"a text with the input":        {[]string{begin}, of(text + input), ""},
		"a longer input after a text":  {[]string{begin, of(`,"rawInput":{"path":"/a","content":""}`), of(text)}, made, strings.TrimSuffix(made, "}}}") + kept + "}}}"},
		"an input after the end":       {[]string{begin, made, of(`,"status":"completed"`)}, of(`,"rawInput":{"path":"/a","content":"z"}`), ""},
		"a text of another call":       {[]string{begin, made}, call("tool_call_update", "s", "d", text), ""},
		"a call of another kind":       {[]string{begin, made, call("tool_call", "s", "c", `,"kind":"read"`)}, of(text), ""},
		"another edit with the id":     {[]string{begin, made, begin}, of(text), ""},
		"a question":                   {[]string{begin, made}, question(text), question(kept)},
		"a question about another":     {[]string{made}, question(text), ""},
		"a text after a question":      {[]string{begin, question(own)}, of(text), of(strings.Replace(text, "[", "["+agents+",", 1))},
	} {
		if test.received == "" {
			test.received = test.sent
		}
		b := newSession(diffs, true)
		for _, line := range test.before {
			if line == prompt {
				apply(b.Client, line)
			} else {
				apply(b.Agent, line)
			}
		}
		if got := apply(b.Agent, test.sent); got != test.received {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.received)
		}
	}
}

// question returns a permission request about the call c of the session s.
func question(members string) string {
	return `{"id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"` + members + `}}}`
}

// The agent's own announcement of a call that acpshim has announced becomes an update. It does not
// if the client loads the session meanwhile, because the client shows the session anew.
func TestCallsAreAnnouncedOnce(t *testing.T) {
	announcement, update := call("tool_call", "s", "c", `,"title":"Run"`), call("tool_call_update", "s", "c", `,"title":"Run"`)
	loads := `{"id":"again","method":"session/load","params":{"sessionId":"s"}}`
	for name, test := range map[string]struct {
		adapter adapterOf
		first   string
		after   []string // of the client
		isAgain bool
	}{
		"after an update":             {toolCalls, update, nil, false},
		"after a question":            {askedCalls, question(""), nil, false},
		"after a question, by itself": {toolCalls, question(""), nil, true},
		"in a load, after an update":  {toolCalls, update, []string{loads}, true},
		"in a load, after a question": {askedCalls, question(""), []string{loads}, true},
	} {
		b := newSession(test.adapter, true)
		apply(b.Agent, test.first)
		for _, line := range test.after {
			apply(b.Client, line)
		}
		want := update
		if test.isAgain {
			want = announcement
		}
		if got := apply(b.Agent, announcement); got != want {
			t.Errorf("%s: got %s", name, got)
		}
		want = announcement // with repair.asked_calls alone, only acpshim's announcement counts
		if strings.Contains(test.first, "tool_call_update") || test.first == question("") && test.after == nil && test.isAgain {
			want = update
		}
		if got := apply(b.Agent, announcement); got != want {
			t.Errorf("%s, once more: got %s", name, got)
		}
		if got := apply(b.Agent, update); got != update {
			t.Errorf("%s, then: got %s", name, got)
		}
	}
}

// A diff is shown once while an edit is pending, unless the agent has content of its own.
func TestDiffsWhileAnEditIsOpen(t *testing.T) {
	const input = `,"rawInput":{"path":"/a","content":"x"}`
	begin, update := call("tool_call", "s", "c", `,"kind":"edit"`), call("tool_call_update", "s", "c", input)
	for name, test := range map[string]struct {
		before []string
		want   bool
	}{
		"open":                                  {[]string{begin}, true},
		"never begun":                           {nil, false},
		"of another kind":                       {[]string{call("tool_call", "s", "c", `,"kind":"read"`)}, false},
		"shown":                                 {[]string{begin, update}, false},
		"another was shown":                     {[]string{begin, call("tool_call_update", "s", "c", `,"rawInput":{"path":"/b","content":"x"}`)}, true},
		"completed":                             {[]string{begin, call("tool_call_update", "s", "c", `,"status":"completed"`)}, false},
		"failed":                                {[]string{begin, call("tool_call_update", "s", "c", `,"status":"failed"`)}, false},
		"in progress":                           {[]string{begin, call("tool_call_update", "s", "c", `,"status":"in_progress"`)}, true},
		"with content":                          {[]string{begin, call("tool_call_update", "s", "c", `,"content":[{}]`)}, false},
		"begun again":                           {[]string{begin, call("tool_call_update", "s", "c", `,"status":"failed"`), begin}, true},
		"begun again, when updates have passed": {[]string{begin, call("tool_call_update", "s", "c", `,"status":"failed"`), update, begin}, true},
		"updated before it begins":              {[]string{update, begin}, true},
		"of no session":                         {[]string{call("tool_call", "x", "c", `,"kind":"edit"`)}, false},
	} {
		b := newSession(diffs, true)
		for _, line := range test.before {
			apply(b.Agent, line)
		}
		if got := apply(b.Agent, update); (got != update) != test.want || test.want && !strings.Contains(got, `"newText":"x"`) {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// Updates of an edit that has ended pass, until its id is reused.
func TestUpdatesOfAnEndedEditPass(t *testing.T) {
	var a dispatch.Adapter
	b := newSession(func(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
		a = diffs(c, isOn)
		return a
	}, true)
	head := func(id string) dispatch.Care {
		return a.Cares(dispatch.Agent, wire.Head{SessionUpdate: []byte("tool_call_update"), SessionID: []byte("s"), ToolCallID: []byte(id)}, nil)
	}
	apply(b.Agent, call("tool_call", "s", "c", `,"kind":"edit"`))
	if got := head("c"); got != dispatch.Yes {
		t.Errorf("of an open edit: %v", got)
	}
	apply(b.Agent, call("tool_call_update", "s", "c", `,"status":"completed"`))
	if ended, other := head("c"), head("d"); ended != dispatch.No || other != dispatch.No {
		t.Errorf("of one that has ended: %v, of another call: %v", ended, other)
	}
}

// Long updates that need no change pass by their head.
func TestUpdatesPassByTheirHeads(t *testing.T) {
	begin := call("tool_call", "s", "c", `,"kind":"edit"`)
	for name, test := range map[string]struct {
		adapter adapterOf
		session string
		before  []string
		want    wire.Verdict
	}{
		"an edit":            {diffs, "s", []string{begin}, wire.Hold},
		"no edit":            {diffs, "s", nil, wire.Pass},
		"an edit that ended": {diffs, "s", []string{begin, call("tool_call_update", "s", "c", `,"status":"failed"`)}, wire.Pass},
		"announced":          {toolCalls, "s", []string{begin}, wire.Pass},
		"not announced":      {toolCalls, "s", nil, wire.Hold},
		"of no session":      {toolCalls, "x", nil, wire.Pass},
	} {
		b := newSession(test.adapter, true)
		for _, line := range test.before {
			apply(b.Agent, line)
		}
		head := strings.TrimSuffix(call("tool_call_update", test.session, "c", `,"rawOutput":"`), "}}}") + strings.Repeat("x", wire.HeadSize)
		if got := b.Agent.Inspect([]byte(head), false); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// In a session that is being created, an update is not turned into an announcement, because the
// call may have been announced elsewhere.
func TestCallsOfASessionThatIsBeingCreated(t *testing.T) {
	for _, announced := range []bool{true, false} {
		b := newBench(toolCalls, true)
		wire.Apply(b.Client, nil, []byte(`{"id":"n","method":"session/new","params":{"cwd":"/w"}}`))
		if announced {
			apply(b.Agent, call("tool_call", "early", "other", ""))
		}
		// the session stands behind the update, so that the line is read
		line := `{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c"},"sessionId":"early"}}`
		if got := apply(b.Agent, line); strings.Contains(got, `"sessionUpdate":"tool_call"`) != announced {
			t.Errorf("announced in a session that is known: %v, the client gets %s", announced, got)
		}
	}
}

// An update without a call announces none.
func TestUpdateWithoutCallPasses(t *testing.T) {
	for _, id := range []string{"", `"toolCallId":7,`, `"toolCallId":null,`} {
		line := `{"method":"session/update","params":{"sessionId":"s","update":{` + id + `"sessionUpdate":"tool_call_update","status":"completed"}}}`
		if got := apply(newSession(toolCalls, true).Agent, line); got != line {
			t.Errorf("%s\nbecame %s", line, got)
		}
	}
}

// MCP servers get the required lists in every request.
func TestServersAreComplete(t *testing.T) {
	for servers, want := range map[string]string{
		`[{"command":"a"}]`: `[{"command":"a","args":[],"env":[]}]`,
		`[{"type":"stdio","command":"a","args":null,"env":{}}]`: `[{"type":"stdio","command":"a","args":[],"env":[]}]`,
		`[{"command":"a","args":[1],"env":{"k":"v","l":"w"}}]`:  `[{"command":"a","args":[1],"env":[{"name":"k","value":"v"},{"name":"l","value":"w"}]}]`,
		`[{"command":"a","args":{"k":"v"},"env":[]}]`:           `[{"command":"a","args":{"k":"v"},"env":[]}]`,
		`[{"type":"sse","url":"u"}, 7]`:                         `[{"type":"sse","url":"u","headers":[]}, 7]`,
		`[{"type":"http","headers":{"k":"v"}}]`:                 `[{"type":"http","headers":[{"name":"k","value":"v"}]}]`,
		`[{"type":"acp","command":"a"}, {"url":"u"}]`:           `[{"type":"acp","command":"a"}, {"url":"u"}]`,
		`null`: `[]`,
		`7`:    `7`,
	} {
		for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
			format := `{"id":1,"method":"` + method + `","params":{"sessionId":"s","mcpServers":%s}}`
			line, want := fmt.Sprintf(format, servers), fmt.Sprintf(format, want)
			if method == "session/fork" && servers == "null" {
				want = line // it has those of the session
			}
			if got := apply(newBench(mcp, true).Client, line); got != want {
				t.Errorf(" got %s\nwant %s", got, want)
			}
			if got := apply(newBench(mcp, false).Client, line); got != line {
				t.Errorf("switched off: got %s", got)
			}
		}
	}
	for _, line := range []string{
		`{"id":1,"method":"initialize","params":{"mcpServers":null}}`, `{"id":1,"method":"session/new","params":7}`, `{"id":1,"method":"x","params":{}}`,
	} {
		if got := apply(newBench(mcp, true).Client, line); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// Login methods get the required members. A method without an id is dropped.
func TestLoginMethodsAreComplete(t *testing.T) {
	for methods, want := range map[string]string{
		`[{"id":"a"}, {"id":"b","name":"B"}]`:     `[{"id":"a","name":"a"}, {"id":"b","name":"B"}]`,
		`[{"id":null,"methodId":"a","name":"A"}]`: `[{"id":"a","methodId":"a","name":"A"}]`,
		`[{"id":7}]`: `[{"id":7}]`,
		`[{"methodId":7}, {"id":"b","name":"B"}, 7]`:                                   `[{"id":"b","name":"B"}]`,
		`[{"id":"a","name":"A","type":"env_var","vars":[]}]`:                           `[{"id":"a","name":"A","type":"env_var","vars":[]}]`,
		`[{"id":"a","name":"A","vars":[{"name":"V"}]}]`:                                `[{"id":"a","name":"A","vars":[{"name":"V"}]}]`,
		`[{"id":"a","name":"A","type":"env_var","vars":[{"name":"V"}]}]`:               `[{"id":"a","name":"A","type":"env_var","vars":[{"name":"V"}],"varName":"V"}]`,
		`[{"id":"a","name":"A","type":"env_var","varName":"W","vars":[{"name":"V"}]}]`: `[{"id":"a","name":"A","type":"env_var","varName":"W","vars":[{"name":"V"}]}]`,
		`7`: `7`,
	} {
		for _, test := range []struct {
			isOn    bool
			version int
			want    string
		}{{true, 1, want}, {true, 2, methods}, {false, 1, methods}} {
			b := newBench(auth, test.isOn)
			format := fmt.Sprintf(`{"id":2,"result":{"protocolVersion":%d,"authMethods":%%s}}`, test.version)
			apply(b.Client, `{"id":2,"method":"initialize","params":{"protocolVersion":1}}`)
			if got := apply(b.Agent, fmt.Sprintf(format, methods)); got != fmt.Sprintf(format, test.want) {
				t.Errorf("%+v: got %s", test, got)
			}
		}
	}
}

// Only a client that announces version 2 with only the members of version 1 is corrected.
func TestVersionsOfClients(t *testing.T) {
	for params, is := range map[string]bool{
		`{"protocolVersion":2,"clientInfo":{}}`:                   true,
		`{"protocolVersion":2,"clientCapabilities":{}}`:           true,
		`{"protocolVersion":2,"clientInfo":{},"info":{}}`:         false,
		`{"protocolVersion":2,"clientInfo":{},"capabilities":{}}`: false,
		`{"protocolVersion":2}`:                                   false,
		`{"protocolVersion":3,"clientInfo":{}}`:                   false,
	} {
		line := `{"id":2,"method":"initialize","params":` + params + `}`
		for _, isOn := range []bool{true, false} {
			want := line
			if is && isOn {
				want = strings.Replace(line, `"protocolVersion":2`, `"protocolVersion":1`, 1)
			}
			if got := apply(newBench(version, isOn).Client, line); got != want {
				t.Errorf(" got %s\nwant %s", got, want)
			}
		}
	}
}

// A text that means a version becomes its number, in both directions. Others stay.
func TestVersionsAsText(t *testing.T) {
	for text, number := range map[string]string{
		`"1"`: "1", `"1.0"`: "1", `"1.0.0"`: "1", `"\u0031"`: "1", `"2025-06-18"`: "1", `"2"`: "2", `"2.0"`: "2",
		`"1.1"`: "", `"3"`: "", `"v1"`: "", `"20250618"`: "", `"2025-06-18T00:00:00Z"`: "", `""`: "", `null`: "", `1.0`: "", `3`: "", `["1"]`: "",
	} {
		if number == "" {
			number = text
		}
		request := `{"id":2,"method":"initialize","params":{"protocolVersion":%s}}`
		response := `{"id":2,"result":{"protocolVersion":%s}}`
		for _, isOn := range []bool{true, false} {
			want := text
			if isOn {
				want = number
			}
			b := newBench(version, isOn)
			if got := apply(b.Client, fmt.Sprintf(request, text)); got != fmt.Sprintf(request, want) {
				t.Errorf("the agent gets %s of %s", got, text)
			}
			b = newBench(agentVersion, isOn)
			b.Says(dispatch.Client, fmt.Sprintf(request, "1"))
			if got := apply(b.Agent, fmt.Sprintf(response, text)); got != fmt.Sprintf(response, want) {
				t.Errorf("the client gets %s of %s", got, text)
			}
		}
	}
}

// A witness records the version of the client.
type witness struct {
	dispatch.Base
	version int
}

func (*witness) Name() string { return "witness" }

func (w *witness) Negotiated(r *conversation.Request) { w.version = r.Client.Version }

// Other adapters see a corrected client as one of version 1.
func TestCorrectedClientHasVersion1(t *testing.T) {
	w := &witness{}
	c := conversation.New(conversation.Options{})
	on := func(_, _ conversation.Implementation) bool { return true }
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{w, repair.NewVersion(on)}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	apply(d.FromClient(), `{"id":1,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{}}}`)
	apply(d.FromAgent(), `{"id":1,"result":{"protocolVersion":1}}`)
	if w.version != 1 {
		t.Errorf("it is known as one of version %d", w.version)
	}
}

// A shell line is run by the shell of the client's system.
func TestShellLines(t *testing.T) {
	const format = `{"id":1,"method":"terminal/create","params":{%s}}`
	for members, want := range map[string]string{
		`"command":"ls -l | wc"`:       `"command":"sh","args":["-c","ls -l | wc"]`,
		`"command":"a;b","args":[]`:    `"command":"sh","args":["-c","a;b"]`,
		`"command":" ls\n"`:            `"command":" ls\n"`,
		`"command":"a b","args":["c"]`: `"command":"a b","args":["c"]`,
		`"command":"ls"`:               `"command":"ls"`,
		`"command":7`:                  `"command":7`,
	} {
		line := fmt.Sprintf(format, members)
		if got, want := apply(newBench(shell("linux"), true).Agent, line), fmt.Sprintf(format, want); got != want {
			t.Errorf(" got %s\nwant %s", got, want)
		}
		want = strings.NewReplacer(`"sh"`, `"cmd"`, `"-c"`, `"/c"`).Replace(want)
		if got, want := apply(newBench(shell("windows"), true).Agent, line), fmt.Sprintf(format, want); got != want {
			t.Errorf(" got %s\nwant %s", got, want)
		}
		if got := apply(newBench(shell("linux"), false).Agent, line); got != line {
			t.Errorf("switched off: got %s", got)
		}
	}
}

// An update of an unknown call becomes a valid announcement.
func TestUpdatesThatAnnounce(t *testing.T) {
	for members, want := range map[string]string{
		``:                                     `,"title":"Tool call"`,
		`,"title":"T","kind":"edit"`:           `,"title":"T","kind":"edit"`,
		`,"kind":"edit","x":null`:              `,"kind":"edit","x":null,"title":"edit"`,
		`,"kind":null,"status":null,"title":7`: `,"title":"Tool call"`,
		`,"content":null,"locations":null`:     `,"title":"Tool call"`,
	} {
		b, update := newSession(toolCalls, true), call("tool_call_update", "s", "c", members)
		if got, want := apply(b.Agent, update), call("tool_call", "s", "c", want); got != want {
			t.Errorf(" got %s\nwant %s", got, want)
		}
		for _, line := range []string{update, call("tool_call_update", "x", "c", members)} {
			if got := apply(b.Agent, line); got != line {
				t.Errorf("known, or of no session: got %s", got)
			}
		}
	}
}

// In an unknown session nothing is announced. A session that is loaded again starts empty.
func TestCallsOfASessionThatIsLoadedAgain(t *testing.T) {
	b := newSession(toolCalls, true)
	update := call("tool_call_update", "s", "c", "")
	apply(b.Agent, call("tool_call", "s", "c", ""))
	apply(b.Client, `{"id":2,"method":"session/close","params":{"sessionId":"s"}}`)
	apply(b.Agent, `{"id":2,"result":{}}`)
	if got := apply(b.Agent, update); got != update {
		t.Errorf("after the end of the session: got %s", got)
	}
	apply(b.Client, `{"id":3,"method":"session/load","params":{"sessionId":"s"}}`)
	if got := apply(b.Agent, update); !strings.Contains(got, `"sessionUpdate":"tool_call"`) {
		t.Errorf("loaded again: got %s", got)
	}
}

// A call that is announced before the response that opens its session is known.
func TestCallsBeforeTheirSession(t *testing.T) {
	b := newBench(toolCalls, true)
	apply(b.Client, `{"id":2,"method":"session/new","params":{"cwd":"/w"}}`)
	apply(b.Agent, call("tool_call", "s", "c", ""))
	apply(b.Agent, `{"id":2,"result":{"sessionId":"s"}}`)
	update := call("tool_call_update", "s", "c", "")
	if got := apply(b.Agent, update); got != update {
		t.Errorf("got %s", got)
	}
}
