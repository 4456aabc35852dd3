package instructions

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

func newBench(capabilities string) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	a := New(c, func(_, _ conversation.Implementation) string { return "Be \"brief\".\n" })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
	b.Says(dispatch.Client, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	b.Says(dispatch.Agent, `{"id":0,"result":{"protocolVersion":1,"agentCapabilities":`+capabilities+`}}`)
	b.Sent()
	return b
}

const (
	block = `{"type":"text","text":"Be \"brief\".\n"}`
	first = `{"type":"text","text":"Be \"brief\".\n\n"}` // a blank line separates it from the prompt
)

func prompt(id, session, blocks string) string {
	return `{"id":` + id + `,"method":"session/prompt","params":{"sessionId":"` + session + `", "prompt":[` + blocks + `]}}`
}

// say sends lines, which name their sender, and returns what the agent gets of those of the client.
func say(b *dispatchtest.Bench, lines ...string) (toAgent []string) {
	for _, line := range lines {
		from, line, _ := strings.Cut(line, " ")
		b.Says(dispatch.Side(from), line)
	}
	_, toAgent = b.Sent()
	for i := range toAgent {
		toAgent[i] = strings.TrimSuffix(toAgent[i], "\n")
	}
	return toAgent
}

const (
	hi      = `{"type":"text","text":"hi"}`
	command = `{"type":"text","text":"/compact"}`
	done    = `agent {"id":2,"result":{"stopReason":"end_turn"}}`
)

var opened = []string{`client {"id":1,"method":"session/new","params":{"cwd":"/"}}`, `agent {"id":1,"result":{"sessionId":"s"}}`}

// The first prompt that is not a command has the text, and no other one.
func TestTheFirstPromptHasTheText(t *testing.T) {
	b := newBench(`{}`)
	say(b, opened...)
	got := say(b, "client "+prompt("2", "s", command), done, "client "+prompt("2", "s", hi), "client "+prompt("3", "s", hi), done,
		`agent {"id":3,"result":{}}`, "client "+prompt("2", "s", hi), "client "+prompt("4", "t", hi))
	want := []string{prompt("2", "s", command), prompt("2", "s", first+","+hi), prompt("3", "s", hi), prompt("2", "s", hi), prompt("4", "t", hi)}
	if !slices.Equal(got, want) {
		t.Errorf("the agent gets %q", got)
	}
}

// A prompt that is refused, such as for a missing login, does not use the text up.
func TestARefusedPromptHasGivenNothing(t *testing.T) {
	b := newBench(`{}`)
	say(b, opened...)
	got := say(b, "client "+prompt("2", "s", ""), `agent {"id":2,"error":{"code":-32000,"message":"log in"}}`, "client "+prompt("2", "s", hi), done, "client "+prompt("2", "s", hi))
	if want := []string{prompt("2", "s", first), prompt("2", "s", first+","+hi), prompt("2", "s", hi)}; !slices.Equal(got, want) {
		t.Errorf("the agent gets %q", got)
	}
}

// They had the text when they were new.
func TestSessionsFromBeforeGetNoText(t *testing.T) {
	for _, method := range []string{"session/load", "session/resume", "session/fork"} {
		for _, capabilities := range []string{`{}`, `{"sessionCapabilities":{"systemPrompt":{}}}`} {
			b := newBench(capabilities)
			open := `{"id":1,"method":"` + method + `","params":{"sessionId":"s","cwd":"/"}}`
			got := say(b, "client "+open, `agent {"id":1,"result":{"sessionId":"s"}}`, "client "+prompt("2", "s", hi))
			if want := []string{open, prompt("2", "s", hi)}; !slices.Equal(got, want) {
				t.Errorf("%s: the agent gets %q", method, got)
			}
		}
	}
}

func TestTheSystemPromptHasTheText(t *testing.T) {
	open := func(params string) string {
		return `{"id":1,"method":"session/new","params":{"cwd":"/"` + params + `}}`
	}
	for params, want := range map[string]string{
		``:                      `,"systemPrompt":{"mode":"append","content":[` + block + `]}`,
		`,"systemPrompt":null`:  `,"systemPrompt":{"mode":"append","content":[` + block + `]}`,
		`,"systemPrompt":"odd"`: `,"systemPrompt":{"mode":"append","content":[` + block + `]}`,
		`,"systemPrompt":{"mode":"override","content":[` + hi + `],"_meta":{"x":1}}`: `,"systemPrompt":{"mode":"override","content":[` + hi + `,` + block + `],"_meta":{"x":1}}`,
		`,"systemPrompt":{"mode":"append","content":7}`:                              `,"systemPrompt":{"mode":"append","content":7}`,
	} {
		b := newBench(`{"sessionCapabilities":{"systemPrompt":{}}}`)
		got := say(b, "client "+open(params), `agent {"id":1,"result":{"sessionId":"s"}}`, "client "+prompt("2", "s", hi))
		if want := []string{open(want), prompt("2", "s", hi)}; !slices.Equal(got, want) {
			t.Errorf("%s: the agent gets %q", params, got)
		}
	}
}
