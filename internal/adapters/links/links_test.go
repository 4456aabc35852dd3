package links_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/adapters/links"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

func newBench(how string, takesResources bool) *dispatchtest.Bench {
	a := links.New(func(_, _ conversation.Implementation) string { return how })
	b := dispatchtest.New(conversation.New(conversation.Options{}), dispatch.Options{Adapters: []dispatch.Adapter{a}})
	b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1}}`)
	b.Says(dispatch.Agent, fmt.Sprintf(`{"id":"i","result":{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"embeddedContext":%t}}}}`, takesResources))
	b.Sent()
	return b
}

func prompt(blocks string) string {
	return `{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[` + blocks + `]}}`
}

// texts returns the texts of the blocks of the prompt that the agent gets.
func texts(t *testing.T, b *dispatchtest.Bench, blocks string) (texts []string) {
	t.Helper()
	b.Says(dispatch.Client, prompt(blocks))
	_, toAgent := b.Sent()
	line, _ := wire.Parse([]byte(strings.Join(toAgent, "")), "params")
	elements, _ := wire.Elements(line.Open("params").Raw("prompt"))
	for _, raw := range elements {
		block, err := wire.Parse(raw)
		text, _ := block.Text("text")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

func TestLinks(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///home/ann/app/src/main.rs#L9:15":   "/home/ann/app/src/main.rs (lines 9 to 15)",
		"file:///a.rs#L9-L15":                      "/a.rs (lines 9 to 15)",
		"file:///a.rs#L9-15":                       "/a.rs (lines 9 to 15)",
		"file:///a.rs#L9C2-L15C40":                 "/a.rs (lines 9 to 15)",
		"file:///a.rs#L9":                          "/a.rs (line 9)",
		"file:///a.rs#L9:9":                        "/a.rs (line 9)",
		"file:///a.rs?symbol=main%20loop#L9:15":    "/a.rs (symbol main loop, lines 9 to 15)",
		"file:///a.rs":                             "/a.rs",
		"file:/a.rs":                               "/a.rs",
		"FILE://localhost/a%20b/%C3%A9%23.rs#L1":   "/a b/é#.rs (line 1)",
		"file:///home/ann/app/":                    "/home/ann/app/",
		"file:///C:/src/a%20b.rs#L3:4":             `C:\src\a b.rs (lines 3 to 4)`,
		"file:///c%3A/src/a.rs":                    `c:\src\a.rs`,
		"file://server/share/a.rs":                 `\\server\share\a.rs`,
		"file:///a.rs#L":                           "file:///a.rs#L",
		"file:///a.md#install":                     "file:///a.md#install",
		"file:///a.rs?x=1#L9":                      "file:///a.rs?x=1#L9",
		"file:///a%0Ab":                            "file:///a%0Ab",
		"file:///a%FFb":                            "file:///a%FFb",
		"file:///a%zz":                             "file:///a%zz",
		"file:":                                    "file:",
		"https://example.org/a#L9:15":              "https://example.org/a#L9:15",
		"zed:///agent/thread/1?name=x":             "zed:///agent/thread/1?name=x",
		"/home/ann/main.rs":                        "/home/ann/main.rs",
		"zed:///agent/untitled-buffer#L1:2":        "zed:///agent/untitled-buffer#L1:2",
		"file:///long/" + strings.Repeat("d/", 99): "/long/" + strings.Repeat("d/", 99),
	} {
		got := texts(t, newBench("text", false), fmt.Sprintf(`{"type":"text","text":"Explain "},{"type":"resource_link","name":"n","uri":%q}`, uri))
		if len(got) != 2 || got[1] != want {
			t.Errorf("%s becomes %q, want %q", uri, got, want)
		}
	}
}

// A path at the beginning is not a slash command, and neither is a URI.
func TestAPromptThatBeginsWithALink(t *testing.T) {
	link := `{"type":"resource_link","name":"n","uri":"file:///a.rs#L1"}`
	for blocks, want := range map[string]string{
		link: "`/a.rs` (line 1)",
		`{"type":"text","text":" \n"},` + link + `,` + link:                          " \n|`/a.rs` (line 1)|/a.rs (line 1)",
		`{"type":"text","text":"/explain "},` + link:                                 "/explain |/a.rs (line 1)",
		`{"type":"resource_link","uri":"https://x.org/a"},` + link:                   "https://x.org/a|/a.rs (line 1)",
		`{"type":"resource_link","uri":"/clear"}`:                                    "`/clear`",
		`{"type":"resource_link","uri":" /clear"}`:                                   "` /clear`",
		`{"type":"resource","resource":{"uri":"/a","text":"x"}}`:                     "`/a`:\n```\nx\n```\n",
		`{"type":"text","text":"/explain "},{"type":"resource_link","uri":"/clear"}`: "/explain |/clear",
	} {
		if got := strings.Join(texts(t, newBench("text", false), blocks), "|"); got != want {
			t.Errorf("%s becomes %q, want %q", blocks, got, want)
		}
	}
}

func TestResources(t *testing.T) {
	resource := func(members string) string {
		return `{"type":"text","text":"See "},{"type":"resource","resource":{"uri":"file:///w/a.md#L1:2"` + members + `}}`
	}
	for members, want := range map[string]string{
		`,"text":"x"`:   "/w/a.md (lines 1 to 2):\n```\nx\n```\n",
		`,"text":"x\n"`: "/w/a.md (lines 1 to 2):\n```\nx\n```\n",
		`,"text":""`:    "/w/a.md (lines 1 to 2):\n```\n```\n",
		`,"text":"a\n` + "```" + `\nb ` + "`````" + `"`: "/w/a.md (lines 1 to 2):\n``````\na\n```\nb `````\n``````\n",
		`,"blob":"aGk=","mimeType":"text/plain"`:        "/w/a.md (lines 1 to 2):\n```\nhi\n```\n",
	} {
		if got := texts(t, newBench("text", false), resource(members)); len(got) != 2 || got[1] != want {
			t.Errorf("%s becomes %q, want %q", members, got, want)
		}
		newBench("text", true).Passes(t, dispatch.Client, prompt(resource(members)))
	}
	for _, members := range []string{`,"blob":"AAEC"`, `,"blob":"!"`, ``, `,"text":7`} {
		newBench("text", false).Passes(t, dispatch.Client, prompt(resource(members)))
	}
}

// What every block may have stays, and so do all other blocks and members.
func TestTheRestStays(t *testing.T) {
	b := newBench("text", true)
	b.Says(dispatch.Client, `{ "id":1,"method":"session/prompt","params":{"prompt":[ {"type":"text","text":"a\u0062"} ,{"type":"resource_link","uri":"file:///a","name":"a","_meta":{"x":1},"annotations":{"priority":1}} ,{"type":"image","uri":"file:///i"}],"sessionId":"s","_meta":1}}`)
	want := `{ "id":1,"method":"session/prompt","params":{"prompt":[ {"type":"text","text":"a\u0062"} ,{"type":"text","text":"/a","annotations":{"priority":1},"_meta":{"x":1}} ,{"type":"image","uri":"file:///i"}],"sessionId":"s","_meta":1}}` + "\n"
	if _, toAgent := b.Sent(); strings.Join(toAgent, "") != want {
		t.Errorf("the agent gets %s", toAgent)
	}
}

// If it is off, and for other messages, no byte changes.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(prompt(`{"type":"resource_link","uri":"file:///a"}`)), false)
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"text","text":"resource"}]}}`), true)
	f.Fuzz(func(t *testing.T, line []byte, isOn bool) {
		if bytes.ContainsAny(line, "\n") || isOn && (bytes.Contains(line, []byte(`resource`)) || bytes.Contains(line, []byte(`\u`))) || bytes.Contains(line, []byte("cancel")) {
			return
		}
		newBench(map[bool]string{true: "text", false: "pass"}[isOn], false).Passes(t, dispatch.Client, string(line))
	})
}
