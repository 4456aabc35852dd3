package output

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// newBench returns peers with an adapter. The client has these capabilities, and loads a session s.
func newBench(c *conversation.Conversation, adapter dispatch.Adapter, capabilities string) *dispatchtest.Bench {
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{adapter}})
	b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":`+capabilities+`}}`)
	b.Says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1}}`)
	b.Says(dispatch.Client, `{"id":"l","method":"session/load","params":{"sessionId":"s"}}`)
	b.Sent()
	return b
}

func newOutput(s Settings) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	return newBench(c, New(c, func(_, _ conversation.Implementation) Settings { return s }), `{}`)
}

// of returns a message about a call of the session s.
func of(kind, id, members string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"%s","toolCallId":"%s"%s}}}`, kind, id, members)
}

// A step is a message of the agent, and a part of what the client gets, or "" if the message stays
// as it is.
type step struct{ sent, want string }

func play(t *testing.T, name string, b *dispatchtest.Bench, steps []step) {
	t.Helper()
	for _, step := range steps {
		b.Says(dispatch.Agent, step.sent)
		got, _ := b.Sent()
		if text := strings.Join(got, ""); step.want == "" && text != step.sent+"\n" || !strings.Contains(text, step.want) {
			t.Fatalf("%s:\n%s\nbecame\n%swant %s", name, step.sent, text, step.want)
		}
	}
}

// Output that comes after the end of its call is shown, at the latest when the load ends. What is
// shown stays.
func TestOutputAfterTheEnd(t *testing.T) {
	const (
		terminal = `,"content":[{"type":"terminal","terminalId":"c"}]`
		ended    = `,"status":"completed"` + terminal + `,"_meta":{"terminal_info":{"terminal_id":"c"}}`
		exit     = `,"terminal_exit":{"exit_code":0}`
		own      = `,"content":[{"type":"content","content":{"type":"text","text":"own"}}]`
		response = `{"id":"l","result":{}}`
	)
	piece := func(text, more string) string {
		return of("tool_call_update", "c", `,"_meta":{"terminal_output_delta":{"data":"`+text+`"}`+more+`}`)
	}
	shown := func(text string) string {
		return `"content":[{"type":"content","content":{"type":"text","text":"` + "```\\n" + text + "\\n```" + `"}}]`
	}
	begin := step{of("tool_call", "c", ended), `"content":[]`}
	for name, steps := range map[string][]step{
		"at once":               {begin, {piece("one", exit), shown("one")}},
		"in pieces":             {begin, {piece("one ", ""), shown("one ")}, {piece("2", ""), ""}, {piece("3", exit), shown("one 23")}},
		"exit alone":            {begin, {piece("one ", ""), shown("one ")}, {piece("2", ""), ""}, {of("tool_call_update", "c", `,"_meta":{"terminal_exit":{"exit_code":0}}`), shown("one 2")}},
		"exit before":           {begin, {of("tool_call_update", "c", `,"_meta":{"terminal_exit":{"exit_code":0}}`), ""}, {piece("one", ""), shown("one")}},
		"no exit":               {begin, {piece("one ", ""), shown("one ")}, {piece("2", ""), ""}, {response, shown("one 2") + "}}}\n" + response}},
		"after the load":        {begin, {piece("one", exit), shown("one")}, {response, ""}, {piece("two", exit), shown("…\\ntwo")}},
		"failed later":          {begin, {of("tool_call_update", "c", `,"status":"failed","_meta":{"terminal_output":{"data":"one"}`+exit+`}`), shown("one")}},
		"the terminal again":    {begin, {piece("one", exit), shown("one")}, {of("tool_call_update", "c", terminal), shown("one")}},
		"an empty list":         {begin, {piece("one", exit), shown("one")}, {of("tool_call_update", "c", `,"content":[]`), shown("one")}},
		"null":                  {begin, {piece("one", exit), shown("one")}, {of("tool_call_update", "c", `,"content":null`), ""}},
		"own content":           {begin, {piece("one", exit), shown("one")}, {of("tool_call_update", "c", own), ""}, {piece("two", exit), ""}, {response, ""}},
		"a call that goes on":   {{of("tool_call", "c", terminal+`,"_meta":{"terminal_info":{}}`), `"content":[]`}, {piece("one ", ""), shown("one ")}, {piece("2", ""), ""}, {response, shown("one 2")}, {piece("3", ""), ""}, {of("tool_call_update", "c", `,"status":"completed"`), shown("one 23")}},
		"a call that is reused": {begin, {piece("one", exit), shown("one")}, begin, {piece("two", exit), shown("two")}},
	} {
		play(t, name, newOutput(Settings{Terminals: true}), steps)
	}
	raw := `,"rawOutput":"late"`
	for name, steps := range map[string][]step{
		"raw":             {{of("tool_call", "c", `,"status":"completed"`), ""}, {of("tool_call_update", "c", raw), shown("late")}},
		"raw with a text": {{of("tool_call", "c", `,"status":"completed"`+own), ""}, {of("tool_call_update", "c", raw), ""}},
		"raw too early":   {{of("tool_call", "c", ""), ""}, {of("tool_call_update", "c", raw), ""}},
	} {
		play(t, name, newOutput(Settings{Raw: true}), steps)
	}
}

// The texts of ended calls are bounded, and forgotten when the load ends.
func TestTextsOfEndedCallsAreBounded(t *testing.T) {
	b := newOutput(Settings{Terminals: true})
	size := func() int {
		return b.Conversation.Size()
	}
	for i := range 2 * maxEnded / maxText {
		b.Says(dispatch.Agent, of("tool_call", fmt.Sprint(i), `,"status":"completed"`))
		b.Says(dispatch.Agent, of("tool_call_update", fmt.Sprint(i), `,"_meta":{"terminal_output":{"data":"`+strings.Repeat("x", maxText)+`"}}`))
	}
	if n := size(); n < maxEnded/2 || n > maxEnded+100_000 {
		t.Errorf("they count as %d bytes", n)
	}
	b.Says(dispatch.Agent, `{"id":"l","result":{}}`)
	if n := size(); n > 50_000 {
		t.Errorf("after the load they count as %d bytes", n)
	}
}

// Output that a client reads only from _meta is there if it comes after the end of its call.
func TestReportAfterTheEnd(t *testing.T) {
	c := conversation.New(conversation.Options{})
	b := newBench(c, NewReport(c, func(_, _ conversation.Implementation) bool { return true }), `{"_meta":{"terminal_output":true}}`)
	play(t, "report", b, []step{
		{of("tool_call", "c", `,"kind":"execute","status":"completed"`), `"terminal_exit"`},
		{of("tool_call_update", "c", `,"content":[{"type":"content","content":{"type":"text","text":"one"}}]`),
			`"content":[{"type":"terminal","terminalId":"c"}],"_meta":{"terminal_output":{"terminal_id":"c","data":"one"}}}`},
		{of("tool_call_update", "c", `,"status":"completed"`), ""},
	})
}

// The updates of a call are in proportion to its output, the kept text is bounded, and the last
// update shows the end of the output.
func TestACallIsShownInProportion(t *testing.T) {
	for _, piece := range []int{1, 100, 70_000} {
		c, printed, shown, last := &call{id: "c"}, 0, 0, ""
		for i := 0; printed < 1<<20 && i < 40_000; i++ {
			meta, err := wire.Parse(fmt.Appendf(nil, `{"terminal_output_delta":{"data":"%s"}}`, strings.Repeat("x", piece)), reports...)
			if err != nil {
				t.Fatal(err)
			}
			c.print(meta)
			printed += piece
			update, _ := wire.Parse([]byte(`{"status":"in_progress"}`))
			text, _ := c.next(update, nil, false)
			if shown += len(text); len(c.text) > maxText {
				t.Fatalf("%d bytes are kept", len(c.text))
			}
		}
		update, _ := wire.Parse([]byte(`{"status":"completed"}`))
		if last, _ = c.next(update, nil, false); c.shown != printed || last != "" && !strings.Contains(last, "x\n```") {
			t.Errorf("%d bytes of %d are shown at the end", c.shown, printed)
		}
		if shown > 3*printed+100_000 {
			t.Errorf("pieces of %d: %d bytes are shown of %d", piece, shown, printed)
		}
	}
}

func TestRawText(t *testing.T) {
	for raw, want := range map[string]string{
		`"a\nb"`: "```\na\nb\n```", `{"output":"a"}`: "```\na\n```", `{"stdout":"","stderr":"e"}`: "```\ne\n```",
		`{"stdout":"o\n","stderr":"e\n"}`: "```\no\ne\n```", `{"exit_code":0}`: "", `[]`: "", `""`: "", `null`: "", ``: "",
		`"\u001b[31mred\u001b[0m"`: "```\nred\n```", `{"formatted_output":"f","output":"o"}`: "```\nf\n```",
	} {
		if got := rawText([]byte(raw)); got != want {
			t.Errorf("%s becomes %q, want %q", raw, got, want)
		}
	}
}

// Text that continues the text before is sent alone. Other text clears the terminal.
func TestNews(t *testing.T) {
	c := &call{}
	long := strings.Repeat("x", maxText+1)
	for _, step := range []struct{ text, want string }{
		{"a", "a"}, {"a\nb", "\r\nb"}, {"a\nb", ""}, {"c", "\x1bcc"}, {long, "\x1bc" + long}, {long + "y", "\x1bc" + long + "y"}, {"d", "\x1bcd"}, {"de", "e"},
	} {
		if got := c.news(step.text); got != step.want {
			t.Errorf("%.20q is told as %.20q, want %.20q", step.text, got, step.want)
		}
	}
}

func TestUnfenced(t *testing.T) {
	for text, want := range map[string]string{
		"```\na\nb\n```": "a\nb\n", "```console\na\n```\n": "a\n", "a": "a", "```": "```", "````\n```\n````": "```\n", "```\na": "```\na", "": "",
		"a\n```\nb\n```": "a\n```\nb\n```",
	} {
		if got := unfenced(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
