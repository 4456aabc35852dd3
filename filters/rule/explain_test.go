package rule

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	set := compile(t, []Rule{
		{Name: "client's", From: Client, Log: true},
		{Name: "another client", Client: "JetBrains*", Log: true},
		{Name: "no agent known", Agent: "*", Log: true},
		{Name: "another answer", ResponseTo: "session/load", Log: true},
		{Name: "a method", Method: "session/*", Log: true},
		{Name: "a value", When: When{Has: []string{"/result/modes"}}, Log: true},
		{Name: "models", ResponseTo: "session/new", Delete: []string{"/result/models"}},
		{Name: "wrong", JQ: "empty"},
		{Name: "off", Log: true},
		{Name: "last", ResponseTo: "session/*", Set: []Setting{{"/result/x", []byte("1")}}},
	})
	steps := set.Explain([]byte(`{"id":1,"result":{"models":{}}}`), Known{From: Agent, Peers: conversation.Peers{Client: peer("Zed", "")}, ResponseTo: "session/new", Switches: map[string]bool{"off": false}})
	var got []string
	for _, s := range steps {
		text := fmt.Sprintf("%s: matched %v", s.Rule, s.Matched)
		if s.WhyNot != "" {
			text += ", not " + s.WhyNot
		}
		if s.Err != nil {
			text += ", " + strings.SplitN(s.Err.Error(), ":", 2)[0] + " failed"
		}
		for _, after := range s.After {
			text += fmt.Sprintf(", %s -> %s", s.Before, after)
		}
		got = append(got, text)
	}
	want := []string{
		`client's: matched false, not from`,
		`another client: matched false, not client`,
		`no agent known: matched false, not agent`,
		`another answer: matched false, not response_to`,
		`a method: matched false, not method`,
		`a value: matched false, not when.has /result/modes`,
		`models: matched true, {"id":1,"result":{"models":{}}} -> {"id":1,"result":{}}`,
		`wrong: matched true, jq failed, {"id":1,"result":{}} -> {"id":1,"result":{}}`,
		`off: matched false, not off`,
		`last: matched true, {"id":1,"result":{}} -> {"id":1,"result":{"x":1}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	drop, _ := Compile([]Rule{{Name: "drop", Update: "plan", Action: "drop"}, {Name: "behind", Method: "x", Log: true}})
	if steps := drop.Explain([]byte(update("s", "plan")), Known{From: Agent}); len(steps) != 1 || !steps[0].Matched || steps[0].After != nil {
		t.Errorf("a drop is explained as %+v", steps)
	}
	clients, _ := Compile([]Rule{{Name: "client's", From: Client, Log: true}})
	if steps := clients.Explain([]byte(`{"method":"x"}`), Known{From: Client}); len(steps) != 1 || !steps[0].Matched || steps[0].From != Client {
		t.Errorf("a message of the client is explained as %+v", steps)
	}
	if steps := drop.Explain([]byte(`not JSON`), Known{From: Agent}); steps != nil {
		t.Errorf("no message is explained as %+v", steps)
	}
	reply, _ := Compile([]Rule{{Name: "reply", Method: "x", Reply: &Reply{Result: []byte("2")}}})
	if steps := reply.Explain([]byte(`{"id":1,"method":"x"}`), Known{From: Agent}); len(steps) != 1 || string(steps[0].Reply) != `{"jsonrpc":"2.0","id":1,"result":2}`+"\n" {
		t.Errorf("a reply is explained as %+v", steps)
	}
	hold, _ := Compile([]Rule{{Name: "hold", Method: "session/update", Hold: "response", Log: true}})
	if steps := hold.Explain([]byte(update("s", "plan")), Known{From: Agent}); len(steps) != 1 || !steps[0].Held || !steps[0].Logged {
		t.Errorf("a hold is explained as %+v", steps)
	}
}

func TestUnclear(t *testing.T) {
	for line, want := range map[string]string{
		`{"method":"x"}`:              "",
		`[{"method":"x"},5]`:          "",
		`{"method":"x","method":"y"}`: "ambiguous member names",
		`{"jsonrpc":"2.0"}`:           "not a JSON-RPC message: it needs exactly one of method, result and error",
		`{"method":"x"`:               `reading JSON: jsontext: unexpected EOF after offset 13`,
		`npm warn`:                    "no JSON object, and no list of them",
		`[]`:                          "a list of no messages",
	} {
		got := ""
		if err := Unclear([]byte(line)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
