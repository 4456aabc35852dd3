package history

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/record"
)

// recorded returns messages from lines such as "DIR [STAGE[:OF]] [BY] MESSAGE". Numbers begin at 1.
func recorded(t *testing.T, lines ...string) []*Message {
	t.Helper()
	var b strings.Builder
	for i, line := range lines {
		head, message, _ := strings.Cut(line, "{")
		words := append(strings.Fields(head), "", "")
		stage, of, _ := strings.Cut(words[1], ":")
		if of != "" {
			of = `"of":` + of + ","
		}
		if is, from, ok := strings.Cut(stage, "@"); ok {
			stage, of = is, `"from":`+from+","
		}
		if words[2] != "" {
			of += fmt.Sprintf(`"by":[%q],`, words[2])
		}
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"dir":%q,"stage":%q,%s"len":1,"msg":{%s}`+"\n", i+1, words[0], stage, of, message)
	}
	h, err := Read(record.NewReader(strings.NewReader(b.String())))
	if err != nil || h.Broken > 0 || len(h.Messages) != len(lines) {
		t.Fatalf("%v, %d broken lines, %d messages", err, h.Broken, len(h.Messages))
	}
	return h.Messages
}

// drawn returns the relations of messages as text. For a request, these are the other peer's
// response, the response that its sender got, and the request that it was sent for. For a response,
// they are its method and its request.
func drawn(messages []*Message) string {
	var b strings.Builder
	add := func(name string, m *Message) {
		if m != nil {
			fmt.Fprintf(&b, " %s %d", name, m.Seq)
		}
	}
	for _, m := range messages {
		if m.ID == "" {
			continue
		}
		fmt.Fprintf(&b, "%d %s", m.Seq, m.Method)
		if m.IsOwn() {
			b.WriteString(" (own)")
		}
		add("to", m.Request)
		add("response", m.Response)
		add("got", m.Got)
		add("for", m.For)
		if m.Message.Of == 0 {
			add("of", m.Of)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestExchanges(t *testing.T) {
	const (
		elicitation = `{"id":7,"method":"elicitation/create","params":{"sessionId":"s"}}`
		permission  = `{"id":"own-%d","method":"session/request_permission","params":{"sessionId":"s"}}`
		selected    = `{"id":"own-%d","result":{"outcome":{"outcome":"selected","optionId":"choice-0"}}}`
		accepted    = `{"id":7,"result":{"action":"accept"}}`
		prompt      = `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`
		ended       = `{"id":2,"result":{"stopReason":"end_turn"}}`
		cancelled   = `{"id":2,"result":{"stopReason":"cancelled"}}`
		refused     = `{"id":2,"error":{"code":-32000,"message":"Authentication required"}}`
	)
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"acpshim asks another request than it was asked": {[]string{
			"agent in questions " + elicitation,
			"agent out:1 questions " + fmt.Sprintf(permission, 1),
			"client in questions " + fmt.Sprintf(selected, 1),
			"agent out questions " + fmt.Sprintf(permission, 2),
			"client in questions " + fmt.Sprintf(selected, 2),
			"client out:5 questions " + accepted,
		}, `
1 elicitation/create got 6
2 session/request_permission (own) response 3 for 1
3 session/request_permission to 2
4 session/request_permission (own) response 5 for 1
5 session/request_permission to 4
6 elicitation/create to 1
`},
		"it asks once the client has refused, and is recorded first": {[]string{
			"agent " + elicitation,
			"agent out questions " + fmt.Sprintf(permission, 1),
			`client in questions {"id":7,"error":{"code":-32601}}`,
			"client in questions " + fmt.Sprintf(selected, 1),
			"client out:4 questions " + accepted,
		}, `
1 elicitation/create response 3 got 5
2 session/request_permission (own) response 4 for 1
3 elicitation/create to 1
4 session/request_permission to 2
5 elicitation/create to 1
`},
		"two questions at a time": {[]string{
			"agent in questions " + elicitation,
			"agent out:1 questions " + fmt.Sprintf(permission, 1),
			"agent in questions " + strings.Replace(elicitation, "7", "8", 1),
			"agent out:3 questions " + fmt.Sprintf(permission, 2),
			"agent out questions " + fmt.Sprintf(permission, 3),
			"client in questions " + fmt.Sprintf(selected, 3),
			"client out:6 questions " + accepted,
		}, `
1 elicitation/create got 7
2 session/request_permission (own) for 1
3 elicitation/create
4 session/request_permission (own) for 3
5 session/request_permission (own) response 6 for 1
6 session/request_permission to 5
7 elicitation/create to 1
`},
		"it asks in another form": {[]string{
			`client in choices {"id":2,"method":"session/set_config_option","params":{"sessionId":"s"}}`,
			`client out:1 choices {"id":2,"method":"session/set_mode","params":{"sessionId":"s"}}`,
			`agent in choices {"id":2,"result":{}}`,
			`agent out:3 choices {"id":2,"result":{"configOptions":[]}}`,
		}, `
1 session/set_config_option response 3 got 4
2 session/set_mode
3 session/set_mode to 1
4 session/set_config_option to 1
`},
		"it sends a request later": {[]string{
			"client in turns " + prompt,
			"client out turns " + prompt,
			"agent " + ended,
		}, `
1 session/prompt response 3 got 3
2 session/prompt of 1
3 session/prompt to 1
`},
		"it sends a request again, after a request of its own": {[]string{
			"client " + prompt,
			"agent in login " + refused,
			`client out@2 login {"id":"own-1","method":"authenticate"}`,
			`agent in login {"id":"own-1","result":{}}`,
			"client out login " + prompt,
			"agent " + ended,
		}, `
1 session/prompt response 6 got 6
2 session/prompt to 1
3 authenticate (own) response 4 for 1
4 authenticate to 3
5 session/prompt of 1
6 session/prompt to 1
`},
		"it responds in a peer's place, and drops what the peer responds": {[]string{
			"client " + prompt,
			"agent out turns " + cancelled,
			"agent in turns " + ended,
		}, `
1 session/prompt response 3 got 2
2 session/prompt to 1
3 session/prompt to 1
`},
		"its response is recorded before the request": {[]string{
			`client out files {"id":7,"result":{}}`,
			"agent in files " + elicitation,
		}, `
1 elicitation/create to 2
2 elicitation/create got 1
`},
		"a response to a request that is missing": {[]string{
			`client out files {"id":7,"result":{}}`,
			`agent {"id":8,"method":"x"}`,
			"agent in files " + elicitation,
		}, `
1 
2 x
3 elicitation/create
`},
		"a response that nobody gets": {[]string{
			"client " + prompt,
			"agent in rule " + ended,
		}, `
1 session/prompt response 2
2 session/prompt to 1
`},
		"an id that is used again": {[]string{
			"client " + prompt,
			"agent " + ended,
			"client " + prompt,
			"agent " + cancelled,
			"agent " + ended,
		}, `
1 session/prompt response 2 got 2
2 session/prompt to 1
3 session/prompt response 4 got 4
4 session/prompt to 3
5 
`},
	} {
		if got := "\n" + drawn(recorded(t, test.lines...)); got != test.want {
			t.Errorf("%s: got%swant%s", name, got, test.want)
		}
	}
}

// Requests without responses take bounded memory.
func TestExchangesAreBounded(t *testing.T) {
	var e exchanges
	for i := range 3 * maxKnown {
		m := &Message{Record: record.Record{Message: &record.Message{Dir: record.Client, Stage: "in"}}, Kind: Request, ID: fmt.Sprint(i)}
		e.addRequest(m)
	}
	if len(e.sent) > maxKnown+1 {
		t.Errorf("%d requests are known", len(e.sent))
	}
}
