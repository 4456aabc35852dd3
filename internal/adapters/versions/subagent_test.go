package versions

import (
	"fmt"
	"strings"
	"testing"
)

// messages returns the client's updates as their session and the update, and other lines as they
// are.
func (w *world) messages() string {
	var all []string
	for _, line := range w.client {
		line = strings.TrimPrefix(line, `{"jsonrpc":"2.0","method":"session/update","params":`)
		if update, ok := strings.CutPrefix(line, `{"sessionId":"`); ok {
			session, update, _ := strings.Cut(update, `","update":`)
			line = session + ": " + strings.TrimSuffix(update, "}}")
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

// update returns a line of the agent with an update of a session.
func update(session, update string) string {
	return fmt.Sprintf(`a {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, update)
}

// capableClient is oldClient for a client that announces subagents, notices and compaction.
func capableClient(w *world) {
	w.play(`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"subagents":{},"session":{"notices":{},"compaction":{}}}}}`,
		`a {"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}}`,
		`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`)
}

const (
	announced  = `a {"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","description":"A scout.","state":{"state":"running","background":[]}}`
	childRuns  = `{"sessionUpdate":"state_update","state":"running","background":[]}`
	childIdle  = `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[]}`
	childAsks  = `a {"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"k","title":"Run make?","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`
	childMakes = `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"make","kind":"execute","status":"pending","rawInput":{"command":"make"}}`
)

func TestASubagentIsOneToolCall(t *testing.T) {
	card := func(kind, status string) string {
		return `s: {"sessionUpdate":"` + kind + `","toolCallId":"acpshim-subagent-1","title":"Look","kind":"think","status":"` + status + `","content":[{"type":"content","content":{"type":"text","text":"A scout."}}]}`
	}
	mine := `s: {"sessionUpdate":"tool_call","toolCallId":"t","title":"Task"}`
	task := `a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Task"}`
	refers := `a {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session","sessionId":"k"}]}`
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"it runs and ends": {[]string{announced, update("k", childRuns), "flush", update("k", childIdle), `a {"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"idle","stopReason":"end_turn"}}`},
			[]string{card("tool_call", "in_progress"), card("tool_call_update", "completed")}},
		"only the parent has its state": {[]string{announced, "flush", `a {"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"idle","stopReason":"cancelled"}}`},
			[]string{card("tool_call", "in_progress"), card("tool_call_update", "failed")}},
		"nobody knows its state": {[]string{announced, "flush", update("k", `{"sessionUpdate":"state_update","state":"unknown","background":[]}`), update("k", childIdle)},
			[]string{card("tool_call", "in_progress"), strings.Replace(card("tool_call_update", "in_progress"), "}]}", `},{"type":"content","content":{"type":"text","text":"The agent does not know whether this subagent still works."}}]}`, 1), card("tool_call_update", "completed")}},
		"it works again": {[]string{announced, "flush", update("k", childIdle), update("k", childRuns)},
			[]string{card("tool_call", "in_progress"), card("tool_call_update", "completed"), card("tool_call_update", "in_progress")}},
		"a later message shows it": {[]string{announced, `a {"sessionUpdate":"usage_update","used":1,"size":2}`, idle},
			[]string{`s: {"sessionUpdate":"usage_update","used":1,"size":2}`, card("tool_call", "in_progress")}},
		"the agent's own call stands for it": {[]string{task, announced, update("k", childRuns), refers, "flush", update("k", childIdle), says},
			[]string{mine, `s: {"sessionUpdate":"tool_call_update","toolCallId":"t"}`, `s: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`}},
		"the agent's own call in a piece": {[]string{task, announced, `a {"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"session","sessionId":"k"}}`, "flush", says},
			[]string{mine, `s: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`}},
		"a later reference stands for nothing": {[]string{announced, "flush", refers, update("k", childIdle)},
			[]string{card("tool_call", "in_progress"), `s: {"sessionUpdate":"tool_call","toolCallId":"t","title":"Tool"}`, card("tool_call_update", "completed")}},
		"a session that nobody announced": {[]string{update("k", `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`)},
			[]string{`k: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`}},
		"no session is named": {[]string{`a {"sessionUpdate":"subagent_update","title":"Look"}`, "flush"}, nil},
		"a subagent of a subagent": {[]string{update("k0", announced[2:]), update("s", `{"sessionUpdate":"subagent_update","sessionId":"k0"}`), update("k0", announced[2:]), "flush"},
			[]string{`k0: ` + card("tool_call", "in_progress")[3:], `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-subagent-2","title":"Subagent","kind":"think","status":"pending","content":[]}`}},
	} {
		w := newWorld(t, 0)
		oldClient(w)
		w.client = nil
		if w.play(c.lines...); w.messages() != strings.Join(c.want, "\n") {
			t.Errorf("%s: the client got\n%s\nwant\n%s", name, w.messages(), strings.Join(c.want, "\n"))
		}
		w.checkSize(t, name)
	}
}

// All kinds of update, from a subagent of a subagent.
func TestNothingOfAHiddenSessionIsShown(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(announced, update("k", `{"sessionUpdate":"subagent_update","sessionId":"k2","title":"Deeper"}`), "flush")
	w.client = nil
	for _, u := range []string{
		`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"x"}]}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"agent_thought","messageId":"m2","content":[{"type":"text","text":"x"}]}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`,
		`{"sessionUpdate":"plan_removed","planId":"p"}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2}`,
		`{"sessionUpdate":"session_info_update","title":"x"}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[]}`,
		`{"sessionUpdate":"notice","severity":"info","title":"x"}`,
		`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`,
		`{"sessionUpdate":"session_message","messageId":"m3","senderSessionId":"k"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","content":[{"type":"terminal","terminalId":"x"}]}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"x"}}}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"eA=="}`,
		`{"sessionUpdate":"replay_complete"}`,
		`{"sessionUpdate":"_odd"}`,
	} {
		w.play(update("k", u), update("k2", u), "flush")
	}
	if w.messages() != "" {
		t.Errorf("the client got\n%s", w.messages())
	}
	w.checkSize(t, t.Name())
}

// The client knows the request's session, and what the request is about. The call that it was asked
// about ends in its session, too.
func TestWhatASubagentAsks(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(announced, "flush")
	w.client = nil
	w.play(
		update("k", childMakes), update("k", `{"sessionUpdate":"tool_call_update","toolCallId":"d","title":"other"}`),
		childAsks, `c {"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`,
		update("k", `{"sessionUpdate":"terminal_update","terminalId":"x","command":"make","output":{"data":"b2s="}}`),
		update("k", `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"terminal","terminalId":"x"}]}`),
		update("k", `{"sessionUpdate":"tool_call_update","toolCallId":"d","status":"completed"}`),
		`a {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"sessionId":"k","toolCallId":"d","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`)
	want := `{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"s","title":"Run make?","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}],"toolCall":{"toolCallId":"acpshim-subagent-1/c","title":"make","kind":"execute","status":"pending","rawInput":{"command":"make"},"content":[{"type":"content","content":{"type":"text","text":"Run make?"}}]}}}
s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-subagent-1/c","status":"completed","title":"make","kind":"execute","rawInput":{"command":"make"},"content":[{"type":"content","content":{"type":"text","text":"` + "```" + `\n$ make\nok\n` + "```" + `"}}]}
{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
	if got := w.agent[len(w.agent)-1]; got != `{"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"selected","optionId":"y"}}}` {
		t.Errorf("the agent got %s", got)
	}
}

// A request is of the client's session, so what ends the requests of that session ends it.
func TestARequestOfASubagentBelongsToTheClientsSession(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(announced, update("k", `{"sessionUpdate":"subagent_update","sessionId":"k2"}`), strings.Replace(childAsks, `"k"`, `"k2"`, 1))
	r := w.c.Pending("agent", []byte(`"p1"`))
	if r == nil || r.Session != "s" {
		t.Fatalf("request %+v", r)
	}
	w.play(`a {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p1"}}`,
		`c {"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"cancelled"}}}`)
	n := 0
	for _, line := range w.agent {
		if strings.Contains(line, `"id":"p1"`) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the agent got %d responses in %q", n, w.agent)
	}
}

func TestASubagentOfAnOldTurnAndOfALoadedSession(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(announced, "flush", update("k", childMakes))
	w.client = nil
	w.play(`c {"jsonrpc":"2.0","id":9,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}`,
		update("k", `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"late"}}`), announced, `a {"jsonrpc":"2.0","id":9,"result":{}}`, "flush")
	if !strings.Contains(w.messages(), `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-subagent-1"`) || strings.Contains(w.messages(), "late") {
		t.Errorf("the client got\n%s", w.messages())
	}
	w.client = nil
	w.play(`c {"jsonrpc":"2.0","id":10,"method":"session/close","params":{"sessionId":"s"}}`, `a {"jsonrpc":"2.0","id":10,"result":{}}`,
		update("k", `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"late"}}`), "flush")
	if w.got() != "response 10" {
		t.Errorf("the client got\n%s", w.messages())
	}
	w.checkSize(t, t.Name())
}

// The session of a subagent that the client opens itself is a session like others.
func TestASubagentsSessionThatTheClientOpens(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(announced, "flush", `c {"jsonrpc":"2.0","id":9,"method":"session/load","params":{"sessionId":"k","cwd":"/w"}}`, `a {"jsonrpc":"2.0","id":9,"result":{}}`)
	w.client = nil
	w.play(update("k", `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`))
	if want := `k: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`; w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
}

func TestWhatAHiddenSessionKeepsIsBounded(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.play(announced, "flush")
	text := strings.Repeat("x", 200<<10)
	for i := range 300 {
		w.play(update("k", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","title":"T","rawInput":%q,"content":[{"type":"content","content":{"type":"text","text":%q}}]}`, i, text[:1<<10], text)),
			update("k", fmt.Sprintf(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"d%d","content":{"type":"content","content":{"type":"text","text":%q}}}`, i, text)))
	}
	if size := w.c.Size(); size > 12<<20 {
		t.Errorf("%d bytes are kept", size)
	}
	w.client = nil
	w.play(strings.Replace(childAsks, `"c"`, `"c299"`, 1), update("k", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"e","title":"T","content":[{"type":"content","content":{"type":"text","text":%q}}]}`, strings.Repeat(text, 2))),
		strings.Replace(childAsks, `"c"`, `"e"`, 1))
	if !strings.Contains(w.client[0], text) || !strings.Contains(w.client[1], "[the content is too long to be shown]") {
		t.Errorf("%.3000q", w.client)
	}
	w.checkSize(t, t.Name())
}

func TestSubagentsForAClientThatKnowsThem(t *testing.T) {
	w := newWorld(t, 0)
	capableClient(w)
	w.client = nil
	w.play(announced, update("k", childRuns), update("k", childMakes), childAsks,
		update("k", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"session","sessionId":"s"}]}`),
		update("k", childIdle), update("k", `{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"k","recipientSessionId":"s"}`))
	want := `s: {"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","description":"A scout.","state":{"state":"running"}}
k: {"sessionUpdate":"tool_call","toolCallId":"c","title":"make","kind":"execute","status":"pending","rawInput":{"command":"make"}}
{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"k","title":"Run make?","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}],"toolCall":{"toolCallId":"c","title":"make","kind":"execute","status":"pending","rawInput":{"command":"make"},"content":[{"type":"content","content":{"type":"text","text":"Run make?"}}]}}}
k: {"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"session","sessionId":"s"}]}
s: {"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"idle","stopReason":"end_turn"}}
k: {"sessionUpdate":"session_message","messageId":"m","senderSessionId":"k","recipientSessionId":"s"}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
}

// Only the references are removed, also from a permission request.
func TestReferencesToSessions(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.client = nil
	text := `{"type":"content","content":{"type":"text","text":"kept"}}`
	w.play(`a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[`+text+`]}`,
		`a {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session","sessionId":"k"}]}`,
		`a {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session","sessionId":"k"},`+text+`]}`,
		`a {"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","content":[{"type":"session","sessionId":"k"}]}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`)
	want := `s: {"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[` + text + `]}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[` + text + `]}
{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","content":[{"type":"session","sessionId":"k"}]}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}],"toolCall":{"toolCallId":"t","title":"T"}}}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
}

// An agent of version 1 has the state of a subagent only in the session that began it.
func TestStatesOfSubagentsForAClientOfVersion2(t *testing.T) {
	w := newWorld(t, 0)
	newClient(w)
	w.client = nil
	w.play(`a {"sessionUpdate":"subagent_update","sessionId":"k","title":"Look"}`, `a {"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"running"}}`)
	want := `s: {"sessionUpdate":"subagent_update","sessionId":"k","title":"Look"}
s: {"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"running"}}
k: {"state":"running","sessionUpdate":"state_update"}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
}
