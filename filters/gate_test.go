package filters

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

// Records name the gate that dropped or removed something. Messages that no gate is for are not
// read.
func TestGates(t *testing.T) {
	const option = `{"method":"session/update","params":{"update":{"sessionUpdate":"config_option_update","configOptions":[{"type":"boolean"}]}}}`
	const link, text = `{"type":"session","sessionId":"child"}`, `{"type":"content","content":{"type":"text","text":"hi"}}`
	const whySubagents = "gate.subagents: the client does not announce support"
	call := func(members string) string {
		return `{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c",` + members + `}}}`
	}
	asked := func(content string) string {
		return `{"id":1,"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","content":[` + content + `]},"options":[]}}`
	}
	const notice = `{"method":"session/update","params":{"update":{"sessionUpdate":"notice"}}}`
	for _, test := range []struct {
		gate       string
		version    int
		line, want string // "" is the line as it is
		why        string
	}{
		{"notices", 1, notice, "-", "gate.notices: the client does not announce support"},
		{"notices", 2, notice, "", ""},
		{"notices", 1, option, "", ""},
		{"boolean_options", 1, notice, "", ""},
		{"boolean_options", 2, option, "", ""},
		{"boolean_options", 1, option, `{"method":"session/update","params":{"update":{"sessionUpdate":"config_option_update","configOptions":[]}}}`,
			"gate.boolean_options: the client does not announce support"},
		{"subagents", 1, call(`"status":"completed","content":[` + link + `]`), call(`"status":"completed"`), whySubagents},
		{"subagents", 1, call(`"content":[` + link + `,` + text + `]`), call(`"content":[` + text + `]`), whySubagents},
		{"subagents", 1, call(`"content": [ ` + link + ` ]`), strings.TrimSuffix(call(""), `,}}}`) + `}}}`, whySubagents},
		{"subagents", 1, call(`"content":[` + text + `]`), "", ""},
		{"subagents", 1, call(`"content":[],"title":"session"`), "", ""},
		{"subagents", 1, asked(link), `{"id":1,"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c"},"options":[]}}`, whySubagents},
		{"subagents", 1, asked(text), "", ""},
		{"subagents", 2, call(`"content":[` + link + `]`), "", ""},
	} {
		gate := NewGatekeeper(func(_, _ conversation.Implementation) []string { return []string{test.gate} })
		b := dispatchtest.New(conversation.New(conversation.Options{}), dispatch.Options{Adapters: []dispatch.Adapter{gate}}).Negotiate(test.version)
		b.Says(dispatch.Agent, test.line)
		out := strings.TrimSuffix(strings.Join(b.ToClient, ""), "\n")
		want := map[string]string{"": test.line, "-": ""}[test.want]
		if test.want != "" && test.want != "-" {
			want = test.want
		}
		if out != want || b.Why != test.why {
			t.Errorf("%s, version %d: %s became %q because %q", test.gate, test.version, test.line, out, b.Why)
		}
		if test.gate == "notices" {
			for _, w := range gate.Wants() {
				if len(w.Responses) > 0 || slices.Contains(w.Updates, "config_option_update") {
					t.Errorf("it wants %+v", w)
				}
			}
		}
	}
}

// Features that the client announces pass. Options are also removed when a session is opened.
func TestGatesOfSessions(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{}`: `{"id":1,"result":{"sessionId":"s","configOptions":[{"type":"select"}]}}`,
		`{"session":{"configOptions":{"boolean":{}}}}`: `{"id":1,"result":{"sessionId":"s","configOptions":[{"type":"boolean"},{"type":"select"}]}}`,
	} {
		gate := NewGatekeeper(func(_, _ conversation.Implementation) []string { return []string{"boolean_options"} })
		d := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Adapters: []dispatch.Adapter{gate}})
		through(d.FromClient(), `{"id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":`+capabilities+`}}`)
		through(d.FromAgent(), `{"id":0,"result":{"protocolVersion":1}}`)
		through(d.FromClient(), `{"id":1,"method":"session/new","params":{}}`)
		got := through(d.FromAgent(), `{"id":1,"result":{"sessionId":"s","configOptions":[{"type":"boolean"},{"type":"select"}]}}`)
		if got != want+"\n" {
			t.Errorf("with %s the client gets %s", capabilities, got)
		}
	}
}
