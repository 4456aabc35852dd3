package demo

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// talk starts the test agent without a checker. Say sends a line and returns what the agent has
// sent until it waits.
func talk(t *testing.T, do func(say func(line string) string)) {
	synctest.Test(t, func(t *testing.T) {
		in, toAgent := io.Pipe()
		fromAgent, out := io.Pipe()
		lines := make(chan string, 1000)
		go func() {
			for s := bufio.NewScanner(fromAgent); s.Scan(); {
				lines <- s.Text()
			}
		}()
		ended := make(chan error)
		go func() { ended <- TestAgent(in, out, nil) }()
		do(func(line string) string {
			io.WriteString(toAgent, line+"\n")
			synctest.Wait()
			var all []string
			for len(lines) > 0 {
				all = append(all, <-lines)
			}
			return strings.Join(all, "\n")
		})
		toAgent.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		out.Close()
	})
}

const promptLine = `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"demo","prompt":[{"type":"text","text":"SCENES"}]}}`

// A turn that is cancelled ends with "cancelled", once its permission request has a response, or
// after a while. Nothing of the turn comes after that.
func TestACancelledTurn(t *testing.T) {
	const cancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"demo"}}`
	const end = `{"jsonrpc":"2.0","id":7,"result":{"stopReason":"cancelled"}}`
	turn := strings.Replace(promptLine, "SCENES", "permission updates late", 1)
	for name, test := range map[string]func(say func(string) string) string{
		"with a response": func(say func(string) string) string {
			return say(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`)
		},
		"without one": func(say func(string) string) string {
			time.Sleep(Patience)
			return say("")
		},
	} {
		t.Run(name, func(t *testing.T) {
			talk(t, func(say func(string) string) {
				if got := say(turn); !strings.Contains(got, `"id":1,"method":"session/request_permission"`) {
					t.Fatalf("the turn began with %s", got)
				}
				if got := say(strings.Replace(cancel, "demo", "other", 1)) + say(cancel); got != "" {
					t.Errorf("after session/cancel came %s", got)
				}
				got := test(say)
				time.Sleep(2 * time.Second)
				if got += say(""); got != end {
					t.Errorf("got %s, want %s", got, end)
				}
			})
		})
	}
}

// The scene wait lasts until the client cancels it, and is only played by name.
func TestTheSceneThatWaits(t *testing.T) {
	talk(t, func(say func(string) string) {
		say(strings.Replace(promptLine, "SCENES", "todo wait", 1))
		time.Sleep(time.Hour)
		if got := say(""); got != "" {
			t.Errorf("after an hour came %s", got)
		}
		if got := say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"demo"}}`); !strings.Contains(got, `"stopReason":"cancelled"`) {
			t.Errorf("after session/cancel came %s", got)
		}
	})
	for _, scene := range named([]string{"all", "of", "them"}) {
		if scene.Name == wait {
			t.Error("wait is played without its name")
		}
	}
}

// No line of the client ends the agent, and sessions have different ids.
func TestLinesThatAreNotMessages(t *testing.T) {
	talk(t, func(say func(string) string) {
		for line, want := range map[string]string{
			"Content-Length: 12":            `"id":null,"error":{"code":-32700`,
			`[{"id":1,"method":"a"}]`:       `"id":null,"error":{"code":-32700`,
			`{"jsonrpc":"2.0","id":9}`:      "",
			`{"id":8,"result":{}}`:          "",
			"":                              "",
			`{"id":3,"method":"session/x"}`: `"id":3,"error":{"code":-32601`,
		} {
			if got := say(line); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("after %q came %s", line, got)
			}
		}
		for _, id := range []string{`"demo"`, `"demo-2"`, `"demo-3"`} {
			if got := say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`); !strings.Contains(got, `"result":{"sessionId":`+id) {
				t.Errorf("session/new gave %s, want %s", got, id)
			}
		}
	})
}
