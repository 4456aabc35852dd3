package agents

import (
	"bytes"
	"slices"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
	"acpshim/internal/check/peer"
)

// judged returns what is wrong with lines of an agent. A line that begins with > is one of the
// client.
func judged(t testing.TB, lines ...string) conformance.Report {
	t.Helper()
	r := &run{report: conformance.NewCollector(wire.Agent), protocol: 1}
	p := &process{run: r, ctx: t.Context(), expects: true, client: &client{}, Process: peer.Ended(func(add func(wire.Side, []byte)) {
		for _, line := range lines {
			if sent, ok := bytes.CutPrefix([]byte(line), []byte(">")); ok {
				add(wire.Client, bytes.TrimSpace(sent))
			} else {
				add(wire.Agent, []byte(line))
			}
		}
	})}
	p.finish()
	return r.report.Report()
}

const (
	asked   = `> {"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`
	pending = `> {"jsonrpc":"2.0","id":1,"method":"_y"}`
	opened  = `{"jsonrpc":"2.0","id":0,"result":{"sessionId":"s"}}`
)

func updated(body string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + body + `}}`
}

// Each line breaks one rule, or none.
func TestLinesAreJudged(t *testing.T) {
	for _, c := range []struct{ line, rule, got string }{
		{"", "", ""},
		{" \t", "", ""},
		{"[]", "", ""},
		{"42", "stdout-json", `"42" on stdout after #3`},
		{`{"jsonrpc":"2.0","method":"x"`, "stdout-json", `"{\"jsonrpc\":\"2.0\",\"method\":\"x\"" on stdout after #3`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"_x"}`, "envelope", "#4 with the id 1.5"},
		{`{"jsonrpc":2.0,"method":"_x"}`, "envelope", "#4 with jsonrpc 2.0"},
		{`{"jsonrpc":"2.0","id":0}`, "envelope", "#4 without a method, a result or an error"},
		{`{"jsonrpc":"2.0","result":{}}`, "envelope", "#4 without id"},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, "one-response", "the response #4 with the id null"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}`, "envelope", `#4 with the error code "x"`},
		{`{"jsonrpc":"2.0","id":7,"method":"_x"}`, "", ""},
		{`{"jsonrpc":"2.0","method":"own/x"}`, "extension-names", "#4 own/x"},
		{`{"jsonrpc":"2.0","method":"$/progress"}`, "", ""},
		{`{"jsonrpc":"2.0","id":0,"method":"terminal/create","params":{"sessionId":"s","command":"x"}}`, "client-capabilities", "#4 terminal/create"},
		{updated(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","content":[{"type":"diff","path":"a","newText":"b"}]}`), "absolute-paths", `#4 content[0].path "a"`},
		{updated(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","locations":[{"path":"C:\\a"},{"path":"\\\\host\\a"}]}`), "", ""},
		{updated(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","content":[{"type":"session","sessionId":"x"}]}`), "gated-updates", "#4 tool_call with content of the type session"},
		{updated(`{"sessionUpdate":"_own","x":1}`), "", ""},
		{updated(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","own":1}}`), "root-fields", "#4 agent_message_chunk with content.own"},
		{updated(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"boolean","currentValue":true}]}`), "boolean-option", `#4 the option "a" of type boolean`},
		{updated(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"select","options":[]}]}`), "updates", `#4 config_option_update configOptions[0]: "currentValue" is missing; readers skip the item`},
	} {
		found := map[string]conformance.Finding{}
		for _, f := range judged(t, asked, opened, pending, c.line).Rules {
			if f.Status == conformance.Failed || f.Status == conformance.Warning {
				found[f.Rule] = f
			}
		}
		if c.rule == "" && len(found) == 0 {
			continue
		}
		if f := found[c.rule]; len(found) != 1 || len(f.Got) < len(c.got) || f.Got[:len(c.got)] != c.got {
			t.Errorf("%s: found %+v, want %s: %s", c.line, found, c.rule, c.got)
		}
	}
}

// Both spellings of the id of a plan are known, although a schema has only one.
func TestTheIDOfAPlanIsNotAFieldOfItsOwn(t *testing.T) {
	for update, want := range map[string]bool{
		`{"sessionUpdate":"plan_removed","planId":"p","id":"p"}`:                                                      false,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","id":"p","entries":[]}}`:                  false,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","id":"p","entries":[]},"planIdOfMine":1}`: true,
	} {
		r := judged(t, asked, opened, pending, updated(update))
		isFound := slices.ContainsFunc(r.Rules, func(f conformance.Finding) bool { return f.Rule == "root-fields" && f.Status == conformance.Warning })
		if isFound != want {
			t.Errorf("%s: found %t", update, isFound)
		}
	}
}

// Whatever an agent writes, the judge returns, and each rule has one finding.
func FuzzJudge(f *testing.F) {
	for _, line := range []string{
		updated(`{"sessionUpdate":"tool_call_update","toolCallId":null,"content":[[]],"locations":7}`),
		updated(`{"sessionUpdate":["tool_call"]}`), updated(`null`), updated(`{"sessionUpdate":"plan","entries":{}}`),
		`{"jsonrpc":"2.0","id":0,"result":[]}`, `{"id":{},"error":null}`, `{"method":"session/update"}`, "{\n\"id\":0,\n\"result\":{}}",
		`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"options":[null],"toolCall":[]}}`, "Content-Length: 7\r\n\r\n{}",
		`[{"id":0,"result":{}},null]`, "\xff{", `{"id":0,"id":1}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := judged(t, asked, text, opened, text)
		if len(r.Rules) != 43 || r.OK+r.Failed+r.Warnings+r.Skipped != 43 {
			t.Errorf("%d rules, %d+%d+%d+%d", len(r.Rules), r.OK, r.Failed, r.Warnings, r.Skipped)
		}
	})
}
