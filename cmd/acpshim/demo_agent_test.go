//go:build unix

package main

import (
	"bufio"
	"strings"
	"testing"
)

// The agent for the tests of clients plays the scenes that a prompt names, and with acpshim in
// between an old client gets only what it knows.
func TestTheAgentForTestsOfClients(t *testing.T) {
	for _, test := range []struct {
		argv      []string
		has, lack []string
	}{
		{[]string{"acpshim", "demo", "agent"},
			[]string{`"plan_update"`, `"plan_removed"`, `"kind":"allow_persistent"`}, []string{"TodoWrite", "null"}},
		{[]string{"acpshim", "--log-level", "off", "--", "acpshim", "demo", "agent"},
			[]string{`"sessionUpdate":"plan"`, `"kind":"allow_always"`, "Tag the release"}, []string{`"plan_update"`, `"plan_removed"`}},
	} {
		s := startCommand(t, test.argv...)
		s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n")
		var got strings.Builder
		out := bufio.NewScanner(s.out)
		for out.Scan() {
			line := out.Text()
			got.WriteString(line + "\n")
			switch {
			case strings.Contains(line, `"id":1,"result"`):
				s.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"demo","prompt":[{"type":"text","text":"plans permission"}]}}` + "\n")
			case strings.Contains(line, "session/request_permission"):
				s.send(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}` + "\n")
			case strings.Contains(line, `"id":2,"result":{"stopReason":"end_turn"}`):
				s.in.Close()
			}
		}
		s.exits(0)
		for _, text := range test.has {
			if !strings.Contains(got.String(), text) {
				t.Errorf("%v: the client does not get %s in %s", test.argv, text, &got)
			}
		}
		for _, text := range test.lack {
			if strings.Contains(got.String(), text) {
				t.Errorf("%v: the client gets %s", test.argv, text)
			}
		}
	}
}
