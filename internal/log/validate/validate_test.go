package validate

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate/schema"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// report checks lines such as "client {…}", "agent out {…}" and "agent out:NUMBER {…}".
func report(t testing.TB, lines ...string) Report {
	t.Helper()
	var book history.Conversation
	var messages []*history.Message
	for i, line := range lines {
		head, _, _ := strings.Cut(line, "{")
		dir, stage, _ := strings.Cut(strings.TrimSpace(head), " ")
		stage, number, _ := strings.Cut(stage, ":")
		of, _ := strconv.ParseUint(number, 10, 64)
		text := strings.TrimPrefix(line, head)
		messages = append(messages, book.Add(record.Record{Seq: uint64(i + 1), Message: &record.Message{
			Dir: wire.Side(dir), Stage: stage, Of: of, Line: []byte(text + "\n"),
		}})...)
	}
	return Check(&history.History{Messages: messages})
}

func update(body string) string {
	return `agent {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + body + `}}`
}

func TestCheck(t *testing.T) {
	ask := `client {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	for _, test := range []struct {
		about string
		lines []string
		want  string // "seq level pointer text" of each finding
	}{
		{"a plan", []string{update(`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}`)}, ""},
		{"values that readers replace by the default", []string{update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":5}`)},
			`1 error /params/update/title want string or null, have number; readers use the default`},
		{"items that readers skip", []string{update(`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"high"}]}`)},
			`1 error /params/update/entries/1 "status" is missing; readers skip the item`},
		{"null in place of the default", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":null}}`},
			`1 error /params/mcpServers want array, have null; readers use the default`},
		{"a missing member", []string{update(`{"sessionUpdate":"tool_call","title":"a"}`)}, `1 error /params/update "toolCallId" is missing`},
		{"a missing discriminator", []string{update(`{"entries":[]}`)}, `1 error /params/update "sessionUpdate" is missing`},
		{"an unknown update", []string{update(`{"sessionUpdate":"weather"}`)}, `1 note /params/update/sessionUpdate unknown value "weather"`},
		{"an update that is not a string", []string{update(`{"sessionUpdate":5}`)}, `1 error /params/update/sessionUpdate unknown value 5`},
		{"an unstable update", []string{update(`{"sessionUpdate":"cursor_update","cursorId":"c"}`)},
			`1 note /params/update/sessionUpdate only the unstable schema has "cursor_update"`},
		{"a wrong unstable update", []string{update(`{"sessionUpdate":"cursor_update","cursorId":7}`)},
			`1 note /params/update/sessionUpdate only the unstable schema has "cursor_update"
1 error /params/update/cursorId want string, have number`},
		{"an unstable kind among others", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[{"type":"acp","name":"a","serverId":"b"}]}}`},
			`1 note /params/mcpServers/0/type only the unstable schema has "acp"`},
		{"unstable members", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],"configOptions":[{"configId":"model","value":"m"}]}}`},
			`1 note /params/configOptions only the unstable schema has "configOptions"`},
		{"wrong unstable members", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],"configOptions":[{"value":"m"}]}}`},
			`1 note /params/configOptions only the unstable schema has "configOptions"
1 error /params/configOptions/0 "configId" is missing`},
		{"an unstable method", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/options","params":{"cwd":"/"}}`, `agent {"jsonrpc":"2.0","id":1,"result":{"configOptions":[]}}`},
			`1 note /method only the unstable schema has this method
2 note /method only the unstable schema has this method`},
		{"plan updates", []string{update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"a","path":"/p.md"}}`), update(`{"sessionUpdate":"plan_removed","planId":"p"}`)},
			`1 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "plan_update"
1 note /params/update/plan/path stable since schema 1.20.0: older clients may not know "path"
2 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "plan_removed"`},
		{"a wrong plan update", []string{update(`{"sessionUpdate":"plan_removed","planId":7}`)},
			`1 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "plan_removed"
1 error /params/update/planId want string, have number`},
		{"the older spelling of the id", []string{update(`{"sessionUpdate":"plan_removed","id":"p"}`)},
			`1 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "plan_removed"
1 error /params/update "planId" is missing`},
		{"a plan file, which is gone", []string{update(`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","uri":"file:///p.md"}}`)},
			`1 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "plan_update"
1 note /params/update/plan/type only schemas before 1.20.0 have this: unknown value "file", want one of "items", "markdown"`},
		{"a type that never was", []string{update(`{"sessionUpdate":"plan_update","plan":{"type":"song","planId":"p"}}`)},
			`1 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "plan_update"
1 error /params/update/plan/type unknown value "song", want one of "items", "markdown"`},
		{"subagents", []string{
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session","sessionId":"c"}]}`),
			update(`{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"running"}}`),
			update(`{"sessionUpdate":"session_message","messageId":"m","content":[{"type":"text","text":"a"}]}`)},
			`1 note /params/update/content/0/type stable since schema 1.20.0: older clients may not know "session"
2 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "subagent_update"
3 note /params/update/sessionUpdate stable since schema 1.20.0: older clients may not know "session_message"`},
		{"session content without a session", []string{update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session"}]}`)},
			`1 note /params/update/content/0/type stable since schema 1.20.0: older clients may not know "session"
1 error /params/update/content/0 "sessionId" is missing; readers skip the item`},
		{"a system prompt", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"append","content":[]}}}`},
			`1 note /params/systemPrompt stable since schema 1.20.0: older agents may not know "systemPrompt"`},
		{"capabilities", []string{`client {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{},"subagents":{},"session":{"cursors":{}}}}}`,
			`agent {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"systemPrompt":{"append":{}},"options":{}}}}}`}, ""},
		{"notices and compaction", []string{update(`{"sessionUpdate":"notice","severity":"info","title":"a"}`), update(`{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}`)}, ""},
		{"a wrong item", []string{`client {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text"},{"type":"smell"}]}}`},
			`1 error /params/prompt/0 "text" is missing
1 error /params/prompt/1/type unknown value "smell", want one of "text", "image", "audio", "resource_link", "resource"`},
		{"a result by its method", []string{ask, `agent {"jsonrpc":"2.0","id":1,"result":{"stopReason":"tired"}}`},
			`2 error /result/stopReason unknown value "tired", want one of "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"`},
		{"an extension of an enumeration", []string{ask, `agent {"jsonrpc":"2.0","id":1,"result":{"stopReason":"_tired"}}`},
			`2 note /result/stopReason an extension: unknown value "_tired", want one of "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"`},
		{"an error", []string{ask, `agent {"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`},
			`2 error /error "message" is missing
2 error /error/code want integer, have string`},
		{"a response without a request", []string{`agent {"jsonrpc":"2.0","id":1,"result":5}`}, `1 note /id the request of this response is not in the record: the result was not checked`},
		{"methods", []string{`client {"jsonrpc":"2.0","method":"_a/b"}`, `client {"jsonrpc":"2.0","id":2,"method":"tea/make"}`, `client {"jsonrpc":"2.0","id":3,"method":"providers/list"}`},
			`1 note /method an extension
2 note /method the schema has no such method
3 note /method only the unstable schema has this method`},
		{"JSON-RPC", []string{`client {"id":1.5,"method":"logout"}`, `agent {"jsonrpc":"1.0","id":1.5,"result":{}}`},
			`1 error  "jsonrpc" is missing
1 error /id want a string or an integer, have 1.5
2 error /jsonrpc want "2.0", have "1.0"
2 error /id want a string or an integer, have 1.5`},
		{"the wrong side and kind", []string{`agent {"jsonrpc":"2.0","id":1,"method":"logout","params":{}}`, `client {"jsonrpc":"2.0","id":1,"method":"session/cancel","params":{"sessionId":"s"}}`, `client {"jsonrpc":"2.0","method":"logout"}`},
			`1 error /method this method is for the agent, but the agent sent it
2 error /id this is a notification in the schema, but it has an id
3 error  this is a request in the schema, but it has no id`},
		{"not a message", []string{`agent {"a":1}`}, `1 error  the line is not a JSON-RPC message`},
		{"a member that occurs twice", []string{`agent {"jsonrpc":"2.0","method":"_x","params":{"a":1,"a":2}}`}, `1 error  a member occurs twice: readers may use either one`},
		{"version 2", []string{
			`client {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}`,
			`agent {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"info":{"name":"b","version":"1"},"capabilities":{}}}`,
			update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`),
			update(`{"sessionUpdate":"plan_removed","planId":"p"}`),
			update(`{"sessionUpdate":"subagent_update","sessionId":"c"}`),
			update(`{"sessionUpdate":"cursor_update","cursorId":"c"}`),
			update(`{"sessionUpdate":"cursor_update","cursorId":7}`),
		}, `6 note /params/update/sessionUpdate only the unstable schema has "cursor_update"
7 note /params/update/sessionUpdate only the unstable schema has "cursor_update"
7 error /params/update/cursorId want string, have number`},
	} {
		r := report(t, test.lines...)
		var got []string
		for _, f := range r.Findings {
			level := "error"
			if f.Note {
				level = "note"
			}
			got = append(got, fmt.Sprintf("%d %s %s %s", f.Seq, level, f.Pointer, f.Text))
		}
		if got := strings.Join(got, "\n"); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.about, got, test.want)
		}
		if r.Errors+r.Notes != len(r.Findings) || r.Messages != len(test.lines) {
			t.Errorf("%s: %+v", test.about, r)
		}
	}
}

// What the unstable schema accepts is not an error, even if no name says so.
func TestOnlyTheUnstableSchemaAccepts(t *testing.T) {
	rules := func(typ string) *schema.Schema {
		return &schema.Schema{Rules: map[string]*schema.Rule{"P": {Properties: map[string]*schema.Rule{"a": {Types: []string{typ}}}}}}
	}
	c := messageCheck{m: &history.Message{Record: record.Record{Message: &record.Message{}}}, schemas: &schema.Version{Stable: rules("string"), Unstable: rules("null")}}
	c.member("params", map[string]any{"a": nil}, "P", "P")
	if len(c.found) != 1 || !c.found[0].Note || c.found[0].Pointer != "/params/a" || c.found[0].Text != "only the unstable schema accepts this: want string, have null" {
		t.Errorf("%+v", c.found)
	}
}

func TestVersions(t *testing.T) {
	offer := `client {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%d}}`
	for _, test := range []struct {
		lines   []string
		version string
		known   bool
	}{
		{nil, "1", true},
		{[]string{fmt.Sprintf(offer, 2)}, "2", true},
		{[]string{fmt.Sprintf(offer, 2), `agent {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`}, "1", true},
		{[]string{fmt.Sprintf(offer, 1), `agent {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"agentInfo":{"name":"a","version":"1"}}}`}, "1", true},
		{[]string{fmt.Sprintf(offer, 99)}, "99", false},
	} {
		if r := report(t, test.lines...); r.Version != test.version || r.Known != test.known || !r.Known && r.Messages > 0 {
			t.Errorf("%q: %+v", test.lines, r)
		}
	}
}

// TestBounded gives a message in which everything is wrong.
func TestBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	line := update(`{"sessionUpdate":"plan","entries":[` + strings.Repeat(`{"content":[[[]]]},`, 100_000) + `{}]}`)
	if r := report(t, line); r.Errors+r.Notes == 0 || r.Errors+r.Notes > 2*maxProblems {
		t.Errorf("%d errors, %d notes", r.Errors, r.Notes)
	}
	// Extensions are notes, and do not hide the error after them.
	line = update(`{"sessionUpdate":"plan","entries":[` + strings.Repeat(`{"content":"a","priority":"_x","status":"pending"},`, 3*maxProblems) + `{"content":"a","priority":"high","status":7}]}`)
	if r := report(t, line); r.Errors != 1 || r.Notes != maxProblems-1 {
		t.Errorf("an error after extensions: %d errors, %d notes", r.Errors, r.Notes)
	}
	blank := history.Message{Record: record.Record{Message: &record.Message{Dir: "agent", Line: []byte(" \r\n")}}, Kind: history.Other}
	if r := Check(&history.History{Messages: []*history.Message{&blank}}); len(r.Findings) > 0 {
		t.Errorf("a blank line: %+v", r)
	}
	long := history.Message{Record: record.Record{Message: &record.Message{Dir: "agent"}}, Kind: history.Other}
	if r := Check(&history.History{Messages: []*history.Message{&long}}); r.Errors > 0 || r.Notes != 1 {
		t.Errorf("a line that was too long: %+v", r)
	}
}

// The schema for a response is that of the request which the sender of the response got.
func TestAResponseIsHeldToTheRequestThatItsSenderGot(t *testing.T) {
	const (
		option = `{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"plan"}}`
		mode   = `{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"plan"}}`
		ask    = `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Sure?","requestedSchema":{"type":"object"}}}`
		permit = `{"jsonrpc":"2.0","id":"own","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`
		choice = `{"jsonrpc":"2.0","id":"own","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`
		empty  = `{"jsonrpc":"2.0","id":2,"result":{}}`
		all    = `{"jsonrpc":"2.0","id":2,"result":{"configOptions":[]}}`
	)
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"a bridged mode":                   {[]string{"client in " + option, "client out:1 " + mode, "agent in " + empty, "agent out:3 " + all}, ""},
		"one that acpshim does not bridge": {[]string{"client " + option, "agent " + empty}, `2 agent session/set_config_option "configOptions" is missing`},
		"one that acpshim bridges wrong":   {[]string{"client in " + option, "client out:1 " + mode, "agent in " + empty, "agent out:3 " + empty}, `4 acpshim session/set_config_option "configOptions" is missing`},
		"one that the agent gets wrong":    {[]string{"client in " + mode, "client out:1 " + option, "agent in " + empty, "agent out:3 " + empty}, `3 agent session/set_config_option "configOptions" is missing`},
		"a question":                       {[]string{"agent in " + ask, "agent out:1 " + permit, "client in " + choice, `client out:3 {"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}`}, ""},
		"one that the client gets wrong":   {[]string{"agent in " + ask, "agent out:1 " + permit, `client in {"jsonrpc":"2.0","id":"own","result":{}}`, `client out:3 {"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`}, `3 client session/request_permission "outcome" is missing`},
	} {
		var got []string
		for _, f := range report(t, test.lines...).Findings {
			if !f.Note {
				got = append(got, fmt.Sprint(f.Seq, " ", f.group().From, " ", f.Name, " ", f.Text))
			}
		}
		if got := strings.Join(got, "\n"); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
