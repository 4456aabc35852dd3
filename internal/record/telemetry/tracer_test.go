package telemetry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/system/otlp"

	"github.com/google/go-cmp/cmp"
)

// recordOf returns a record. Each line has ">" for the client or "<" for the agent, the
// millisecond, and the message.
func recordOf(t *testing.T, ends bool, lines ...string) *history.History {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"kind":"start","schema":1,"run":"r","acpshim":"v"}` + "\n")
	for i, line := range lines {
		var who, extra string
		var ms int
		if _, err := fmt.Sscanf(line, "%1s %d", &who, &ms); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		at := strings.IndexByte(line, '{')
		if text := strings.Fields(line[:at]); len(text) > 2 {
			extra = text[2]
		}
		dir := map[string]string{">": "client", "<": "agent"}[who]
		fmt.Fprintf(&b, `{"kind":"message","seq":%d,"time":"2026-11-22T10:00:%02d.%03dZ","mono":%d,"dir":%q,%s"len":1,"msg":%s}`+"\n",
			i+1, ms/1000, ms%1000, ms*1_000_000, dir, extra, line[at:])
	}
	if ends {
		fmt.Fprintf(&b, `{"kind":"end","seq":%d,"status":0}`+"\n", len(lines)+1)
	}
	h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
	if err != nil || h.Broken > 0 {
		t.Fatalf("%v, %d lines are broken", err, h.Broken)
	}
	return h
}

// drawn returns spans as text, one per line and below its parent. It has the times in milliseconds,
// and the attributes that only some requests have.
func drawn(spans []*otlp.Span) string {
	var b strings.Builder
	known := map[otlp.SpanID]bool{}
	for _, s := range spans {
		known[s.ID] = true
	}
	var draw func(parent otlp.SpanID, indent string)
	draw = func(parent otlp.SpanID, indent string) {
		for _, s := range spans {
			isRoot := !known[s.Parent]
			if isRoot && indent == "" || !isRoot && s.Parent == parent {
				fmt.Fprintf(&b, "%s%s %d-%d%s\n", indent, s.Name, millisecond(s.Start), millisecond(s.End), facts(s))
				draw(s.ID, indent+"  ")
			}
		}
	}
	draw(otlp.SpanID{}, "")
	return b.String()
}

func millisecond(nanoseconds int64) int64 { return nanoseconds / 1e6 % 60_000 }

func facts(s *otlp.Span) (text string) {
	boring := []string{"rpc.system.name", "rpc.method", "jsonrpc.protocol.version", "jsonrpc.request.id", "network.transport", "gen_ai.operation.name", "gen_ai.conversation.id"}
	for _, a := range s.Attributes {
		if slices.Contains(boring, a.Key) || a.Key == "acp.sender" && *a.Value.Text != "acpshim" {
			continue
		}
		value, _ := json.Marshal(a.Value)
		_, short, _ := strings.Cut(strings.TrimSuffix(string(value), "}"), ":")
		text += " " + a.Key + "=" + short
	}
	for _, e := range s.Events {
		text += fmt.Sprintf(" @%d:%s", millisecond(e.Time), e.Name)
	}
	if s.Status.Code == otlp.Failed {
		text += strings.TrimRight(" FAILED "+s.Status.Message, " ")
	}
	return text
}

const (
	initialized = `< 5 {"id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"2"}}}`
	initialize  = `> 0 {"id":0,"method":"initialize","params":{"protocolVersion":1}}`
	prompt      = `> 100 {"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Say hi"},{"type":"image","data":""}]}}`
	ended       = `< 900 {"id":1,"result":{"stopReason":"end_turn"}}`
)

// update returns a session update of the agent.
func update(ms int, members string) string {
	return fmt.Sprintf(`< %d {"method":"session/update","params":{"sessionId":"s","update":{%s}}}`, ms, members)
}

func TestSpans(t *testing.T) {
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"a turn": {[]string{initialize, initialized, prompt,
			`> 10 {"id":"n","method":"session/new","params":{"cwd":"/"}}`,
			`< 20 {"id":"n","result":{"sessionId":"s","models":{"currentModelId":"m1"}}}`,
			update(150, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}`),
			update(160, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}`),
			`< 900 {"id":1,"result":{"stopReason":"max_tokens","usage":{"inputTokens":3,"outputTokens":4,"cachedReadTokens":0,"thoughtTokens":null}}}`},
			`initialize 0-5 gen_ai.agent.name="a" gen_ai.agent.version="2" acp.protocol_version="1"
session/new 10-20
invoke_agent a 100-900 gen_ai.request.model="m1" gen_ai.response.finish_reasons={"values":[{"stringValue":"max_tokens"}]} gen_ai.usage.input_tokens="3" gen_ai.usage.output_tokens="4" gen_ai.usage.cache_read.input_tokens="0" gen_ai.agent.name="a" gen_ai.agent.version="2" @150:acp.first_message_chunk
`},
		"the model of a prompt": {[]string{
			`> 1 {"id":"n","method":"session/new","params":{}}`,
			`< 2 {"id":"n","result":{"sessionId":"s","configOptions":[{"id":"x","category":"mode","currentValue":"plan"},{"id":"y","category":"model","currentValue":"m1"}]}}`,
			`> 3 {"id":"p","method":"session/prompt","params":{"sessionId":"s"}}`, `< 4 {"id":"p","result":{}}`,
			`> 5 {"id":"m","method":"session/set_model","params":{"sessionId":"s","modelId":"m2"}}`, `< 6 {"id":"m","result":{}}`,
			`> 7 {"id":"p","method":"session/prompt","params":{"sessionId":"s"}}`, `< 8 {"id":"p","result":{}}`,
			update(9, `"sessionUpdate":"config_option_update","configOptions":[{"category":"model","currentValue":"m3"}]`),
			`> 10 {"id":"p","method":"session/prompt","params":{"sessionId":"s"}}`, `< 11 {"id":"p","result":{}}`},
			`session/new 1-2
invoke_agent 3-4 gen_ai.request.model="m1"
session/set_model 5-6
invoke_agent 7-8 gen_ai.request.model="m2"
invoke_agent 10-11 gen_ai.request.model="m3"
`},
		"tool calls, a permission and requests below a prompt": {[]string{prompt,
			update(110, `"sessionUpdate":"tool_call","toolCallId":"t","title":"Run secret","kind":"execute","status":"pending"`),
			`< 120 {"id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]}}`,
			`> 420 {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"n"}}}`,
			update(430, `"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","_meta":{"claudeCode":{"toolName":"Bash"}}`),
			update(440, `"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"`),
			`< 450 {"id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/secret"}}`,
			`> 460 {"id":1,"error":{"code":-32603,"message":"no /secret"}}`,
			`< 470 {"id":2,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"u","kind":"switch_mode"},"options":[]}}`,
			`> 480 {"id":2,"result":{"outcome":{"outcome":"cancelled"}}}`,
			`> 490 {"method":"session/cancel","params":{"sessionId":"s"}}`,
			ended},
			`invoke_agent 100-900 gen_ai.response.finish_reasons={"values":[{"stringValue":"end_turn"}]} @490:acp.session_cancel
  execute_tool Bash 110-430 gen_ai.tool.call.id="t" gen_ai.tool.name="Bash" acp.tool_call.kind="execute" acp.tool_call.status="failed" error.type="failed" FAILED
    session/request_permission 120-420 acp.permission.outcome="selected" acp.permission.option_kind="reject_once"
  fs/read_text_file 450-460 error.type="-32603" rpc.response.status_code="-32603" FAILED
  execute_tool switch_mode 470-900 gen_ai.tool.call.id="u" gen_ai.tool.name="switch_mode" acp.tool_call.kind="switch_mode"
    session/request_permission 470-480 acp.permission.outcome="cancelled"
`},
		"a replayed tool call": {[]string{
			`> 1 {"id":"l","method":"session/load","params":{"sessionId":"s"}}`,
			update(2, `"sessionUpdate":"tool_call","toolCallId":"t","status":"completed"`),
			`< 3 {"id":"l","result":{}}`,
			update(4, `"sessionUpdate":"tool_call","toolCallId":"t","status":"completed"`)},
			`session/load 1-3
execute_tool other 4-4 gen_ai.tool.call.id="t" gen_ai.tool.name="other" acp.tool_call.status="completed"
`},
		"a rule answers, and acpshim asks": {[]string{
			`< 1 "stage":"in","by":["deny"], {"id":0,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"n","kind":"reject_once"}]}}`,
			`> 2 "stage":"out","by":["deny"], {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"n"}}}`,
			`< 3 "stage":"out", {"id":"own","method":"fs/read_text_file","params":{"sessionId":"s"}}`,
			`> 4 "stage":"in", {"id":"own","result":{}}`,
			`> 5 "stage":"in", {"id":1,"method":"session/set_mode","params":{"sessionId":"s"}}`,
			`> 5 "stage":"out","of":5, {"id":1,"method":"session/set_mode","params":{"sessionId":"s","x":1}}`,
			`< 6 "stage":"in", {"id":1,"result":{}}`,
			`< 6 "stage":"out","of":7, {"id":1,"result":{"x":1}}`},
			`session/request_permission 1-2 acpshim.answered_by={"values":[{"stringValue":"deny"}]} acp.permission.outcome="selected" acp.permission.option_kind="reject_once"
fs/read_text_file 3-4 acp.sender="acpshim"
session/set_mode 5-6
`},
		"options that have other ids for the client": {[]string{
			`< 1 "stage":"in", {"id":0,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"y","kind":"allow_once"}]}}`,
			`< 1 "stage":"out","of":1, {"id":0,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"allow_once","kind":"allow_once"}]}}`,
			`> 2 "stage":"in", {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`,
			`> 2 "stage":"out","of":3, {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`},
			`session/request_permission 1-2 acp.permission.outcome="selected" acp.permission.option_kind="allow_once"
`},
		"a question that acpshim asks in another form": {[]string{
			`< 1 "stage":"in","by":["questions"], {"id":7,"method":"elicitation/create","params":{"sessionId":"s"}}`,
			`< 1 "stage":"out","of":1,"by":["questions"], {"id":"own","method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"y","kind":"allow_once"}]}}`,
			`> 5 "stage":"in","by":["questions"], {"id":"own","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`,
			`> 6 "stage":"out","of":3,"by":["questions"], {"id":7,"result":{"action":"accept"}}`},
			`session/request_permission 1-5 acp.sender="acpshim" acp.permission.outcome="selected" acp.permission.option_kind="allow_once"
elicitation/create 1-6 acpshim.answered_by={"values":[{"stringValue":"questions"}]}
`},
		"a request that is sent again, and one that is sent later": {[]string{
			`> 1 {"id":1,"method":"session/new","params":{}}`,
			`< 2 "stage":"in","by":["login"], {"id":1,"error":{"code":-32000}}`,
			`> 3 "stage":"out","by":["login"], {"id":1,"method":"session/new","params":{}}`,
			`< 4 {"id":1,"result":{"sessionId":"s"}}`,
			`> 5 "stage":"in","by":["turns"], {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`,
			`> 6 "stage":"out","by":["turns"], {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`,
			`< 7 {"id":2,"result":{"stopReason":"end_turn"}}`},
			`session/new 1-4
invoke_agent 5-7 gen_ai.response.finish_reasons={"values":[{"stringValue":"end_turn"}]}
`},
		"responses that acpshim makes, and one that nobody gets": {[]string{
			`> 1 {"id":1,"method":"session/set_mode","params":{}}`,
			`< 2 "stage":"out","by":["turns"], {"id":1,"error":{"code":-1}}`,
			`< 3 "stage":"in","by":["turns"], {"id":1,"result":{}}`,
			`> 4 {"id":2,"method":"session/set_mode","params":{}}`,
			`< 5 "stage":"in","by":["rule"], {"id":2,"result":{}}`,
			`> 6 {"id":3,"method":"x","params":{}}`,
			`< 7 {"id":3,"result":{}}`},
			`session/set_mode 1-2 acpshim.answered_by={"values":[{"stringValue":"turns"}]} error.type="-1" rpc.response.status_code="-1" FAILED
session/set_mode 4-5
x 6-7
`},
		"an agent that ends": {[]string{prompt, update(110, `"sessionUpdate":"tool_call","toolCallId":"t","status":"in_progress"`)},
			`invoke_agent 100-110 error.type="no_response" FAILED
  execute_tool other 110-110 gen_ai.tool.call.id="t" gen_ai.tool.name="other" acp.tool_call.status="in_progress"
`},
		"an odd error": {[]string{`> 1 {"id":1,"method":"x","params":7}`, `< 2 {"id":1,"error":{"code":"secret","message":"secret"}}`},
			"x 1-2 error.type=\"_OTHER\" rpc.response.status_code=\"_OTHER\" FAILED\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a turn" { // in the order of their times
				slices.SortStableFunc(test.lines, func(a, b string) int { return at(a) - at(b) })
			}
			h := recordOf(t, true, test.lines...)
			spans, left := spansOf(h, false, Options{Run: "r"})
			slices.SortStableFunc(spans, compareStart)
			if diff := cmp.Diff(test.want, drawn(spans)); diff != "" || left > 0 {
				t.Errorf("%d omitted, %s", left, diff)
			}
			if text, _ := json.Marshal(spans); strings.Contains(string(text), "secret") || strings.Contains(string(text), "Say hi") {
				t.Errorf("there are contents in %s", text)
			}
		})
	}
}

func at(line string) (ms int) {
	fmt.Sscanf(line[1:], "%d", &ms)
	return ms
}

// Spans have contents only with Options.Contents.
func TestContents(t *testing.T) {
	h := recordOf(t, true, prompt,
		update(110, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi, "}`),
		update(120, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"token"}`),
		update(130, `"sessionUpdate":"tool_call","toolCallId":"t","title":"Run it","status":"pending","rawInput":{"command":"ls"}`),
		update(140, `"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":["a"],"rawInput":null`),
		`< 150 {"id":1,"error":{"code":1,"message":"too long"}}`)
	spans, _ := spansOf(h, false, Options{Run: "r", Contents: true, Redact: func(s string) string { return strings.ReplaceAll(s, "token", "[]") }})
	slices.SortStableFunc(spans, compareStart)
	const want = `invoke_agent 100-150 gen_ai.input.messages="[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Say hi\\n[image]\"}]}]" error.type="1" rpc.response.status_code="1" gen_ai.output.messages="[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Hi, []\"}]}]" @110:acp.first_message_chunk FAILED too long
  execute_tool other 130-140 gen_ai.tool.call.id="t" gen_ai.tool.name="other" acp.tool_call.status="completed" acp.tool_call.title="Run it" gen_ai.tool.call.arguments="{\"command\":\"ls\"}" gen_ai.tool.call.result="[\"a\"]"
`
	if diff := cmp.Diff(want, drawn(spans)); diff != "" {
		t.Error(diff)
	}
}

// A request whose response may be missing in the record has not failed. Open spans of a run that
// has not ended are omitted.
func TestUnfinished(t *testing.T) {
	killed := recordOf(t, false, prompt)
	if spans, _ := spansOf(killed, false, Options{}); len(spans) != 1 || spans[0].Status.Code != 0 || !strings.Contains(facts(spans[0]), "acpshim.incomplete=true") {
		t.Errorf("a record without an end: %s", drawn(spans))
	}
	if spans, _ := spansOf(killed, true, Options{}); len(spans) != 0 {
		t.Errorf("a run that goes on: %s", drawn(spans))
	}
}

// A prompt belongs to the trace that the client names. The agent may name a span in this trace.
func TestTraceContext(t *testing.T) {
	const trace, own = "80e1afed08e019fc1110464cfa66635c", `{"id":2,"method":"_x","params":{"sessionId":"s","_meta":{"traceparent":"00-%s-00000000000000aa-01"}}}`
	named := strings.Replace(prompt, `"prompt"`, `"_meta":{"traceparent":"00-`+trace+`-7a085853722dc6d2-01","tracestate":"v=1"},"prompt"`, 1)
	for name, test := range map[string]struct{ agent, parent string }{
		"the same":  {trace, "00000000000000aa"},
		"another":   {strings.Repeat("1", 32), ""},
		"none":      {strings.Repeat("0", 32), ""},
		"no hex":    {strings.Repeat("g", 32), ""},
		"too short": {"80", ""},
	} {
		h := recordOf(t, true, named, "< 110 "+fmt.Sprintf(own, test.agent), `> 120 {"id":2,"result":{}}`, ended)
		spans, _ := spansOf(h, false, Options{})
		asked, turn := spans[0], spans[1]
		if id, _ := turn.TraceID.MarshalText(); string(id) != trace || turn.TraceState != "v=1" {
			t.Errorf("%s: the prompt is in %s, %s", name, id, turn.TraceState)
		}
		parent, _ := turn.Parent.MarshalText()
		below, _ := asked.Parent.MarshalText()
		if want, _ := turn.ID.MarshalText(); test.parent == "" {
			test.parent = string(want)
		}
		if string(parent) != "7a085853722dc6d2" || string(below) != test.parent || asked.TraceID != turn.TraceID {
			t.Errorf("%s: the prompt is below %s, the request below %s, want %s", name, parent, below, test.parent)
		}
	}
	upper := strings.Replace(named, "80e1", "80E1", 1)
	if spans, _ := spansOf(recordOf(t, true, upper, ended), false, Options{}); spans[0].Parent != (otlp.SpanID{}) {
		t.Error("a traceparent with capitals is accepted")
	}
}

// Ids are unique, and depend only on the run and the message.
func TestIDs(t *testing.T) {
	h := recordOf(t, true, initialize, initialized, prompt, update(110, `"sessionUpdate":"tool_call","toolCallId":"t","status":"completed"`),
		update(120, `"sessionUpdate":"tool_call","toolCallId":"u","status":"completed"`), ended)
	one, _ := spansOf(h, false, Options{Run: "r"})
	two, _ := spansOf(h, false, Options{Run: "r"})
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
	other, _ := spansOf(h, false, Options{Run: "q"})
	ids := map[otlp.SpanID]bool{}
	for _, s := range append(one, other...) {
		ids[s.ID] = true
	}
	if len(ids) != 8 {
		t.Errorf("%d ids of 8 spans", len(ids))
	}
}

// Peers that never end requests and tool calls use bounded memory. Later spans are traced again.
func TestTracerIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	tracer := newTracer(Options{}, func(*otlp.Span) {})
	var c history.Conversation
	seq := uint64(0)
	add := func(line string) {
		seq++
		for _, m := range c.Add(record.Record{Kind: "message", Seq: seq, Message: &record.Message{Dir: record.Agent, Line: []byte(line)}}) {
			tracer.add(m)
		}
	}
	for i := range maxTools + 100 {
		add(fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"one","update":{"sessionUpdate":"tool_call","toolCallId":"%d","status":"completed"}}}`, i))
	}
	if n := len(tracer.sessions["one"].tools); n > maxTools || n == 0 {
		t.Errorf("%d tool calls of one session", n)
	}
	for i := range maxTools + 100 {
		add(fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"tool_call","toolCallId":"t","status":"completed"}}}`, i))
		if i%4 == 0 {
			add(fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
		}
	}
	if tracer.open != maxOpen || len(tracer.calls) != maxOpen || tracer.omitted == 0 {
		t.Errorf("%d spans have not ended, %d are omitted", tracer.open, tracer.omitted)
	}
	tools := 0
	for _, s := range tracer.sessions {
		tools += len(s.tools)
	}
	if len(tracer.sessions) > maxSessions || tools > maxTools {
		t.Errorf("%d sessions, %d tool calls", len(tracer.sessions), tools)
	}
	tracer.close()
	if tracer.open != 0 || tracer.known != 0 {
		t.Errorf("at the end %d spans and %d tool calls are known", tracer.open, tracer.known)
	}
}
