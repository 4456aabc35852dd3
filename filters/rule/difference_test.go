package rule

import (
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"

	"github.com/go-json-experiment/json/jsontext"
)

func peer(name, version string) *conversation.Peer {
	return &conversation.Peer{Implementation: conversation.Implementation{Name: name, Version: version}}
}

// A step has the rule's value and the message's value if they can be compared.
func TestDifference(t *testing.T) {
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","n":1,"t":"A"}}}`
	for _, test := range []struct {
		rule             Rule
		line, whyNot     string
		wants, insteadOf string
	}{
		{Rule{Client: "zeds"}, update, "client", `"zeds"`, `"Zed 1.5"`},
		{Rule{When: When{Client: "zeds"}}, update, "when.client", `"zeds"`, `"Zed 1.5"`},
		{Rule{Agent: "a"}, update, "agent", `"a"`, ""},
		{Rule{From: Client}, update, "from", `"client"`, `"agent"`},
		{Rule{Method: "session/prompt"}, update, "method", `"session/prompt"`, `"session/update"`},
		{Rule{Method: "x"}, `{"jsonrpc":"2.0","id":1,"result":{}}`, "method", `"x"`, "a response"},
		{Rule{Update: "tool_*"}, update, "update", `"tool_*"`, `"plan"`},
		{Rule{Update: "plan"}, `{"jsonrpc":"2.0","method":"x"}`, "update", `"plan"`, `"x"`},
		{Rule{ResponseTo: "x"}, update, "response_to", `"x"`, `"session/update"`},
		{Rule{Session: "t"}, update, "session", `"t"`, `"s"`},
		{Rule{When: When{Equals: map[string]jsontext.Value{"/params/update/n": jsontext.Value("2")}}}, update, "when.equals /params/update/n", "2", "1"},
		{Rule{When: When{Glob: map[string]string{"/params/update/t": "a*"}}}, update, "when.glob /params/update/t", `"a*"`, `"A"`},
		{Rule{When: When{Regexp: map[string]string{"/params/update/u": "x"}}}, update, "when.regexp /params/update/u", `"x"`, "not there"},
		{Rule{When: When{Has: []string{"/params/u"}}}, update, "when.has /params/u", "", ""},
		{Rule{ClientHas: []string{"/fs"}}, update, "client_has /fs", "", ""},
	} {
		test.rule.Name, test.rule.Log = "r", true
		set := compile(t, []Rule{test.rule})
		steps := set.Explain([]byte(test.line), Known{From: Agent, Peers: conversation.Peers{Client: peer("Zed", "1.5"), Version: 1}})
		if len(steps) != 1 {
			t.Fatalf("%d steps", len(steps))
		}
		if s := steps[0]; strings.Join([]string{s.WhyNot, s.Want, s.Is}, "|") != strings.Join([]string{test.whyNot, test.wants, test.insteadOf}, "|") {
			t.Errorf("%+v: %s, want %s, is %s", test.rule, s.WhyNot, s.Want, s.Is)
		}
	}
}
