package plans

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

// Notifications, and requests that the client handles itself, show no documents, alone or in a
// batch.
func TestOnlyQuestionsToTheUserShowDocuments(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	through(agent, planUpdate("s", "p", "Mind this.\n\n- [ ] a"))
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"_agent/progress","params":{"sessionId":"s"}}`,
		call(7, "fs/read_text_file", `{"sessionId":"s","path":"/w/x"}`),
		call(8, "terminal/create", `{"sessionId":"s","command":"ls"}`),
		call(9, "mcp/message", `{"sessionId":"s"}`),
	} {
		for _, line := range []string{line, "[" + line + "]"} {
			if got := through(agent, line); got != line+"\n" {
				t.Errorf("%s became %s", line, got)
			}
		}
	}
	if got := through(agent, "["+call(10, "session/request_permission", `{"sessionId":"s"}`)+"]"); !strings.Contains(got, "Mind this.") {
		t.Errorf("a question does not show it: %s", got)
	}
}

// A large plan that changes a little before each of many questions is shown before the first few,
// and again when the agent has sent enough.
func TestBytesOfTheAgentAreCreditForItsPlans(t *testing.T) {
	agent := old(options{Settings: settings{Policy: translate.All}}).FromAgent()
	ask := func(text string) (shown bool) {
		through(agent, itemsUpdate("s", "small", fmt.Sprint(len(text))))
		return strings.Contains(through(agent, call(9, "session/request_permission", `{"sessionId":"s","x":"`+text+`"}`)), `"sessionUpdate":"plan"`)
	}
	through(agent, itemsUpdate("s", "small", ""))
	through(agent, itemsUpdate("s", "large", strings.Repeat("x", 3<<18)))
	shown := 0
	for shown < 20 && ask(strings.Repeat("y", shown)) {
		shown++
	}
	if shown < 3 || shown > 6 { // 4 MiB in all
		t.Errorf("it is shown before %d questions", shown)
	}
	if !ask(strings.Repeat("y", 1<<16)) {
		t.Error("it is not shown for what the agent sent then")
	}
}

func TestALargePlanAsAMessageFollowsTheTurn(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Policy: translate.All, ShowAs: AsMessage}})
	agent := c.FromAgent()
	through(agent, itemsUpdate("s", "small", ""))
	through(agent, itemsUpdate("s", "large", strings.Repeat("x", 3<<16)))
	question := call(9, "session/request_permission", `{"sessionId":"s"}`)
	for n := 0; n < 20 && through(agent, question) != question+"\n"; n++ {
		through(agent, itemsUpdate("s", "small", fmt.Sprint(n)))
	}
	through(agent, itemsUpdate("s", "small", "last"))
	if got := through(agent, answerS); got != answerS+"\n" {
		t.Errorf("it goes before the response: %.200s", got)
	}
	got := string(flushed(agent, false))
	if strings.Count(got, `"agent_message_chunk"`) != 1 || !strings.Contains(got, "last") || strings.Count(got, "\n") != 1 {
		t.Errorf("the pause: %.200s … %s", got, got[max(0, len(got)-200):])
	}
	if got := agent.Inspect([]byte(call(9, "elicitation/create", `{"sessionId":"s"}`)), false); got != wire.Pass {
		t.Errorf("nothing is left, and a question is held: %v", got)
	}
}

// If there is too much, the remainder is shown before the next question.
func TestAQuestionWithoutASessionShowsAllDocuments(t *testing.T) {
	c := old(options{Settings: settings{ShowAs: AsMessage}})
	agent := c.FromAgent()
	for _, session := range []string{"a", "b", "c", "d"} {
		through(agent, itemsUpdate(session, "p", strings.Repeat("x", maxMade*2/5)))
	}
	for _, want := range []int{3, 1, 0} {
		got := strings.Count(through(agent, call(9, "elicitation/create", `{}`)), `"agent_message_chunk"`)
		if got != want {
			t.Errorf("%d plans are shown, want %d", got, want)
		}
	}
}

// The waiting plan is shown at the next pause.
func TestAnUnreadableResponseOpensItsSession(t *testing.T) {
	for _, method := range []string{"session/new", "session/fork"} {
		c := old(options{})
		through(c.FromClient(), fmt.Sprintf(newSession, 1, method))
		if got := through(c.FromAgent(), itemsUpdate("s", "p", "a")); got != "" {
			t.Errorf("it is not held: %s", got)
		}
		response := `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","sessionId":"t"}}`
		if got := through(c.FromAgent(), response); got != response+"\n" {
			t.Errorf("the response became %s", got)
		}
		if got := contents(string(flushed(c.FromAgent(), false))); got != "a" {
			t.Errorf("at a pause %q is shown, want the plan", got)
		}
	}
}

func review(id, plan string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"r","kind":"switch_mode","rawInput":{"plan":%q}},`+
		`"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"odd","name":"Odd","kind":"x"}]}}`, id, plan)
}

// Only a yes replaces the lists from before. Everything else shows them again, in this turn and in
// later ones.
func TestAPlanThatIsNotAcceptedReplacesNoList(t *testing.T) {
	selected := func(option string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"selected","optionId":%q}}}`, option)
	}
	for response, accepts := range map[string]bool{
		selected("yes"): true, selected("always"): true,
		selected("no"): false, selected("odd"): false, selected("unknown"): false, selected(""): false,
		`{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"cancelled"}}}`: false,
		`{"jsonrpc":"2.0","id":"q","result":{}}`:                                  false,
		`{"jsonrpc":"2.0","id":"q","error":{"code":-32603,"message":"no"}}`:       false,
	} {
		c, _ := live(nil, options{})
		agent := c.FromAgent()
		through(agent, itemsUpdate("s", "work", "old"))
		through(agent, answerS)
		through(c.FromClient(), nextS)
		if got := contents(through(agent, review("q", "Why.\n\n- [ ] new\n"))); got != "new" {
			t.Errorf("before the question: %s", got)
		}
		through(c.FromClient(), response)
		want, later := "old", "old,more"
		if accepts {
			want, later = "", "more"
		}
		if got := contents(through(agent, chunkS) + string(flushed(agent, false))); got != want {
			t.Errorf("%s: then the client gets %q, want %q", response, got, want)
		}
		through(agent, nextDoneS)
		through(c.FromClient(), promptS)
		if got := contents(through(agent, itemsUpdate("s", "other", "more"))); got != later {
			t.Errorf("%s: in the next turn the client gets %q, want %q", response, got, later)
		}
	}
}

func TestOnlyASwitchOfTheModeAsksAboutAPlan(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	through(agent, itemsUpdate("s", "work", "deploy"))
	terraform := strings.Replace(review("q", "Plan: 1 to add,\n0 to destroy.\n"), "switch_mode", "execute", 1)
	if got := through(agent, terraform); got != terraform+"\n" {
		t.Errorf("a question about a command: %s", got)
	}
}

// A person may approve what the entries do not show.
func TestAQuestionShowsWhatEntriesLeaveOut(t *testing.T) {
	for text, want := range map[string]bool{
		"- [ ] Run [the script](https://example.com/a.sh)\n":                                           true,
		"| Task | Status | Where |\n|---|---|---|\n| Delete | open | /old |\n| Keep | open | /new |\n": true,
		"- [ ] Run **it**\n": false,
	} {
		c, _ := live(nil, options{Settings: settings{Prose: true}})
		agent := c.FromAgent()
		through(agent, planUpdate("s", "p", text))
		if got := through(agent, review("q", text)); strings.Contains(got, "agent_message_chunk") != want {
			t.Errorf("%q: %s", text, got)
		}
		if got := through(agent, review("q2", text)); strings.Contains(got, "agent_message_chunk") {
			t.Errorf("%q, once more: %s", text, got)
		}
	}
}

// The limit on what is added for a few bytes of the agent does not hide what it asks about.
func TestALargeDocumentIsShownBeforeEachQuestionAboutIt(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	text := "Mind this.\n\n- [ ] a\n" + strings.Repeat("And that.\n", 30_000)
	through(agent, planUpdate("s", "p", text))
	for i := range 20 {
		more := fmt.Sprintf("Then %d.\n", i)
		delta := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":""},"_meta":{"jetbrains":{"air":{"contentDelta":%q}}}}}}`, more)
		through(agent, delta)
		if got := through(agent, reviewS); !strings.Contains(got, strings.TrimSpace(more)) {
			t.Fatalf("question %d comes without its text: %.100s", i, got)
		}
	}
}

// The agent may have written the file a moment before it asks.
func TestAFileIsReadBeforeAQuestionAboutIt(t *testing.T) {
	d := disk{"file:///w/p": "Old words.\n\n- [ ] keep\n"}
	c, _ := live(d, options{Settings: settings{Prose: true}})
	through(c.FromAgent(), fileUpdate("s", "p", "file:///w/p"))
	d["file:///w/p"] = "New words.\n\n- [ ] delete\n"
	got := through(c.FromAgent(), reviewS)
	if contents(got) != "delete" || !strings.Contains(got, "New words.") || strings.Contains(got, "Old words.") {
		t.Errorf("before the question: %s", got)
	}
}

// Nobody has accepted its plan.
func TestAQuestionWithoutAResponseEndsWithItsTurn(t *testing.T) {
	c, _ := live(nil, options{})
	agent := c.FromAgent()
	through(agent, itemsUpdate("s", "work", "old"))
	through(agent, answerS)
	through(c.FromClient(), nextS)
	through(agent, review("q", "- [ ] new\n"))
	if got := contents(through(agent, nextDoneS)); got != "old" {
		t.Errorf("the turn ends with %q", got)
	}
}
