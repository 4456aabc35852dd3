//go:build unix

package relay_test

import (
	"strings"
	"testing"
	"time"
)

// session/cancel is about earlier prompts. A waiting prompt reaches the agent before the cancel or
// not at all. The agent does not read while both are sent.
func TestACancelDoesNotOvertakeAPrompt(t *testing.T) {
	t.Parallel()
	l := startLive(t, "[turns]\nqueue = 1\n", []string{"s", "t"})
	l.clientSays(promptOf("1", "s"))
	l.agentHears(promptOf("1", "s"))
	l.clientSays(promptOf("2", "s"))
	// The agent takes nothing: what the client sends next is being written.
	large := promptOf(`"t"`, "t")
	l.clientSays(strings.Replace(large, `"prompt":[]`, `"prompt":[{"type":"text","text":"`+strings.Repeat("x", 2<<20)+`"}]`, 1), cancelOf("s"))
	l.agentSays(endOf("1"))
	l.clientHears(`"id":1`)
	time.Sleep(50 * time.Millisecond) // for the prompt that is released
	toAgent := append(l.agentHears("session/cancel"), l.agentHearsAll(300*time.Millisecond)...)
	cancelled := -1
	for i, line := range toAgent {
		switch {
		case strings.Contains(line, "session/cancel"):
			cancelled = i
		case line == promptOf("2", "s") && cancelled >= 0:
			t.Errorf("want the cancel after prompt 2, the agent gets%s", short(toAgent))
		}
	}
}

// A pending document is also shown before the end of a turn that acpshim ends.
func TestATurnThatIsEndedForTheAgentShowsItsDocument(t *testing.T) {
	t.Parallel()
	const words = "Words that wait for the end of the turn."
	for name, end := range map[string]func(*live){
		"by the agent": func(l *live) { l.agentSays(endOf("1")) },
		"by acpshim":   func(l *live) { l.clientSays(cancelOf("s")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLive(t, "[turns]\ncancel_grace = '50ms'\n", []string{"s"})
			l.clientSays(promptOf("1", "s"))
			l.agentHears(promptOf("1", "s"))
			l.agentSays(updateOf("s", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# Title\n\n`+words+`\n\n- [ ] a\n"}}`))
			l.clientHears(`"plan"`)
			end(l)
			toClient := l.clientHears(`"id":1`)
			if name == "by acpshim" { // it was cancelled: nothing is added to it
				if isIn(toClient, words) {
					t.Errorf("want nothing before the response, the client gets%s", short(toClient))
				}
				l.clientSays(promptOf("2", "s"))
				l.agentHears(promptOf("2", "s"))
				l.agentSays(updateOf("s", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"next"}}`))
				toClient = l.clientHears("next")
			}
			if !isIn(toClient, words) {
				t.Errorf("want the document, the client gets%s", short(toClient))
			}
		})
	}
}
