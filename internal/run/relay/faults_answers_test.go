package relay_test

import (
	"fmt"
	"strings"
	"testing"
)

// Each test in this file checks one promise: each request gets one response, and nobody gets a
// response to a request that it did not send.

// The client responds to a question's permission request while the agent withdraws the question.
func TestWithdrawnQuestionGetsOneResponse(t *testing.T) {
	for name, answerFirst := range map[string]bool{"the response is first": true, "the withdrawal is first": false} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t, "")
			c.session("s", "/w")
			c.agent(formOf("7", "s", "a"))
			toClient, _ := c.got()
			asked := requests(toClient, "session/request_permission")
			if len(asked) != 1 {
				t.Fatalf("want one permission request, the client gets%s", short(toClient))
			}
			answers := func() {
				c.client(resultOf(asked[0], `{"outcome":{"outcome":"selected","optionId":"choice-0"}}`))
			}
			withdraws := func() { c.agent(cancelRequest("7")) }
			if answerFirst {
				c.crossing(withdraws, answers)
			} else {
				c.crossing(answers, withdraws)
			}
			if _, toAgent := c.got(); len(responsesTo(toAgent, "7")) != 1 {
				t.Errorf("want one response to 7, the agent gets%s", short(toAgent))
			}
		})
	}
}

// Rules see no request that acpshim sends itself.
func TestNoRuleSeesTheRequestsOfAQuestion(t *testing.T) {
	const replies = "[[rule]]\nname = 'x'\nmethod = 'session/request_permission'\nreply = { result = { outcome = { outcome = 'cancelled' } } }\n"
	const marks = "[[rule]]\nname = 'x'\nmethod = 'session/request_permission'\nset = { '/params/_marked' = true }\n"
	const answers = "[[permission]]\nname = 'x'\ntitle = '*'\nanswer = 'allow_once'\n"
	for name, configuration := range map[string]string{
		"a rule that replies": replies, "a rule that changes": marks, "a permission rule": answers,
		"a rule that replies, beside the agent": "[rules]\nplace = 'agent'\n" + replies,
		"a rule that changes, beside the agent": "[rules]\nplace = 'agent'\n" + marks,
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t, configuration)
			c.session("s", "/w")
			c.agent(formOf("7", "s", "a", "b"))
			for i := range 2 {
				toClient, toAgent := c.got()
				asked := requests(toClient, "session/request_permission")
				if len(asked) != 1 || len(toAgent) > 0 || isIn(toClient, "_marked") {
					t.Fatalf("question %d: want one permission request as it was made, the client gets%s\nthe agent gets%s", i+1, short(toClient), short(toAgent))
				}
				c.client(resultOf(asked[0], `{"outcome":{"outcome":"selected","optionId":"choice-0"}}`))
			}
			if _, toAgent := c.got(); len(toAgent) != 1 || len(responsesTo(toAgent, "7")) != 1 {
				t.Errorf("want one response to 7, the agent gets%s", short(toAgent))
			}
		})
	}
}

// A prompt that is cancelled by its id while it waits for the login has ended, and is not sent
// again.
func TestPromptCancelledDuringALoginEnds(t *testing.T) {
	c := newChain(t, "[login]\nmethod = 'key'\n")
	c.session("s", "/w")
	c.client(promptOf("1", "s"))
	c.got()
	c.agent(errorOf("1", -32000, "log in"))
	toClient, toAgent := c.got()
	login := requests(toAgent, "authenticate")
	if len(login) != 1 || len(toClient) > 0 {
		t.Fatalf("want an authenticate, the agent gets%s\nthe client gets%s", short(toAgent), short(toClient))
	}
	c.client(cancelRequest("1"))
	c.agent(resultOf(login[0], "{}"))
	toClient, toAgent = c.got()
	if sent := requests(toAgent, "session/prompt"); len(sent) > 0 {
		t.Errorf("the agent gets the prompt that was cancelled:%s", short(toAgent))
	}
	if len(responsesTo(toClient, "1")) != 1 {
		t.Errorf("want one response to 1, the client gets%s", short(toClient))
	}
}

// A waiting prompt is always sent or gets a response.
func TestAPromptThatWaitsIsNotForgotten(t *testing.T) {
	for name, end := range map[string]func(*chain){
		"the session is closed, and the running prompt is never answered": func(c *chain) {
			c.client(`{"jsonrpc":"2.0","id":"c","method":"session/close","params":{"sessionId":"s"}}`)
			c.agent(resultOf(`"c"`, "{}"))
		},
		"the session is deleted, and the running prompt is never answered": func(c *chain) {
			c.client(`{"jsonrpc":"2.0","id":"c","method":"session/delete","params":{"sessionId":"s"}}`)
			c.agent(resultOf(`"c"`, "{}"))
		},
		"the peers initialize version 2": func(c *chain) {
			c.client(`{"jsonrpc":"2.0","id":"j","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c"},"capabilities":{}}}`)
			c.agent(resultOf(`"j"`, `{"protocolVersion":2,"info":{"name":"a"},"capabilities":{}}`))
			c.agent(endOf("1"))
		},
		"the peers initialize once more": func(c *chain) {
			c.client(strings.Replace(initialize, `"i"`, `"j"`, 1))
			c.agent(resultOf(`"j"`, `{"protocolVersion":1}`))
			c.agent(endOf("1"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t, "[turns]\nqueue = 1\n")
			c.session("s", "/w")
			c.client(promptOf("1", "s"), promptOf("2", "s"))
			c.got()
			end(c)
			toClient, toAgent := c.got()
			if sent, answered := requests(toAgent, "session/prompt"), responsesTo(toClient, "2"); len(sent)+len(answered) != 1 {
				t.Errorf("want prompt 2 sent or answered, the agent gets%s\nthe client gets%s", short(toAgent), short(toClient))
			}
		})
	}
}

// The agent has one prompt of a session at a time, in order, and each prompt gets one response. A
// prompt that the agent refused because of a missing login has not ended.
func TestALoginKeepsTheOrderOfPrompts(t *testing.T) {
	for _, prompts := range []int{2, 3} {
		t.Run(fmt.Sprint(prompts, " prompts"), func(t *testing.T) {
			c := newChain(t, fmt.Sprintf("[turns]\nqueue = %d\n[login]\nmethod = 'key'\n", prompts-1)) // it is full
			c.session("s", "/w")
			for i := range prompts {
				c.client(promptOf(fmt.Sprint(i+1), "s"))
			}
			var running, ran, logins []string
			responses := map[string]int{}
			read := func() {
				toClient, toAgent := c.got()
				logins = append(logins, requests(toAgent, "authenticate")...)
				if running = append(running, requests(toAgent, "session/prompt")...); len(running) > 1 {
					t.Fatalf("the agent has prompts %s at once", strings.Join(running, " and "))
				}
				for i := range prompts {
					responses[fmt.Sprint(i+1)] += len(responsesTo(toClient, fmt.Sprint(i+1)))
				}
			}
			take := func(ids *[]string) (id string) {
				if len(*ids) == 0 {
					t.Fatalf("the agent has nothing to do, after prompts %s", strings.Join(ran, ", "))
				}
				id, *ids = (*ids)[0], (*ids)[1:]
				return id
			}
			read()
			c.agent(errorOf(take(&running), -32000, "log in"))
			read()
			c.agent(resultOf(take(&logins), "{}"))
			for range prompts {
				read()
				ran = append(ran, take(&running))
				c.agent(endOf(ran[len(ran)-1]))
			}
			read()
			if want := "1, 2, 3"[:3*prompts-2]; strings.Join(ran, ", ") != want {
				t.Errorf("the agent ran %s, want %s", strings.Join(ran, ", "), want)
			}
			for id, n := range responses {
				if n != 1 {
					t.Errorf("prompt %s got %d responses", id, n)
				}
			}
		})
	}
}

// session/cancel is about the running turn, also if its prompt was repeated after a login. If the
// agent ends it with end_turn, the client gets cancelled.
func TestCancelAfterALoginIsAboutTheRunningPrompt(t *testing.T) {
	c := newChain(t, "[turns]\nqueue = 5\n[login]\nmethod = 'key'\n")
	c.session("s", "/w")
	c.client(promptOf("1", "s"), promptOf("2", "s"))
	c.agent(errorOf("1", -32000, "log in"))
	_, toAgent := c.got()
	for _, id := range requests(toAgent, "authenticate") {
		c.agent(resultOf(id, "{}"))
	}
	c.client(cancelOf("s"))
	toClient, _ := c.got()
	for _, id := range []string{"1", "2"} {
		if len(responsesTo(toClient, id)) == 0 {
			c.agent(endOf(id))
		}
	}
	more, _ := c.got()
	toClient = append(toClient, more...)
	for _, id := range []string{"1", "2"} {
		if got := responsesTo(toClient, id); len(got) != 1 || field(got[0], "result", "stopReason") != `"cancelled"` {
			t.Errorf("want one response to %s, with cancelled, the client gets%s", id, short(got))
		}
	}
}

// No id of a peer's request is mistaken for one of acpshim's own.
func TestResponseToAnyIDArrives(t *testing.T) {
	for _, method := range []string{"session/prompt, answered", "authenticate", "acpshim"} {
		c := newChain(t, "[turns]\nqueue = 1\ncancel_grace = '1h'\n[login]\nmethod = 'key'\n")
		c.client(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"sessionId":"s"}}`, method))
		c.agent(resultOf("1", "{}"))
		if toClient, _ := c.got(); len(responsesTo(toClient, "1")) != 1 {
			t.Errorf("%q: want its response, the client gets%s", method, short(toClient))
		}
	}
}

// A queued prompt waits for its turn even if its session was evicted.
func TestQueuedPromptOutlivesItsSessionState(t *testing.T) {
	c := newChain(t, "[turns]\nqueue = 1\n")
	c.session("s", "/w")
	c.client(promptOf("1", "s"))
	c.client(promptOf("2", "s"))
	for i := range 1100 {
		c.session(fmt.Sprint("other", i), "/w")
	}
	c.got()
	c.agent(endOf("1"))
	toClient, toAgent := c.got()
	if sent := requests(toAgent, "session/prompt"); len(sent) != 1 || len(responsesTo(toClient, "2")) != 0 {
		t.Errorf("the agent gets%s\nthe client gets%s, want prompt 2 sent", short(toAgent), short(toClient))
	}
}
