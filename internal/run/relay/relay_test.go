package relay

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/setup/config"
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

// A permission request that is cancelled after a rule has responded gets only the first response.
// The cancel cannot come while the rule responds: the dispatcher calls one adapter at a time.
func TestRequestHasOneResponse(t *testing.T) {
	const cancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
	for name, toml := range map[string]string{
		"permission": "[[permission]]\nname = 'x'\nkind = 'read'\nanswer = 'allow_once'\n",
		"rule":       "[[rule]]\nname = 'x'\nmethod = 'session/request_permission'\nreply = { result = {} }\n",
	} {
		c, err := config.Parse(config.Default(), "f", toml)
		if err != nil {
			t.Fatal(err)
		}
		r := New(c, Options{})
		var toAgent, toClient bytes.Buffer
		pass := func(from wire.Interceptor, out *bytes.Buffer, line string) {
			if err := proxy.Relay(out, strings.NewReader(line+"\n"), from, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
		pass(r.Options().FromClient, &toAgent, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
		pass(r.Options().FromAgent, &toClient, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
		toClient.Reset()
		pass(r.Options().FromAgent, &toClient, `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"read"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}}`)
		pass(r.Options().FromClient, &toAgent, cancel)
		toAgent.Write(wire.DrainAll(r.Options().FromClient))
		if n := strings.Count(toAgent.String(), `"id":7`); n != 1 || toClient.Len() > 0 {
			t.Errorf("%s: %d responses: %s\nto the client: %s", name, n, toAgent.String(), toClient.String())
		}
	}
}
