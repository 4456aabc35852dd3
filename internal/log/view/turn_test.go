package view

import (
	"strings"
	"testing"
)

const (
	sidesPrompt    = `client {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go"}]}}`
	sidesEnded     = `{"id":2,"result":{"stopReason":"end_turn"}}`
	sidesCancelled = `{"id":2,"result":{"stopReason":"cancelled"}}`
)

// A turn has the agent's outcome, and the client's if that differs.
func TestEachSideOfATurn(t *testing.T) {
	held := strings.Replace(sidesPrompt, "client", "client in turns", 1)
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"as the agent said":         {[]string{sidesPrompt, "agent " + sidesEnded}, `#1: end_turn after 1.000 s, "Go"`},
		"repaired":                  {[]string{sidesPrompt, "agent in repair " + sidesEnded, "agent out:2 repair " + sidesCancelled}, `#1: end_turn; the client got cancelled after 2.000 s, "Go"`},
		"with other members":        {[]string{sidesPrompt, "agent in repair " + sidesEnded, "agent out:2 repair " + strings.Replace(sidesEnded, "id", "x\":1,\"id", 1)}, `#1: end_turn after 2.000 s, "Go"`},
		"ended by acpshim":          {[]string{sidesPrompt, "agent out turns " + sidesCancelled}, `#1: no response; the client got cancelled after 1.000 s, "Go"`},
		"and by the agent later":    {[]string{sidesPrompt, "agent out turns " + sidesCancelled, "agent in turns " + sidesEnded}, `#1: end_turn; the client got cancelled after 1.000 s, "Go"`},
		"kept from the client":      {[]string{sidesPrompt, "agent in rule " + sidesEnded}, `#1: end_turn; the client got no response, "Go"`},
		"refused by acpshim":        {[]string{held, `agent out turns {"id":2,"error":{"code":-32603,"message":"full"}}`}, `#1: no response; the client got error -32603: full after 1.000 s, "Go"`},
		"sent later":                {[]string{held, strings.Replace(sidesPrompt, "client", "client out turns", 1), "agent " + sidesEnded}, `#1: end_turn after 2.000 s, "Go"`},
		"without a reason":          {[]string{sidesPrompt, `agent {"id":2,"result":{}}`}, `#1: no stop reason after 1.000 s, "Go"`},
		"without a response at all": {[]string{sidesPrompt}, `#1: no response, "Go"`},
	} {
		if turns := Summarize(readLines(t, test.lines...), false).Turns; len(turns) != 1 || turns[0].String() != test.want {
			t.Errorf("%s: %v, want %s", name, turns, test.want)
		}
	}
}

// A request failed if its sender got an error or nothing, whatever the other peer got.
func TestFailuresAreOfWhatTheSenderGot(t *testing.T) {
	const (
		ask      = `agent in questions {"id":7,"method":"elicitation/create","params":{"sessionId":"s"}}`
		asked    = `agent out:1 questions {"id":"own","method":"session/request_permission","params":{"sessionId":"s"}}`
		selected = `client in questions {"id":"own","result":{}}`
		set      = `client {"id":3,"method":"session/set_mode","params":{"sessionId":"s"}}`
		unknown  = `{"id":3,"error":{"code":-32601,"message":"Method not found"}}`
	)
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"a question that was put to the user":     {[]string{ask, asked, selected, `client out:3 questions {"id":7,"result":{}}`}, ""},
		"one that the user has before them":       {[]string{ask, asked}, "#1: elicitation/create of the agent has no response #2: session/request_permission of acpshim has no response"},
		"acpshim's own request":                   {[]string{ask, asked, `client in questions {"id":"own","error":{"code":1,"message":"no"}}`, `client out:3 questions {"id":7,"result":{}}`}, "#3: session/request_permission of acpshim (#2) 1: no"},
		"one that acpshim sent in another form":   {[]string{set, "agent in choices " + unknown, `client out choices {"id":3,"method":"session/set_config_option","params":{}}`, `agent {"id":3,"result":{}}`}, ""},
		"one that the agent refused":              {[]string{set, "agent " + unknown}, "#2: session/set_mode of the client (#1) -32601: Method not found"},
		"one that got another error":              {[]string{set, "agent in repair " + unknown, `agent out:2 repair {"id":3,"error":{"code":-32000}}`}, "#2: session/set_mode of the client (#1) -32601: Method not found; the client got -32000"},
		"an error that acpshim made of a result":  {[]string{set, `agent in rule {"id":3,"result":{}}`, `agent out:2 rule {"id":3,"error":{"code":1}}`}, "#2: session/set_mode of the client (#1) 1"},
		"an error without words":                  {[]string{set, `agent {"id":3,"error":{}}`}, "#2: session/set_mode of the client (#1) an error"},
		"a response that was dropped":             {[]string{set, `agent in rule {"id":3,"result":{}}`}, "#2: session/set_mode of the client (#1) has a response that did not reach the client"},
		"an error that was dropped":               {[]string{set, "agent in rule " + unknown}, "#2: session/set_mode of the client (#1) -32601: Method not found; the client got no response"},
		"a permission that acpshim responded to":  {[]string{`agent in rule {"id":1,"method":"session/request_permission"}`, `client out rule {"id":1,"result":{}}`}, ""},
		"a response to no request":                {[]string{"agent " + unknown}, ""},
		"a turn that ended in a cancelled prompt": {[]string{sidesPrompt, "agent in repair " + sidesEnded, "agent out:2 repair " + sidesCancelled}, ""},
	} {
		got := strings.Join(texts(Summarize(readLines(t, test.lines...), false).Failed), " ")
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The client is the peer, not acpshim, which sends initialize again.
func TestAcpshimsOwnInitializeIsNotTheClients(t *testing.T) {
	s := Summarize(readLines(t,
		`client {"id":0,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{"name":"kit","version":"1"}}}`,
		`agent in repair {"id":0,"error":{"code":-32600}}`,
		`client out repair {"id":"own","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"kit","version":"1"}}}`,
		`agent in repair {"id":"own","result":{"protocolVersion":1}}`,
		`agent out:4 repair {"id":0,"result":{"protocolVersion":1}}`), false)
	if s.Client.Seq != 1 || s.Offered != "2" || s.Version != "1" || len(s.Failed) > 0 {
		t.Errorf("initialize of the client is %d, versions are %s and %s, failures %v", s.Client.Seq, s.Offered, s.Version, s.Failed)
	}
}
