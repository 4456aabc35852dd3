package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acpshim/internal/record/history"
)

// judgedLines makes a record of lines of the form DIR [MEMBERS] MESSAGE, a second apart, and of an
// end a second later, unless it is "".
func judgedLines(t *testing.T, end string, lines ...string) *history.History {
	t.Helper()
	var b strings.Builder
	for i, line := range lines {
		head, message, _ := strings.Cut(line, " {")
		dir, members, _ := strings.Cut(strings.TrimSpace(head), " ")
		if members != "" {
			members = "," + members
		}
		content := `"msg":{"jsonrpc":"2.0",` + message
		if message == "" {
			content = `"b64":"anVuawo="`
		}
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"time":"2026-11-22T10:00:%02d.000000000Z","mono":%d000000000,"dir":%q%s,"len":9,%s}`+"\n",
			i+1, i+1, i+1, dir, members, content)
	}
	if end != "" {
		fmt.Fprintf(&b, `{"kind":"end","seq":%d,"mono":%d000000000,%s}`+"\n", len(lines)+1, len(lines)+1, end)
	}
	h := readHistory(t, b.String())
	if h.Broken > 0 {
		t.Fatal("the record is broken")
	}
	return h
}

// Messages of the tests.
const (
	begins     = `client {"id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}}`
	welcomed   = `agent {"id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}`
	prompts    = `client {"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	finishes   = `agent {"id":1,"result":{"stopReason":"end_turn"}}`
	permission = `agent {"id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Edit"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`
	cut        = `agent "stage":"out","by":["acpshim"],"why":["x"],"reasons":[{"by":"acpshim","code":"dispatch.agent-ended"}] {"id":1,"error":{"code":-32603,"message":"x"}}`
)

// writtenSteps writes steps as in a record, each in the given second.
func writtenSteps(steps ...string) string {
	for i, s := range steps {
		what, at, _ := strings.Cut(s, "@")
		what, signal, _ := strings.Cut(what, ":")
		steps[i] = fmt.Sprintf(`{"what":%q,"signal":%q,"mono":%s000000000}`, what, signal, at)
	}
	return `"steps":[` + strings.Join(steps, ",") + `]`
}

func said(s string) string {
	return `agent {"method":"session/update","params":{"sessionId":"s","update":` + s + `}}`
}

func TestVerdict(t *testing.T) {
	closed := `"status":0,` + writtenSteps("client-closed@9", "agent-exited@9", "agent-closed@9")
	for name, test := range map[string]struct {
		end   string
		lines []string
		want  string
		short string
	}{
		"nothing":       {closed, []string{begins, welcomed, prompts, finishes}, "nothing went wrong", "-"},
		"never answers": {closed, []string{begins, welcomed, prompts}, "the client ended the run while it waited for the agent: #3 session/prompt, 6.000 s", "client closed"},
		"no initialize": {closed, []string{begins}, "the agent never responded to initialize (#1), 8.000 s; the client ended the run", "no response"},
		"quits": {`"status":3,` + writtenSteps("agent-closed@4", "agent-exited@4"), []string{begins, welcomed, prompts, cut},
			"the agent ended with status 3 before it responded to #3 session/prompt, 1.000 s", "agent ended"},
		"crashes": {`"status":139,"signal":"segmentation fault",` + writtenSteps("agent-exited@4"), []string{begins, welcomed, prompts, cut},
			"the agent was killed by a signal (segmentation fault), not by acpshim, before it responded to #3 session/prompt, 1.000 s", "agent killed"},
		"a signal to acpshim": {`"status":143,"signal":"terminated",` + writtenSteps("signaled:terminated@5", "agent-exited@5"), []string{begins, welcomed, prompts},
			"acpshim got a signal (terminated) while the client waited for the agent: #3 session/prompt, 2.000 s", "signal"},
		"a signal to the group": {`"status":130,"signal":"interrupt",` + writtenSteps("agent-exited@5", "signaled:interrupt@5"), []string{begins, welcomed, prompts},
			"acpshim got a signal (interrupt) while the client waited for the agent: #3 session/prompt, 2.000 s", "signal"},
		"a later signal": {`"status":130,"signal":"interrupt",` + writtenSteps("agent-exited@5", "signaled:interrupt@6"), []string{begins, welcomed, prompts},
			"the agent was killed by a signal (interrupt), not by acpshim, before it responded to #3 session/prompt, 2.000 s", "agent killed"},
		"another signal": {`"status":137,"signal":"killed",` + writtenSteps("agent-exited@5", "signaled:interrupt@6"), []string{begins, welcomed, prompts},
			"the agent was killed by a signal (killed), not by acpshim, before it responded to #3 session/prompt, 2.000 s", "agent killed"},
		"killed by acpshim": {`"status":137,"signal":"killed",` + writtenSteps("client-closed@5", "terminated@7", "killed@8", "agent-exited@8"), []string{begins, welcomed},
			"the client ended the run; acpshim killed the agent, because it did not end in time after the client had ended the run", "client closed"},
		"killed by another": {`"status":137,"signal":"killed",` + writtenSteps("client-closed@5", "agent-exited@8"), []string{begins, welcomed},
			"the client ended the run; then the agent was killed by a signal (killed), not by acpshim", "client closed"},
		"not started": {`"status":127,"not_started":"agent \"x\": not found in PATH"`, nil, `the agent was not started: agent "x": not found in PATH`, "not started"},
		"permission is open": {closed, []string{begins, welcomed, prompts, permission},
			"the client ended the run before it responded to #4 session/request_permission, 5.000 s", "client closed"},
		"the agent ends while the user thinks": {`"status":1,` + writtenSteps("agent-exited@6"), []string{begins, welcomed, prompts, permission},
			"the agent ended with status 1 while it waited for the client: #4 session/request_permission, 2.000 s", "agent ended"},
		"refused": {closed, []string{begins, welcomed, prompts, permission, `client {"id":"p","result":{"outcome":{"outcome":"selected","optionId":"n"}}}`, finishes},
			`the client refused permission for "Edit" (#4) with "No", by its user or its settings (#5, 5.000 s); then the client ended the run`, "1 problem"},
		"refused by the agent": {closed, []string{begins, welcomed, prompts, `agent {"id":1,"result":{"stopReason":"refusal"}}`},
			"the agent refused the prompt #3 (#4, 4.000 s); then the client ended the run", "1 problem"},
		"refused in version 2": {closed, []string{begins, welcomed, prompts, `agent {"id":1,"result":{"messageId":"m"}}`, said(`{"sessionUpdate":"state_update","state":"idle","stopReason":"refusal"}`)},
			"the agent refused a prompt (#5, 5.000 s); then the client ended the run", "1 problem"},
		"refused by a rule": {closed, []string{begins, welcomed, prompts, strings.Replace(permission, " {", ` "stage":"in","by":["r"] {`, 1),
			`client "stage":"out","by":["r"],"reasons":[{"by":"r","code":"permission.answered"}] {"id":"p","result":{"outcome":{"outcome":"selected","optionId":"n"}}}`, finishes},
			`acpshim refused permission for "Edit" (#4) with "No", by the rule "r" (#5, 5.000 s); then the client ended the run`, "1 problem"},
		"failed": {closed, []string{begins, welcomed, prompts, `agent {"id":1,"error":{"code":-32000,"message":"no login"}}`},
			"the agent responded to session/prompt (#3) with an error: -32000: no login (#4, 4.000 s); then the client ended the run", "1 problem"},
		"two calls": {closed, []string{begins, welcomed, prompts, said(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Test","status":"failed"}`),
			said(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}`), finishes, `agent {"id":7,"result":{}}`},
			`the agent reported that the tool call "Test" failed (#4, 4.000 s; 2 times); 1 more below; then the client ended the run`, "2 problems"},
		"ignored cancel": {closed, []string{begins, welcomed, prompts, `client {"method":"session/cancel","params":{"sessionId":"s"}}`, said(`{"sessionUpdate":"x"}`), finishes},
			"the agent went on after the cancel of #3: 1 update came later, and the turn ended with end_turn (#4, 4.000 s); then the client ended the run", "1 problem"},
		"obeyed cancel": {closed, []string{begins, welcomed, prompts, `client {"method":"session/cancel","params":{"sessionId":"s"}}`, said(`{"sessionUpdate":"x"}`),
			`agent {"id":1,"result":{"stopReason":"cancelled"}}`}, "nothing went wrong", "-"},
		"junk":       {closed, []string{begins, welcomed, "agent "}, "the agent sent a line that is not a message (#3, 3.000 s); then the client ended the run", "1 problem"},
		"unknown id": {closed, []string{begins, welcomed, `agent {"id":7,"result":{}}`}, "the agent sent a response to the id 7, which no open request has (#3, 3.000 s); then the client ended the run", "1 problem"},
		"plan": {closed, []string{begins, welcomed, `agent "stage":"in","by":["plan"],"reasons":[{"by":"plan","code":"plans.no-list"}] {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`},
			"the agent sent a plan whose entries are not a list (#3, 3.000 s); then the client ended the run", "1 problem"},
		"dropped plan": {closed, []string{begins, welcomed, `agent "stage":"in","by":["r"],"reasons":[{"by":"r","code":"rule.dropped"}] {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`},
			`acpshim dropped a plan update, by the rule "r" (#3, 3.000 s); then the client ended the run`, "1 problem"},
		"not announced": {closed, []string{begins, welcomed, `agent {"id":1,"method":"fs/write_text_file","params":{"sessionId":"s"}}`, `client {"id":1,"result":{}}`,
			`agent {"id":2,"method":"fs/read_text_file","params":{"sessionId":"s"}}`, `client {"id":2,"result":{}}`},
			"the agent used fs.writeTextFile, which the client did not announce (#3, 3.000 s); then the client ended the run", "1 problem"},
		"a cancel after the agent stopped reading": {`"status":0,` + writtenSteps("agent-refused@4", "agent-closed@8", "agent-exited@8"),
			[]string{begins, welcomed, prompts, `client {"method":"session/cancel","params":{"sessionId":"s"}}`, said(`{"sessionUpdate":"x"}`), finishes},
			"the agent stopped reading", "agent ended"},
		"a cancelled permission": {closed, []string{begins, welcomed, prompts, permission, `client {"method":"session/cancel","params":{"sessionId":"s"}}`,
			`client {"id":"p","result":{"outcome":{"outcome":"cancelled"}}}`, `agent {"id":1,"result":{"stopReason":"cancelled"}}`}, "nothing went wrong", "-"},
		"a dismissed permission": {closed, []string{begins, welcomed, prompts, permission, `client {"id":"p","result":{"outcome":{"outcome":"cancelled"}}}`, finishes},
			`the client cancelled the request for permission for "Edit" (#4) (#5, 5.000 s); then the client ended the run`, "1 problem"},
		"a cancelled request": {closed, []string{begins, welcomed, prompts, `client {"method":"$/cancel_request","params":{"requestId":1}}`,
			`agent {"id":1,"error":{"code":-32800,"message":"x"}}`}, "nothing went wrong", "-"},
		"a failed call of a cancelled turn": {closed, []string{begins, welcomed, prompts, `client {"method":"session/cancel","params":{"sessionId":"s"}}`,
			said(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Test","status":"failed"}`), `agent {"id":1,"result":{"stopReason":"cancelled"}}`}, "nothing went wrong", "-"},
		"a failed call that is replayed": {closed, []string{begins, welcomed, `client {"id":1,"method":"session/load","params":{"sessionId":"s"}}`,
			said(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Test","status":"failed"}`), `agent {"id":1,"result":{}}`}, "nothing went wrong", "-"},
		"a failed call after a load": {closed, []string{begins, welcomed, `client {"id":1,"method":"session/load","params":{"sessionId":"s"}}`, `agent {"id":1,"result":{}}`,
			said(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Test","status":"failed"}`)},
			`the agent reported that the tool call "Test" failed (#5, 5.000 s); then the client ended the run`, "1 problem"},
		"two cancels": {closed, []string{begins, welcomed, prompts, `client {"method":"session/cancel","params":{"sessionId":"s"}}`,
			`client {"method":"session/cancel","params":{"sessionId":"s"}}`, said(`{"sessionUpdate":"x"}`), finishes},
			"the agent went on after the cancel of #3: 1 update came later, and the turn ended with end_turn (#4, 4.000 s); then the client ended the run", "1 problem"},
		"an id used twice": {closed, []string{begins, welcomed, prompts, prompts, finishes, finishes},
			"the client used the id 1 of #3 again before it got the response (#4, 4.000 s); then the client ended the run", "1 problem"},
		"quits while nothing is open": {`"status":0,` + writtenSteps("agent-closed@5", "agent-exited@5"), []string{begins, welcomed},
			"the agent ended with status 0 while no request was open", "agent ended"},
		"only its output is closed": {`"status":0,` + writtenSteps("agent-closed@4", "client-closed@5", "agent-exited@5"), []string{begins, welcomed, prompts, cut},
			"the agent closed its output before it responded to #3 session/prompt, 1.000 s", "agent ended"},
		"a lost connection": {`"status":1,"connection":"the server closed the connection",` + writtenSteps("agent-closed@4", "agent-exited@4"), []string{begins, welcomed, prompts, cut},
			"the server closed the connection while the client waited for the agent: #3 session/prompt, 1.000 s", "disconnected"},
		"nobody reads the rest": {`"status":141,"signal":"broken pipe",` + writtenSteps("client-gone@5", "agent-exited@5"), []string{begins, welcomed},
			"the client stopped reading; then the agent was killed by a signal (broken pipe)", "client gone"},
		"the third signal": {`"status":137,"signal":"killed",` + writtenSteps("signaled:interrupt@5", "signaled:interrupt@6", "signaled:interrupt@7", "killed@7", "agent-exited@7"), []string{begins, welcomed},
			"acpshim got a signal (interrupt); acpshim killed the agent at signal 3", "signal"},
		"a turn of version 2 that goes on after a cancel": {closed, []string{begins, welcomed, prompts, `agent {"id":1,"result":{"messageId":"m"}}`,
			`client {"method":"session/cancel","params":{"sessionId":"s"}}`, said(`{"sessionUpdate":"x"}`), said(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)},
			"the agent went on after the cancel of #3: 1 update came later, and the turn ended with end_turn (#5, 5.000 s); then the client ended the run", "1 problem"},
		"two sessions": {closed, []string{begins, welcomed, prompts, strings.Replace(strings.Replace(prompts, `"s"`, `"t"`, 1), `"id":1`, `"id":2`, 1), strings.Replace(permission, `"s"`, `"t"`, 1)},
			"the client ended the run while it waited for the agent: #3 session/prompt, 6.000 s", "client closed"},
		"an old record": {`"status":1`, []string{begins}, "the run ended with status 1 while the client waited for the agent: #1 initialize, 1.000 s; it is not known who ended it", "no response"},
		"an old record of a killed agent": {`"status":137,"signal":"killed"`, []string{begins, welcomed, prompts},
			"the agent was killed by a signal (killed) before it responded to #3 session/prompt, 1.000 s; it is not known by whom", "agent killed"},
		"an old record that ended well": {`"status":0`, []string{begins, welcomed}, "nothing went wrong that this record tells; it is not known who ended the run", "-"},
		"an old record with a status":   {`"status":3`, []string{begins, welcomed}, "the run ended with status 3; it is not known why", "status 3"},
		"a turn of version 2": {`"status":3,` + writtenSteps("agent-exited@6"), []string{begins, welcomed, prompts, `agent {"id":1,"result":{"messageId":"m"}}`},
			"the agent ended with status 3 before it ended the turn of #3 session/prompt, 3.000 s", "agent ended"},
		"stops reading": {`"status":0,` + writtenSteps("client-gone@4", "terminated@6", "agent-exited@6"), []string{begins, welcomed, prompts},
			"the client stopped reading while it waited for the agent: #3 session/prompt, 1.000 s; " +
				"acpshim ended the agent with SIGTERM, because it did not end in time after the client had stopped reading", "client gone"},
		"cut off": {"", []string{begins, welcomed, prompts, permission},
			"the record has no end; it was waiting for the client: #4 session/request_permission", "cut off"},
	} {
		v, _ := judge(judgedLines(t, test.end, test.lines...), false)
		if v.Text != test.want || v.Short != test.short || v.IsBad != (test.short != "-") {
			t.Errorf("%s: %v %s\n%s, want\n%s", name, v.IsBad, v.Short, v.Text, test.want)
		}
	}
}

// A run that goes on waits for whoever owes the response to the innermost open request.
func TestWhoIsOwed(t *testing.T) {
	held := strings.Replace(prompts, " {", ` "stage":"in","by":["turns"] {`, 1)
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"prompt":             {[]string{begins, welcomed, prompts}, "waiting for the agent: #3 session/prompt, 7 s"},
		"permission":         {[]string{begins, welcomed, prompts, permission}, "waiting for the client: #4 session/request_permission, 6 s"},
		"of another session": {[]string{begins, welcomed, prompts, strings.Replace(permission, `"s"`, `"other"`, 1)}, "waiting for the agent: #3 session/prompt, 7 s; also waiting for the client: #4 session/request_permission"},
		"terminal":           {[]string{begins, welcomed, prompts, `agent {"id":"t","method":"terminal/wait_for_exit","params":{"sessionId":"s"}}`}, "waiting for the client: #4 terminal/wait_for_exit, 6 s"},
		"held":               {[]string{begins, welcomed, held}, "waiting for acpshim, which holds #3 session/prompt, 7 s"},
		"held, then sent": {[]string{begins, welcomed, held, strings.Replace(prompts, " {", ` "stage":"out","by":["turns"] {`, 1)},
			"waiting for the agent: #3 session/prompt, 7 s"},
		"acpshim's own": {[]string{begins, welcomed, prompts, `agent "stage":"in","by":["questions"] {"id":"e","method":"elicitation/create","params":{"sessionId":"s"}}`,
			`agent "stage":"out","of":4,"by":["questions"] {"id":"own","method":"session/request_permission","params":{"sessionId":"s"}}`},
			"waiting for the client: #5 session/request_permission of acpshim (for #4), 5 s"},
		"version 2": {[]string{begins, welcomed, prompts, `agent {"id":1,"result":{"messageId":"m"}}`}, "waiting for the agent: the turn of #3 session/prompt, 7 s"},
		"version 2, idle": {[]string{begins, welcomed, prompts, `agent {"id":1,"result":{"messageId":"m"}}`,
			said(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)}, "the run goes on, and no request is open"},
	} {
		var j Judge
		for _, m := range judgedLines(t, "", test.lines...).Messages {
			j.Add(m)
		}
		if v := j.Live(time.Date(2026, 11, 22, 10, 0, 10, 0, time.UTC)); v.Text != test.want {
			t.Errorf("%s: %s, want %s", name, v.Text, test.want)
		}
	}
}

// Of requests that wait for each other, only the innermost ones are told as never responded to.
func TestOnlyTheInnermostIsWrong(t *testing.T) {
	other := strings.NewReplacer(`"s"`, `"t"`, `"id":1`, `"id":2`)
	_, j := judge(judgedLines(t, `"status":0,`+writtenSteps("client-closed@9"), begins, welcomed, prompts, other.Replace(prompts), other.Replace(permission)), false)
	if wrong := j.Wrong(); len(wrong) != 1 || wrong[0].String() != "the client never responded to #5 session/request_permission (#5, 5.000 s)" {
		t.Errorf("wrong are %v", wrong)
	}
}
