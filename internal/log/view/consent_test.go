package view

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/log/validate"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A summary says which rule decided how many requests, and if an agent runs commands but never
// asks.
func TestWhatAnAgentRanAndAsked(t *testing.T) {
	call := func(id, members string) string {
		return said(`{"sessionUpdate":"tool_call","toolCallId":"` + id + `",` + members + `}`)
	}
	update := func(id, members string) string {
		return said(`{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `",` + members + `}`)
	}
	byRule := func(line, code string) string {
		return strings.Replace(line, " {", ` "stage":"out","by":["no rm"],"reasons":[{"by":"no rm","code":"`+code+`"}] {`, 1)
	}
	const (
		execute = `"title":"ls","kind":"execute"`
		no      = `client {"id":"p","result":{"outcome":{"outcome":"selected","optionId":"n"}}}`
		yes     = `client {"id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`
		loads   = `client {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}`
	)
	held := strings.Replace(permission, " {", ` "stage":"in","by":["no rm"] {`, 1)
	for _, test := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"commands", []string{prompts, call("a", execute+`,"status":"in_progress"`), call("b", execute), update("b", `"status":"completed"`), update("a", `"status":"completed"`), finishes},
			[]string{"this agent ran 2 commands and never asked (#2, #4)"}},
		{"many commands", []string{prompts, call("a", execute+`,"status":"completed"`), call("b", execute+`,"status":"completed"`), call("c", execute+`,"status":"completed"`), call("d", execute+`,"status":"completed"`)},
			[]string{"this agent ran 4 commands and never asked (#2, #3, #4, 1 more)"}},
		{"an id of an ended call", []string{call("a", execute+`,"status":"in_progress"`), update("a", `"status":"completed"`), update("a", `"status":"completed"`), call("a", execute), update("a", `"status":"in_progress"`)},
			[]string{"this agent ran 2 commands and never asked (#1, #5)"}},
		{"announced twice", []string{call("a", execute+`,"status":"in_progress"`), call("a", execute+`,"status":"completed"`)}, []string{"this agent ran 1 command and never asked (#1)"}},
		{"its kind comes later", []string{call("a", `"title":"ls"`), update("a", `"kind":"execute","status":"in_progress"`)}, []string{"this agent ran 1 command and never asked (#2)"}},
		{"commands that did not begin", []string{call("a", execute), call("b", execute), update("b", `"status":"failed"`)}, nil},
		{"other calls", []string{call("a", `"title":"a.go","kind":"read","status":"completed"`)}, nil},
		{"it asked", []string{prompts, permission, yes, call("a", execute+`,"status":"completed"`)}, nil},
		{"it asked about something else", []string{call("a", execute+`,"status":"completed"`), permission}, nil},
		{"a replay", []string{loads, call("a", execute+`,"status":"completed"`), `agent {"id":1,"result":{}}`}, nil},
		{"after a replay", []string{loads, `agent {"id":1,"result":{}}`, call("a", execute+`,"status":"completed"`)}, []string{"this agent ran 1 command and never asked (#3)"}},
		{"a rule rejects", []string{prompts, held, byRule(no, "permission.answered"), held, byRule(no, "permission.answered")}, []string{`the rule "no rm" rejected 2 requests (#3, #5)`}},
		{"a rule allows", []string{prompts, held, byRule(yes, "permission.answered")}, []string{`the rule "no rm" allowed 1 request (#3)`}},
		{"another reason", []string{prompts, held, byRule(no, "repair.question-dismissed")}, nil},
	} {
		c := Summarize(judgedLines(t, "", test.lines...), false).Consent
		if got := c.lines(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	part := judgedLines(t, "", call("a", execute+`,"status":"completed"`))
	part.Missing.Gaps = 1 // the request may be in the gap
	if got := Summarize(part, false).Consent.lines(); got != nil {
		t.Errorf("of a record that is not whole: %q", got)
	}
	drawn := Summary{Consent: Consent{Commands: 4, First: []uint64{3, 5, 8}}, Valid: validate.Report{}}.Draw(terminal.Style{})
	if !strings.Contains(drawn, "asked     this agent ran 4 commands and never asked (#3, #5, #8, 1 more)\n") {
		t.Errorf("drawn as\n%s", drawn)
	}
	if c := consentOf(&history.History{}); c.Decisions == nil || c.First == nil {
		t.Error("a list is nil")
	}
}
