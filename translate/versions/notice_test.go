package versions

import (
	"fmt"
	"strings"
	"testing"
)

func TestNoticesAndCompactions(t *testing.T) {
	notice := `a {"sessionUpdate":"notice","severity":"warning","title":"Not eligible","description":"Ask."}`
	compacts := func(rest string) string {
		return `a {"sessionUpdate":"compaction_update","compactionId":"c"` + rest + `}`
	}
	for name, c := range map[string]struct {
		shake func(*world)
		lines []string
		want  string
	}{
		"a notice between messages": {oldClient, []string{says, notice, says, notice, notice}, `s: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-1","content":{"type":"text","text":"\n\n**Not eligible:** Ask."}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"\n\nx"}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-2","content":{"type":"text","text":"\n\n**Not eligible:** Ask."}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-3","content":{"type":"text","text":"\n\n**Not eligible:** Ask."}}`},
		"a notice alone":      {oldClient, []string{`a {"sessionUpdate":"notice","severity":"info","title":"Note","description":null}`}, `s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-1","content":{"type":"text","text":"**Note**"}}`},
		"a client of notices": {capableClient, []string{notice}, "s: " + notice[2:]},
		"a compaction": {oldClient, []string{compacts(""), compacts(`,"status":"completed","summary":[{"type":"text","text":"x"}]`)}, `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-compaction-c","title":"Compact conversation","kind":"think","status":"in_progress"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"acpshim-compaction-c","status":"completed"}`},
		"a compaction that begins with its summary": {oldClient, []string{`a {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}`, `a {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"y"}}`, compacts(`,"status":"cancelled"`)}, `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-compaction-c","title":"Compact conversation","kind":"think","status":"in_progress"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"acpshim-compaction-c","status":"failed"}`},
		"a compaction that fails": {oldClient, []string{compacts(`,"status":"failed","error":"No room."`)}, `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-compaction-c","title":"Compact conversation","kind":"think","status":"failed","content":[{"type":"content","content":{"type":"text","text":"Compaction failed: No room."}}]}`},
		"a client of compactions": {capableClient, []string{compacts(`,"status":null`), compacts(`,"status":"completed"`), compacts(`,"summary":[]`), `a {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}`}, `s: {"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}
s: {"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}
s: {"sessionUpdate":"compaction_update","compactionId":"c","summary":[],"status":"completed"}
s: {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}`},
	} {
		w := newWorld(t, 0)
		c.shake(w)
		w.client = nil
		if w.play(c.lines...); w.messages() != c.want {
			t.Errorf("%s: the client got\n%s\nwant\n%s", name, w.messages(), c.want)
		}
		if sum := w.c.Recount(); sum != w.c.Size() {
			t.Errorf("%s: %d bytes are kept, %d are counted", name, sum, w.c.Size())
		}
	}
}

// The agent repeats the client's version, but has the members of version 1.
func TestAgentsThatRepeatTheVersion(t *testing.T) {
	const ask = `c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%d,"info":{"name":"c","version":"1"},"capabilities":{}}}`
	answer := func(version int) string {
		return fmt.Sprintf(`a {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":%d,"agentInfo":{"name":"gptme","version":"1"}}}`, version)
	}
	as2 := `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"gptme","version":"1"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}},"auth":{}},"authMethods":[]}}`
	for name, c := range map[string]struct {
		lines   []string
		want    string
		bridged [2]int
	}{
		"and is asked again":                     {[]string{fmt.Sprintf(ask, 2), answer(2), answer(1)}, as2, [2]int{2, 1}},
		"and never says 1":                       {[]string{fmt.Sprintf(ask, 2), answer(2), answer(2)}, as2, [2]int{2, 1}},
		"and refuses a second initialize":        {[]string{fmt.Sprintf(ask, 2), answer(2), `a {"jsonrpc":"2.0","id":"i","error":{"code":-32600,"message":"initialized already"}}`}, as2, [2]int{2, 1}},
		"and says 2 to a client of version 1":    {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, answer(2)}, answer(1)[2:], [2]int{}},
		"not: it has the members of both":        {[]string{fmt.Sprintf(ask, 2), strings.Replace(answer(2), `"agentInfo"`, `"info":{"name":"a","version":"1"},"capabilities":{},"agentInfo"`, 1)}, strings.Replace(answer(2), `"agentInfo"`, `"info":{"name":"a","version":"1"},"capabilities":{},"agentInfo"`, 1)[2:], [2]int{}},
		"and the client speaks both":             {[]string{strings.Replace(fmt.Sprintf(ask, 2), `"info"`, `"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{},"info"`, 1), answer(2)}, answer(1)[2:], [2]int{}},
		"not: a client of version 1 is answered": {[]string{`c {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`, answer(1)}, answer(1)[2:], [2]int{}},
	} {
		w := newWorld(t, 0)
		if w.play(c.lines...); w.messages() != c.want || w.bridged != c.bridged {
			t.Errorf("%s: the client got\n%s\nwant\n%s\nbridged: %v", name, w.messages(), c.want, w.bridged)
		}
	}
}

// The state follows questions as it follows permission requests, and ends with the last one.
func TestStatesWhileQuestionsAreOpen(t *testing.T) {
	question := func(i int) string {
		return fmt.Sprintf(`a {"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`, i)
	}
	answer := func(id, with string) string { return fmt.Sprintf(`c {"jsonrpc":"2.0","id":"%s",%s}`, id, with) }
	accepts, refuses := `"result":{"action":"accept","content":{}}`, `"error":{"code":-32603,"message":"no"}`
	allows := `"result":{"outcome":{"outcome":"selected","optionId":"n"}}`
	first := "user_message, response 1, running, requires_action, "
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"one":                            {[]string{prompt1, question(1), answer("q1", accepts), ended1}, first + "elicitation/create, running, idle"},
		"one that the client refuses":    {[]string{prompt1, question(1), answer("q1", refuses), ended1}, first + "elicitation/create, running, idle"},
		"two":                            {[]string{prompt1, question(1), question(2), answer("q2", accepts), answer("q1", accepts), ended1}, first + "elicitation/create, requires_action, elicitation/create, running, idle"},
		"a permission request as well":   {[]string{prompt1, question(1), fmt.Sprintf(asks, 1), answer("q1", accepts), answer("p1", allows), ended1}, first + "elicitation/create, requires_action, session/request_permission, running, idle"},
		"the turn ends before the other": {[]string{prompt1, question(1), ended1, answer("q1", accepts)}, first + "elicitation/create, idle"},
		"no turn":                        {[]string{question(1), answer("q1", accepts)}, "elicitation/create"},
	} {
		w := newWorld(t, 0)
		newClient(w)
		w.client = nil
		if w.play(c.lines...); w.got() != c.want {
			t.Errorf("%s: the client got %s\nwant %s", name, w.got(), c.want)
		}
	}
}

func TestATerminalThatIsEmptyIsNotShown(t *testing.T) {
	w := newWorld(t, 0)
	oldClient(w)
	w.client = nil
	shows := `a {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"x"}]}`
	w.play(`a {"sessionUpdate":"terminal_update","terminalId":"x","cwd":"/w"}`, shows,
		`a {"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":0}}`, runs,
		`a {"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"b2s="}`, idle)
	want := `s: {"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[]}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"ended with status 0"}}]}
s: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"` + "```" + `\nok\n` + "```" + `\nended with status 0"}}]}`
	if w.messages() != want {
		t.Errorf("the client got\n%s\nwant\n%s", w.messages(), want)
	}
}
