package plans

import (
	"strings"
	"testing"
)

// Plans are in a batch, before it and after it.
func TestTheNewestPlanOfABatchComesLast(t *testing.T) {
	large := strings.Repeat("x", largePlan)
	opens := call(1, "session/new", `{"cwd":"/"}`)
	opened := result(1, `{"sessionId":"s"}`)
	for name, test := range map[string]struct {
		c     *relay
		asks  string // of the client, before the batch
		batch []string
		want  string // the steps of the plan that comes last
	}{
		"before and after the response that opens the session": {old(options{}), opens,
			[]string{itemsUpdate("s", "p", "A"), opened, itemsUpdate("s", "p", "B")}, "B"},
		"a legacy plan after it": {old(options{}), opens,
			[]string{itemsUpdate("s", "p", "A"), opened, planLine("s", "B")}, "A,B"},
		"a large one before a question": {old(options{}), "",
			[]string{itemsUpdate("s", "p", "A"), itemsUpdate("s", "p", large), call(9, "session/request_permission", `{"sessionId":"s"}`)}, large},
		"a legacy one, and a large one before a question": {old(options{}), "",
			[]string{planLine("s", "A"), itemsUpdate("s", "p", large), call(9, "session/request_permission", `{"sessionId":"s"}`)}, "A," + large},
		"that of a tool, then the agent's own": {old(options{Settings: settings{Tools: shipped()}}), "",
			[]string{todowrite("s", "c", "A"), itemsUpdate("s", "p", "B")}, "B"},
		"that of a tool, then legacy ones": {old(options{Settings: settings{Tools: shipped()}}), "",
			[]string{todowrite("s", "c", "A"), planLine("s", "B"), planLine("s", "C")}, "C"},
		"that of a tool, then legacy ones, for a capable client": {capable(options{Settings: settings{Tools: shipped()}}), "",
			[]string{todowrite("s", "c", "A"), planLine("s", "B"), planLine("s", "C")}, "C"},
	} {
		agent := test.c.FromAgent()
		if test.asks != "" {
			through(test.c.FromClient(), test.asks)
		}
		out := through(agent, "["+strings.Join(test.batch, ",")+"]") + string(flushed(agent, false))
		last := contents(out[strings.LastIndex(out, `"entries"`)+1:])
		if last != test.want {
			t.Errorf("%s: the last plan is %.60q, want %.60q, in\n%.2000s", name, last, test.want, out)
		}
		from := strings.LastIndex(out, `"entries":`)
		if plan := out[from : from+strings.IndexByte(out[from:], ']')]; strings.Count(out, plan) != 1 || strings.Contains(out, `"plan_update"`) {
			t.Errorf("%s: the last plan does not come once, as a legacy one: %.2000s", name, out)
		}
		if i, j := strings.Index(out, `"result"`), strings.Index(out, `"entries"`); i > j {
			t.Errorf("%s: a plan comes before the response that opens its session: %s", name, out)
		}
		counted(t, test.c)
	}
}

func TestAPlanGoesBeforeTheBatchOfItsQuestion(t *testing.T) {
	c := old(options{})
	through(c.FromClient(), promptS)
	batch := "[" + strings.Join([]string{answerS, itemsUpdate("s", "p", strings.Repeat("x", largePlan)), call(9, "session/request_permission", `{"sessionId":"s"}`)}, ",") + "]"
	got := through(c.FromAgent(), batch)
	if plan, question := strings.Index(got, `"sessionUpdate":"plan"`), strings.Index(got, "request_permission"); plan < 0 || plan > question {
		t.Errorf("the plan begins at %d, the question at %d: %.300s", plan, question, got)
	}
}
