package filters

import (
	"strings"
	"testing"
)

// What is odd about a message is for its receiver to judge.
func TestOddMessagesPassUntouched(t *testing.T) {
	deep := strings.Repeat("[", 8_000_000) + strings.Repeat("]", 8_000_000)
	for name, line := range map[string]string{
		"eight million levels":           `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":` + deep + `}}}`,
		"eight million levels, not ours": `{"x":` + deep + `,"method":"a"}`,
		"method twice":                   `{"method":"session/update","method":"b","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
		"method in two spellings":        `{"method":"session/update","m\u0065thod":"b","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
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
		"a member besides":               `{"jsonrpc":"2.0","id":0,"result":{},"_meta":{}}`,
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
		c := old(Options{Advertise: true, Prose: true})
		for _, e := range []end{c.FromAgent(), c.FromClient()} {
			if got := through(e, line); got != line+"\n" {
				t.Errorf("%s: %.200q became %.200q", name, line, got)
			}
		}
	}
}

// Each side has ids of its own, and a client may use one again.
func TestIDsAreNotMixedUp(t *testing.T) {
	c := old(Options{Prose: true})
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

// Clients may send before initialize has been answered.
func TestRequestsBeforeTheHandshakeIsOverCount(t *testing.T) {
	c := New(Options{Advertise: true, Prose: true})
	client, agent := c.FromClient(), c.FromAgent()
	through(client, initialize)
	through(client, `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}`)
	through(client, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	through(agent, initialized)
	if got := through(agent, planUpdate("s", "p", "Prose.\n\n- [ ] a")); got != "" {
		t.Errorf("sent before the session was loaded: %s", got)
	}
	if got := through(agent, `{"jsonrpc":"2.0","id":1,"result":{}}`); !strings.Contains(got, `"sessionUpdate":"plan"`) {
		t.Errorf("not sent after it: %s", got)
	}
	if got := through(agent, `{"jsonrpc":"2.0","id":2,"result":{}}`); !strings.Contains(got, "Prose") {
		t.Errorf("not told at the end of the turn: %s", got)
	}
}
