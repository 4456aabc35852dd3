package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

func newChunks(version int) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	on := func(_, _ conversation.Implementation) bool { return true }
	return dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{NewChunks(on)}}).Negotiate(version)
}

// piece returns a piece of a message with members in its update.
func piece(kind, members string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":%q%s}}}`, kind, members)
}

// A content that means text becomes a block of text; a list becomes one piece for each element.
// Everything else stays, byte for byte.
func TestContentsOfChunks(t *testing.T) {
	const image = `{"type":"image","data":"aGk=","mimeType":"image/png"}`
	for _, test := range []struct {
		members string
		want    []string // nil if nothing changes
	}{
		{`,"content":{"text":"a"}`, []string{`,"content":{"type":"text","text":"a"}`}},
		{`,"content":{ "text":"\ud83d\ude00 \"q\"","_meta":{"k":1}},"messageId":"m"`, []string{`,"content":{"type":"text", "text":"\ud83d\ude00 \"q\"","_meta":{"k":1}},"messageId":"m"`}},
		{`,"content":{"type":null,"text":"a"}`, []string{`,"content":{"type":"text","text":"a"}`}},
		{`,"content":"a\nb"`, []string{`,"content":{"type":"text","text":"a\nb"}`}},
		{`,"content":""`, []string{`,"content":{"type":"text","text":""}`}},
		{`,"messageId":"m","text":"top","_meta":{}`, []string{`,"messageId":"m","content":{"type":"text","text":"top"},"_meta":{}`}},
		{`,"content":null,"text":"top"`, []string{`,"content":{"type":"text","text":"top"}`}},
		{`,"content":[{"type":"text","text":"a"}]`, []string{`,"content":{"type":"text","text":"a"}`}},
		{`,"messageId":"m","content":["a",` + image + `,{"text":"b"},null,7,{"data":"x"},["c"]],"_meta":{"k":[1]}`, []string{
			`,"messageId":"m","content":{"type":"text","text":"a"},"_meta":{"k":[1]}`,
			`,"messageId":"m","content":` + image + `,"_meta":{"k":[1]}`,
			`,"messageId":"m","content":{"type":"text","text":"b"},"_meta":{"k":[1]}`,
			`,"messageId":"m","content":null,"_meta":{"k":[1]}`,
			`,"messageId":"m","content":7,"_meta":{"k":[1]}`,
			`,"messageId":"m","content":{"data":"x"},"_meta":{"k":[1]}`,
			`,"messageId":"m","content":["c"],"_meta":{"k":[1]}`,
		}},
		{`,"content":[ ],"messageId":"m"`, nil},
		{`,"content":{"type":"text","text":"a"}`, nil},
		{`,"content":{"text":"a","type":"text"}`, nil},
		{`,"content":{"type":"text","text":"a"},"text":"b"`, nil},
		{`,"content":` + image, nil},
		{`,"content":{"type":"new","x":1}`, nil},
		{`,"content":{"type":"text","text":null}`, nil},
		{`,"content":{"text":null}`, nil},
		{`,"content":{"text":{"value":"a"}}`, nil},
		{`,"content":{"data":"aGk=","mimeType":"image/png"}`, nil},
		{`,"content":{"text":"a","text":"b"}`, nil}, // ambiguous
		{`,"content":{}`, nil},
		{`,"content":null`, nil},
		{`,"content":7`, nil},
		{`,"text":7`, nil},
		{``, nil},
	} {
		for _, kind := range []string{"agent_message_chunk", "agent_thought_chunk", "user_message_chunk"} {
			line := piece(kind, test.members)
			var want []string
			for _, members := range test.want {
				want = append(want, piece(kind, members)+"\n")
			}
			if test.want == nil {
				want = []string{line + "\n"}
			}
			b := newChunks(1)
			b.Says(dispatch.Agent, line)
			if got, _ := b.Sent(); !slices.Equal(got, want) || (b.Why != "") != (test.want != nil) {
				t.Errorf("%s\n got %s\nwant %s\nbecause %s", line, got, want, b.Why)
			}
		}
		b := newChunks(2)
		b.Passes(t, dispatch.Agent, piece("agent_message_chunk", test.members))
	}
}

// What is not a piece of a message stays, and so does a piece in the other direction.
func TestOtherContentsStay(t *testing.T) {
	b := newChunks(1)
	b.Passes(t, dispatch.Agent, piece("tool_call_update", `,"toolCallId":"c","content":[]`))
	b.Passes(t, dispatch.Agent, piece("plan", `,"content":"a"`))
	b.Passes(t, dispatch.Client, piece("user_message_chunk", `,"content":"a"`))
}

// In a batch, a piece becomes several elements. One that is a request by mistake is not repeated.
func TestChunksInABatch(t *testing.T) {
	d := newChunks(1).Agent
	one := piece("agent_message_chunk", `,"content":["a","b"]`)
	out, _ := wire.Apply(d, nil, []byte("["+one+`,{"id":1,"result":{}}]`+"\n"))
	want := "[" + strings.Replace(one, `["a","b"]`, `{"type":"text","text":"a"}`, 1) + "," + strings.Replace(one, `["a","b"]`, `{"type":"text","text":"b"}`, 1) + `,{"id":1,"result":{}}]` + "\n"
	if string(out) != want {
		t.Errorf(" got %s\nwant %s", out, want)
	}
	request := strings.Replace(one, `{"method"`, `{"id":7,"method"`, 1) + "\n"
	if out, _ := wire.Apply(d, nil, []byte(request)); string(out) != request {
		t.Errorf("a request becomes %s", out)
	}
}

// A large list becomes as many pieces as it has elements. One whose pieces would be too large
// stays as it is.
func TestLargeListsOfChunks(t *testing.T) {
	for _, test := range []struct {
		n, meta int // elements, and bytes that each piece repeats
		splits  bool
	}{{5_000, 10, true}, {5_000, 10_000, false}, {wire.MaxElements + 1, 10, false}} {
		list := "[" + strings.TrimSuffix(strings.Repeat(`"a",`, test.n), ",") + "]"
		line := piece("agent_message_chunk", fmt.Sprintf(`,"content":%s,"_meta":{"k":"%s"}`, list, strings.Repeat("x", test.meta))) + "\n"
		out, _ := wire.Apply(newChunks(1).Agent, nil, []byte(line))
		switch n := strings.Count(string(out), "\n"); {
		case test.splits && n != test.n:
			t.Errorf("%d elements become %d pieces", test.n, n)
		case !test.splits && string(out) != line:
			t.Errorf("%d elements with %d bytes become %d pieces of %d bytes", test.n, test.meta, n, len(out))
		}
	}
}

// The URI of an image with data is removed unless an agent can read it. Everything else stays.
func TestURIsOfImages(t *testing.T) {
	image := func(members string) string { return `{"type":"image","mimeType":"image/png"` + members + `}` }
	for before, after := range map[string]string{
		`,"data":"aGk=","uri":"zed:///agent/pasted-image?name=Image"`: `,"data":"aGk="`,
		`,"uri":"ZED:a","data":"aGk=","_meta":{"uri":"zed:b"}`:        `,"data":"aGk=","_meta":{"uri":"zed:b"}`,
		`,"data":"aGk=","uri":"/tmp/a.png"`:                           `,"data":"aGk="`,
		`,"data":"aGk=","uri":"HTTPS://example.org/a.png"`:            "",
		`,"data":"aGk=","uri":"http://example.org/a.png"`:             "",
		`,"data":"aGk=","uri":"file:///a.png"`:                        "",
		`,"data":"aGk=","uri":"data:image/png;base64,aGk="`:           "",
		`,"data":"aGk=","uri":null`:                                   "",
		`,"data":"","uri":"zed:a"`:                                    "",
		`,"uri":"zed:a"`:                                              "",
		`,"data":"aGk="`:                                              "",
	} {
		if after == "" {
			after = before
		}
		line := `{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"zed:///"},%s, {"type":"resource_link","name":"n","uri":"zed:///agent/a","data":"x"}]}}`
		c := conversation.New(conversation.Options{})
		b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{NewImages(func(_, _ conversation.Implementation) bool { return true })}}).Negotiate(1)
		b.Says(dispatch.Client, fmt.Sprintf(line, image(before)))
		if _, got := b.Sent(); got[0] != fmt.Sprintf(line, image(after))+"\n" {
			t.Errorf("%s becomes %s", before, got)
		}
	}
}
