package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// readHistory reads a record that is given as the lines of its file.
func readHistory(t testing.TB, source string) *history.History {
	t.Helper()
	h, err := history.Read(record.NewReader(strings.NewReader(source)))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// draw draws the rows of a record that is given as the lines of its file.
func draw(t testing.TB, s terminal.Style, source string) string {
	t.Helper()
	v := View{}
	var rows []Row
	for m, r := range readHistory(t, source).All() {
		rows = append(rows, v.Add(m, r, true)...)
	}
	return drawRows(s, append(rows, v.Flush()...))
}

func drawRows(s terminal.Style, rows []Row) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row.Draw(s))
	}
	return b.String()
}

// messages makes records of texts such as "agent {…}" or "agent in {…}".
func messages(lines ...string) string {
	var b strings.Builder
	for i, line := range lines {
		at := strings.IndexByte(line, '{')
		dir, stage, _ := strings.Cut(strings.TrimSpace(line[:at]), " ")
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"mono":%d,"dir":%q,"stage":%q,"of":%d,"len":9,"msg":%s}`+"\n", i+1, (i+1)*1e7, dir, stage, i, line[at:])
	}
	return b.String()
}

func update(session, members string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{%s}}}`, session, members)
}

func chunk(kind, message, text string) string {
	return update("s", fmt.Sprintf(`"sessionUpdate":%q,"messageId":%q,"content":{"type":"text","text":%q}`, kind, message, text))
}

func TestSummaries(t *testing.T) {
	call := func(method, params string) string {
		return fmt.Sprintf(`client {"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	respond := func(result string) string {
		return fmt.Sprintf(`agent {"jsonrpc":"2.0","id":1,"result":%s}`, result)
	}
	for _, test := range []struct{ request, response, says, gets string }{
		{call("initialize", `{"protocolVersion":1,"clientInfo":{"name":"pen","version":"3"}}`), respond(`{"protocolVersion":1}`), "pen 3, protocol 1", "protocol 1"},
		{call("session/new", `{"cwd":"/x","mcpServers":[{},{}]}`), respond(`{"sessionId":"a"}`), "/x, 2 MCP servers", "a"},
		{call("session/load", `{"cwd":"/x","sessionId":"a"}`), respond(`null`), "/x", "null"},
		{call("session/prompt", `{"sessionId":"a","prompt":[{"type":"text","text":"a\nb"},{"type":"image","data":"x"},7]}`), respond(`{"stopReason":"end_turn"}`), "a b [image]", "end_turn"},
		{call("session/request_permission", `{"sessionId":"a","toolCall":{"title":"Run it"},"options":[{}]}`), respond(`{"outcome":{"outcome":"selected","optionId":"yes"}}`), "Run it: 1 option", "selected yes"},
		{call("session/request_permission", `{"sessionId":"a","toolCall":{"title":"Run it"},"options":[{"optionId":"n","name":"No, keep it","kind":"reject_once"}]}`), respond(`{"outcome":{"outcome":"selected","optionId":"n"}}`), "Run it: 1 option", `selected "No, keep it" reject_once`},
		{call("fs/write_text_file", `{"sessionId":"a","path":"/f","content":"12345"}`), respond(`{}`), "/f, 5 B", "{}"},
		{call("fs/read_text_file", `{"sessionId":"a","path":"/f","line":7}`), respond(`{"content":"1234"}`), "/f 7", "4 B"},
		{call("terminal/create", `{"sessionId":"a","command":"go","args":["test","./..."]}`), respond(`{"terminalId":"t"}`), "go test ./...", "t"},
		{call("terminal/output", `{"sessionId":"a","terminalId":"t"}`), respond(`{"output":"12","exitStatus":{"exitCode":3}}`), "t", "2 B, exit 3"},
		{call("terminal/output", `{"sessionId":"a","terminalId":"t"}`), respond(`{"output":"12"}`), "t", "2 B"},
		{call("session/set_mode", `{"sessionId":"a","modeId":"plan"}`), respond(`{}`), "plan", "{}"},
		{call("x/y", `{"b":[1]}`), respond(`[2]`), `{"b":[1]}`, "[2]"},
		{call("x/y", `"odd"`), `agent {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":2}}`, `"odd"`, "error -1: no 2"},
		{call("x/y", `{}`), `agent {"jsonrpc":"2.0","id":1,"error":"odd"}`, "{}", "error"},
	} {
		lines := strings.Split(draw(t, terminal.Style{}, messages(test.request, test.response)), "\n")
		if got := lines[0]; !strings.HasSuffix(got, " "+test.says) {
			t.Errorf("%s is\n%s\nwant %s", test.request, got, test.says)
		}
		if got := lines[1]; !strings.HasSuffix(got, " to #1 after 10 ms: "+test.gets) {
			t.Errorf("%s is\n%s\nwant %s", test.response, got, test.gets)
		}
	}
}

func TestRows(t *testing.T) {
	plan := func(entries string) string { return update("s", `"sessionUpdate":"plan","entries":[`+entries+`]`) }
	step := func(text, status string) string {
		return fmt.Sprintf(`{"content":%q,"priority":"low","status":%q}`, text, status)
	}
	for _, test := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"pieces in a row", []string{
			"agent " + chunk("agent_message_chunk", "", "a "), "agent " + chunk("agent_message_chunk", "", "b"),
			"agent " + chunk("agent_thought_chunk", "", "c"), "agent " + chunk("agent_message_chunk", "", "d"),
		}, `
    1     0.010 <-   agent_message_chunk          1 2 pieces in 10 ms: a b
    3     0.030 <-   agent_thought_chunk          1 c
    4     0.040 <-   agent_message_chunk          1 d
`},
		{"pieces of an id", []string{
			"agent " + chunk("agent_message_chunk", "m", "a"), "agent " + update("s", `"sessionUpdate":"usage_update","used":1,"size":2`),
			"agent " + chunk("agent_message_chunk", "m", "b"), "agent " + chunk("agent_message_chunk", "n", "c"),
		}, `
    1     0.010 <-   agent_message_chunk          1 2 pieces in 20 ms: ab
    2     0.020 <-   usage_update                 1 1 of 2
    4     0.040 <-   agent_message_chunk          1 c
`},
		{"pieces that were changed", []string{
			"agent in " + chunk("agent_message_chunk", "", "a"), "agent out " + chunk("agent_message_chunk", "", "A"),
			"agent in " + chunk("agent_message_chunk", "", "b"), "agent out " + chunk("agent_message_chunk", "", "B"),
		}, `
    1     0.010 <- - agent_message_chunk          1 2 pieces in 20 ms: ab
    2     0.020 <- + agent_message_chunk          1 2 pieces in 20 ms: AB
`},
		{"pieces of two sessions", []string{
			"agent " + chunk("agent_message_chunk", "", "a"), "agent " + strings.Replace(chunk("agent_message_chunk", "", "b"), `"s"`, `"t"`, 1),
			"agent " + chunk("agent_message_chunk", "", "c"), "agent " + strings.Replace(chunk("agent_message_chunk", "", "d"), `"s"`, `"t"`, 1),
			"agent " + update("t", `"sessionUpdate":"usage_update","used":1,"size":2`), "agent " + chunk("agent_message_chunk", "", "e"),
		}, `
    1     0.010 <-   agent_message_chunk          1 3 pieces in 50 ms: ace
    2     0.020 <-   agent_message_chunk          2 2 pieces in 20 ms: bd
    5     0.050 <-   usage_update                 2 1 of 2
`},
		{"tool calls", []string{
			"agent " + update("s", `"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","status":"pending"`),
			"agent " + update("s", `"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{},{}]`),
			"agent " + update("s", `"sessionUpdate":"tool_call_update","toolCallId":"u"`),
		}, `
    1     0.010 <-   tool_call                    1 [pending] Read
    2     0.020 <-   tool_call_update             1 [completed] Read, 2 contents
    3     0.030 <-   tool_call_update             1 u
`},
		{"plans", []string{
			"agent " + plan(step("a", "pending")+","+step("b", "in_progress")), "agent " + plan(step("b", "completed")+","+step("b", "pending")),
			"agent " + update("s", `"sessionUpdate":"plan_removed","id":"x"`), "agent " + update("s", `"sessionUpdate":"plan","entries":7`),
		}, `
    1     0.010 <-   plan                         1 0 of 2 done
                       [ ] a
                       [~] b
    2     0.020 <-   plan                         1 1 of 2 done
                     ~ [x] b
                     + [ ] b
                     - [ ] a
    3     0.030 <-   plan_removed                 1 x
    4     0.040 <-   plan                         1 0 of 0 done
                     - [x] b
                     - [ ] b
`},
		{"a plan that passed, and one that was changed", []string{
			"agent " + plan(step("a", "pending")), "agent in " + plan(step("a", "completed")), "agent out " + plan(step("b", "pending")),
		}, `
    1     0.010 <-   plan                         1 0 of 1 done
                       [ ] a
    2     0.020 <- - plan                         1 1 of 1 done
                     ~ [x] a
    3     0.030 <- + plan                         1 0 of 1 done
                     + [ ] b
                     - [ ] a
`},
		{"other sessions' plans", []string{
			"agent " + plan(step("a", "pending")),
			"agent " + strings.Replace(plan(step("b", "pending")), `"s"`, `"t"`, 1),
		}, `
    1     0.010 <-   plan                         1 0 of 1 done
                       [ ] a
    2     0.020 <-   plan                         2 0 of 1 done
                       [ ] b
`},
	} {
		if got := "\n" + draw(t, terminal.Style{}, messages(test.lines...)); got != test.want {
			t.Errorf("%s: got%s\nwant%s", test.name, got, test.want)
		}
	}
}

// A streamed message that does not end delays the rows after it only up to a bound.
func TestRowsThatWaitAreBounded(t *testing.T) {
	h := readHistory(t, messages("agent "+chunk("agent_message_chunk", "m", "a"), `client {"jsonrpc":"2.0","method":"x"}`))
	v := View{}
	shown := 0
	for i := range 2*maxWaiting + 1 {
		m := h.Messages[min(i, 1)]
		shown += len(v.Add(m, m.Record, true))
	}
	if shown < 2*maxWaiting-1 {
		t.Errorf("%d rows of %d are shown", shown, 2*maxWaiting+1)
	}
}

// Nothing that a terminal obeys is drawn, wherever it is in a record.
func TestNothingATerminalObeysIsDrawn(t *testing.T) {
	var bad strings.Builder
	for r := range rune(0xa0) {
		if unicode.IsControl(r) {
			bad.WriteRune(r)
		}
	}
	bad.WriteString("\u200b\u202e\u2028\ufeff\U000e0001")
	quoted, _ := json.Marshal(bad.String())
	for _, source := range []string{
		`{"kind":"message","seq":1,"dir":"client","by":[@],"stage":"in","msg":{"jsonrpc":"2.0","id":@,"method":@,"params":{"sessionId":@}}}`,
		`{"kind":"message","seq":1,"dir":@,"msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":@,"version":@}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","id":1,"error":{"code":@,"message":@,"data":@}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":@}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":@}}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":@,"uri":@}}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":@,"status":@,"title":@}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[{"content":@,"status":@,"priority":@}]}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","id":@,"content":@}}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan_update","plan":{"type":"file","id":@,"uri":@}}}}}`,
		`{"kind":"message","seq":1,"dir":"agent","head":"G1swbQf/","len":99}`,
		`{"kind":"message","seq":1,"dir":"agent","b64":"G1swbQf/wps="}`,
		`{"kind":"stderr","seq":1,"text":@}`,
		`{"kind":"event","seq":1,"event":{"a":@}}`,
		`{"kind":"gap","seq":1,"stream":@,"why":@}`,
	} {
		drawn := draw(t, terminal.Style{Width: 200}, strings.ReplaceAll(source, "@", string(quoted))+"\n")
		if drawn == "" {
			t.Errorf("%s is not drawn", source)
		}
		for _, r := range drawn {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("%s: %U is drawn:\n%q", source, r, drawn)
				break
			}
		}
	}
	if got := terminal.Text("a\x1b\r\xff\nb"); got != "a\ufffd\ufffd\ufffd\nb" || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

func FuzzDraw(f *testing.F) {
	f.Add(messages("agent " + update("s", `"sessionUpdate":"plan","entries":[]`)))
	f.Add(messages("agent in "+chunk("agent_message_chunk", "m", "a"), "agent out "+chunk("agent_message_chunk", "m", "a")))
	f.Add(messages(`client {"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"args":["\u001b"]}}`, `agent {"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add(`{"kind":"gap","seq":1}` + "\n")
	for _, text := range []string{strings.Repeat("日本", 60), strings.Repeat("👨\u200d👩\u200d👧", 40), strings.Repeat("e\u0301\u202e", 90), strings.Repeat("❤\ufe0f\x9b ", 70)} {
		f.Add(messages("agent " + update("s", `"sessionUpdate":"plan","entries":[{"content":"`+text+`","status":"pending"}]`)))
		f.Add(messages("agent " + update(text, `"sessionUpdate":"`+text+`"`)))
		f.Add(messages(`client {"jsonrpc":"2.0","id":1,"method":"` + text + `","params":["` + text + `"]}`))
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, width := range []int{1, 20, 60, 80, 200} {
			for line := range strings.Lines(draw(t, terminal.Style{Width: width}, source)) {
				if line = strings.TrimSuffix(line, "\n"); terminal.Width(line) > width || strings.ContainsFunc(line, terminal.Hidden) {
					t.Fatalf("drawn into %d columns:\n%q", width, line)
				}
			}
		}
	})
}

func TestLinesThatAreNotMessages(t *testing.T) {
	for line, want := range map[string]string{
		`"b64":"Cg=="`: "an empty line",
		`"msg":[]`:     "not a message: []",
		`"msg":{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}`: `ambiguous, a name appears twice: {"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}`,
	} {
		got := draw(t, terminal.Style{}, `{"kind":"message","seq":1,"dir":"agent","len":1,`+line+"}\n")
		if !strings.HasSuffix(got, " "+want+"\n") {
			t.Errorf("%s is drawn as %q", line, got)
		}
	}
}

func TestEvents(t *testing.T) {
	for line, want := range map[string]string{
		`{"level":"info","client":"pen 3.1","protocol":1,"a":["b"],"time":"2026-03-04T10:00:00Z","message":"negotiated"}`: `info: negotiated client="pen 3.1" protocol=1 a=["b"]`,
		`{"level":"warn","rule":"x"}`: "warn rule=x",
		`{"message":"m","empty":""}`:  `m empty=""`,
		`[1]`:                         "[1]",
	} {
		if got := draw(t, terminal.Style{}, `{"kind":"event","seq":1,"event":`+line+"}\n"); !strings.HasSuffix(got, " "+want+"\n") {
			t.Errorf("%s is drawn as %q", line, got)
		}
	}
}

// A narrow terminal has room for the text of a row.
func TestNarrowRows(t *testing.T) {
	source := messages("agent " + chunk("agent_message_chunk", "", strings.Repeat("word ", 40)))
	for width, want := range map[int]string{
		60:  "    1     0.010 <-   agent_messa…   1 word word word word w…\n",
		80:  "    1     0.010 <-   agent_message_chunk          1 word word word word word wo…\n",
		120: "    1     0.010 <-   agent_message_chunk          1 " + strings.Repeat("word ", 13) + "wo…\n",
	} {
		got := draw(t, terminal.Style{Width: width}, source)
		if got != want || len([]rune(got)) > width+1 {
			t.Errorf("%d columns, %d runes:\n%s\n%s", width, len([]rune(got)), got, want)
		}
	}
}

// A request for a session has the number of that session once it has its response.
func TestARequestHasTheSessionOfItsResponse(t *testing.T) {
	v := View{}
	var rows []Row
	_, err := history.Scan(record.NewReader(strings.NewReader(messages(`client {"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, `agent {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`))),
		func(m *history.Message, r record.Record) error {
			rows = append(rows, v.Add(m, r, true)...)
			return nil
		})
	if got := rows[0].Draw(terminal.Style{}); err != nil || !strings.Contains(got, "session/new                  1") {
		t.Errorf("drawn as %q, %v", got, err)
	}
}

// If a rule drops what another adapter speaks of, the last reason is that of the rule.
func TestTheReasonOfADropIsLast(t *testing.T) {
	plan := `"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}}` + "\n"
	got := draw(t, terminal.Style{}, `{"kind":"message","seq":1,"dir":"agent","stage":"in","by":["no plans"],"why":["a rule drops it"],"len":9,`+plan+
		`{"kind":"message","seq":2,"dir":"agent","stage":"in","by":["plan","no plans"],"why":["it is shown","a rule drops it"],"len":9,`+plan)
	if want := "plan: it is shown\n                     no plans: a rule drops it\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The page of a message that was held says what it was sent as.
func TestThePageOfAHeldMessage(t *testing.T) {
	h := readHistory(t, `{"kind":"message","seq":6,"dir":"agent","stage":"in","by":["opening"],"why":["acpshim holds it until the response"],"len":9,"msg":{"jsonrpc":"2.0","method":"a"}}
{"kind":"message","seq":9,"dir":"agent","stage":"out","held":6,"place":"behind","by":["opening"],"len":9,"msg":{"jsonrpc":"2.0","method":"a"}}
`)
	got := DrawMessages(terminal.Style{}, h.Messages[:1], pageLines, "", func(uint64) bool { return true })
	if !strings.Contains(got, "sent later  as #9, after") || strings.Contains(got, "sent nothing") {
		t.Errorf("got\n%s", got)
	}
}

// The reason for which a client did not get a plan is not cut.
func TestTheReasonOfALostPlanIsWhole(t *testing.T) {
	reason := strings.Repeat("a long reason ", 9) + "ends"
	s := Summary{Plans: []Plan{{ID: "a", Sent: 1, Got: 3, Last: 1}, {ID: "b", Sent: 1, Last: 2, Why: reason}}}
	if got := strings.Join(strings.Fields(s.Draw(terminal.Style{})), " "); !strings.Contains(got, reason+")") {
		t.Errorf("got %s", got)
	}
}
