package questions_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/adapters/questions"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// says sends a line of a peer, and returns what the other one gets, and why.
func (c *connection) says(from dispatch.Side, line string) (out, why string) {
	c.Says(from, line)
	toClient, toAgent := c.Sent()
	if from == dispatch.Client {
		c.toClient = append(c.toClient, c.read(toClient)...)
		return strings.TrimSuffix(strings.Join(toAgent, ""), "\n"), c.Why
	}
	c.toAgent = append(c.toAgent, c.read(toAgent)...)
	return strings.TrimSuffix(strings.Join(toClient, ""), "\n"), c.Why
}

// titles returns the titles of the questions that the client got.
func (c *connection) titles() (titles []string) {
	for _, m := range c.toClient {
		if m["method"] == "session/request_permission" {
			titles = append(titles, m["params"].(object)["toolCall"].(object)["title"].(string))
		}
	}
	return titles
}

// Forms are announced for a client of version 1 that announces no elicitation.form. Only an object
// announces it: an elicitation without form, such as one with url, does not.
func TestForWhomQuestionsAreAnnounced(t *testing.T) {
	for line, want := range map[string]string{
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"fs":{}}}`:                      `"clientCapabilities":{"fs":{},"elicitation":{"form":{}}}`,
		`"id":1,"params":{"protocolVersion":1}`:                                                     `"clientCapabilities":{"elicitation":{"form":{}}}`,
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":null}`:                           `"clientCapabilities":{"elicitation":{"form":{}}}`,
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"url":{}}}}`:     `"elicitation":{"url":{},"form":{}}`,
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{}}}`:             `"elicitation":{"form":{}}`,
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":null}}`:           `"elicitation":{"form":{}}`,
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":null}}}`:  `"elicitation":{"form":{}}`,
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`:    "",
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":true}}`:           "",
		`"id":1,"params":{"protocolVersion":1,"clientCapabilities":7}`:                              "",
		`"id":1,"params":{"protocolVersion":2,"clientCapabilities":{}}`:                             "",
		`"id":1,"params":{"protocolVersion":1,"clientInfo":{"name":"off"},"clientCapabilities":{}}`: "",
		`"id":1,"params":null`:                     "",
		`"id":null,"params":{"protocolVersion":1}`: "",
		`"params":{"protocolVersion":1}`:           "",
	} {
		c := connect(t)
		line = `{"method":"initialize",` + line + `}`
		got, why := c.says(dispatch.Client, line)
		if want == "" && got != line || !strings.Contains(got, want) {
			t.Errorf("%s\nbecame %s", line, got)
		} else if want != "" && !strings.Contains(why, "acpshim announces") {
			t.Errorf("announced, as %q", why)
		}
	}
}

// A client that announces only elicitation.url gets links as they are, and forms as permission
// requests.
func TestClientWithOnlyURLElicitation(t *testing.T) {
	c := connect(t)
	c.client(object{"id": 1, "method": "initialize", "params": object{
		"protocolVersion": 1, "clientCapabilities": object{"elicitation": object{"url": object{}}},
	}})
	c.agent(object{"id": 1, "result": object{"protocolVersion": 1}})
	c.toClient, c.toAgent = nil, nil
	link := `{"id":2,"method":"elicitation/create","params":{"mode":"url","sessionId":"s","message":"m","elicitationId":"e","url":"https://x"}}`
	if got, _ := c.says(dispatch.Agent, link); got != link {
		t.Errorf("the link became %s", got)
	}
	if c.agent(object{"id": 3, "method": "elicitation/create", "params": form(nil, object{"a": yesOrNo})}); len(c.titles()) != 1 {
		t.Errorf("the form became %v", c.toClient)
	}
}

// Requests without an id, or of another kind, pass unchanged.
func TestOtherRequestsPass(t *testing.T) {
	for _, line := range []string{
		`{"id":null,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"m"}}`,
		`{"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"m"}}`,
		`{"id":1,"method":"elicitation/create","params":{"mode":"url","sessionId":"s","message":"m"}}`,
		`{"id":1,"method":"elicitation/create","params":null}`,
		`{"method":"$/cancel_request","params":{}}`,
		`{"method":"$/cancel_request","params":{"requestId":8}}`,
	} {
		c := connect(t)
		if got, _ := c.says(dispatch.Agent, line); got != line || len(c.toAgent) != 0 {
			t.Errorf("%s\nbecame %s, and the agent gets %v", line, got, c.toAgent)
		}
		if c.agent(object{"id": 2, "method": "elicitation/create", "params": form(nil, object{"a": yesOrNo})}); len(c.titles()) != 1 {
			t.Errorf("after %s nobody is asked", line)
		}
	}
}

// The refusal of an invalid request of Cursor stays.
func TestRefusalOfInvalidQuestionStays(t *testing.T) {
	for _, method := range []string{"ask_question", "create_plan", "task"} {
		c := connect(t)
		request := `{"id":1,"method":"cursor/` + method + `","params":null}`
		refusal := `{"id":1,"error":{"code":-32601,"message":"no"}}`
		if got, _ := c.says(dispatch.Agent, request); got != request {
			t.Errorf("%s became %s", request, got)
		}
		if got, _ := c.says(dispatch.Client, refusal); got != refusal {
			t.Errorf("%s became %s", refusal, got)
		}
	}
	for _, response := range []string{`"error":{"code":-32602,"message":"no"}`, `"result":{"outcome":{"outcome":"accepted"}}`} {
		c := connect(t)
		c.agent(object{"id": 1, "method": "cursor/create_plan", "params": plan})
		response = `{"id":1,` + response + `}`
		if got, _ := c.says(dispatch.Client, response); got != response || len(c.titles()) != 0 {
			t.Errorf("%s became %s, and the client gets %v", response, got, c.toClient)
		}
	}
}

// Cursor's questions are asked only if all of them can be asked.
func TestCursorsQuestions(t *testing.T) {
	options := []object{{"id": "a", "label": "A"}}
	one := object{"id": "q", "prompt": "Well?", "options": options}
	many := func(n int) (all []any) {
		for range n {
			all = append(all, one)
		}
		return all
	}
	for name, test := range map[string]struct {
		questions any
		isAsked   bool
		told      string // in what the reader is told otherwise
	}{
		"one":                      {[]any{one}, true, ""},
		"as many as there may be":  {many(16), true, ""},
		"one more":                 {many(17), false, "- Well?"},
		"none":                     {[]any{}, false, "cannot be read"},
		"no list":                  {7, false, "cannot be read"},
		"no object":                {[]any{one, 7}, false, "- Well?\\n  - A\\n"},
		"no id":                    {[]any{object{"prompt": "Well?", "options": options}, one}, false, "- Well?"},
		"no options":               {[]any{object{"id": "q", "prompt": "Well?"}, one}, false, "- Well?"},
		"several answers":          {[]any{object{"id": "q", "prompt": "Well?", "options": options, "allowMultiple": true}, one}, false, "- Well?"},
		"a long one":               {[]any{object{"id": "q", "prompt": strings.Repeat("x", 70_000), "options": options}}, false, "- xxx"},
		"one answer":               {[]any{object{"id": "q", "prompt": "Well?", "options": options, "allowMultiple": false}}, true, ""},
		"an option without a name": {[]any{object{"id": "q", "prompt": "Well?", "options": []any{object{"label": "A"}}}}, false, "- Well?"},
	} {
		c := connect(t)
		c.agent(object{"id": 9, "method": "cursor/ask_question", "params": cursor})
		c.client(object{"id": 9, "error": object{"code": -32601, "message": "no"}}) // the client knows no such method
		c.toClient = nil
		c.agent(object{"id": 1, "method": "cursor/ask_question", "params": object{"sessionId": "s", "title": "Scope", "questions": test.questions}})
		told, _ := json.Marshal(c.toClient)
		if isAsked := len(c.titles()) == 1; isAsked != test.isAsked || !strings.Contains(string(told), test.told) {
			t.Errorf("%s: the client gets %s", name, told)
		}
		if got := fmt.Sprint(c.toAgent); !test.isAsked && !strings.Contains(got, "skipped") {
			t.Errorf("%s: the agent gets %s", name, got)
		}
	}
}

// Params of 64 KiB are asked. Longer ones are declined.
func TestLongRequestsAreNotAsked(t *testing.T) {
	for method, members := range map[string]string{
		"cursor/create_plan":  `"plan":"x"`,
		"cursor/ask_question": `"questions":[{"id":"q","prompt":"Well?","options":[{"id":"a","label":"A"}]}]`,
		"elicitation/create":  `"mode":"form","message":"Well?","requestedSchema":{"properties":{}}`,
	} {
		for size, want := range map[int]int{64 << 10: 1, 64<<10 + 1: 0} {
			c := connect(t)
			c.agent(object{"id": 1, "method": method, "params": object{}})
			c.says(dispatch.Client, `{"id":1,"error":{"code":-32601,"message":"no"}}`) // it does not know the method
			c.toClient, c.toAgent = nil, nil
			params := `{"sessionId":"s",` + members
			params += strings.Repeat(" ", size-len(params)-1) + "}"
			c.Says(dispatch.Agent, `{"id":2,"method":"`+method+`","params":`+params+`}`)
			if c.take(); len(c.titles()) != want || len(c.toAgent) != 1-want {
				t.Errorf("%s of %d bytes: the client gets %v, the agent %v", method, size, c.toClient, c.toAgent)
			}
		}
	}
}

// The notice lists each field of a form, with its answers.
func TestNoticeListsTheFields(t *testing.T) {
	const fields = `"name":{"type":"string","title":"Name"},"sure":{"type":"boolean"},"size":{"type":"string","enum":["s","l"],"default":"s"},` +
		`"many":{"type":"array","items":{"enum":["x"]}},"more":{"type":"array","items":{"anyOf":[{"const":"y","title":"Y"}]}},"odd":{"type":"array","type":"string"}`
	c := connect(t)
	out, _ := c.says(dispatch.Agent, `{"id":1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Well?","requestedSchema":{"properties":{`+fields+`}}}}`)
	const want = `Well?\n\n- Name\n- sure\n  - Yes\n  - No\n- size\n  - s (default)\n  - l\n- many\n  - x\n- more\n  - Y\n- odd\n`
	if !strings.Contains(out, want) {
		t.Errorf("the reader is told %s", out)
	}
}

// A question in a batch is asked after the batch.
func TestAQuestionInABatch(t *testing.T) {
	c := connect(t)
	out, _ := c.says(dispatch.Agent, `[{"id":1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Well?","requestedSchema":{"properties":{}}}}, {"method":"x"}]`)
	batch, asked, _ := strings.Cut(out, "\n")
	c.toClient = c.read(strings.Split(asked, "\n"))
	if batch != `[{"method":"x"}]` || len(c.toClient) != 2 || len(c.titles()) != 1 {
		t.Errorf("the client gets %s", out)
	}
}

// Questions of an agent with another version pass unchanged.
func TestQuestionsOfAnotherVersionPass(t *testing.T) {
	c := connect(t)
	c.says(dispatch.Client, `{"id":5,"method":"initialize","params":{"protocolVersion":1}}`)
	c.says(dispatch.Agent, `{"id":5,"result":{"protocolVersion":2}}`)
	c.agent(object{"id": 1, "method": "elicitation/create", "params": form(nil, object{"a": yesOrNo})})
	if c.agent(object{"id": 2, "method": "cursor/create_plan", "params": plan}); len(c.toClient) != 2 || len(c.titles()) != 0 {
		t.Errorf("the client gets %v", c.toClient)
	}
	c.says(dispatch.Client, `{"id":2,"error":{"code":-32601,"message":"no"}}`)
	if len(c.titles()) != 0 {
		t.Errorf("then the client gets %v", c.toClient)
	}
}

// A refused request of Cursor is asked if its turn has not ended and the request is short.
func TestWhichRefusedRequestsAreAsked(t *testing.T) {
	for name, test := range map[string]struct {
		session, cancelled string
		size               int
		want               int
	}{
		"its turn goes on":       {"s", "t", 0, 1},
		"its turn was cancelled": {"s", "s", 0, 0},
		"it may be of the turn":  {"", "s", 0, 0},
		"a long one":             {"s", "t", 70_000, 0},
	} {
		c := connect(t)
		params := object{"plan": "# P", "sessionId": test.session, "x": strings.Repeat("x", test.size)}
		if test.session == "" {
			delete(params, "sessionId")
		}
		c.agent(object{"id": 1, "method": "cursor/create_plan", "params": params})
		c.client(object{"method": "session/cancel", "params": object{"sessionId": test.cancelled}})
		c.toAgent = nil
		c.client(object{"id": 1, "error": object{"code": -32601, "message": "no"}})
		if got := len(c.titles()); got != test.want || len(c.toAgent) != 1-test.want {
			t.Errorf("%s: %d questions, the agent gets %v", name, got, c.toAgent)
		}
	}
}

// Records have the reasons.
func TestReasonsSayWhatWasDone(t *testing.T) {
	const ask = `{"id":1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Well?","requestedSchema":{"properties":{}}}}`
	for line, want := range map[string]string{
		`client {"method":"session/cancel","params":{"sessionId":"s"}}`: "its turn was cancelled",
		`agent {"method":"$/cancel_request","params":{"requestId":1}}`:  "acpshim held the cancelled request",
	} {
		c := connect(t)
		if _, why := c.says(dispatch.Agent, ask); !strings.Contains(why, "permission requests ask") {
			t.Errorf("asked, as %q", why)
		}
		from, line, _ := strings.Cut(line, " ")
		if _, why := c.says(dispatch.Side(from), line); !strings.Contains(why, want) {
			t.Errorf("%s became another one, as %q", line, why)
		}
	}
}

// A dialogue ends with its own request or session, and with nothing else.
func TestWhatEndsADialogue(t *testing.T) {
	for name, test := range map[string]struct {
		from dispatch.Side
		line string
		want string // what the agent gets
	}{
		"the turn of another session": {"client", `{"method":"session/cancel","params":{"sessionId":"t"}}`, "accept"},
		"its turn":                    {"client", `{"method":"session/cancel","params":{"sessionId":"s"}}`, ""},
		"another request":             {"agent", `{"method":"$/cancel_request","params":{"requestId":2}}`, "accept"},
		"its request":                 {"agent", `{"method":"$/cancel_request","params":{"requestId":1}}`, ""},
		"by another question":         {"agent", `{"id":1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"m","requestedSchema":{"properties":{}}}}`, ""},
	} {
		c := connect(t)
		c.agent(object{"id": 1, "method": "elicitation/create", "params": form(nil, object{"a": yesOrNo})})
		c.says(test.from, test.line)
		c.toAgent = nil
		c.client(object{"id": "own-1", "result": object{"outcome": object{"outcome": "selected", "optionId": "choice-0"}}})
		if got := fmt.Sprint(c.toAgent); !strings.Contains(got, test.want) || test.want == "" && len(c.toAgent) > 0 {
			t.Errorf("%s: then the agent gets %s", name, got)
		}
	}
}

// Dialogues count in the conversation's limit. Those beyond it are declined or end.
func TestDialogueStateIsBounded(t *testing.T) {
	const bound = 1 << 20
	for name, line := range map[string]string{
		"forms":    `{"id":"%d%s","method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Well?","requestedSchema":{"properties":{}}}}`,
		"Cursor's": `{"id":%d,"method":"cursor/create_plan","params":{"sessionId":"s","plan":"%.60000s"}}`,
	} {
		talk, own := conversation.New(conversation.Options{MaxBytes: bound}), dispatch.NewOwnRequests("own-")
		a := questions.New(talk, own, func(_, _ conversation.Implementation) bool { return true })
		b := dispatchtest.New(talk, dispatch.Options{Own: own, Adapters: []dispatch.Adapter{a}}).Negotiate(1)
		client, agent := b.Client, b.Agent
		responses := 0
		for i := range 100 {
			wire.Apply(agent, nil, fmt.Appendf(nil, line, i, strings.Repeat("i", bound/10)))
			responses += strings.Count(string(wire.DrainAll(client)), "\n")
			wire.DrainAll(agent)
			if size := talk.Size(); size > bound {
				t.Fatalf("%s: %d bytes are kept", name, size)
			}
		}
		if responses == 0 && name == "forms" {
			t.Errorf("%s: nothing has ended", name)
		}
	}
}
