package plans

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

func TestOddMessagesPassUntouched(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	deep := strings.Repeat("[", 8_000_000) + strings.Repeat("]", 8_000_000)
	for name, line := range map[string]string{
		"eight million levels":           `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":` + deep + `}}}`,
		"eight million levels, not ours": `{"x":` + deep + `,"method":"a"}`,
		"method twice":                   `{"method":"session/update","method":"b","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
		"method in two spellings":        `{"method":"session/update","m\u0065thod":"b","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
		"a legacy plan of no entries":    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`,
		"update twice":                   `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"},"update":{}}}`,
		"a member of the plan twice":     `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[],"entries":[]}}}}`,
		"result and error":               `{"id":0,"result":{},"error":{}}`,
		"neither":                        `{"id":0}`,
		"method and result":              `{"id":0,"method":"initialize","result":{}}`,
		"no jsonrpc":                     `{"id":0,"method":"a"}`,
		"another jsonrpc":                `{"jsonrpc":"1.0","id":0,"method":"a"}`,
		"id null":                        `{"jsonrpc":"2.0","id":null,"method":"session/request_permission","params":{"sessionId":"s"}}`,
		"id true":                        `{"jsonrpc":"2.0","id":true,"result":{}}`,
		"id of an object":                `{"jsonrpc":"2.0","id":{},"result":{}}`,
		"id beyond 2^53":                 `{"jsonrpc":"2.0","id":1234567890123456789012345,"result":{}}`,
		"an answer to nothing":           `{"jsonrpc":"2.0","id":77,"result":{"sessionId":"s"}}`,
		"another member":                 `{"jsonrpc":"2.0","id":0,"result":{},"_meta":{}}`,
		"params a string":                `{"jsonrpc":"2.0","method":"session/update","params":"plan_update"}`,
		"params a number":                `{"jsonrpc":"2.0","method":"session/update","params":3}`,
		"params null":                    `{"jsonrpc":"2.0","method":"session/update","params":null}`,
		"update a string":                `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":"plan_update"}}`,
		"a session of a number":          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":3,"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
		"an error of any code":           `{"jsonrpc":"2.0","id":0,"error":{"code":99999999999}}`,
		"an unknown method":              `{"jsonrpc":"2.0","id":0,"method":"_x/y","params":{}}`,
		"a cancel":                       `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`,
		"a request of no method":         `{"jsonrpc":"2.0","id":0,"method":7}`,
		"an empty batch":                 `[]`,
		"a batch of numbers":             `[1,2.0]`,
		"a broken batch":                 `[{"method":"session/update"`,
	} {
		c := old(options{Settings: settings{Advertise: true, Prose: true}})
		for _, e := range []end{c.FromAgent(), c.FromClient()} {
			if got := through(e, line); got != line+"\n" {
				t.Errorf("%s: %.200q became %.200q", name, line, got)
			}
		}
	}
}

// Both sides can use the same id, and a client can use an id again.
func TestIDsAreNotMixedUp(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	client, agent := c.FromClient(), c.FromAgent()
	prompt := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	through(client, prompt)
	through(agent, planUpdate("s", "p", "Prose.\n\n- [ ] a"))
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
	} {
		if got := through(agent, answer); got != answer+"\n" {
			t.Errorf("%s ended the turn: %s", answer, got)
		}
	}
	if !c.Busy() {
		t.Error("the turn has ended")
	}
	// The client's answer to a request of the agent with the same id is none.
	through(client, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	if got := through(agent, `{"jsonrpc":"2.0","id":1.0,"result":{}}`); !strings.Contains(got, "Prose") || c.Busy() {
		t.Errorf("1.0 did not end the turn of 1: %s", got)
	}
	through(client, prompt)
	through(client, strings.Replace(prompt, `"s"`, `"other"`, 1)) // the id used again: the newer counts
	through(agent, planUpdate("s", "p", "More prose.\n\n- [ ] a"))
	if got := through(agent, `{"jsonrpc":"2.0","id":1,"result":{}}`); strings.Contains(got, "prose") {
		t.Errorf("the answer was taken for that of the older request: %s", got)
	}
}

func TestRequestsBeforeTheResponseToInitializeCount(t *testing.T) {
	c := newRelay(options{Settings: settings{Advertise: true, Prose: true}})
	client, agent := c.FromClient(), c.FromAgent()
	through(client, initialize)
	through(client, `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}`)
	through(client, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	through(agent, initialized)
	if got := contents(through(agent, planUpdate("s", "p", "Prose.\n\n- [ ] a"))); got != "a" {
		t.Errorf("shown in the replay: %s", got)
	}
	if got := through(agent, `{"jsonrpc":"2.0","id":1,"result":{}}`); !strings.Contains(got, "Prose") || !strings.HasSuffix(got, `"result":{}}`+"\n") {
		t.Errorf("not told before the response: %s", got)
	}
	through(agent, planUpdate("s", "p", "Prose of the turn.\n\n- [ ] a"))
	if got := through(agent, `{"jsonrpc":"2.0","id":2,"result":{}}`); !strings.Contains(got, "Prose of the turn") {
		t.Errorf("not told at the end of the turn: %s", got)
	}
}

const newSession = `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"sessionId":"s","cwd":"/w"}}`

func TestALoadedSessionIsReset(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	client, agent := c.FromClient(), c.FromAgent()
	through(agent, planUpdate("s", "old", "- [ ] old"))
	through(agent, planUpdate("s", "p", "Prose.\n\n- [ ] a"))
	through(agent, `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`)
	through(client, fmt.Sprintf(newSession, 1, "session/load"))
	if got := through(agent, planUpdate("s", "p", "Prose.\n\n- [ ] a")); contents(got) != "a" {
		t.Errorf("in its place: %s", got)
	}
	response := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	if got := through(agent, strings.TrimSpace(response)); !strings.Contains(got, "Prose") || !strings.HasSuffix(got, response) {
		t.Errorf("the document was not told before the response: %s", got)
	}
	if got := through(agent, `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`); strings.Contains(got, "Prose") {
		t.Errorf("the document was told again: %s", got)
	}
}

func TestARefusedRequestDoesNotChangeItsSession(t *testing.T) {
	for _, method := range []string{"session/close", "session/delete", "session/load", "session/resume"} {
		for _, answer := range []string{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`,
			`[{"jsonrpc":"2.0","error":{"code":-32000,"message":"busy"},"id":1}]`,
		} {
			c := old(options{})
			client, agent := c.FromClient(), c.FromAgent()
			through(agent, itemsUpdate("s", "kept", "kept"))
			through(client, fmt.Sprintf(newSession, 1, method))
			during := through(agent, itemsUpdate("s", "during", "during"))
			got := during + through(agent, answer) + through(agent, itemsUpdate("s", "after", "after"))
			if !strings.Contains(during+got, `"content":"kept"`) {
				t.Errorf("%s: the plan is forgotten: %s", method, got)
			}
			if got := contents(got[strings.LastIndex(got, `"entries"`):]); got != "kept,during,after" {
				t.Errorf("%s: shown are %s", method, got)
			}
		}
	}
}

func itemsUpdate(session, id, step string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":%q,"entries":[{"content":%q,"priority":"low","status":"pending"}]}}}}`, session, id, step)
}

func TestAClosedSessionIsRemoved(t *testing.T) {
	for _, method := range []string{"session/close", "session/delete"} {
		c := old(options{})
		through(c.FromAgent(), planUpdate("s", "old", "- [ ] old"))
		through(c.FromClient(), fmt.Sprintf(newSession, 1, method))
		through(c.FromAgent(), `{"jsonrpc":"2.0","id":1,"result":{}}`)
		if got := through(c.FromAgent(), planUpdate("s", "p", "- [ ] a")); strings.Contains(got, "old") || !strings.Contains(got, `"content":"a"`) {
			t.Errorf("%s: %s", method, got)
		}
	}
}

func TestSessionsWithoutPlansAreEvicted(t *testing.T) {
	c := old(options{})
	for i := range maxSessions + 1 {
		through(c.FromClient(), sessionS)
		through(c.FromAgent(), strings.Replace(openedS, `"s"`, fmt.Sprintf(`"s%d"`, i), 1))
	}
	if got := contents(through(c.FromAgent(), itemsUpdate(fmt.Sprint("s", maxSessions), "p", "a"))); got != "a" {
		t.Errorf("got %q", got)
	}
}

func TestARefusedSessionGetsNoPlan(t *testing.T) {
	for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
		c := old(options{})
		through(c.FromClient(), fmt.Sprintf(newSession, 1, method))
		through(c.FromAgent(), planUpdate("s", "p", "- [ ] a"))
		if got := through(c.FromAgent(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`); strings.Contains(got, "plan") {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// Plans are replayed before the response to session/load.
func TestFilesAreReadInTheFoldersOfTheRequest(t *testing.T) {
	for _, method := range []string{"session/new", "session/load", "session/resume"} {
		var got []string
		c := old(options{ReadFile: func(_ string, roots []string) (string, error) {
			got = roots
			return "- [ ] a", nil
		}})
		through(c.FromClient(), fmt.Sprintf(newSession, 1, method))
		through(c.FromAgent(), strings.NewReplacer("markdown", "file", `"content":"x"`, `"uri":"file:///w/p"`).Replace(planUpdate("s", "p", "x")))
		if len(got) != 1 || got[0] != "/w" {
			t.Errorf("%s: %v", method, got)
		}
	}
}

func TestSessionsAreReadyAfterEvictionAndInitialize(t *testing.T) {
	c := old(options{})
	client, agent := c.FromClient(), c.FromAgent()
	through(client, strings.Replace(initialize, `"id":0`, `"id":5`, 1))
	through(client, sessionS)
	through(agent, strings.Replace(initialized, `"id":0`, `"id":5`, 1))
	if got := through(agent, planUpdate("s", "p", "- [ ] a")); got != "" {
		t.Errorf("sent before the answer: %s", got)
	}
	if got := through(agent, openedS); !strings.Contains(got, `"content":"a"`) {
		t.Errorf("not sent after it: %s", got)
	}
	if got := through(agent, planUpdate("s", "p", "- [ ] b")); !strings.Contains(got, `"content":"b"`) {
		t.Errorf("not sent later: %s", got)
	}
}

func TestOddHandshakes(t *testing.T) {
	with := func(line string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(line) }
	tests := []struct {
		name        string
		client      []string
		agent       []string
		advertised  bool
		translating bool
	}{
		{"an answer with an error of null", []string{initialize}, []string{with(initialized, `,"result"`, `,"error":null,"result"`)}, true, true},
		{"names that are no names", []string{with(initialize, `"clientCapabilities"`, `"clientInfo":{"name":"a","Name":"b"},"clientCapabilities"`)},
			[]string{with(initialized, `"protocolVersion"`, `"agentInfo":{"name":"a","Name":"b"},"protocolVersion"`)}, true, true},
		{"an id of null settles nothing, so nothing is said", []string{with(initialize, `"id":0`, `"id":null`)}, nil, false, false},
		{"the last that succeeded counts", []string{initialize, with(initialize, `"id":0`, `"id":1`, `{}`, `{"plan":{}}`)},
			[]string{initialized, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"twice"}}`}, true, true},
	}
	for _, test := range tests {
		c := newRelay(options{Settings: settings{Advertise: true}})
		if got := through(c.FromClient(), test.client[0]); (got != test.client[0]+"\n") != test.advertised {
			t.Errorf("%s: the agent is told %s", test.name, got)
		}
		for _, line := range test.client[1:] {
			through(c.FromClient(), line)
		}
		for _, line := range test.agent {
			through(c.FromAgent(), line)
		}
		if c.translating != test.translating {
			t.Errorf("%s: translating is %v", test.name, c.translating)
		}
	}
}

func TestALongPromptWithItsSessionIDLast(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	prompt := `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[{"type":"image","data":"` + strings.Repeat("A", 10_000) + `"}],"sessionId":"s"}}`
	if got := c.FromClient().Inspect([]byte(prompt)[:4096], false); got != 0 {
		t.Fatalf("it is held: %v", got)
	}
	through(c.FromAgent(), planUpdate("s", "p", "Prose.\n\n- [ ] a"))
	if got := through(c.FromAgent(), `{"jsonrpc":"2.0","id":3,"result":{}}`); !strings.Contains(got, "Prose") {
		t.Errorf("not told: %s", got)
	}
}

func TestInitializeResetsWhichLinesPass(t *testing.T) {
	c := newRelay(options{Settings: settings{Gates: []string{"notices"}}})
	chunk := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update"}}}`
	notice := strings.Replace(chunk, "usage_update", "notice", 1)
	with := strings.NewReplacer(`{}`, `{"session":{"notices":{}}}`)
	withCompaction := newRelay(options{Settings: settings{Gates: []string{"notices", "compaction"}}})
	through(withCompaction.FromClient(), with.Replace(initialize)) // compaction stays closed: there is something to watch
	through(withCompaction.FromAgent(), initialized)
	agent := withCompaction.FromAgent()
	if got := through(agent, notice); got == "" {
		t.Error("it was announced and did not come")
	}
	through(withCompaction.FromClient(), initialize)
	through(agent, initialized)
	if got := through(agent, notice); got != "" {
		t.Errorf("it was not announced and came: %s", got)
	}
	through(c.FromClient(), initialize)
	through(c.FromAgent(), initialized)
	if got := through(c.FromAgent(), chunk); got == "" {
		t.Error("an update that is behind no gate was dropped")
	}
}

// Until its method comes, the line looks like an update.
func TestARequestWithItsMethodLastIsHandled(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	through(c.FromAgent(), planUpdate("s", "p", "Prose.\n\n- [ ] a"))
	request := `{"params":{"update":{"sessionUpdate":"x"},"sessionId":"s"},"id":1,"method":"session/request_permission"}`
	if got := through(c.FromAgent(), request); !strings.Contains(got, "Prose") || !strings.HasSuffix(got, request+"\n") {
		t.Errorf("got %s", got)
	}
}

// A session/update with an id is a request by mistake, and its sender waits for a response.
func TestAnUpdateWithAnIDReachesTheClientOnce(t *testing.T) {
	asRequest := func(line string) string {
		return strings.Replace(line, `"jsonrpc":"2.0"`, `"jsonrpc":"2.0","id":77`, 1)
	}
	gates := settings{Gates: []string{"notices"}}
	large := itemsUpdate("s", "p", strings.Repeat("x", largePlan))
	opens := call(1, "session/new", `{"cwd":"/"}`)
	for name, test := range map[string]struct {
		c      *relay
		before func(*relay)
		line   string
	}{
		"one that is translated":        {old(options{}), nil, itemsUpdate("s", "p", "A")},
		"the same plan again":           {old(options{}), func(c *relay) { through(c.FromAgent(), itemsUpdate("s", "p", "A")) }, itemsUpdate("s", "p", "A")},
		"the same plan of the agent's":  {old(options{}), func(c *relay) { through(c.FromAgent(), itemsUpdate("s", "p", "A")) }, planLine("s", "A")},
		"one that says nothing":         {old(options{}), nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update"}}}`},
		"a large one":                   {old(options{}), nil, large},
		"before its session is open":    {old(options{}), func(c *relay) { through(c.FromClient(), opens) }, itemsUpdate("s", "p", "A")},
		"where plans are not shown":     {old(options{Settings: settings{ShowAs: AsNothing}}), nil, itemsUpdate("s", "p", "A")},
		"where they are shown as texts": {old(options{Settings: settings{ShowAs: AsMessage}}), nil, itemsUpdate("s", "p", "A")},
		"an update that a gate drops":   {old(options{Settings: gates}), nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}`},
	} {
		if test.before != nil {
			test.before(test.c)
		}
		agent := test.c.FromAgent()
		out := through(agent, asRequest(test.line)) + through(agent, result(1, `{"sessionId":"s"}`)) + string(flushed(agent, false))
		if n := strings.Count(out, `"id":77`); n != 1 {
			t.Errorf("%s: it reaches the client %d times: %.300s", name, n, out)
		}
		counted(t, test.c)
	}
}

func TestAWaitingPlanKeepsItsEnvelope(t *testing.T) {
	const early = `{ "jsonrpc":"2.0","x":1,"method":"session/update","params":{"sessionId":"s","_meta":{"y":2},"update":%s}}`
	for _, x := range []string{"1", `"` + strings.Repeat("x", 70_000) + `"`} {
		c := old(options{})
		through(c.FromClient(), call(1, "session/new", `{"cwd":"/"}`))
		line := strings.Replace(early, `"x":1`, `"x":`+x, 1)
		if got := through(c.FromAgent(), fmt.Sprintf(line, `{"sessionUpdate":"plan_update","_meta":{"z":3},"plan":{"type":"items","planId":"p","entries":[{"content":"a"}]}}`)); got != "" {
			t.Errorf("it is not held: %.200s", got)
		}
		got := through(c.FromAgent(), result(1, `{"sessionId":"s"}`))
		want := fmt.Sprintf(line, `{"sessionUpdate":"plan","entries":[{"content":"a","priority":"medium","status":"pending"}],"_meta":{"z":3}}`)
		if len(x) > 1 { // one that is too long to be kept
			want = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"medium","status":"pending"}]}}}`
		}
		if want = result(1, `{"sessionId":"s"}`) + "\n" + want + "\n"; got != want {
			t.Errorf("got %.400s\nwant %.400s", got, want)
		}
	}
}

func TestASessionWithAPlanIsKnown(t *testing.T) {
	for name, plan := range map[string]string{
		"legacy": `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}}}`,
		"made":   planUpdate("s", "p", "- [ ] a"),
	} {
		c := old(options{})
		if got := through(c.FromAgent(), plan); contents(got) != "a" {
			t.Errorf("%s: not shown: %s", name, got)
		}
		through(c.FromClient(), call(1, "session/new", `{"cwd":"/"}`))
		if got := through(c.FromAgent(), itemsUpdate("s", "q", "b")); !strings.Contains(got, `"content":"b"`) {
			t.Errorf("%s: held: %s", name, got)
		}
		if got := through(c.FromAgent(), itemsUpdate("t", "q", "b")); got != "" {
			t.Errorf("%s: another session is not held: %s", name, got)
		}
	}
}

func TestPendingDocumentsAreShownAtTheEnd(t *testing.T) {
	c := old(options{Settings: settings{Prose: true}})
	through(c.FromAgent(), planUpdate("s", "p", "Mind this.\n\n- [ ] a"))
	if got := flushed(c.FromAgent(), false); len(got) > 0 {
		t.Errorf("at a pause: %s", got)
	}
	if got := flushed(c.FromAgent(), true); !strings.Contains(string(got), "Mind this.") {
		t.Errorf("at the end: %s", got)
	}
}

func TestAPlanThatPassedIsNotRepeated(t *testing.T) {
	agent := old(options{}).FromAgent()
	passed := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}}}`
	if got := through(agent, passed); got != passed+"\n" {
		t.Errorf("it became %s", got)
	}
	removed := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"other"}}}`
	if got := through(agent, removed); got != "" {
		t.Errorf("shown again: %s", got)
	}
}

func TestAFileReadForAWaitingPlanKeepsItsEnvelope(t *testing.T) {
	c := old(options{ReadFile: func(string, []string) (string, error) { return "", ErrLater }})
	through(c.FromClient(), call(1, "session/new", `{"cwd":"/w"}`))
	line := strings.Replace(fileUpdate("s", "f", "file:///w/p"), `"method"`, `"x":1,"method"`, 1)
	if got := through(c.FromAgent(), line); got != "" {
		t.Errorf("not held: %s", got)
	}
	c.FileRead(nil, File{Session: "s", URI: "file:///w/p"}, "- [ ] a", nil)
	if got := through(c.FromAgent(), result(1, `{"sessionId":"s"}`)); contents(got) != "a" || !strings.Contains(got, `"x":1,"method":"session/update"`) {
		t.Errorf("got %s", got)
	}
}

func TestRequestsAreHeldOnlyWhilePlansWait(t *testing.T) {
	agent := old(options{}).FromAgent()
	question := []byte(`{"jsonrpc":"2.0","method":"elicitation/create","id":9,"params":{"sessionId":"s"`)
	through(agent, itemsUpdate("s", "p", strings.Repeat("x", 70_000)))
	if got := agent.Inspect(question, false); got != wire.Hold {
		t.Errorf("before a pause: %v", got)
	}
	if got := flushed(agent, false); len(got) < 70_000 {
		t.Errorf("shown at a pause: %s", got)
	}
	if got := agent.Inspect(question, false); got != wire.Pass {
		t.Errorf("after it: %v", got)
	}
}

func TestSmallPlansAreAlwaysShownAtOnce(t *testing.T) {
	agent := old(options{}).FromAgent()
	for i := range 3 * maxMade / 10_000 {
		if got := through(agent, itemsUpdate("s", "p", fmt.Sprint(i, strings.Repeat("x", 10_000)))); got == "" {
			t.Fatalf("plan %d is put off", i)
		}
	}
}

func TestNoPlanGoesBeforeTheBatchThatOpensItsSession(t *testing.T) {
	c := old(options{})
	through(c.FromClient(), sessionS)
	question := call(9, "session/request_permission", `{"sessionId":"s"}`)
	got := through(c.FromAgent(), "["+openedS+","+itemsUpdate("s", "p", strings.Repeat("x", 70_000))+","+question+"]")
	if want := "[" + openedS + "," + question + "]\n"; got != want {
		t.Errorf("got %.200s\nwant %s", got, want)
	}
	if got := flushed(c.FromAgent(), false); len(got) < 70_000 {
		t.Errorf("shown at a pause: %s", got)
	}
}
