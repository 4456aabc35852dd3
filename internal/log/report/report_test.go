package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/export"
	"acpshim/internal/log/query"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/redact"
)

// conversation is a record of so many turns, some 39 rows each.
func conversation(turns int) string {
	var b strings.Builder
	seq, mono := 0, int64(0)
	rec := func(kind string, after int64, format string, args ...any) {
		seq++
		mono += after * 1e6
		fmt.Fprintf(&b, `{"kind":%q,"seq":%d,"time":"2026-11-21T08:%02d:%02d.%03dZ","mono":%d,%s}`+"\n",
			kind, seq, mono/60e9%60, mono/1e9%60, mono/1e6%1000, mono, fmt.Sprintf(format, args...))
	}
	message := func(after int64, dir, stage, msg string) {
		rec("message", after, `"dir":%q%s,"len":%d,"msg":%s`, dir, stage, len(msg)+1, msg)
	}
	update := func(after int64, stage, update string) {
		message(after, "agent", stage, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"3f1c9a52-made-up","update":`+update+`}}`)
	}
	in := func(by string) string { return fmt.Sprintf(`,"stage":"in","by":[%q]`, by) }
	out := func(by string) string { return fmt.Sprintf(`,"stage":"out","of":%d,"by":[%q]`, seq, by) }
	b.WriteString(`{"kind":"start","schema":1,"time":"2026-11-21T08:00:00Z","run":"20261121T080000.000Z-agent-7-aabbccdd","part":0,"acpshim":"v1.0.0","go":"go1.26.8","os":"linux","arch":"amd64","config":"sha256:5f","cwd":"/home/ada/project","cpus":8,"pid":7,"argv":["some-agent","--acp"]}` + "\n")
	message(3, "client", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"3"}}}`)
	message(41, "agent", "", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"2"},"authMethods":[]}}`)
	rec("stderr", 2, `"text":"agent: reading the settings\n"`)
	message(5, "client", "", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/ada/project","mcpServers":[{"name":"db","command":"db-mcp","args":[],"env":[{"name":"DB_PASSWORD","value":"planted-5ecret-value"}]}]}}`)
	message(180, "agent", "", `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"3f1c9a52-made-up"}}`)
	for turn := range turns {
		id := 2 + turn
		message(900, "client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"3f1c9a52-made-up","prompt":[{"type":"text","text":"Make the parser read nested comments, turn %d"}]}}`, id, turn+1))
		for i, word := range strings.Fields("I will look at the parser first and then write a test that shows the fault before I change it") {
			update(int64(12+i%5*9), "", fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s "}}`, word))
		}
		update(60, in("no usage noise"), `{"sessionUpdate":"usage_update","used":1200,"size":200000}`)
		for step, states := range [][3]string{{"in_progress", "pending", "pending"}, {"completed", "in_progress", "pending"}, {"completed", "completed", "in_progress"}} {
			entries := fmt.Sprintf(`[{"content":"Read the lexer","priority":"high","status":%q},{"content":"Write a failing test for nested comments","priority":"medium","status":%q},{"content":"Change the comment state to a depth","priority":"medium","status":%q}]`, states[0], states[1], states[2])
			update(30, in("plan"), `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":`+entries+`}}`)
			update(0, out("plan"), `{"sessionUpdate":"plan","entries":`+entries+`}`)
			call := fmt.Sprintf("call-%d-%d", turn, step)
			update(25, "", `{"sessionUpdate":"tool_call","toolCallId":"`+call+`","title":"Edit parser.go","kind":"edit","status":"pending"}`)
			if step == 1 {
				message(10, "agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"session/request_permission","params":{"sessionId":"3f1c9a52-made-up","toolCall":{"toolCallId":%q,"title":"Edit parser.go"},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"}]}}`, turn, call))
				message(int64(400+turn%7*300), "client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`, turn))
			}
			if step == 2 {
				message(10, "agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":"f%d","method":"fs/read_text_file","params":{"sessionId":"3f1c9a52-made-up","path":"/home/ada/project/none.go"}}`, turn))
				message(int64(4+turn%9), "client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":"f%d","error":{"code":-32002,"message":"there is no such file"}}`, turn))
			}
			update(15, "", `{"sessionUpdate":"tool_call_update","toolCallId":"`+call+`","status":"completed"}`)
		}
		message(90, "agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, id))
	}
	rec("event", 1, `"event":{"level":"info","message":"the agent ended"}`)
	rec("gap", 1, `"stream":"agent","count":12,"bytes":3400,"why":"the disk did not keep up","from":"2026-11-21T08:00:03Z","to":"2026-11-21T08:00:04Z"`)
	rec("end", 1, `"status":0,"client":{"lines":1,"bytes":1},"agent":{"lines":1,"bytes":1},"gaps":1,"lost":{"lines":12,"bytes":3400}`)
	return b.String()
}

// filterCounts says how many rows of conversation(1) a filter means.
var filterCounts = map[string]int{
	"":                                46,
	"dir:client":                      5,
	"-dir:client":                     41,
	"method:session/*":                39,
	"method:session/prompt":           2,
	"update:plan*":                    6,
	"update:plan* -changed:no":        6,
	`rule:"no usage noise"`:           1,
	"changed:yes rule:plan":           6,
	"failed:yes":                      1,
	"kind:request":                    5,
	"id:2":                            2,
	"id:p0":                           2,
	"session:1 kind:response":         4,
	"session:3f1c kind:response":      4,
	"until:200ms":                     4,
	"since:1s -update:*chunk*":        21,
	"nested":                          7,
	`"A FAILING test"`:                6,
	"method:session/[m-p]* until:10m": 4,
	"settings":                        1,
	"since:2026-11-21T08:00:01.131Z":  41,
	`-"a" kind:response`:              1,
}

// sessions is a record of two sessions at a time. The first one is loaded again, which
// fails the second time, resumed, and resumed from its start.
var sessions = func() string {
	var b strings.Builder
	seq := 0
	message := func(dir, stage, msg string) {
		seq++
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"time":"2026-11-21T08:00:00Z","mono":%d,"dir":%q%s,"len":%d,"msg":%s}`+"\n", seq, seq*1e7, dir, stage, len(msg)+1, msg)
	}
	call := func(method, session, result string) {
		message("client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"cwd":"/",%s"mcpServers":[]}}`, seq, method, session))
		message("agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, seq-1, result))
	}
	plan := func(session string, steps ...string) {
		sent := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[`
		seen := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"plan","entries":[`
		entries := `{"content":"` + strings.Join(steps, `","status":"pending","priority":"low"},{"content":"`) + `","status":"pending","priority":"low"}]`
		message("agent", `,"stage":"in","by":["plan"]`, sent+entries+`}}}}`)
		message("agent", fmt.Sprintf(`,"stage":"out","of":%d,"by":["plan"]`, seq), seen+entries+`}}}`)
	}
	const one, ok, failed = `"sessionId":"one",`, `"result":{}`, `"error":{"code":1,"message":"no"}`
	call("session/new", "", `"result":{"sessionId":"one"}`)                                                                // 1, 2
	call("session/new", "", `"result":{"sessionId":"two"}`)                                                                // 3, 4
	plan("one", "first of one", "second of one")                                                                           // 5, 6
	plan("two", "first of two")                                                                                            // 7, 8
	message("client", "", `{"jsonrpc":"2.0","id":99,"method":"session/load","params":{"cwd":"/",`+one+`"mcpServers":[]}}`) // 9
	plan("two", "first of two", "second of two")                                                                           // 10, 11
	plan("one", "first of one")                                                                                            // 12, 13, a replay
	message("agent", "", `{"jsonrpc":"2.0","id":99,`+ok+`}`)                                                               // 14
	call("session/load", one, failed)                                                                                      // 15, 16
	call("session/resume", one, ok)                                                                                        // 17, 18
	call("session/resume", one+`"replayFrom":{"type":"start"},`, ok)                                                       // 19, 20
	fmt.Fprintln(&b, `{"kind":"stderr","seq":21,"mono":300000000,"text":"x"}`)
	return b.String()
}()

// changes is a record of what acpshim did with messages: one of each kind.
var changes = func() string {
	var b strings.Builder
	seq := 0
	message := func(dir, how, msg string) {
		seq++
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"time":"2026-11-21T08:00:00Z","mono":%d,"dir":%q%s,"len":%d,"msg":%s}`+"\n", seq, seq*1e7, dir, how, len(msg)+1, msg)
	}
	update := func(how, update string) {
		message("agent", how, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-0123456789ab","update":`+update+`}}`)
	}
	const behind = `,"stage":"out","place":"behind","by":["plan"]`
	const by, redacted = `,"stage":"in","by":["plan"],"why":["policy all"]`, `,"redacted":true`
	of := func(seq int) string { return fmt.Sprintf(`,"stage":"out","of":%d,"by":["plan"]`, seq) }
	const ask = `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"session-0123456789ab","toolCall":{"toolCallId":"c","title":"Remove it"},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`
	const entries = `"entries":[{"content":"Reproduce","status":"completed","priority":"high"},{"content":"Patch","status":"pending","priority":"low"}]`
	b.WriteString(`{"kind":"start","schema":1,"run":"r","redacted":true,"argv":["agent"]}` + "\n")
	message("client", `,"stage":"in","by":["plan"]`, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	message("client", of(1), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{}}}}`)
	message("agent", "", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
	message("client", redacted, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/user/x","mcpServers":[{"name":"db","command":"c","args":[],"env":[{"name":"A","value":"[redacted:env]"}]}]}}`)
	message("agent", redacted, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"session-0123456789ab"}}`)
	message("client", redacted, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"session-0123456789ab","prompt":[{"type":"text","text":"Mend it"}]}}`)
	document := string(wire.Quote(nil, "# Mend <b>it</b>\n\nMind `comments` in **strings**.\n\n- [x] Reproduce\n- [ ] Patch\n  - inside\n\n> as said\n\n```go\nx := 1\n```\n\n---\nend"))
	update(by, `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"design","content":`+document+`}}`)                 // 7
	update(of(7), `{"sessionUpdate":"plan",`+entries+`}`)                                                                             // 8
	update(behind, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The plan"}}`)                             // 9
	message("agent", by, ask)                                                                                                         // 10
	update(behind, `{"sessionUpdate":"plan",`+strings.ReplaceAll(entries, "pending", "completed")+`}`)                                // 11
	message("agent", of(10), ask)                                                                                                     // 12
	message("client", "", `{"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"no"}}}`)                   // 13
	update(`,"stage":"in","by":["less noise"]`, `{"sessionUpdate":"usage_update","used":1,"size":2}`)                                 // 14
	message("agent", `,"stage":"in","by":["deny"]`, `{"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"path":"/x"}}`) // 15
	message("client", `,"stage":"out","by":["deny"]`, `{"jsonrpc":"2.0","id":"f","error":{"code":-32000,"message":"not this file"}}`) // 16
	update(`,"stage":"out","by":["plan"]`, `{"sessionUpdate":"plan",`+entries+`}`)                                                    // 17
	update("", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Remove it","status":"pending"}`)                               // 18
	for _, status := range []string{"in_progress", "in_progress", "failed"} {
		update("", `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"`+status+`"}`) // 19, 20, 21
	}
	command := `{"name":"n","description":"d"}`
	update("", `{"sessionUpdate":"available_commands_update","availableCommands":[`+command+strings.Repeat(","+command, 59)+`]}`) // 22
	message("agent", "", `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"refusal"}}`)                                            // 23
	fmt.Fprintln(&b, `{"kind":"stderr","seq":24,"mono":300000000,"text":"it went wrong"}`)
	fmt.Fprintln(&b, `{"kind":"end","seq":25,"mono":310000000,"status":0}`)
	return b.String()
}()

// evil is text that a browser must not take for anything else.
var evil = []string{
	`</script><script>window.broken=1;alert(1)</script>`,
	`<!--<script>alert(2)</script>`,
	`"><img src=x onerror="window.broken=1;alert(3)">`,
	`<svg/onload=alert(4)>`,
	`<iframe srcdoc="<script>parent.broken=1</script>"></iframe><base href=//other.example/>`,
	`javascript:alert(5)`,
	`__proto__`, `constructor`,
	"\u202egnp.exe\u2028\u2029\x00\x1b[31m\u0085\ufeff",
	`<meta http-equiv=refresh content="0;url=http://other.example/"><style>@import "http://other.example/"</style>`,
	`\u003c/script>${alert(6)}` + "`'" + `]]>STYLE RECORD SCRIPT POLICY<h1>`,
}

// hostile is a record with evil in every place that it has.
var hostile = func() string {
	var b strings.Builder
	seq := 0
	quote := func(s string) string { return string(wire.Quote(nil, s)) }
	rec := func(kind, format string, args ...any) {
		seq++
		fmt.Fprintf(&b, `{"kind":%q,"seq":%d,"time":"2026-11-21T08:00:00Z","mono":%d,%s}`+"\n", kind, seq, seq*1000000, fmt.Sprintf(format, args...))
	}
	all := quote(strings.Join(evil, " "))
	fmt.Fprintf(&b, `{"kind":"start","schema":1,"run":%[1]s,"acpshim":%[1]s,"go":%[1]s,"os":%[1]s,"arch":%[1]s,"config":%[1]s,"cwd":%[1]s,"argv":[%[1]s,%[1]s]}`+"\n", all)
	for _, e := range evil {
		q := quote(e)
		rec("message", `"dir":"client","len":9,"by":[%[1]s],"msg":{"jsonrpc":"2.0","id":%[1]s,"method":%[1]s,"params":{"sessionId":%[1]s,%[1]s:%[1]s}}`, q)
		rec("message", `"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","id":%[1]s,"error":{"code":1,"message":%[1]s}}`, q)
		rec("message", `"dir":"agent","stage":"in","by":[%[1]s],"len":9,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%[1]s,"update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":%[1]s,"content":%[1]s}}}}`, q)
		rec("message", `"dir":"agent","stage":"out","of":%[2]d,"by":[%[1]s],"len":9,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%[1]s,"update":{"sessionUpdate":"plan","entries":[{"content":%[1]s,"status":%[1]s,"priority":%[1]s},%[1]s,{"content":{}}]}}}`, q, seq)
		rec("message", `"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%[1]s,"update":{"sessionUpdate":%[1]s,"title":%[1]s}}}`, q)
		rec("message", `"dir":%[1]s,"stage":%[1]s,"len":9,"sha256":%[1]s,"msg":{"jsonrpc":"2.0","id":1,"method":"x"}`, q)
		rec("message", `"dir":"agent","len":9,"b64":%s`, quote(base64.StdEncoding.EncodeToString([]byte(e+"\xff\xfe\xc0\r\n"))))
		rec("stderr", `"text":%s`, q)
		rec("event", `"event":{%[1]s:%[1]s}`, q)
		rec("gap", `"stream":%[1]s,"count":1,"bytes":1,"why":%[1]s`, q)
	}
	for _, e := range evil {
		for range 2 {
			rec("message", `"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%[1]s,"update":{"sessionUpdate":"agent_message_chunk","messageId":%[1]s,"content":{"type":"text","text":%[1]s}}}}`, quote(e))
		}
		rec("message", `"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%[1]s,"update":{"sessionUpdate":"agent_message_chunk","messageId":%[1]s,"content":{"type":%[1]s,"name":{},"uri":%[1]s}}}}`, quote(e))
	}
	deep := strings.Repeat(`{"a":[`, 5000) + "1" + strings.Repeat("]}", 5000)
	rec("message", `"dir":"agent","len":9,"b64":%s`, quote(base64.StdEncoding.EncodeToString([]byte(deep))))
	rec("message", `"dir":"agent","len":300000,"msg":{"jsonrpc":"2.0","id":"s","method":%s}`, quote(strings.Repeat(evil[0], 6000)))
	rec("message", `"dir":"agent","len":100,"msg":{"jsonrpc":"2.0","id":"\ud800","method":"\udfff\ud800","params":{"sessionId":"\ud83d"}}`)
	rec("message", `"dir":"agent","len":100,"b64":%s`, quote(base64.StdEncoding.EncodeToString([]byte(`{"id":"`+"\xed\xa0\x80\xff"+`","method":"`+"\xff<b>"+`"}`))))
	rec("message", `"dir":"agent","len":99999999,"head":%s,"sha256":"00"`, quote(base64.StdEncoding.EncodeToString([]byte(evil[0]))))
	b.WriteString("no record <script>alert(7)</script>\n")
	rec("end", `"status":1,"signal":%s,"gaps":11,"lost":{"lines":11}`, all)
	return b.String()
}()

func read(t *testing.T, source string) *history.History {
	t.Helper()
	h, err := history.Read(record.NewReader(strings.NewReader(source)))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func written(t *testing.T, source string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, read(t, source), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inside returns the data in a report.
func inside(t *testing.T, html string) data {
	t.Helper()
	_, after, _ := strings.Cut(html, `<script type="application/json" id="record">`)
	text, _, ok := strings.Cut(after, "</script>")
	var d data
	if err := json.Unmarshal([]byte(text), &d); err != nil || !ok {
		t.Fatalf("the data: %v", err)
	}
	return d
}

// A todo tool sends calls and no plan, so a text is all that shows its plan.
func TestThePlanOfATodoToolAsAText(t *testing.T) {
	text := func(by string) string {
		return `{"kind":"message","seq":1,"mono":1,"dir":"agent","stage":"out","by":["` + by + `"],"why":["so"],"len":90,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"- [ ] Fix it"}}}}}` + "\n"
	}
	d := inside(t, written(t, text("plan"), Options{}))
	if len(d.Plans) != 1 || !d.Plans[0].Seen || d.Plans[0].Kind != "message" || d.Plans[0].Text != "- [ ] Fix it" {
		t.Errorf("plans %+v", d.Plans)
	}
	if d := inside(t, written(t, text("questions"), Options{})); len(d.Plans) > 0 {
		t.Errorf("plans %+v", d.Plans)
	}
	isMessage := func(p plan) bool { return p.Kind == "message" }
	if d := inside(t, written(t, changes, Options{})); slices.ContainsFunc(d.Plans, isMessage) { // it has the text of a document
		t.Errorf("plans %+v", d.Plans)
	}
}

func TestData(t *testing.T) {
	d := inside(t, written(t, conversation(1), Options{Name: "a.jsonl"}))
	if len(d.Rows) != filterCounts[""] || d.Name != "a.jsonl" || d.Redacted || strings.Join(d.Start.Argv, " ") != "some-agent --acp" || !strings.HasPrefix(d.Story.Missing, "12 lines are missing (3.4 kB)") || d.Cut != 0 || d.LeftOut != 0 {
		t.Errorf("%d rows, %+v, %+v, %+v", len(d.Rows), d.Start, d.End, d)
	}
	for i, r := range d.Rows {
		if i > 0 && r.Seq <= d.Rows[i-1].Seq {
			t.Errorf("row %d is number %d", i, r.Seq)
		}
	}
	var prompt, response int
	for i, r := range d.Rows {
		if r.Method == "session/prompt" && r.Kind == "request" {
			prompt = i
		} else if r.Method == "session/prompt" {
			response = i
		}
	}
	if r := d.Rows[prompt]; *r.Response != response || *d.Rows[response].Request != prompt || r.Session != 1 || r.ID != "2" || r.At != 1131000 || r.Wall != 1795248001131 {
		t.Errorf("the prompt is %+v", r)
	}
	if len(d.Plans) != 6 || len(d.Sessions) != 1 {
		t.Fatalf("plans %+v, sessions %q", d.Plans, d.Sessions)
	}
	p, q := d.Plans[4], d.Plans[5]
	if !p.Sent || p.Seen || p.ID != "main" || q.Sent || !q.Seen || q.ID != "" || *d.Rows[q.Row].Of != p.Row || q.Entries[2] != (entry{"Change the comment state to a depth", "in_progress", "medium"}) {
		t.Errorf("%+v, %+v", p, q)
	}
}

// The page's filters match the same messages as those of the command line. TestBrowser counts by
// the same table.
func TestFilterCounts(t *testing.T) {
	h := read(t, conversation(1))
	for text, want := range filterCounts {
		q, err := query.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		got := 0
		for _, m := range h.Messages {
			if q.Match(m) {
				got++
			}
		}
		for _, r := range h.Others {
			if q.MatchOther(r) {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestPlans(t *testing.T) {
	update := func(seq int, text string) string {
		return fmt.Sprintf(`{"kind":"message","seq":%d,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}}`+"\n", seq, text)
	}
	d := inside(t, written(t, update(1, `{"sessionUpdate":"plan","entries":[{"content":"a","status":"cancelled"},"b"]}`)+
		update(2, `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"m","content":"- x"}}`)+
		update(3, `{"sessionUpdate":"plan_update","plan":{"type":"file","id":"f","uri":"file:///p"}}`)+
		update(4, `{"sessionUpdate":"plan_removed","planId":"m"}`)+
		update(5, `{"sessionUpdate":"plan"}`), Options{}))
	want := []plan{
		{Row: 0, Sent: true, Seen: true, Session: 1, Kind: "entries", Entries: []entry{{"a", "cancelled", ""}, {`"b"`, "", ""}}},
		{Row: 1, Sent: true, Seen: true, Session: 1, ID: "m", Kind: "markdown", Text: "- x"},
		{Row: 2, Sent: true, Seen: true, Session: 1, ID: "f", Kind: "file", Text: "file:///p"},
		{Row: 3, Sent: true, Seen: true, Session: 1, ID: "m", Kind: "removed"},
	}
	if fmt.Sprintf("%+v", d.Plans) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", d.Plans, want)
	}
}

// Pieces name the first piece of their message. A single piece names none.
func TestStreams(t *testing.T) {
	seq := 0
	rec := func(kind, rest string) string {
		seq++
		return fmt.Sprintf(`{"kind":%q,"seq":%d,%s}`+"\n", kind, seq, rest)
	}
	chunk := func(id, stage string) string {
		return rec("message", `"dir":"agent","len":1`+stage+`,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"`+id+`,"content":{"type":"text","text":"a"}}}}`)
	}
	const in, out, m = `,"stage":"in"`, `,"stage":"out","of":`, `,"messageId":"m"`
	source := chunk("", "") + chunk("", "") + rec("stderr", `"text":"x"`) + chunk("", "") + // 0 to 3
		chunk(m, "") + rec("event", `"event":{}`) + chunk(m, "") + chunk(`,"messageId":"n"`, "") + // 4 to 7
		chunk("", in) + chunk("", out+"9") + chunk("", in) + chunk("", out+"11") // 8 to 11
	var got []string
	for _, r := range inside(t, written(t, source, Options{})).Rows {
		if r.Stream == nil {
			got = append(got, "-")
		} else {
			got = append(got, strconv.Itoa(*r.Stream))
		}
	}
	if want := "0 0 - - 4 - 4 - 8 9 8 9"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The content of a record is in the file only as escaped JSON.
func TestHostileIsData(t *testing.T) {
	html := written(t, hostile, Options{Name: strings.Join(evil, "")})
	before, after, _ := strings.Cut(html, `id="record">`)
	text, behind, _ := strings.Cut(after, "</script>")
	if i := strings.IndexAny(text, "<>&\u2028\u2029"); i >= 0 {
		t.Errorf("in the data: %q", text[max(i-20, 0):i+20])
	}
	empty := written(t, "", Options{})
	beforeEmpty, after, _ := strings.Cut(empty, `id="record">`)
	_, behindEmpty, _ := strings.Cut(after, "</script>")
	if before != beforeEmpty || behind != behindEmpty {
		t.Error("a record changed the page around the data")
	}
	d := inside(t, html)
	if len(d.Rows) != 13*len(evil)+5 || !strings.Contains(d.Story.Missing, "1 line of the file is broken or incomplete") {
		t.Fatalf("%d rows, %s", len(d.Rows), d.Story.Missing)
	}
	for _, r := range d.Rows {
		if r.Dir != "" && r.Dir != "client" && r.Dir != "agent" || r.Stage != "" && r.Stage != "in" && r.Stage != "out" {
			t.Errorf("dir %q, stage %q", r.Dir, r.Stage)
		}
		if len(r.Method) > 310 || len(r.Text) > 4*16<<10 {
			t.Errorf("a method of %d bytes, a text of %d", len(r.Method), len(r.Text))
		}
	}
	if r := d.Rows[6]; !r.Bytes || !strings.HasSuffix(r.Text, `\xff\xfe\xc0`+"\r") || !strings.HasPrefix(r.Text, evil[0]) {
		t.Errorf("bytes that are no UTF-8: %q", r.Text)
	}
	if r := d.Rows[len(d.Rows)-1]; r.Cut != 99999999-int64(len(evil[0])) || r.Text != evil[0] {
		t.Errorf("a line that was not kept: %+v", r)
	}
}

func TestPolicy(t *testing.T) {
	html := written(t, "", Options{})
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)[1]
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(html)[1]
	script := regexp.MustCompile(`(?s)<script>(.*)</script>`).FindStringSubmatch(html)[1]
	for _, want := range []string{"default-src 'none';", "script-src '" + hash(script) + "';", "style-src '" + hash(style) + "';", "img-src data:;", "base-uri 'none';", "form-action 'none';"} {
		if !strings.Contains(policy, want) {
			t.Errorf("no %q in %q", want, policy)
		}
	}
	for _, forbidden := range []string{"unsafe", "http:", "https:", "*", "'self'"} {
		if strings.Contains(policy, forbidden) {
			t.Errorf("%q in %q", forbidden, policy)
		}
	}
	if strings.Contains(script, "</script") || strings.Contains(script, "<!--") {
		t.Error("the script ends itself")
	}
}

// Nothing in the page can turn a text into markup or code, or use the network.
func TestScriptHasNoSinks(t *testing.T) {
	sinks := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bFunction\s*\(|createContextualFragment|DOMParser|setHTML|srcdoc|` +
		`set(Timeout|Interval)\(\s*["'` + "`" + `]|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(|new Image|\.src\b|\.href\b|location\b|window\.open|\.on[a-z]+\s*=[^=]`)
	entries, err := page.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text := embedded(e.Name())
		if found := sinks.FindString(text); found != "" && e.Name() != "page.css" {
			t.Errorf("%s has %q", e.Name(), found)
		}
		if found := regexp.MustCompile(`(?i)https?://[^"]*|url\(|@import`).FindString(text); found != "" && found != "http://www.w3.org/2000/svg" {
			t.Errorf("%s has %q", e.Name(), found)
		}
	}
	if !sinks.MatchString(`a.innerHTML = b`) || !sinks.MatchString(`a.onclick = b`) {
		t.Error("the pattern finds nothing")
	}
}

func TestLimits(t *testing.T) {
	source := conversation(20)
	d := inside(t, written(t, source, Options{limits: limits{message: 50, total: 1 << 20, name: 300, rows: 100, entries: 2}}))
	if len(d.Rows) != 100 || d.LeftOut != len(inside(t, written(t, source, Options{})).Rows)-100 || d.Cut < 90 || d.Shown != 50 {
		t.Errorf("%d rows, %d left out, %d cut", len(d.Rows), d.LeftOut, d.Cut)
	}
	if r := d.Rows[0]; len(r.Text) != 50 || r.Cut != r.Len-1-50 {
		t.Errorf("%+v", r)
	}
	if p := d.Plans[0]; len(p.Entries) != 2 || p.LeftOut != 1 {
		t.Errorf("%+v", p)
	}
	html := written(t, source, Options{limits: limits{message: 1 << 20, total: 5000, name: 300, rows: 1000, entries: 2}})
	d = inside(t, html)
	texts := 0
	for _, r := range d.Rows {
		texts += len(r.Text)
	}
	if texts > 5000 || texts < 3000 || d.Cut == 0 || d.Rows[len(d.Rows)-1].Kind != "gap" || d.Rows[500].Kind == "" {
		t.Errorf("%d bytes of texts, %d cut", texts, d.Cut)
	}
	// Escaped, a byte may take six.
	worst := fmt.Sprintf(`{"kind":"stderr","seq":1,"text":%q}`+"\n", strings.Repeat("<", 9000))
	if n := len(written(t, strings.Repeat(worst, 30), Options{limits: limits{message: 1 << 20, total: 100_000, name: 300, rows: 1000, entries: 2}})) - len(written(t, "", Options{})); n > 170_000 {
		t.Errorf("the data takes %d bytes", n)
	}
	whole := fmt.Sprintf(`{"kind":"stderr","seq":1,"text":%q}`+"\n", strings.Repeat("a", 40_000)+"é")
	if r := inside(t, written(t, whole, Options{})).Rows[0]; len(r.Text) != 16<<10 || r.Cut != 40_002-16<<10 {
		t.Errorf("%d bytes are shown, %d not", len(r.Text), r.Cut)
	}
	if r := inside(t, written(t, whole, Options{Full: true})).Rows[0]; len(r.Text) != 40_002 || r.Cut != 0 {
		t.Errorf("in full %d bytes are shown, %d not", len(r.Text), r.Cut)
	}
}

func TestRedacted(t *testing.T) {
	const secret = "planted-5ecret-value"
	b64 := base64.StdEncoding.EncodeToString([]byte(`{"jsonrpc":"2.0","id":7,"method":"x","params":{"apiKey":"` + secret + `"}}` + "\r\n"))
	source := `{"kind":"start","schema":1,"run":"r","cwd":"/home/ada/project","argv":["agent","--api-key","` + secret + `"]}
{"kind":"stderr","seq":1,"text":"the session is 3f1c9a52-made-up, password=` + secret + `\n"}
{"kind":"message","seq":2,"dir":"client","len":100,"b64":"` + b64 + `"}
{"kind":"message","seq":3,"dir":"client","len":99999999,"head":"` + b64 + `","sha256":"00"}
{"kind":"message","seq":4,"dir":"client","len":9,"msg":[{"jsonrpc":"2.0","id":8,"method":"authenticate","params":{"methodId":"m","token":"` + secret + `"}},{"jsonrpc":"2.0","method":"y"}]}
{"kind":"message","seq":5,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"no: api_key=` + secret + `"}}}
{"kind":"gap","seq":6,"stream":"all","count":1,"bytes":1,"why":"open /home/ada/x: gone"}
{"kind":"message","seq":7,"dir":"client","len":9,"msg":{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"3f1c9a52-made-up"}}}
`
	redactor, err := redact.New(redact.Options{Home: "/home/ada", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(source)), nil }
	h, err := export.Read(open, export.Options{Redactor: redactor})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, h, Options{}); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	for _, gone := range []string{secret, "/home/ada", "3f1c9a52"} {
		if i := strings.Index(html, gone); i >= 0 {
			t.Errorf("%q is there: …%s…", gone, html[i-100:i+40])
		}
		if !strings.Contains(written(t, source, Options{}), gone) {
			t.Errorf("%q is not in the report with secrets: this test shows nothing", gone)
		}
	}
	d := inside(t, html)
	if len(d.Rows) != 8 || !d.Redacted || !d.Rows[0].Redacted || !d.Rows[1].Redacted || d.Rows[4].Redacted == d.Rows[3].Redacted && d.Rows[4].Seq != 4 {
		t.Errorf("%d rows", len(d.Rows))
	}
	if !d.Rows[1].Secrets || d.Rows[7].Secrets || !d.Rows[7].Redacted {
		t.Errorf("a session id is told as a secret, or a secret is not: %+v, %+v", d.Rows[1], d.Rows[7])
	}
	if r := d.Rows[5]; *r.Request != 3 || r.Method != "authenticate" || !r.Failed {
		t.Errorf("the response: %+v", r)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{"a\xffb": `a\xffb`, "é\xc3": `é\xc3`, "ok\x00": "ok\x00"} {
		got, bad := visible([]byte(text))
		if got != want || bad != strings.Contains(want, `\x`) {
			t.Errorf("%s: %q, %v", strconv.Quote(text), got, bad)
		}
	}
}
