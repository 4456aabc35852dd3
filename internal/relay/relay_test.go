package relay

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/wire"
	"acpshim/proxy"
)

// After a panic in acpshim, everything passes unchanged except responses to acpshim's own requests.
func TestFallbackConsumesOwnResponses(t *testing.T) {
	o := Options{OwnID: "own-", Events: Events{Panicked: func(any, []byte) {}}}
	o.Events.Unread = func(error) { panic("a mistake") }
	r := New(config.Default(), o)
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","method":"initialize"}`,
		`{"jsonrpc":"2.0","id":"own-1","result":{}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
	}
	var out bytes.Buffer
	if err := proxy.Relay(&out, strings.NewReader(strings.Join(lines, "\n")+"\n"), r.Options().FromClient, 1<<20); err != nil {
		t.Fatal(err)
	}
	if want := lines[0] + "\n" + lines[2] + "\n"; out.String() != want {
		t.Errorf("the agent gets %s, want %s", out.String(), want)
	}
}

// A permission request that is cancelled while a rule responds gets only the first response.
func TestRequestHasOneResponse(t *testing.T) {
	const cancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
	const reply = "[[rule]]\nname = 'x'\nmethod = 'session/request_permission'\nlog = true\nreply = { result = {} }\n"
	for name, test := range map[string]struct {
		config string
		early  bool // the cancel comes before the rule answers, not while it does
	}{
		"permission":        {"[[permission]]\nname = 'x'\nkind = 'read'\nanswer = 'allow_once'\n", false},
		"rule":              {reply, false},
		"rule, a bit later": {reply, true},
	} {
		c, err := config.Parse(config.Default(), "f", test.config)
		if err != nil {
			t.Fatal(err)
		}
		var r *Relay
		var toAgent, toClient bytes.Buffer
		pass := func(from wire.Interceptor, out *bytes.Buffer, line string) {
			if err := proxy.Relay(out, strings.NewReader(line+"\n"), from, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
		cancels := func() { pass(r.Options().FromClient, &toAgent, cancel) }
		var o Options
		o.Events.Rules.Logged = func(string, rule.Side, []byte) {
			if test.early {
				cancels()
			}
		}
		r = New(c, o)
		pass(r.Options().FromClient, &toAgent, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
		pass(r.Options().FromAgent, &toClient, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
		toClient.Reset()
		pass(r.Options().FromAgent, &toClient, `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"read"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}}`)
		if !test.early {
			cancels()
		}
		toAgent.Write(wire.DrainAll(r.Options().FromClient))
		if n := strings.Count(toAgent.String(), `"id":7`); n != 1 || toClient.Len() > 0 {
			t.Errorf("%s: %d responses: %s\nto the client: %s", name, n, toAgent.String(), toClient.String())
		}
	}
}
