package plans

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

const (
	designText = "Mind the gap.\n\n- [ ] a\n"
	chunkS     = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}}`
	userChunkS = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}}}`
	cancelS    = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
	nextS      = `{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	nextDoneS  = `{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`
	reviewS    = `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"r","kind":"switch_mode"},"options":[]}}`
)

// The client waits for the end of the turn, or drops later updates. Pending plans follow with the
// first update of the next turn.
func TestNothingIsAddedToACancelledTurn(t *testing.T) {
	large := strings.Repeat("x", largePlan)
	for name, test := range map[string]struct {
		set    settings
		before string // what the agent sends, of which something is pending
		cancel string
		want   string // part of what goes before the next turn's first update
	}{
		"a text":           {settings{Prose: true}, planUpdate("s", "p", designText), cancelS, "Mind the gap."},
		"a list as a text": {settings{ShowAs: AsMessage}, itemsUpdate("s", "p", "a"), cancelS, "- [ ] a"},
		"a last line":      {settings{}, planUpdate("s", "p", "Title"), cancelS, `"content":"Title"`},
		"a large plan":     {settings{}, itemsUpdate("s", "p", large), cancelS, large},
		"by its id":        {settings{Prose: true}, planUpdate("s", "p", designText), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}`, "Mind the gap."},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := live(nil, options{Settings: test.set})
			agent := c.FromAgent()
			through(agent, test.before)
			if got := through(c.FromClient(), test.cancel); got != test.cancel+"\n" {
				t.Errorf("the cancel became %s", got)
			}
			for _, line := range []string{chunkS, answerS, chunkS} {
				if got := through(agent, line) + string(flushed(agent, false)); got != line+"\n" {
					t.Errorf("%s became %.200s", line, got)
				}
			}
			through(c.FromClient(), nextS)
			if got := string(flushed(agent, false)); got != "" {
				t.Errorf("before the next turn's first update: %.200s", got)
			}
			if got := through(agent, chunkS); !strings.Contains(got, test.want) || !strings.HasSuffix(got, chunkS+"\n") {
				t.Errorf("the next turn's first update: %.200s", got)
			}
			for _, line := range []string{chunkS, nextDoneS} {
				if got := through(agent, line); got != line+"\n" {
					t.Errorf("%s became %.200s", line, got)
				}
			}
		})
	}
}

// They go before its first question, or before its response if it has no update.
func TestPlansOfACancelledTurnGoFirstInTheNext(t *testing.T) {
	for _, first := range []string{nextDoneS, reviewS} {
		c, _ := live(nil, options{Settings: settings{Prose: true}})
		through(c.FromAgent(), planUpdate("s", "p", designText))
		through(c.FromClient(), cancelS)
		through(c.FromAgent(), answerS)
		through(c.FromClient(), nextS)
		if got := through(c.FromAgent(), first); !strings.Contains(got, "Mind the gap.") || !strings.HasSuffix(got, first+"\n") {
			t.Errorf("%s became %s", first, got)
		}
	}
}

// The client can send the next prompt before the cancelled one has a response. Nothing goes before
// that response.
func TestACancelledTurnThatEndsLate(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	through(agent, planUpdate("s", "p", designText))
	through(c.FromClient(), cancelS)
	through(c.FromClient(), nextS)
	if got := through(agent, answerS); got != answerS+"\n" {
		t.Errorf("the cancelled turn ends with %s", got)
	}
	if got := through(agent, chunkS); !strings.Contains(got, "Mind the gap.") {
		t.Errorf("the next turn: %s", got)
	}
}

// There is no next turn in which the client could get it.
func TestATextOfACancelledTurnIsNotLostAtTheAgentsEnd(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Prose: true}})
	through(c.FromAgent(), planUpdate("s", "p", designText))
	through(c.FromClient(), cancelS)
	through(c.FromAgent(), answerS)
	if got := flushed(c.FromAgent(), true); !strings.Contains(string(got), "Mind the gap.") {
		t.Errorf("at the end of the input: %s", got)
	}
}

func TestACancelWithoutATurnChangesNothing(t *testing.T) {
	for _, cancel := range []string{strings.Replace(cancelS, `"s"`, `"t"`, 1), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":77}}`} {
		c, _ := live(nil, options{Settings: settings{Prose: true}})
		through(c.FromAgent(), planUpdate("s", "p", designText))
		through(c.FromClient(), cancel)
		if got := through(c.FromAgent(), answerS); !strings.Contains(got, "Mind the gap.") {
			t.Errorf("%s: the turn ends with %s", cancel, got)
		}
	}
	c, _ := live(nil, options{Settings: settings{Prose: true}})
	through(c.FromAgent(), answerS)
	through(c.FromClient(), cancelS)
	through(c.FromClient(), nextS)
	through(c.FromAgent(), planUpdate("s", "p", designText))
	if got := through(c.FromAgent(), nextDoneS); !strings.Contains(got, "Mind the gap.") {
		t.Errorf("after a cancel between turns: %s", got)
	}
}

func TestAFileThatChangesAfterACancelIsShownInTheNextTurn(t *testing.T) {
	d := disk{"file:///w/p": "- [ ] a"}
	c, _ := live(d, options{})
	through(c.FromAgent(), fileUpdate("s", "p", "file:///w/p"))
	through(c.FromClient(), cancelS)
	d["file:///w/p"] = "- [x] a"
	if got := c.readAll(d); got != "" {
		t.Errorf("shown in the cancelled turn: %s", got)
	}
	through(c.FromAgent(), answerS)
	through(c.FromClient(), nextS)
	if got := through(c.FromAgent(), chunkS); !strings.Contains(got, `"completed"`) {
		t.Errorf("the next turn: %s", got)
	}
}

// A plan is shown once in each turn in which the agent sends it.
func TestAPlanIsShownInEachTurn(t *testing.T) {
	for name, update := range map[string]string{
		"items": itemsUpdate("s", "p", "a"), "a document": planUpdate("s", "p", "- [ ] a\n"), "a plan of a tool": todowrite("s", "c", "a"),
	} {
		c, _ := live(nil, options{Settings: settings{Tools: shipped()}})
		agent := c.FromAgent()
		for turn := range 2 {
			if got := through(agent, update); !strings.HasSuffix(contents(got), "a") || !strings.Contains(got, `"sessionUpdate":"plan"`) {
				t.Errorf("%s, turn %d: %s", name, turn, got)
			}
			if got := through(agent, update); strings.Contains(got, `"sessionUpdate":"plan"`) {
				t.Errorf("%s, turn %d, again: %s", name, turn, got)
			}
			through(agent, answerS)
			through(c.FromClient(), promptS)
		}
	}
}

func TestAPromptInARunningTurnBeginsNoTurn(t *testing.T) {
	c, _ := live(nil, options{})
	through(c.FromAgent(), planUpdate("s", "p", "- [ ] a\n"))
	through(c.FromClient(), nextS)
	if got := contents(through(c.FromAgent(), planUpdate("s", "q", "- [ ] b\n"))); got != "a,b" {
		t.Errorf("shown are %s", got)
	}
}

// The text in the question is a document until the agent sends another one. A second proposal
// replaces the first.
func TestAProposedPlanIsShownBeforeItsQuestion(t *testing.T) {
	ask := func(id int, plan string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"r","kind":"switch_mode","rawInput":{"plan":%q}},"options":[]}}`, id, plan)
	}
	for _, prose := range []bool{false, true} {
		c, _ := live(nil, options{Settings: settings{Prose: prose, Tools: shipped()}})
		agent := c.FromAgent()
		for i, step := range []string{"a", "b"} {
			got := through(agent, ask(i, "Why.\n\n- [ ] "+step+"\n"))
			if contents(got) != step || strings.Contains(got, "agent_message_chunk") {
				t.Errorf("a plan of %s: %s", step, got)
			}
		}
		if got := through(agent, todowrite("s", "c", "t")); !strings.HasSuffix(got, planLine("s", "t")+"\n") {
			t.Errorf("the list of a todo tool: %s", got)
		}
		through(agent, todowrite("s", "c", ""))
		if got := through(agent, planUpdate("s", "plan-mode", "Why.\n\n- [ ] b")); strings.Contains(got, "Why") {
			t.Errorf("the same as an update: %s", got)
		}
		if got := contents(through(agent, planUpdate("s", "other", "- [ ] c\n"))); got != "b,c" {
			t.Errorf("with another one: %s", got)
		}
	}
}

// If plans are messages, the text of the plan comes before the question, even if texts are
// dropped.
func TestNoPlanIsApprovedUnseen(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{ShowAs: AsMessage}})
	agent := c.FromAgent()
	through(agent, planUpdate("s", "other", "Of no interest.\n\n- [ ] o\n"))
	ask := strings.Replace(reviewS, `"kind"`, `"rawInput":{"plan":"Mind the gap.\n\n- [ ] a\n"},"kind"`, 1)
	got := through(agent, ask)
	if !strings.Contains(got, "Mind the gap.") || strings.Contains(got, "Of no interest.") {
		t.Errorf("before the question: %s", got)
	}
	if got := through(agent, strings.Replace(ask, `"id":9`, `"id":10`, 1)); strings.Contains(got, "agent_message_chunk") {
		t.Errorf("before the same question: %s", got)
	}
	through(agent, answerS)
	through(c.FromClient(), promptS)
	if got := through(agent, ask); !strings.Contains(got, "Mind the gap.") {
		t.Errorf("in another turn: %s", got)
	}
}

// The last line of a growing document is read when it is complete, when the agent continues with
// something else, or before a question.
func TestALastLineIsShownWhenItHasEnded(t *testing.T) {
	for name, then := range map[string]string{
		"it ends":             planUpdate("s", "p", "- [ ] a\n- [ ] b\n"),
		"it is said twice":    planUpdate("s", "p", "- [ ] a\n- [ ] b"),
		"the agent speaks":    chunkS,
		"the agent works":     toolLine("tool_call", "s", "c", `"title":"x"`),
		"the reader is asked": reviewS,
		"the turn ends":       answerS,
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := live(nil, options{})
			agent := c.FromAgent()
			through(agent, planUpdate("s", "p", "- [ ] a\n"))
			if got := through(agent, planUpdate("s", "p", "- [ ] a\n- [ ] b")); got != "" {
				t.Errorf("before that: %s", got)
			}
			if got := through(agent, toolLine("tool_call_update", "s", "d", `"status":"completed"`)); strings.Contains(got, `"plan"`) {
				t.Errorf("an earlier call ends: %s", got)
			}
			if got := contents(through(agent, then)); got != "a,b" {
				t.Errorf("then: %s", got)
			}
		})
	}
}

func TestDocumentsOfAReplayAreShownTurnByTurn(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	through(c.FromClient(), fmt.Sprintf(newSession, 1, "session/load"))
	through(agent, userChunkS)
	through(agent, planUpdate("s", "p", designText))
	if got := through(agent, userChunkS); !strings.Contains(got, "Mind the gap.") || !strings.HasSuffix(got, userChunkS+"\n") {
		t.Errorf("at the next turn: %s", got)
	}
	if got := contents(through(agent, planUpdate("s", "q", "Twice.\n\n- [ ] b\n"))); got != "b" {
		t.Errorf("the plan of the next turn: %s", got)
	}
	response := `{"jsonrpc":"2.0","id":1,"result":{}}`
	got := through(agent, response) + string(flushed(agent, false))
	if !strings.Contains(got, "Twice.") || !strings.HasSuffix(got, response+"\n") {
		t.Errorf("the response: %s", got)
	}
	if agent.Inspect([]byte(userChunkS), true) != wire.Pass {
		t.Error("chunks are held after the load")
	}
}

func TestARefusedLoadRestoresThePlans(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	agent := c.FromAgent()
	through(agent, itemsUpdate("s", "p", "a"))
	through(c.FromClient(), fmt.Sprintf(newSession, 1, "session/load"))
	through(agent, planUpdate("s", "q", designText))
	if got := through(agent, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`) + string(flushed(agent, false)); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,`) || contents(got) != "a" {
		t.Errorf("after the refusal: %s", got)
	}
}

func TestAPlanInTheInputOfAnotherToolIsNotShown(t *testing.T) {
	c, _ := live(nil, options{})
	through(c.FromAgent(), planUpdate("s", "p", "- [ ] a\n"))
	ask := strings.Replace(reviewS, `"kind":"switch_mode"`, `"kind":"execute","rawInput":{"plan":"premium"}`, 1)
	if got := through(c.FromAgent(), ask); got != ask+"\n" {
		t.Errorf("before the question: %s", got)
	}
}

func TestThePlanOfAQuestionReplacesAnOldList(t *testing.T) {
	c, _ := live(nil, options{})
	agent := c.FromAgent()
	through(agent, itemsUpdate("s", "todo", "old"))
	through(agent, answerS)
	through(c.FromClient(), promptS)
	ask := strings.Replace(reviewS, `"kind"`, `"rawInput":{"plan":"Why.\n\n- [ ] a\n"},"kind"`, 1)
	if got := contents(through(agent, ask)); got != "a" {
		t.Errorf("before the question: %s", got)
	}
	if got := contents(through(agent, itemsUpdate("s", "todo", "new"))); got != "new" {
		t.Errorf("the list again: %s", got)
	}
}

func TestARefusedProposalDoesNotReturn(t *testing.T) {
	c, _ := live(nil, options{})
	agent := c.FromAgent()
	through(agent, strings.Replace(reviewS, `"kind"`, `"rawInput":{"plan":"Why.\n\n- [ ] a\n"},"kind"`, 1))
	through(agent, answerS)
	through(c.FromClient(), promptS)
	through(agent, itemsUpdate("s", "i", "b"))
	removal := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"i"}}}`
	if got := through(agent, removal); !strings.Contains(got, `"entries":[]`) {
		t.Errorf("when the list is removed: %s", got)
	}
}

func TestAPromptThatWaitsBeginsItsTurnLater(t *testing.T) {
	c, _ := live(nil, options{})
	agent := c.FromAgent()
	through(c.FromClient(), nextS)
	update := planUpdate("s", "p", "- [ ] a\n")
	through(agent, update)
	through(agent, answerS)
	if got := contents(through(agent, update)); got != "a" {
		t.Errorf("in the second turn: %s", got)
	}
}

func TestAFileThatHasNotChangedIsNotShownAgain(t *testing.T) {
	d := disk{"file:///w/p": "- [ ] a"}
	c, _ := live(d, options{})
	through(c.FromAgent(), fileUpdate("s", "p", "file:///w/p"))
	for range 2 {
		through(c.FromAgent(), answerS)
		through(c.FromClient(), promptS)
		if got := c.readAll(d) + through(c.FromAgent(), answerS); got != answerS+"\n" {
			t.Errorf("the next turn: %s", got)
		}
		through(c.FromClient(), promptS)
	}
}

func TestATitleIsNeverShownAsAStepWhileADocumentGrows(t *testing.T) {
	const whole = "# Fix\n\nMind it.\n\n- [ ] a\n- [ ] b\n"
	c, _ := live(nil, options{})
	last := ""
	for n := range len(whole) {
		got := through(c.FromAgent(), planUpdate("s", "p", whole[:n+1]))
		if now := contents(got); got != "" && (!strings.HasPrefix(now, last) || now == "" || strings.Contains(now, "Fix")) {
			t.Errorf("after %q: %q, then %q", whole[:n+1], last, now)
		} else if got != "" {
			last = now
		}
	}
	if last != "a,b" {
		t.Errorf("in the end: %s", last)
	}
}

func TestTheLastLineIsThereWhenTheAgentDies(t *testing.T) {
	c, _ := live(nil, options{})
	through(c.FromAgent(), planUpdate("s", "p", "- [ ] a\n"))
	through(c.FromAgent(), planUpdate("s", "p", "- [ ] a\n- [ ] b"))
	if got := contents(string(flushed(c.FromAgent(), true))); got != "a,b" {
		t.Errorf("at the end of the input: %s", got)
	}
}

// A client that drops what comes between turns gets it in the next one.
func TestPlansBetweenTurnsWaitForTheNext(t *testing.T) {
	for name, late := range map[string]string{
		"a list": itemsUpdate("s", "p", "late"), "a legacy plan": planLine("s", "late"), "a document": planUpdate("s", "p", "Why.\n\n- [ ] late\n"),
		"the plan of a tool": todowrite("s", "c", "late"),
	} {
		c, _ := live(nil, options{Settings: settings{Prose: true, LateWait: true, Tools: shipped()}})
		agent := c.FromAgent()
		through(agent, answerS)
		if got := through(agent, late) + string(flushed(agent, false)); strings.Contains(got, `"sessionUpdate":"plan"`) || strings.Contains(got, "agent_message_chunk") {
			t.Errorf("%s, between turns: %s", name, got)
		}
		through(c.FromClient(), nextS)
		got := through(agent, chunkS)
		if contents(got) != "late" || !strings.HasSuffix(got, chunkS+"\n") || strings.Contains(got, "Why.") != (name == "a document") {
			t.Errorf("%s, in the next turn: %s", name, got)
		}
	}
}

// The wait of a plan for the end of its call does not depend on the agent.
func TestAPlanWaitsForItsCallASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := live(nil, options{Settings: settings{Tools: shipped()}})
		agent := c.FromAgent()
		through(agent, todoCall("s", "c", "a", "in_progress"))
		time.Sleep(time.Second - 1)
		if got, _ := agent.Drain(nil); len(got) > 0 || len(flushed(agent, false)) > 0 {
			t.Errorf("too early: %s", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got, _ := agent.Drain(nil); contents(string(got)) != "a" {
			t.Errorf("after a second: %s", got)
		}
		through(agent, todoCall("s", "d", "b", "in_progress"))
		through(agent, toolLine("tool_call_update", "s", "d", `"status":"completed"`))
		time.Sleep(time.Minute)
		if got, _ := agent.Drain(nil); len(got) > 0 {
			t.Errorf("after the end of another call: %s", got)
		}
	})
}

// The client cancels the first of two prompts: what comes in the second turn is shown in it.
func TestOnlyTheFirstPromptIsCancelled(t *testing.T) {
	c, _ := live(nil, options{Settings: settings{Prose: true, Tools: shipped()}})
	agent := c.FromAgent()
	through(c.FromClient(), nextS)
	through(c.FromClient(), cancelS)
	if got := through(agent, todowrite("s", "c", "a")); strings.Contains(got, `"sessionUpdate":"plan"`) {
		t.Errorf("in the cancelled turn: %s", got)
	}
	if got := through(agent, answerS); got != answerS+"\n" {
		t.Errorf("its end: %s", got)
	}
	if got := contents(through(agent, chunkS)); got != "a" {
		t.Errorf("the second turn begins with %q", got)
	}
	through(agent, planUpdate("s", "p", designText))
	if got := through(agent, nextDoneS); !strings.Contains(got, "Mind the gap.") {
		t.Errorf("the second turn ends with %s", got)
	}
}

// Until a document is more than a title, it replaces nothing.
func TestATitleAloneChangesNothing(t *testing.T) {
	title := planUpdate("s", "p", "# T\n\nWords.\n")
	for name, test := range map[string]struct {
		policy       translate.Policy
		before       []string
		while, later string // the last plan before the next message, and after it
	}{
		"a list of its id":      {translate.Checklists, []string{itemsUpdate("s", "p", "old")}, "old", "T"},
		"an older state of it":  {translate.Latest, []string{planUpdate("s", "p", "- [ ] old"), itemsUpdate("s", "q", "now")}, "now", "T"},
		"a list of a todo tool": {translate.Checklists, []string{todowrite("s", "c", "todo")}, "todo,todo", "T"},
		"a document":            {translate.All, []string{planUpdate("s", "p", "- [ ] old\n")}, "old", "T"},
	} {
		c, _ := live(nil, options{Settings: settings{Policy: test.policy, Tools: shipped()}})
		agent, last := c.FromAgent(), ""
		for _, line := range append(test.before, title) {
			if now := contents(through(agent, line)); now != "" {
				last = now
			}
		}
		if got := through(agent, title[:len(title)-5]+`\n"}}}}`); strings.Contains(got, `"sessionUpdate":"plan"`) || last != test.while {
			t.Errorf("%s: with a title the client has %q, and then %s", name, last, got)
		}
		if got := contents(through(agent, chunkS)); got != test.later {
			t.Errorf("%s: then the client gets %q", name, got)
		}
	}
}

// The first prompt was cancelled and has no response yet.
func TestASecondPromptBeginsItsTurnWhenTheFirstEnds(t *testing.T) {
	c, _ := live(nil, options{})
	agent, update := c.FromAgent(), itemsUpdate("s", "p", "a")
	through(agent, update)
	through(c.FromClient(), cancelS)
	through(c.FromClient(), nextS)
	if got := through(agent, update); strings.Contains(got, `"sessionUpdate":"plan"`) {
		t.Errorf("in the first turn: %s", got)
	}
	through(agent, answerS)
	if got := contents(through(agent, update)); got != "a" {
		t.Errorf("in the second turn: %s", got)
	}
}
