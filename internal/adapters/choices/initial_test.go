package choices_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/choices"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

// newSetting returns a Bench whose agent announces capabilities of sessions.
func newSetting(capabilities string) *dispatchtest.Bench {
	return newSettingWith(conversation.Options{}, capabilities)
}

func newSettingWith(o conversation.Options, capabilities string) *dispatchtest.Bench {
	c := conversation.New(o)
	own := dispatch.NewOwnRequests("own-")
	a := choices.New(c, own, func(_, _ conversation.Implementation) bool { return true })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, OwnToAgent: own})
	b.Says(dispatch.Client, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	b.Says(dispatch.Agent, `{"id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":`+capabilities+`}}}`)
	b.Sent()
	return b
}

// talks sends lines, which name their sender, and returns what each side gets.
func talks(b *dispatchtest.Bench, lines ...string) (toClient, toAgent []string) {
	for _, line := range lines {
		from, line, _ := strings.Cut(line, " ")
		b.Says(dispatch.Side(from), line)
	}
	toClient, toAgent = b.Sent()
	for _, lines := range [][]string{toClient, toAgent} {
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\n")
		}
	}
	return toClient, toAgent
}

// expects fails the test unless a side gets lines that contain these texts, one each.
func expects(t *testing.T, who string, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("the %s gets %d lines, want %d:\n%s", who, len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range got {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("the %s gets\n%s\nwant in it\n%s", who, got[i], want[i])
		}
	}
}

// opens returns the lines that open a session with options. The agent has a mode as a list, and the
// options x and y with the values a and b, and z, which is a boolean.
func opens(session, entries string) []string {
	return []string{
		`client {"id":"n` + session + `","method":"session/new","params":{"cwd":"/","configOptions":[` + entries + `]}}`,
		`agent {"id":"n` + session + `","result":` + opened(session) + `}`,
	}
}

func opened(session string) string {
	return `{"sessionId":"` + session + `","modes":{"currentModeId":"a","availableModes":[{"id":"a"},{"id":"b"},{"id":"d"}]},"configOptions":` + options("a", "a") + `}`
}

func options(x, y string) string {
	return fmt.Sprintf(`[{"id":"x","type":"select","currentValue":"%s","options":[{"value":"a"},{"value":"b"}]},`+
		`{"id":"y","category":"speed","type":"select","currentValue":"%s","options":[{"value":"a"},{"value":"b"}]},{"id":"z","type":"boolean","currentValue":true}]`, x, y)
}

func entry(id, value string) string { return `{"configId":"` + id + `","value":"` + value + `"}` }

func promptOf(id, session string) string {
	return `client {"id":` + id + `,"method":"session/prompt","params":{"sessionId":"` + session + `"}}`
}

// set returns a response of the agent with the values of x and y.
func set(own int, x, y string) string {
	return fmt.Sprintf(`agent {"id":"own-%d","result":{"configOptions":%s}}`, own, options(x, y))
}

const refuses = `agent {"id":"own-%d","error":{"code":%d,"message":"no"}}`

// The options are set in order, each as the agent offers it, and the prompt waits for the last
// response. The client gets what the session then has, once.
func TestInitialOptionsAreSetInOrder(t *testing.T) {
	b := newSetting(`{}`)
	toClient, toAgent := talks(b, append(opens("s", entry("x", "b")+","+entry("mode", "b")+`,{"configId":"z","type":"boolean","value":false}`), promptOf("1", "s"))...)
	expects(t, "client", toClient, `"currentModeId":"a"`)
	expects(t, "agent", toAgent, `"session/new","params":{"cwd":"/","configOptions":[{"configId":"x"`, `"session/set_config_option","params":{"configId":"x","value":"b","sessionId":"s"}`)
	toClient, toAgent = talks(b, set(1, "b", "a"))
	expects(t, "client", toClient)
	expects(t, "agent", toAgent, `{"jsonrpc":"2.0","id":"own-2","method":"session/set_mode","params":{"sessionId":"s","modeId":"b"}}`)
	toClient, toAgent = talks(b, `agent {"id":"own-2","result":{}}`)
	expects(t, "client", toClient)
	expects(t, "agent", toAgent, `"session/set_config_option","params":{"configId":"z","type":"boolean","value":false,"sessionId":"s"}`)
	toClient, toAgent = talks(b, set(3, "b", "a"))
	expects(t, "client", toClient, `"config_option_update","configOptions":[{"id":"x","type":"select","currentValue":"b"`, `"current_mode_update","currentModeId":"b"`)
	expects(t, "agent", toAgent, `"session/prompt"`)
	if !strings.Contains(toClient[0], `"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"b"`) {
		t.Errorf("the client gets %s", toClient[0])
	}
	_, toAgent = talks(b, promptOf("2", "s"))
	expects(t, "agent", toAgent, `"id":2`)
}

// What the agent does not offer is not sent. Of two values for one option the last counts.
func TestInitialOptionsThatAreIgnored(t *testing.T) {
	for _, entries := range []string{
		``, `7,null,{},{"configId":7,"value":"a"}`, entry("unknown", "b"), entry("x", "c"), entry("mode", "c"), entry("z", "true"),
		`{"configId":"x","type":"boolean","value":true}`, `{"configId":"z","value":true}`, `{"configId":"z","type":"boolean","value":1}`,
		`{"configId":"mode","type":"boolean","value":"b"}`, `{"configId":"x","value":["b"]}`, `{"configId":"x"}`,
		`{"configId":"x","configId":"y","value":"b"}`, entry("x", "b") + "," + entry("x", "c"),
		`{"configId":"x","value":"b","_meta":"` + strings.Repeat("m", 4<<10) + `"}`,
	} {
		toClient, toAgent := talks(newSetting(`{}`), append(opens("s", entries), promptOf("1", "s"))...)
		expects(t, "client", toClient, `"sessionId":"s"`)
		expects(t, "agent", toAgent, `"session/new"`, `"session/prompt"`)
	}
	_, toAgent := talks(newSetting(`{}`), opens("s", entry("x", "a")+","+entry("y", "b")+","+entry("x", "b"))...)
	expects(t, "agent", toAgent, `"session/new"`, `"configId":"y"`)
	var many []string
	for i := range 70 {
		many = append(many, entry(fmt.Sprint("unknown ", i), "a"))
	}
	_, toAgent = talks(newSetting(`{}`), opens("s", strings.Join(many, ",")+","+entry("x", "b"))...)
	expects(t, "agent", toAgent, `"session/new"`)
	_, toAgent = talks(newSetting(`{}`), opens("s", strings.Join(many[:63], ",")+","+entry("x", "b"))...)
	expects(t, "agent", toAgent, `"session/new"`, `"configId":"x"`)
}

// The client is told nothing that the agent refuses, or that the response said already.
func TestRefusedInitialOptions(t *testing.T) {
	b := newSetting(`{}`)
	talks(b, opens("s", entry("x", "b")+","+entry("mode", "b")+","+entry("y", "a"))...)
	toClient, toAgent := talks(b, promptOf("1", "s"), fmt.Sprintf(refuses, 1, -32602), fmt.Sprintf(refuses, 2, -32601))
	expects(t, "client", toClient)
	expects(t, "agent", toAgent, `"modeId":"b"`, `"configId":"y"`)
	toClient, toAgent = talks(b, set(3, "a", "a"))
	expects(t, "client", toClient)
	expects(t, "agent", toAgent, `"session/prompt"`)
	toClient, _ = talks(b, set(3, "b", "b"))
	expects(t, "client", toClient) // the response comes twice
}

// A value is checked when its turn comes: another one may have changed what is offered.
func TestInitialValueThatIsNotOfferedAnyMore(t *testing.T) {
	b := newSetting(`{}`)
	talks(b, opens("s", entry("x", "b")+","+entry("y", "b"))...)
	_, toAgent := talks(b, `agent {"id":"own-1","result":{"configOptions":[{"id":"x","type":"select","currentValue":"b","options":[{"value":"b"}]}]}}`)
	expects(t, "agent", toAgent)
}

// An agent that does not know the method of an option gets that of the list.
func TestInitialOptionInTheOtherForm(t *testing.T) {
	b := newSetting(`{}`)
	_, toAgent := talks(b, `client {"id":1,"method":"session/new","params":{"configOptions":[`+entry("m", "b")+`]}}`,
		`agent {"id":1,"result":{"sessionId":"s",`+both[1:]+`}`)
	expects(t, "agent", toAgent, `session/new`, `session/set_config_option`)
	_, toAgent = talks(b, fmt.Sprintf(refuses, 1, -32601))
	expects(t, "agent", toAgent, `"session/set_mode","params":{"sessionId":"s","modeId":"b"}`)
	toClient, _ := talks(b, `agent {"id":"own-2","result":{}}`)
	expects(t, "client", toClient, `"configOptions":[{"id":"m","category":"mode","type":"select","currentValue":"b"`, `"currentModeId":"b"`)
}

// Updates of the agent reach the client at once, and are not repeated at the end.
func TestUpdatesWhileOptionsAreSet(t *testing.T) {
	b := newSetting(`{}`)
	talks(b, opens("s", entry("x", "b")+","+entry("mode", "b"))...)
	toClient, _ := talks(b, `agent {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":`+options("b", "a")+`}}}`, set(1, "b", "a"))
	expects(t, "client", toClient, `"currentValue":"b"`)
	toClient, _ = talks(b, `agent {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"b"}}}`)
	expects(t, "client", toClient, `current_mode_update`, `config_option_update`)
	toClient, _ = talks(b, `agent {"id":"own-2","result":{}}`)
	expects(t, "client", toClient)
}

// What the client sets itself meanwhile is not set again.
func TestTheClientSetsAnOptionMeanwhile(t *testing.T) {
	b := newSetting(`{}`)
	talks(b, opens("s", entry("x", "b")+","+entry("y", "b")+","+entry("mode", "b"))...)
	_, toAgent := talks(b, `client {"id":5,"method":"session/set_config_option","params":{"sessionId":"s","configId":"y","value":"a"}}`,
		`client {"id":6,"method":"session/set_mode","params":{"sessionId":"s","modeId":"a"}}`, set(1, "b", "a"))
	expects(t, "agent", toAgent, `"id":5`, `"id":6`)
}

// A prompt waits at most five seconds. What the agent sets later still reaches the client.
func TestAPromptWaitsFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSetting(`{}`)
		talks(b, append(opens("s", entry("x", "b")), promptOf("1", "s"), promptOf("2", "s"))...)
		time.Sleep(4900 * time.Millisecond)
		synctest.Wait()
		_, toAgent := talks(b)
		expects(t, "agent", toAgent)
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		_, toAgent = talks(b)
		expects(t, "agent", toAgent, `"id":1`, `"id":2`)
		toClient, toAgent := talks(b, promptOf("3", "s"))
		expects(t, "client", toClient)
		expects(t, "agent", toAgent, `"id":3`)
		toClient, _ = talks(b, set(1, "b", "a"), `agent {"id":1,"result":{}}`, `agent {"id":2,"result":{}}`, `agent {"id":3,"result":{}}`)
		expects(t, "client", toClient, `"currentValue":"b"`, `"id":1`, `"id":2`, `"id":3`)
		if b.Conversation.Busy() {
			t.Error("a prompt is still pending")
		}
	})
}

// A waiting prompt that is cancelled gets one response and never reaches the agent.
func TestAWaitingPromptIsCancelled(t *testing.T) {
	for _, cancel := range []string{`{"method":"session/cancel","params":{"sessionId":"s"}}`, `{"method":"$/cancel_request","params":{"requestId":1}}`} {
		b := newSetting(`{}`)
		talks(b, append(opens("s", entry("x", "b")), promptOf("1", "s"))...)
		toClient, _ := talks(b, "client "+cancel)
		expects(t, "client", toClient, `"id":1`)
		toClient, toAgent := talks(b, set(1, "b", "a"), promptOf("2", "s"))
		expects(t, "client", toClient, `"currentValue":"b"`)
		expects(t, "agent", toAgent, `"id":2`)
		if strings.Contains(strings.Join(toAgent, ""), `"id":1`) {
			t.Errorf("the agent gets %q", toAgent)
		}
	}
}

// When the session or the client ends, no prompt waits any longer, and late responses are dropped.
func TestTheEndOfASessionWithInitialOptions(t *testing.T) {
	b := newSetting(`{}`)
	talks(b, append(opens("s", entry("x", "b")+","+entry("y", "b")), promptOf("1", "s"), `client {"id":2,"method":"session/close","params":{"sessionId":"s"}}`)...)
	toClient, toAgent := talks(b, `agent {"id":2,"result":{}}`, set(1, "b", "a"))
	slices.Sort(toClient)
	expects(t, "client", toClient, `"id":2`, `"id":1,"result":{"stopReason":"cancelled"}`)
	expects(t, "agent", toAgent)

	b = newSetting(`{}`)
	talks(b, append(opens("s", entry("x", "b")), promptOf("1", "s"))...)
	out, _ := b.Client.Flush(nil, true)
	if !strings.Contains(string(out), "session/prompt") {
		t.Errorf("at the end the agent gets %s", out)
	}
	b.Client.Close()
	toClient, _ = talks(b, set(1, "b", "a"))
	expects(t, "client", toClient, `"currentValue":"b"`)
}

// Sessions do not wait for each other.
func TestInitialOptionsOfTwoSessions(t *testing.T) {
	b := newSetting(`{}`)
	talks(b, append(opens("s", entry("x", "b")), append(opens("t", entry("y", "b")), promptOf("1", "s"), promptOf("2", "t"))...)...)
	toClient, toAgent := talks(b, set(2, "a", "b"))
	expects(t, "client", toClient, `"sessionId":"t"`)
	expects(t, "agent", toAgent, `"id":2`)
	toClient, toAgent = talks(b, promptOf("3", "t"), promptOf("4", "u"), set(1, "b", "a"))
	expects(t, "client", toClient, `"sessionId":"s"`)
	expects(t, "agent", toAgent, `"id":3`, `"id":4`, `"id":1`)
}

// A prompt that comes before the response to session/load waits, too, unless that is refused.
func TestAPromptBeforeItsSessionIsLoaded(t *testing.T) {
	load := `client {"id":"l","method":"session/load","params":{"sessionId":"s","configOptions":[` + entry("x", "b") + `]}}`
	for response, want := range map[string][]string{
		`"result":` + opened("s"):            {`"configId":"x"`},
		`"error":{"code":-1,"message":"no"}`: {`"id":1`},
		`"result":null`:                      {`"id":1`},
		`"result":{},"result":{}`:            {`"id":1`},
	} {
		b := newSetting(`{}`)
		_, toAgent := talks(b, load, promptOf("1", "s"))
		expects(t, "agent", toAgent, `"id":"l"`)
		_, toAgent = talks(b, `agent {"id":"l",`+response+`}`)
		expects(t, "agent", toAgent, want...)
	}
	b := newSetting(`{}`)
	talks(b, load, promptOf("1", "s"), `agent {"id":"l","result":`+opened("s")+`}`)
	_, toAgent := talks(b, load, set(1, "b", "a"), `agent {"id":"l","result":`+opened("s")+`}`, set(2, "b", "a"))
	expects(t, "agent", toAgent, `"id":"l"`, `"id":1`, `"id":"own-2"`)
}

// An agent that announces the options reads them itself.
func TestAnAgentThatReadsInitialOptions(t *testing.T) {
	b := newSetting(`{"options":{}}`)
	b.Passes(t, dispatch.Client, `{"id":1,"method":"session/resume","params":{"sessionId":"s", "configOptions":[`+entry("x", "b")+`]}}`)
	b.Passes(t, dispatch.Client, `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
	b.Passes(t, dispatch.Agent, `{"id":1,"result":{"configOptions":`+options("b", "a")+`}}`)
	b.Passes(t, dispatch.Client, `{"id":3,"method":"session/prompt","params":{"sessionId":"s"}}`)
	b.Passes(t, dispatch.Client, `{"id":4,"method":"session/options","params":{"cwd":"/"}}`)
}

// What is kept counts in the conversation's limit, and is removed at the end.
func TestInitialOptionsAreWeighed(t *testing.T) {
	b := newSetting(`{}`)
	size := func() int {
		if size, want := b.Conversation.Size(), b.Conversation.Recount(); size != want {
			t.Errorf("%d bytes are counted, there are %d", size, want)
		}
		return b.Conversation.Size()
	}
	talks(b, opens("s", "")...)
	before := size()
	large := `{"configId":"x","value":"b","_meta":"` + strings.Repeat("m", 3<<10) + `"}`
	load := func(entries string) []string {
		return []string{`client {"id":1,"method":"session/load","params":{"sessionId":"s","configOptions":[` + entries + `]}}`, `agent {"id":1,"result":` + opened("s") + `}`}
	}
	talks(b, load(large)[0])
	if got := size() - before; got < 3<<10 {
		t.Errorf("an entry of 3 KiB counts as %d bytes", got)
	}
	talks(b, load(large)[1], set(1, "b", "a"))
	if got := size() - before; got > 0 {
		t.Errorf("when it is set, %d bytes are left", got)
	}
}

// If there is no room for a session any more, its prompts do not wait.
func TestASessionWithInitialOptionsIsEvicted(t *testing.T) {
	b := newSettingWith(conversation.Options{MaxBytes: 64 << 10}, `{}`)
	talks(b, append(opens("s", entry("x", "b")), promptOf("1", "s"))...)
	var toClient, toAgent []string
	for i := range 40 {
		more, sent := talks(b, opens(fmt.Sprint("more", i), "")...)
		toClient, toAgent = append(toClient, more...), append(toAgent, sent...)
	}
	if got := strings.Count(strings.Join(toAgent, "\n"), `"session/prompt"`) + strings.Count(strings.Join(toClient, "\n"), `"id":1,`); got != 1 {
		t.Errorf("the prompt goes on %d times", got)
	}
	got, _ := talks(b, set(1, "b", "a"))
	expects(t, "client", got)
}

// The response to another request that opens the session tells the client all values, too.
func TestASessionIsOpenedAgainMeanwhile(t *testing.T) {
	b := newSetting(`{}`)
	again := strings.Replace(opened("s"), `"x","type":"select","currentValue":"a"`, `"x","type":"select","currentValue":"b"`, 1)
	talks(b, append(opens("s", entry("x", "b")), `client {"id":1,"method":"session/load","params":{"sessionId":"s"}}`, `agent {"id":1,"result":`+again+`}`)...)
	toClient, _ := talks(b, set(1, "b", "a"))
	expects(t, "client", toClient)

	b = newSetting(`{}`)
	talks(b, append(opens("s", entry("x", "b")), `client {"id":1,"method":"session/load","params":{"sessionId":"s"}}`, `agent {"id":1,"result":`+again+`}`)...)
	toClient, _ = talks(b, set(1, "a", "a"))
	expects(t, "client", toClient, `"id":"x","type":"select","currentValue":"a"`)
}
