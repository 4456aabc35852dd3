package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/log/stats"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// readLines makes a record of lines of the form DIR [STAGE[:OF]] [BY[=WHY]] MESSAGE.
func readLines(t *testing.T, lines ...string) *history.History {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"kind":"start","schema":1,"run":"r","acpshim":"v1","os":"linux","arch":"amd64","cwd":"/w","argv":["codex-acp"]}` + "\n")
	for i, line := range lines {
		head, message, _ := strings.Cut(line, "{")
		words := strings.Fields(head)
		more := ""
		if len(words) > 1 {
			stage, of, isOf := strings.Cut(words[1], ":")
			more = fmt.Sprintf(`,"stage":%q`, stage)
			if isOf {
				more += `,"of":` + of
			}
		}
		if len(words) > 2 {
			by, why, _ := strings.Cut(words[2], "=")
			more += fmt.Sprintf(`,"by":[%q],"why":[%q]`, by, why)
		}
		if len(words) > 3 {
			more += fmt.Sprintf(`,"reasons":[{"by":"plan","code":"plans.shown","shows":[%s]}]`, words[3])
		}
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"time":"2026-11-22T10:00:%02d.000000000Z","mono":%d000000000,"dir":%q%s,"len":%d,"msg":{%s}`+"\n",
			i+1, i+1, i+1, words[0], more, len(message)+2, message)
	}
	h := readHistory(t, b.String()+`{"kind":"end","seq":99,"status":3}`+"\n")
	if h.Broken > 0 {
		t.Fatal(h.Broken)
	}
	return h
}

var run = []string{
	`client in plan=announced {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"zed","version":"1.5.4"},"clientCapabilities":{"terminal":true,"fs":{"readTextFile":true,"writeTextFile":false}}}}`,
	`client out:1 plan=announced {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"zed","version":"1.5.4"},"clientCapabilities":{"terminal":true,"plan":{},"fs":{"readTextFile":true,"writeTextFile":false}}}}`,
	`agent {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"codex-acp","version":"2.6.0"},"agentCapabilities":{"loadSession":true,"mcpCapabilities":{"http":false}}}}`,
	`client {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"old","cwd":"/w","mcpServers":[]}}`,
	`agent {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no such session"}}`,
	`client {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Fix  it"}]}}`,
	`agent in plan=checklists {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","id":"work","entries":[{"content":"a","status":"pending","priority":"medium"}]}}}}`,
	`agent out:7 plan=checklists 7 {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","status":"pending","priority":"medium"}]}}}`,
	`agent {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":20,"size":1000}}}`,
	`agent {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":7,"totalTokens":12}}}`,
	`client {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"And now?"}]}}`,
}

func TestSummarize(t *testing.T) {
	s := Summarize(readLines(t, run...), false)
	c := s.Client
	if c.Name != "zed" || c.Version != "1.5.4" || !slices.Equal(c.Capabilities, []string{"terminal", "fs.readTextFile"}) || !slices.Equal(c.Added, []string{"plan"}) || len(c.Hidden) > 0 {
		t.Errorf("the client is %+v", c)
	}
	if a := s.Agent; a.Name != "codex-acp" || !slices.Equal(a.Capabilities, []string{"loadSession"}) || s.Version != "1" || s.Offered != "1" {
		t.Errorf("the agent is %+v, version %q of %q", a, s.Version, s.Offered)
	}
	if len(s.Turns) != 2 {
		t.Fatalf("the turns are %+v", s.Turns)
	}
	if one := s.Turns[0]; one.Seq != 6 || one.Response != 10 || one.Prompt != "Fix it" || one.Stop != "end_turn" ||
		*one.Took != 4000 || one.Tokens.Total != 12 || *one.Context != (stats.Context{Used: 20, Size: 1000}) {
		t.Errorf("the first turn is %+v", one)
	}
	if two := s.Turns[1]; two.Seq != 11 || two.Took != nil || two.Stop != "" {
		t.Errorf("the second turn is %+v", two)
	}
	if want := []Failure{{4, 5, record.Client, "session/load", "-32002: no such session"}, {11, 0, record.Client, "session/prompt", ""}}; !slices.Equal(s.Failed, want) {
		t.Errorf("failed are %+v", s.Failed)
	}
	if want := []Plan{{2, "work", 1, 0, 7, 7, false, 8, "plan", "plan: checklists", false}, {2, "", 0, 1, 8, 8, false, 0, "", "plan: checklists", false}}; !slices.Equal(s.Plans, want) {
		t.Errorf("the plans are %+v", s.Plans)
	}
	if len(s.Changes) != 2 || s.Changes[0].By != "plan" || s.Changes[0].Why != "announced" || s.Changes[1].Why != "checklists" || !slices.Equal(s.Changes[1].First, []uint64{7}) {
		t.Errorf("the changes are %+v", s.Changes)
	}
	if s.End == nil || s.End.Status != 3 || s.End.Asked.Seq != 11 || s.Sessions != 2 || s.Messages != 9 || s.Valid.Messages != 9 || s.Valid.Made != 2 {
		t.Errorf("the rest is %+v", s)
	}
}

// In JSON the lists of an empty summary are [].
func TestListsAreNeverNull(t *testing.T) {
	text, err := json.Marshal(Summarize(&history.History{}, false))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"command", "turns", "failed", "plans", "changes", "capabilities", "added", "hidden"} {
		if !strings.Contains(string(text), fmt.Sprintf("%q:[]", list)) {
			t.Errorf("%s is no list: %s", list, text)
		}
	}
}

// Whatever names peers and commands have, the summary fits on a screen.
func TestLongNamesFitAScreen(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	s := Summarize(readLines(t, `client {"id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"`+long+`","version":"1"}}}`,
		`agent {"id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"`+long+`","version":"`+long+`"}}}`,
		`client {"id":1,"method":"`+long+`","params":{"sessionId":"s"}}`, `agent {"id":1,"error":{"code":1,"message":"`+long+`"}}`), false)
	for line := range strings.Lines(s.Draw(terminal.Style{})) {
		if width := terminal.Width(line); width > 320 {
			t.Errorf("a line of %d columns begins %q", width, line[:40])
		}
	}
}

// With plan.show_as = "message" each plan and document reaches the client in a message.
func TestAPlanThatIsShownAsAMessageReachedTheClient(t *testing.T) {
	update := func(head, update string) string {
		return head + ` {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
	}
	s := Summarize(readLines(t,
		update(`agent in plan=held`, `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Fix it","status":"pending"}]}}`),
		update(`agent in plan=held`, `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"d","content":"# Why\n\nProse."}}`),
		update(`agent in plan=held`, `{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"f","uri":"file:///w/plan.md"}}`),
		update(`agent in drops=unwanted`, `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"x","entries":[{"content":"Other","status":"pending"}]}}`),
		update(`agent`, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Fix it, Other"}}`),
		update(`agent out plan=end 2`, `{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"\n\n# Why\n\nProse.\n\n"}}`),
		update(`agent out plan=end 1`, `{"sessionUpdate":"agent_thought_chunk","messageId":"b","content":{"type":"text","text":"**Plan**\n\n- [ ] Fix it\n"}}`),
		update(`agent out plan=end 3`, `{"sessionUpdate":"agent_message_chunk","messageId":"c","content":{"type":"text","text":"The text of a file."}}`),
	), false)
	want := []string{`#4: the client did not get "x" (drops: unwanted); it got "p" as a thought (#7), "d" as a message (#6), "f" as a message (#8); the agent sent "p" 1 time, "d" 1 time, "f" 1 time, "x" 1 time`}
	if got := planLines(s.Plans); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A text is booked on the plan whose update it names, also if the client had that update already.
func TestTheTextOfADocumentIsNotThatOfTheLegacyPlan(t *testing.T) {
	document := func(id string) string {
		return "agent in plan=held " + update("s", `"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"`+id+`","content":"Prose."}`)
	}
	s := Summarize(readLines(t,
		"agent in quiet=drops "+update("s", `"sessionUpdate":"plan","entries":[]`), document("d"), document("f"),
		"agent out plan=end 2 "+chunk("agent_message_chunk", "a", "Prose."), "agent out plan=end 3 "+chunk("agent_message_chunk", "b", "Prose."),
		"agent out plan=end 3 "+chunk("agent_message_chunk", "c", "Prose."),
	), false)
	want := []string{`#3: the client did not get the plan (quiet: drops); it got "d" as a message (#4), "f" as a message (#5); the agent sent the plan 1 time, "d" 1 time, "f" 1 time`}
	if got := planLines(s.Plans); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A record of an earlier version does not say which plans a line shows.
func TestAPlanOfAnOlderRecord(t *testing.T) {
	in := `agent in plan=held {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"x","status":"pending"}]}}}}`
	out := `agent out plan=end {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{in}, `#1: none reached the client (plan: held); the agent sent "p" 1 time`},
		{[]string{in, out}, `#2: the client got 1 plan update; the record does not say whether the client got "p"; the agent sent "p" 1 time`},
	} {
		if got := planLines(Summarize(readLines(t, test.lines...), false).Plans); !slices.Equal(got, []string{test.want}) {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

// A todo tool sends calls and no plan.
func TestThePlanOfATodoToolIsShownAsAMessage(t *testing.T) {
	call := "agent " + update("s", `"sessionUpdate":"tool_call","toolCallId":"t","title":"TodoWrite"`)
	for kind, want := range map[string]string{
		"agent_message_chunk": "#3: the client got the plan as a message (#3); the agent sent none",
		"agent_thought_chunk": "#3: the client got the plan as a thought (#3); the agent sent none",
	} {
		s := Summarize(readLines(t, call, "agent out plan=end "+chunk(kind, "a", "**Plan**\n\n- [ ] a\n"), "agent out plan=end "+chunk(kind, "b", "**Plan**\n\n- [x] a\n")), false)
		if got := planLines(s.Plans); !slices.Equal(got, []string{want}) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
