package rule_test

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/proxy"
	"acpshim/translate/plans"
)

// A composition is a conversation with one rule that reads all messages of a side. Lines over 5,000
// bytes are not held.
type composition struct {
	*testing.T
	*conversation.Conversation
	fromClient, fromAgent wire.Interceptor
}

func compose(t *testing.T, set plans.Settings, own *dispatch.OwnRequests, r rule.Rule) composition {
	rules, problems := rule.Compile([]rule.Rule{r})
	if rules == nil {
		t.Fatal(problems)
	}
	talk := conversation.New(conversation.Options{})
	d := dispatch.New(talk, dispatch.Options{Own: own, Adapters: []dispatch.Adapter{
		plans.New(talk, plans.Options{For: func(_, _ conversation.Implementation) plans.Settings { return set }}),
		rules.NewChain(rule.Options{Conversation: talk}),
	}})
	c := composition{t, talk, d.FromClient(), d.FromAgent()}
	c.client(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	c.agent(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
	return c
}

func (c composition) relay(look wire.Interceptor, line string) string {
	c.Helper()
	var out bytes.Buffer
	if err := proxy.Relay(&out, strings.NewReader(line+"\n"), look, 5000); err != nil {
		c.Fatal(err)
	}
	return out.String()
}

func (c composition) client(line string) string { return c.relay(c.fromClient, line) }
func (c composition) agent(line string) string  { return c.relay(c.fromAgent, line) }

var long = strings.Repeat("x", 20_000)

func TestLongOwnResponseIsConsumed(t *testing.T) {
	own := dispatch.NewOwnRequests("ours-")
	own.Begin("test", func(_, _ []byte) []byte { return nil })
	c := compose(t, plans.Settings{}, own,
		rule.Rule{Name: "reads", From: rule.Client, ResponseTo: "*", Log: true})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"ours-1","result":{"content":"` + long + `"}}`,
		`{"jsonrpc":"2.0","id":"ours-1","result":{},"result":{}}`,
		`{"jsonrpc":"2.0","id":"ours-1","result":{}}`,
	} {
		if got := c.client(line); got != "" {
			t.Errorf("%.60s becomes %.60s", line, got)
		}
	}
	if other := `{"jsonrpc":"2.0","id":"mine","result":{"content":"` + long + `"}}`; c.client(other) != other+"\n" {
		t.Error("another response does not reach the agent")
	}
}

func TestUnreadPromptIsPending(t *testing.T) {
	c := compose(t, plans.Settings{}, nil, rule.Rule{Name: "reads", From: rule.Client, Method: "session/prompt", Log: true})
	c.client(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":"` + long + `"}}`)
	if !c.Busy() {
		t.Error("no prompt is under way")
	}
	if c.agent(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`); c.Busy() {
		t.Error("one is when it was answered")
	}
}

func TestUnreadResponseEndsItsRequest(t *testing.T) {
	plan := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"low","status":"pending"}]}}}}`
	for name, response := range map[string]string{
		"too long":            `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","x":"` + long + `"}}`,
		"with a member twice": `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"},"result":{}}`,
	} {
		for _, method := range []string{"session/new", "session/load", "session/resume", "session/prompt"} {
			t.Run(name+", "+method, func(t *testing.T) {
				c := compose(t, plans.Settings{Advertise: true}, nil, rule.Rule{Name: "reads", From: rule.Agent, ResponseTo: "*", Log: true})
				c.client(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"sessionId":"s","cwd":"/"}}`)
				before := c.agent(plan)
				if got := c.agent(response); !strings.Contains(got, response) {
					t.Errorf("the response becomes %.200s", got)
				}
				after := c.agent(strings.Replace(plan, "pending", "completed", 1))
				if !strings.Contains(before+after, `"sessionUpdate":"plan"`) || !strings.Contains(after, `"completed"`) {
					t.Errorf("the plan is %q, then %q", before, after)
				}
				if c.Busy() {
					t.Error("a prompt is still under way")
				}
			})
		}
	}
}
