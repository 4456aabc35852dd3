package versions

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// newFallback returns two peers with the adapters between them. The client speaks both versions.
func newFallback(isOn bool) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	o := Options{Conversation: c,
		IsOn:      func(_, _ conversation.Implementation) bool { return false },
		FallsBack: func(_, _ conversation.Implementation) bool { return isOn },
	}
	client, early := NewClient(o), NewEarly(o)
	return dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{NewAgent(o, client, early), client, early}})
}

const both = `{"id":%d,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{},"info":{}}}`

// The client gets one response to each initialize, whatever the agent responds to both.
func TestEachInitializeHasOneResponse(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newFallback(true)
		for id := range 10 {
			b.Says(dispatch.Client, fmt.Sprintf(both, id))
			var answered []string
			for asked := 1; asked > 0; {
				b.Sent()
				b.Says(dispatch.Agent, fmt.Sprintf(`{"id":%d`, id)+[]string{
					`,"result":{"protocolVersion":1}}`, `,"result":null}`, `,"error":{"code":-32022}}`, `,"error":{"code":-32602,"message":"which protocolVersion?"}}`,
					`,"error":{"code":-32600,"message":"which ACP version?"}}`, `,"error":{"code":-32600}}`,
				}[random.IntN(6)])
				got, again := b.Sent()
				answered, asked = append(answered, got...), len(again)
				for _, line := range again {
					if !strings.Contains(line, `"protocolVersion":1`) {
						t.Fatalf("sent %s", line)
					}
				}
			}
			if len(answered) != 1 {
				t.Fatalf("seed %d: the client gets %q", seed, answered)
			}
		}
	}
}

// If there are two initialize requests at once, each is sent again.
func TestEachInitializeIsSentAgain(t *testing.T) {
	b := newFallback(true)
	for id := range 2 {
		b.Says(dispatch.Client, fmt.Sprintf(both, id))
	}
	for id := range 2 {
		b.Sent()
		b.Says(dispatch.Agent, fmt.Sprintf(`{"id":%d,"error":{"code":-32022}}`, id))
		if got, asked := b.Sent(); len(got) > 0 || len(asked) != 1 {
			t.Errorf("the client gets %q, the agent %q", got, asked)
		}
	}
}

// If the agent does not read any more, the client gets the refusal.
func TestARefusalOfAVersionReachesTheClient(t *testing.T) {
	b := newFallback(true)
	b.Says(dispatch.Client, fmt.Sprintf(both, 1))
	b.Client.Close()
	b.Sent()
	const refusal = `{"id":1,"error":{"code":-32022}}`
	b.Says(dispatch.Agent, refusal)
	if got, _ := b.Sent(); strings.Join(got, "") != refusal+"\n" {
		t.Errorf("the client gets %q", got)
	}
}

// Other responses, and all if it is off, pass unchanged.
func FuzzNothingToAskAgain(f *testing.F) {
	f.Add([]byte(`{"protocolVersion":2,"info":{}}`), []byte(`{"id":1,"error":{"code":-32022}}`), true)
	f.Add([]byte(`{"protocolVersion":2,"clientInfo":{}}`), []byte(`{"id":1,"error":{"code":-1,"message":"version"}}`), true)
	f.Add([]byte(`{"protocolVersion":2,"clientInfo":{}}`), []byte(`{"id":1,"error":{"code":-32602,"message":"conversion"}}`), true)
	f.Add([]byte(`{"protocolVersion":2,"clientInfo":{}}`), []byte(`{"id":1,"error":{"code":-32022}}`), false)
	f.Fuzz(func(t *testing.T, params, line []byte, isOn bool) {
		request := fmt.Appendf(nil, `{"id":1,"method":"initialize","params":%s}`, params)
		o, _ := wire.Parse(line)
		if bytes.ContainsAny(request, "\n\\") || bytes.ContainsAny(line, "\n\\") || isOn && bytes.Contains(params, []byte("client")) && (ReadRefusal(o.Raw("error")) != nil || o.Get("result") != nil) {
			return
		}
		b := newFallback(isOn)
		b.Passes(t, dispatch.Client, string(request))
		b.Passes(t, dispatch.Agent, string(line))
	})
}

// Who refuses a version, and which one they may speak.
func TestReadRefusal(t *testing.T) {
	for failure, want := range map[string]string{
		`{"code":-32022,"message":"no"}`:                                                                                           "1 2",
		`{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}`:                                                    "2",
		`{"code":-32602,"message":"no","data":{"supported":[1]}}`:                                                                  "1",
		`{"code":-32022,"message":"Unsupported protocol version","data":{"supported":[3]}}`:                                        "none",
		`{"code":-32600,"message":"Invalid request","data":"unsupported ACP protocol version 2"}`:                                  "1 2",
		`{"code":-32600,"message":"Invalid request","data":{"details":"Unsupported ACP protocol 1; configured versions are [2]"}}`: "1 2",
		`{"code":-32603,"message":"bad protocolVersion"}`:                                                                          "1 2",
		`{"code":-32602,"message":"Invalid params","data":{"info":{"_errors":["Required"]}}}`:                                      "1 2",
		"{\"code\":-32602,\"message\":\"Invalid params\",\"data\":{\"error\":\"missing field `capabilities`\"}}":                   "1 2",
		`{"code":-32602,"message":"missing field \"info\""}`:                                                                       "1 2",
		`{"code":-32603,"message":"no \"info\" in the account"}`:                                                                   "",
		`{"code":-32602,"message":"set FOO_API_KEY first"}`:                                                                        "",
		`{"code":-32602,"message":"Invalid params","data":{"clientInfo":["required"]}}`:                                            "",
		`{"code":-32600,"message":"the conversion failed"}`:                                                                        "",
		`{"code":-32600,"message":"this version of Node.js is too old"}`:                                                           "",
		`{"code":-32600,"message":"Invalid request"}`:                                                                              "",
		`"protocol"`: "",
		``:           "",
	} {
		got := ""
		if r := ReadRefusal([]byte(failure)); r != nil {
			for _, version := range []string{"1", "2"} {
				if r.Allows(version) {
					got += " " + version
				}
			}
			if got == "" {
				got = " none"
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: got %q, want %q", failure, got, want)
		}
	}
}
