package repair_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

func terminals(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewTerminals(c, func(client, agent conversation.Implementation) string {
		return map[bool]string{true: repair.Unmade, false: repair.Unsupported}[isOn(client, agent)]
	})
}

// showing returns an update of a tool call with these terminals and a text.
func showing(session string, ids ...string) string {
	var content []string
	for _, id := range ids {
		content = append(content, fmt.Sprintf(`{"type":"terminal","terminalId":%q}`, id))
	}
	content = append(content, `{"type":"content","content":{"type":"text","text":"terminalId"}}`)
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[%s]}}}`, session, strings.Join(content, ","))
}

// A tool call shows only terminals that the client created in the session, as long as all of them
// are known.
func TestTerminalsAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	all := []string{"1", "2", "3"}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBench(terminals, true)
		made, lost := map[string][]string{}, map[string]bool{}
		for _, session := range []string{"a", "b"} {
			wire.Apply(b.Client, nil, fmt.Appendf(nil, `{"id":%q,"method":"session/load","params":{"sessionId":%q,"cwd":"/"}}`, session, session))
			wire.Apply(b.Agent, nil, fmt.Appendf(nil, `{"id":%q,"result":{}}`, session))
		}
		for id := range 30 {
			session, terminal := []string{"a", "b"}[random.IntN(2)], all[random.IntN(3)]
			wire.Apply(b.Agent, nil, fmt.Appendf(nil, `{"id":%d,"method":"terminal/create","params":{"sessionId":%q,"command":"c"}}`, id, session))
			switch random.IntN(8) {
			case 0: // ambiguous
				wire.Apply(b.Client, nil, fmt.Appendf(nil, `{"id":%d,"result":{"terminalId":%q},"result":{}}`, id, terminal))
				lost[session] = true
			case 1:
				wire.Apply(b.Client, nil, fmt.Appendf(nil, `{"id":%d,"error":{"code":1,"message":"no"}}`, id))
			case 2:
				wire.Apply(b.Client, nil, fmt.Appendf(nil, `{"id":%d,"result":{"terminalId":%q}}`, id, terminal))
				made[session] = append(made[session], terminal)
			}
			for _, session := range []string{"a", "b"} {
				kept := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !lost[session] && !slices.Contains(made[session], id) })
				out, _ := wire.Apply(b.Agent, nil, []byte(showing(session, all...)))
				if want := showing(session, kept...); string(out) != want {
					t.Fatalf("seed %d: made %v, lost %v\n got %s\nwant %s", seed, made, lost, out, want)
				}
			}
		}
	}
}

// The capabilities of the client decide about terminals that it did not create.
func TestTerminalsOfClients(t *testing.T) {
	for capabilities, isOut := range map[string]bool{
		`{}`:                                    true,
		`{"terminal":false}`:                    true,
		`{"terminal":null,"_meta":null}`:        true,
		`{"_meta":{"terminal_output":false}}`:   true,
		`{"terminal":true}`:                     false,
		`{"_meta":{"terminal_output":true}}`:    false,
		`{"_meta":{"terminal_output_delta":1}}`: false,
	} {
		b := newBench(terminals, false)
		b.Client.Rewrite(nil, []byte(`{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":`+capabilities+`}}`))
		b.Agent.Rewrite(nil, []byte(`{"id":"i","result":{"protocolVersion":1}}`))
		b.Client.Rewrite(nil, []byte(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`))
		out, _ := wire.Apply(b.Agent, nil, []byte(showing("s", "x")))
		if got := string(out) == showing("s"); got != isOut {
			t.Errorf("%s: taken out is %v", capabilities, got)
		}
	}
}

// A terminal of an unknown session may belong to any session. One with a long id is not recorded.
func TestUnrecordedTerminals(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, test := range map[string]struct{ session, made, shown, want string }{
		"of no session": {"", "1", "2", "2"},
		"of a session":  {`"sessionId":"s",`, "1", "2", ""},
		"a long id":     {`"sessionId":"s",`, long, long, long},
	} {
		b := newBench(terminals, true)
		b.Client.Rewrite(nil, []byte(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`))
		wire.Apply(b.Agent, nil, []byte(`{"id":2,"method":"terminal/create","params":{`+test.session+`"command":"c"}}`))
		wire.Apply(b.Client, nil, []byte(`{"id":2,"result":{"terminalId":"`+test.made+`"}}`))
		want := showing("s")
		if test.want != "" {
			want = showing("s", test.want)
		}
		if out, _ := wire.Apply(b.Agent, nil, []byte(showing("s", test.shown))); string(out) != want {
			t.Errorf("%s: got %.300s", name, out)
		}
	}
}

// Terminals that the agent runs itself, and other content, stay.
func TestTerminalsOfTheAgentStay(t *testing.T) {
	for call, isOut := range map[string]bool{
		`"toolCallId":"c","content":[{"type":"terminal","terminalId":"x"}]`:                                true,
		`"toolCallId":"c","content":[{"type":"terminal","terminalId":"x"}],"_meta":{"other":1}`:            true,
		`"toolCallId":"x","content":[{"type":"terminal","terminalId":"x"}]`:                                false,
		`"toolCallId":"c","content":[{"type":"terminal","terminalId":"x"}],"_meta":{"terminal_info":{}}`:   false,
		`"toolCallId":"c","content":[{"type":"content","terminalId":"x"}]`:                                 false,
		`"toolCallId":"c","content":[{"type":"terminal","terminalId":7}]`:                                  false,
		`"toolCallId":"c","content":[{"type":"terminal","terminalId":"x","terminalId":"x"}]`:               false,
		`"toolCallId":"c","content":{"type":"terminal","terminalId":"x"}`:                                  false,
		`"toolCallId":"c","title":"\"terminalId\"","rawInput":{"type":"terminal","terminalId":"x"}`:        false,
		`"toolCallId":"c","content":[{"type":"terminal","terminalId":"` + strings.Repeat("x", 300) + `"}]`: false,
	} {
		b := newBench(terminals, true)
		b.Client.Rewrite(nil, []byte(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`))
		for _, line := range []string{
			`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call",` + call + `}}}`,
			`{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{` + call + `}}}`,
		} {
			if got := apply(b.Agent, line); (got != line) != isOut || isOut && !strings.Contains(got, `"content":[]`) {
				t.Errorf("%.200s\nbecame %.200s", line, got)
			}
		}
	}
}

// A session that was closed and is loaded again has no terminals.
func TestTerminalsOfASessionThatWasClosed(t *testing.T) {
	b := newBench(terminals, true)
	for i, method := range []string{"load", "close", "load"} {
		wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/`+method+`","params":{"sessionId":"s","cwd":"/"}}`))
		wire.Apply(b.Agent, nil, []byte(`{"id":1,"result":{}}`))
		if i == 0 {
			wire.Apply(b.Agent, nil, []byte(`{"id":2,"method":"terminal/create","params":{"sessionId":"s","command":"c"}}`))
			wire.Apply(b.Client, nil, []byte(`{"id":2,"result":{"terminalId":"1"}}`))
		}
		want := []string{showing("s", "1"), showing("s", "1"), showing("s")}[i]
		if got := apply(b.Agent, showing("s", "1")); got != want {
			t.Errorf("after %s: got %s\nwant %s", method, got, want)
		}
	}
}

// Messages without terminals pass unchanged.
func FuzzNothingToTakeOut(f *testing.F) {
	f.Add([]byte(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","content":{"terminalId":"y"}}}}`))
	f.Add([]byte(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","content":[{"type":"text","terminalId":"y"}, null]}}}`))
	f.Add([]byte(`{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":[{"terminalId":"y"}]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n\\") || bytes.Contains(line, []byte(`"terminal"`)) {
			return
		}
		b := newBench(terminals, true)
		b.Client.Rewrite(nil, []byte(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/"}}`))
		b.Passes(t, dispatch.Agent, string(line))
	})
}
