//go:build unix

package relay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// The agent's response to an abandoned turn is dropped, even if it cannot be read.
func TestALateResponseToAnAbandonedTurnIsDropped(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]string{
		"clear":     endOf("1"),
		"ambiguous": resultOf("1", `{"stopReason":"end_turn","stopReason":"cancelled"}`),
		"too long":  resultOf("1", `{"stopReason":"end_turn","_meta":"`+strings.Repeat("x", 64<<10)+`"}`),
		"no object": resultOf("1", `"`+strings.Repeat("x", 64<<10)+`"`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLive(t, "[turns]\ncancel_grace = '50ms'\n[limits]\ninspect_bytes = 32768\n", []string{"s"})
			l.clientSays(promptOf("1", "s"))
			l.agentHears(promptOf("1", "s"))
			l.clientSays(cancelOf("s"))
			l.clientHears(`"cancelled"`)
			l.agentSays(late, `{"jsonrpc":"2.0","method":"_end"}`)
			if more := l.clientHears(`"_end"`); len(more) > 1 {
				t.Errorf("want nothing more, the client gets%s", short(more))
			}
		})
	}
}

// Nothing is written twice. Neither peer reads for a moment, while acpshim sends lines of its own
// to both and abandons a turn.
func TestNothingIsWrittenTwice(t *testing.T) {
	t.Parallel()
	const grace = 300 * time.Millisecond
	l := startLive(t, fmt.Sprintf("[turns]\nqueue = 2\ncancel_grace = '%v'\n", grace), []string{"a", "b", "s", "v"})
	large := func(id, session string, kib int) string {
		return strings.Replace(promptOf(id, session), `"prompt":[]`, `"prompt":[{"type":"text","text":"`+strings.Repeat("x", kib<<10)+`"}]`, 1)
	}
	for _, session := range []string{"a", "b", "s", "v"} {
		l.clientSays(promptOf(`"`+session+`1"`, session))
		l.agentHears(session + "1")
	}
	// These wait, and fill the way to the agent when they go on: s2 has no room then.
	l.clientSays(large(`"a2"`, "a", 400), large(`"b2"`, "b", 500), promptOf(`"v2"`, "v"), promptOf(`"v3"`, "v"))
	l.clientSays(cancelOf("s"), large(`"s2"`, "s", 900))
	// The client takes nothing: of the two responses that it is given of v one is being written and
	// one waits, and behind that what the agent says, and the end of the abandoned turn.
	l.clientSays(cancelOf("v"))
	time.Sleep(50 * time.Millisecond)
	l.agentSays(endOf(`"a1"`), endOf(`"b1"`))
	time.Sleep(grace + 100*time.Millisecond)
	toClient := l.clientHearsAll(300 * time.Millisecond)
	l.agentHearsAll(300 * time.Millisecond)
	toClient = append(toClient, l.clientHearsAll(300*time.Millisecond)...)
	for _, id := range []string{`"a1"`, `"b1"`, `"s1"`, `"v2"`, `"v3"`} {
		if got := responsesTo(toClient, id); len(got) != 1 {
			t.Errorf("want one response to %s, the client gets%s", id, short(toClient))
			break
		}
	}
}

// A response of acpshim is not lost if a peer does not read for a while.
func TestResponsesWaitForASlowPeer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	t.Parallel()
	const size = 600 << 10 // of an id: the queue of a direction has room for one of them
	ids := []string{longID(1, size), longID(2, size), longID(3, size), longID(4, size)}
	prompts := func(l *live) {
		l.clientSays(promptOf("0", "s"))
		l.agentHears(promptOf("0", "s"))
		for _, id := range ids {
			l.clientSays(promptOf(id, "s"))
		}
	}
	toClient := func(l *live) []string { return l.clientHearsAll(2 * time.Second) }
	toAgent := func(l *live) []string { return l.agentHearsAll(2 * time.Second) }
	tests := map[string]struct {
		configuration string
		before        func(*live)
		send          func(*live) // while the peer takes nothing
		got           func(*live) []string
		want          []string
	}{
		"queued prompts, session/cancel": {"[turns]\nqueue = 9\n", prompts, func(l *live) { l.clientSays(cancelOf("s")) }, toClient, ids},
		"queued prompts, $/cancel_request": {"[turns]\nqueue = 9\n", prompts, func(l *live) {
			for _, id := range ids {
				l.clientSays(cancelRequest(id))
			}
		}, toClient, ids},
		"prompts that wait for a login": {"[login]\nmethod = 'key'\n", func(l *live) {
			for _, id := range ids {
				l.clientSays(promptOf(id, "s"))
				l.agentHears(promptOf(id, "s"))
				l.agentSays(errorOf(id, -32000, "log in"))
			}
			l.agentSays(`{"jsonrpc":"2.0","method":"_end"}`)
			l.clientHears(`"_end"`)
		}, func(l *live) { l.clientSays(cancelOf("s")) }, toClient, ids},
		"questions that are withdrawn": {"", func(l *live) {
			for _, id := range ids {
				l.agentSays(formOf(id, "s", "a"))
				l.clientHears("session/request_permission")
			}
			l.client.takesAll()
		}, func(l *live) {
			for _, id := range ids {
				l.agentSays(cancelRequest(id))
			}
		}, toAgent, ids},
	}
	var outputs []string
	for i := range 20 {
		outputs = append(outputs, fmt.Sprint(10+i))
	}
	var last *command
	tests["terminals"] = struct {
		configuration string
		before        func(*live)
		send          func(*live)
		got           func(*live) []string
		want          []string
	}{"[services]\nterminal = true\n", func(l *live) {
		l.agentSays(createTerminal("1", "s", ""))
		l.agentHears(`"terminalId"`)
		last.printed = strings.Repeat("printed\n", 32<<10)
		l.agentSays(aboutTerminal("5", "wait_for_exit", "s", `"own-terminal-1"`))
	}, func(l *live) {
		for _, id := range outputs {
			l.agentSays(aboutTerminal(id, "output", "s", `"own-terminal-1"`))
		}
		l.agentSays(cancelRequest("5"))
	}, toAgent, append(slices.Clone(outputs), "5")}
	runs := map[string]*live{} // they wait together
	for name, test := range tests {
		runs[name] = startLive(t, test.configuration, []string{"s"}, commands(&last))
		test.before(runs[name])
		test.send(runs[name])
	}
	time.Sleep(patient)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := test.got(runs[name])
			lost := 0
			for _, id := range test.want {
				if len(responsesTo(got, id)) != 1 {
					lost++
				}
			}
			if lost > 0 {
				t.Errorf("%d of %d responses are lost; it gets%s", lost, len(test.want), short(got))
			}
		})
	}
}
