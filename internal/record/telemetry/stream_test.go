package telemetry

import (
	"strings"
	"testing"

	"acpshim/internal/record"
)

func TestStream(t *testing.T) {
	chunk := func(session, update string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"` + update + `"}}}`
	}
	const message, thought = "agent_message_chunk", "agent_thought_chunk"
	for name, test := range map[string]struct{ skipped, lines string }{
		"pieces":                {"-++", chunk("s", message) + "\n" + chunk("s", message) + "\n" + chunk("s", message)},
		"thoughts":              {"+-++", chunk("s", thought) + "\n" + chunk("s", message) + "\n" + chunk("s", thought) + "\n" + chunk("s", message)},
		"two sessions":          {"---", chunk("s", message) + "\n" + chunk("r", message) + "\n" + chunk("s", message)},
		"something else":        {"---", chunk("s", message) + "\n" + chunk("s", "tool_call") + "\n" + chunk("s", message)},
		"an escape":             {"--", chunk("s", message) + "\n" + chunk("s", `agent_message_ch\u0075nk`)},
		"a batch":               {"--", chunk("s", message) + "\n[" + chunk("s", message) + "]"},
		"an id at the end":      {"-+", chunk("s", message) + "\n" + strings.TrimSuffix(chunk("s", message), "}") + `,"id":1}`},
		"no session":            {"--", chunk("", message) + "\n" + chunk("", message)},
		"a method of the agent": {"-", `{"method":"x","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk"}}}`},
	} {
		var s chunkFilter
		got := ""
		for line := range strings.SplitSeq(test.lines, "\n") {
			got += map[bool]string{true: "+", false: "-"}[s.canSkip(&record.Message{Dir: record.Agent, Line: []byte(line)}, false)]
		}
		if got != test.skipped {
			t.Errorf("%s: skipped %s, want %s", name, got, test.skipped)
		}
	}
	s := chunkFilter{session: "s"}
	for what, m := range map[string]*record.Message{
		"of the client": {Dir: record.Client, Line: []byte(chunk("s", thought))},
		"changed":       {Dir: record.Agent, Stage: "in", Line: []byte(chunk("s", thought))},
		"too long":      {Dir: record.Agent},
	} {
		if s.canSkip(m, false) {
			t.Errorf("one %s was skipped", what)
		}
	}
	if s = (chunkFilter{session: "s"}); s.canSkip(&record.Message{Dir: record.Agent, Line: []byte(chunk("s", message))}, true) {
		t.Error("with contents, a chunk was skipped")
	}
}
