package deadlines

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`
	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}`
	open        = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`
	opened      = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
	prompt      = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	done        = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
	said        = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`
	elsewhere   = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"child","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`
	question    = `{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s"}}`
	decision    = `{"jsonrpc":"2.0","id":"q","result":{}}`
	drain       = `{"jsonrpc":"2.0","id":"a-7","method":"_vendor/drain_queue","params":{"sessionId":"s"}}`
	drained     = `{"jsonrpc":"2.0","id":"a-7","result":{}}`
)

// Of the steps, lines of the client begin with "> ", lines of the agent with "< ", and the others
// are times to wait.
func TestDeadlines(t *testing.T) {
	for name, test := range map[string]struct {
		on       Settings
		steps    []string
		toClient []string // what comes besides the lines of the agent
		toAgent  []string
		silences int
		dropped  []string // lines of the agent or the client that do not pass
	}{
		"off": {Settings{}, []string{"> " + initialize, "24h", "< " + initialized, "> " + open, "24h", "< " + opened, "> " + prompt, "24h", "< " + drain, "24h"}, nil, nil, 0, nil},
		"start": {Settings{Start: 30 * time.Second}, []string{"> " + initialize, "29s", "31s", "< " + initialized},
			[]string{`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"the agent \"npx\" did not respond to initialize within 30s: last words"}}`}, nil, 0, []string{initialized}},
		"in time": {Settings{Start: 30 * time.Second, Open: time.Second}, []string{"> " + initialize, "29s", "< " + initialized, "> " + open, "500ms", "< " + opened, "1h"}, nil, nil, 0, nil},
		"open": {Settings{Open: time.Minute}, []string{"> " + initialize, "1h", "< " + initialized, "> " + open, "61s", "< " + opened},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the agent \"npx\" did not respond to session/new within 1m0s: last words"}}`}, nil, 0, []string{opened}},
		"open, sent early": {Settings{Open: time.Minute}, []string{"> " + initialize, "> " + open, "1h", "< " + initialized, "59s", "2s", "< " + opened},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the agent \"npx\" did not respond to session/new within 1m0s: last words"}}`}, nil, 0, []string{opened}},
		"silence, sent early": {Settings{Silence: time.Minute}, []string{"> " + initialize, "> " + prompt, "1h", "< " + initialized, "61s", "< " + done, "1h"}, nil, nil, 1, nil},
		"silence": {Settings{Silence: time.Minute}, []string{"> " + initialize, "< " + initialized, "> " + open, "< " + opened, "> " + prompt, "59s", "< " + said, "59s", "< " + elsewhere, "59s", "3h",
			"< " + said, "61s", "< " + done, "3h"}, nil, nil, 2, nil},
		"a dialogue is not silence": {Settings{Silence: time.Minute}, []string{"> " + initialize, "< " + initialized, "> " + open, "< " + opened, "> " + prompt, "< " + question, "3h", "> " + decision, "59s", "< " + done}, nil, nil, 0, nil},
		"cancel": {Settings{Silence: time.Minute, Cancel: true}, []string{"> " + initialize, "< " + initialized, "> " + open, "< " + opened, "> " + prompt, "2h"},
			nil, []string{`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`}, 1, nil},
		"vendor": {Settings{Vendor: 30 * time.Second}, []string{"> " + initialize, "< " + initialized, "< " + drain, "31s", "> " + drained},
			nil, []string{`{"jsonrpc":"2.0","id":"a-7","error":{"code":-32601,"message":"Method not found: the client did not respond to \"_vendor/drain_queue\" within 30s"}}`}, 0, []string{drained}},
		"vendor in time": {Settings{Vendor: 30 * time.Second}, []string{"> " + initialize, "< " + initialized, "< " + drain, "29s", "> " + drained, "1h"}, nil, nil, 0, nil},
		"known methods": {Settings{Vendor: 30 * time.Second}, []string{"> " + initialize, "< " + initialized, "< " + question,
			`< {"jsonrpc":"2.0","id":"c","method":"cursor/ask_question","params":{}}`, "1h"}, nil, nil, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, silences := conversation.New(conversation.Options{}), 0
				a := New(Options{
					Conversation: c, Command: "npx", LastLine: func() string { return "last words" },
					Settings: func(_, _ conversation.Implementation) Settings { return test.on },
					Silent:   func(string, time.Duration, bool) { silences++ },
				})
				d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
				client, agent := d.FromClient(), d.FromAgent()
				var toClient, toAgent, sent []string
				drainAll := func() {
					toClient = append(toClient, lines(wire.DrainAll(agent))...)
					toAgent = append(toAgent, lines(wire.DrainAll(client))...)
				}
				for _, step := range test.steps {
					side, line, isLine := strings.Cut(step, " ")
					if !isLine {
						wait, _ := time.ParseDuration(step)
						time.Sleep(wait)
						synctest.Wait()
						drainAll()
						continue
					}
					from, to := client, &toAgent
					if side == "<" {
						from, to = agent, &toClient
					}
					out, _ := wire.Apply(from, nil, []byte(line+"\n"))
					*to = append(*to, lines(out)...)
					sent = append(sent, line)
				}
				want := slices.Concat(sent, test.toClient, test.toAgent)
				want = slices.DeleteFunc(want, func(line string) bool { return slices.Contains(test.dropped, line) })
				got := slices.Concat(toClient, toAgent)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(got, want) || silences != test.silences {
					t.Errorf("%d silences, sent are\n%s\nwant %d,\n%s", silences, strings.Join(got, "\n"), test.silences, strings.Join(want, "\n"))
				}
			})
		})
	}
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
