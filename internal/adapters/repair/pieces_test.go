package repair_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

func user(text string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":%q}}}}`, text)
}

// Pieces of a user message are dropped only if together they are the prompt. Otherwise nothing of
// them is lost or overtaken.
func TestPiecesOfAnotherMessage(t *testing.T) {
	done := `{"id":1,"result":{"stopReason":"end_turn"}}`
	question := `{"id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`
	plan := `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`
	fix, lexer, whole := user("Fix"), user(" the lexer"), user("Fix the parser")
	for name, test := range map[string]struct{ says, want []string }{
		"the prompt":              {[]string{fix, user(" the parser")}, nil},
		"another message":         {[]string{fix, lexer}, []string{fix, lexer}},
		"then the prompt":         {[]string{fix, whole}, []string{fix}},
		"an update":               {[]string{fix, plan}, []string{fix, plan}},
		"a request":               {[]string{fix, question}, []string{fix, question}},
		"the end of the turn":     {[]string{fix, done}, []string{fix, done}},
		"in a batch":              {[]string{"[" + plan + "," + fix + "," + lexer + "]"}, []string{"[" + plan + "," + fix + "," + lexer + "]"}},
		"the prompt in a batch":   {[]string{"[" + fix + "," + user(" the parser") + "," + plan + "]"}, []string{"[" + plan + "]"}},
		"two seconds":             {[]string{fix, "wait"}, []string{fix}},
		"the close of a session":  {[]string{fix, "close"}, []string{fix, `{"id":2,"result":{}}`}},
		"more than there is room": {[]string{strings.Replace(fix, `"s"`, `"s","pad":"`+strings.Repeat("x", 1<<20)+`"`, 1)}, []string{strings.Replace(fix, `"s"`, `"s","pad":"`+strings.Repeat("x", 1<<20)+`"`, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := conversation.New(conversation.Options{})
				a := repair.NewEcho(c, func(_, _ conversation.Implementation) repair.EchoSettings {
					return repair.EchoSettings{Prompts: true}
				})
				b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)
				b.Says(dispatch.Client, `{"id":0,"method":"session/new","params":{"cwd":"/w"}}`)
				b.Says(dispatch.Agent, `{"id":0,"result":{"sessionId":"s"}}`)
				b.Says(dispatch.Client, `{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Fix the parser"}]}}`)
				b.Sent()
				for _, line := range test.says {
					switch line {
					case "wait":
						time.Sleep(2 * time.Second)
						synctest.Wait()
					case "close":
						b.Says(dispatch.Client, `{"id":2,"method":"session/close","params":{"sessionId":"s"}}`)
						b.Says(dispatch.Agent, `{"id":2,"result":{}}`)
					default:
						b.Says(dispatch.Agent, line)
					}
				}
				got, _ := b.Sent()
				want := strings.Join(test.want, "\n")
				if got := strings.TrimSuffix(strings.Join(got, ""), "\n"); got != want {
					t.Errorf("the client gets\n%.900s\nwant\n%.900s", got, want)
				}
			})
		})
	}
}

// A refused load replays nothing, so nothing is dropped after it.
func TestUpdatesAfterARefusedLoad(t *testing.T) {
	swallow := func(c *conversation.Conversation, _ repair.IsOn) dispatch.Adapter {
		return repair.NewLoad(c, func(_, _ conversation.Implementation) string { return "swallow" })
	}
	for response, isDropped := range map[string]bool{`"error":{"code":1,"message":"no"}`: false, `"result":{}`: true} {
		b, update := newSession(swallow, true), call("tool_call", "s", "c", "")
		apply(b.Client, `{"id":3,"method":"session/load","params":{"sessionId":"s"}}`)
		apply(b.Agent, `{"id":3,`+response+`}`)
		if got := apply(b.Agent, update); (got == "") != isDropped {
			t.Errorf("after %s the client gets %q", response, got)
		}
	}
}

// After a refused load the client still shows the calls from before it.
func TestCallsAfterARefusedLoad(t *testing.T) {
	b, update := newSession(toolCalls, true), call("tool_call_update", "s", "c", "")
	apply(b.Agent, call("tool_call", "s", "c", ""))
	apply(b.Client, `{"id":3,"method":"session/load","params":{"sessionId":"s"}}`)
	apply(b.Agent, call("tool_call", "s", "d", ""))
	apply(b.Agent, `{"id":3,"error":{"code":1,"message":"no"}}`)
	for _, line := range []string{update, call("tool_call_update", "s", "d", "")} {
		if got := apply(b.Agent, line); got != line {
			t.Errorf("the client gets %s", got)
		}
	}
}
