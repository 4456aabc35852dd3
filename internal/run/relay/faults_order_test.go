package relay_test

import (
	"strings"
	"testing"
)

// Each test in this file checks one promise: what acpshim kept for a while goes on from where it
// was kept, so that it meets whatever else would have met it.

const marksPrompts = "[[rule]]\nname = 'x'\nmethod = 'session/prompt'\nset = { '/params/_marked' = true }\n"

// A queued prompt meets the rules, on both sides.
func TestAQueuedPromptMeetsTheRules(t *testing.T) {
	for _, place := range []string{"client", "agent"} {
		t.Run(place, func(t *testing.T) {
			c := newChain(t, "[turns]\nqueue = 1\n[rules]\nplace = '"+place+"'\n"+marksPrompts)
			c.session("s", "/w")
			c.client(promptOf("1", "s"), promptOf("2", "s"))
			if _, toAgent := c.got(); len(toAgent) != 1 || !isIn(toAgent, "_marked") {
				t.Fatalf("want the first prompt with its mark, the agent gets%s", short(toAgent))
			}
			c.agent(endOf("1"))
			if _, toAgent := c.got(); len(requests(toAgent, "session/prompt")) != 1 || !isIn(toAgent, "_marked") {
				t.Errorf("want the second prompt with its mark, the agent gets%s", short(toAgent))
			}
		})
	}
}

// A prompt that is sent again after a login meets the rules as it did before.
func TestAPromptThatIsSentAgainMeetsTheRules(t *testing.T) {
	for _, place := range []string{"client", "agent"} {
		t.Run(place, func(t *testing.T) {
			c := newChain(t, "[login]\nmethod = 'key'\n[rules]\nplace = '"+place+"'\n"+marksPrompts)
			c.session("s", "/w")
			c.client(promptOf("1", "s"))
			c.got()
			c.agent(errorOf("1", -32000, "log in"))
			_, toAgent := c.got()
			for _, id := range requests(toAgent, "authenticate") {
				c.agent(resultOf(id, "{}"))
			}
			if _, toAgent = c.got(); len(requests(toAgent, "session/prompt")) != 1 || !isIn(toAgent, "_marked") {
				t.Errorf("want the prompt with its mark, the agent gets%s", short(toAgent))
			}
		})
	}
}

// A queued prompt meets the rules also if it is released because the running prompt's id was
// reused.
func TestAQueuedPromptMeetsTheRulesWhenAnIDIsUsedAgain(t *testing.T) {
	c := newChain(t, "[turns]\nqueue = 2\n[rules]\nplace = 'agent'\n"+marksPrompts)
	c.session("s", "/w")
	c.client(promptOf("1", "s"), promptOf("2", "s"), promptOf("1", "s"))
	_, toAgent := c.got()
	for _, line := range toAgent {
		if !isIn([]string{line}, "_marked") {
			t.Errorf("want each prompt with its mark, the agent gets%s", short(toAgent))
			break
		}
	}
}

// The updates for a question are in order, also in a batch.
func TestWithdrawnQuestionInABatchBeginsBeforeItEnds(t *testing.T) {
	c := newChain(t, "")
	c.session("s", "/w")
	c.agent("[" + formOf("7", "s", "a") + "," + cancelRequest("7") + "]")
	toClient, toAgent := c.got()
	if len(responsesTo(toAgent, "7")) != 1 {
		t.Errorf("want one response to 7, the agent gets%s", short(toAgent))
	}
	all := strings.Join(toClient, "\n")
	begins, ends := strings.Index(all, `"sessionUpdate":"tool_call",`), strings.Index(all, `"status":"failed"`)
	if begins >= 0 && ends < begins {
		t.Errorf("want the end of the question after its beginning, the client gets%s", short(toClient))
	}
}

// Commands that the agent announces replace the configured ones, also in one batch with the
// response that opens the session.
func TestCommandsThatTheAgentAnnouncesInABatchCount(t *testing.T) {
	c := newChain(t, "[[command]]\nname = 'ours'\ndescription = 'd'\n")
	c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.agent(`[{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s"}},` + updateOf("s", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"theirs","description":"d"}]}`) + "]")
	toClient, _ := c.got()
	all := strings.Join(toClient, "\n")
	if theirs := strings.LastIndex(all, "theirs"); theirs < 0 || theirs < strings.LastIndex(all, "ours") {
		t.Errorf("want the agent's commands last, the client gets%s", short(toClient))
	}
}
