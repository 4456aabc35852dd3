package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
)

func TestAHeldMessageContinuesAtTheNextAdapter(t *testing.T) {
	for _, from := range []Side{Client, Agent} {
		for _, test := range []struct {
			name, before, line, as string
			holds                  func(*Message) bool
			of                     Side // whose lines are held
			want                   string
		}{
			{"a request", ``, `{"id":1,"method":"x"}`, ``, requests, from, `{"id":1,"method":"x"}`},
			{"a request that is changed", ``, `{"id":1,"method":"x"}`, `{"id":1,"method":"x","params":{}}`, requests, from, `{"id":1,"method":"x","params":{}}`},
			{"a request in a batch", ``, `[{"id":1,"method":"x"}]`, ``, requests, from, `{"id":1,"method":"x"}`},
			{"a response", `{"id":1,"method":"x"}`, `{"id":1,"result":{}}`, ``, responses, from.Other(), `{"id":1,"result":{}}`},
			{"a response with its id at the end", `{"id":1,"method":"x"}`, `{"result":{},"id":1}`, ``, responses, from.Other(), `{"result":{},"id":1}`},
			{"a response that is changed", `{"id":1,"method":"x"}`, `{"id":1,"result":{}}`, `{"id":1,"result":1}`, responses, from.Other(), `{"id":1,"result":1}`},
			{"a response in a batch", `{"id":1,"method":"x"}`, `[{"id":1,"result":{}}]`, ``, responses, from.Other(), `{"id":1,"result":{}}`},
		} {
			t.Run(fmt.Sprint(from, ", ", test.name), func(t *testing.T) {
				first, last := &actor{name: "first", wants: everything()}, &actor{name: "last", wants: everything()}
				middle, held := holder("middle", test.holds)
				k := converse(t, first, middle, last)
				if test.before != "" {
					k.send(from, test.before)
					k.gets(from.Other(), test.before)
				}
				first.seen, last.seen = nil, nil
				k.send(test.of, test.line)
				if k.gets(test.of.Other()); len(*held) != 1 {
					t.Fatalf("%d messages are held", len(*held))
				}
				k.checked()
				before, after := first, last
				if test.of == Client {
					before, after = last, first
				}
				if len(before.seen) != 1 || len(after.seen) != 0 {
					t.Errorf("the adapter before is given %q, the one after it %q", before.seen, after.seen)
				}
				var line []byte
				if test.as != "" {
					line = []byte(test.as)
				}
				if h := (*held)[0]; !h.Continue(line) || h.Continue(line) || h.Answer(nil) || h.Again(nil) {
					t.Error("it does not go on once")
				}
				k.drain()
				k.gets(test.of.Other(), test.want)
				if len(before.seen) != 1 || !slices.Equal(after.seen, []string{test.want}) {
					t.Errorf("then the adapter before is given %q, the one after it %q", before.seen, after.seen)
				}
				if k.isPending(from, "1") != (test.before == "") {
					t.Errorf("the request is pending: %v", k.isPending(from, "1"))
				}
				k.checked()
			})
		}
	}
}

// The adapters between the one that responds and the sender get the response.
func TestAHeldRequestHasOneResponse(t *testing.T) {
	for _, from := range []Side{Client, Agent} {
		first, last := &actor{name: "first", wants: everything()}, &actor{name: "last", wants: everything()}
		middle, held := holder("middle", requests)
		k := converse(t, first, middle, last)
		k.send(from, `[{"id":1,"method":"x"},{"method":"y"}]`)
		k.gets(from.Other(), `[{"method":"y"}]`)
		first.seen, last.seen = nil, nil
		const response = `{"id":1,"result":{}}`
		if h := (*held)[0]; !h.Answer([]byte(response)) || h.Answer([]byte(response)) || h.Continue(nil) {
			t.Error("it is not answered once")
		}
		k.drain()
		k.gets(from, response)
		k.gets(from.Other())
		near, far := last, first
		if from == Agent {
			near, far = first, last
		}
		if len(far.seen) > 0 || !slices.Equal(near.seen, []string{response}) {
			t.Errorf("%s: the adapter next to the sender is given %q, the other one %q", from, near.seen, far.seen)
		}
		if k.isPending(from, "1") {
			t.Errorf("%s: the request is pending", from)
		}
		k.checked()
	}
}

// The second request has the same id, and its sender gets only the second response.
func TestARefusedRequestIsSentAgain(t *testing.T) {
	for _, method := range []string{"session/prompt", "x", "session/new", "session/load"} {
		t.Run(method, func(t *testing.T) {
			first, last := &actor{name: "first", wants: everything()}, &actor{name: "last", wants: everything()}
			middle, held := holder("middle", func(m *Message) bool { return responses(m) && m.IsRefusal() })
			middle.wants[1].Responses = append(middle.wants[1].Responses, method)
			k := converse(t, first, middle, last)
			request := fmt.Sprintf(`{"id":1,"method":%q,"params":{"sessionId":"s"}}`, method)
			k.send(Client, request)
			k.checked()
			for range 2 {
				k.gets(Agent, request)
				k.send(Agent, `{"id":1,"error":{"code":-32000,"message":"log in"}}`)
				k.gets(Client)
				if len(*held) != 1 {
					t.Fatalf("%d refusals are held", len(*held))
				}
				k.checked()
				first.seen, last.seen = nil, nil
				if h := (*held)[0]; !h.Again([]byte(request)) || h.Again([]byte(request)) || h.Continue(nil) {
					t.Error("it is not sent again once")
				}
				*held = nil
				k.drain()
				if len(last.seen) > 0 || len(first.seen) > 1 {
					t.Errorf("the adapter after is given %q, the one before %q", first.seen, last.seen)
				}
				k.checked()
			}
			k.gets(Agent, request)
			if !k.isPending(Client, "1") {
				t.Error("it is not pending")
			}
			k.send(Agent, `{"id":1,"result":{"sessionId":"s"}}`)
			k.gets(Client, `{"id":1,"result":{"sessionId":"s"}}`)
			if k.isPending(Client, "1") {
				t.Error("then it is pending")
			}
			k.checked()
			if k.conversation.Creating() || k.conversation.Opening("s") {
				t.Error("a request that opens a session is counted")
			}
		})
	}
}

// The response opens or creates a session.
func TestAHeldResponseIsCountedOnce(t *testing.T) {
	for _, method := range []string{"session/new", "session/load"} {
		a, held := holder("a", responses)
		a.wants[1].Responses = []string{method}
		k := converse(t, a)
		k.send(Client, fmt.Sprintf(`{"id":1,"method":%q,"params":{"sessionId":"s"}}`, method))
		k.send(Agent, `{"id":1,"result":{"sessionId":"s"}}`)
		k.gets(Client)
		k.checked()
		(*held)[0].Continue(nil)
		k.drain()
		k.gets(Client, `{"id":1,"result":{"sessionId":"s"}}`)
		k.checked()
		if !k.conversation.IsOpen("s") {
			t.Errorf("%s: the session is not open", method)
		}
	}
}

// The adapter cannot continue with it any more.
func TestAHeldRequestThatEndsHasOneResponse(t *testing.T) {
	const bound = 100_000
	long := strings.Repeat("x", bound/2)
	for _, test := range []struct {
		name string
		end  func(k *talk, a *actor)
		want []string // parts of what the client gets
	}{
		{"evicted", func(k *talk, _ *actor) {
			for id := 2; id < 4; id++ {
				k.send(Client, fmt.Sprintf(`{"id":%d,"method":"x","params":%q}`, id, long))
			}
		}, []string{`"id":1,"error"`, `"id":2,"error"`}},
		{"cancelled by its id", func(k *talk, _ *actor) {
			k.send(Client, `{"method":"$/cancel_request","params":{"requestId":1}}`)
		}, []string{`"id":1,"error":{"code":-32800`}},
		{"cancelled in a batch", func(k *talk, _ *actor) {
			k.send(Client, `[{"method":"$/cancel_request","params":{"requestId":1}}]`)
		}, []string{`"id":1,"error":{"code":-32800`}},
		{"cancelled with its session", func(k *talk, _ *actor) {
			k.send(Client, `{"method":"session/cancel","params":{"sessionId":"s"}}`)
			k.gets(Agent, `{"method":"session/cancel","params":{"sessionId":"s"}}`)
		}, []string{`"id":1,"result":{"stopReason":"cancelled"}`}},
		{"its id used again", func(k *talk, a *actor) {
			a.handles = nil
			k.send(Client, `{"id":1,"method":"x","params":{"n":2}}`)
			k.gets(Agent, `{"id":1,"method":"x","params":{"n":2}}`)
			if !k.isPending(Client, "1") {
				k.t.Error("the request that uses the id again is not pending")
			}
			k.send(Agent, `{"id":1,"result":"second"}`)
		}, []string{`"id":1,"error"`, `"id":1,"result":"second"`}},
		{"its id used again, and held again", func(k *talk, a *actor) {
			k.send(Client, `{"id":1,"method":"x","params":{"n":2}}`)
			k.gets(Agent)
			if !k.isPending(Client, "1") {
				k.t.Error("the request that uses the id again is not pending")
			}
			k.send(Client, `{"method":"$/cancel_request","params":{"requestId":1}}`)
		}, []string{`"id":1,"error":{"code":-32603`, `"id":1,"error":{"code":-32800`}},
		{"its session closed", func(k *talk, _ *actor) {
			k.send(Client, `{"id":"close","method":"session/close","params":{"sessionId":"s"}}`)
			k.gets(Agent, `{"id":"close","method":"session/close","params":{"sessionId":"s"}}`)
			k.send(Agent, `{"id":"close","result":{}}`)
		}, []string{`"id":"close"`, `"id":1,`}},
		{"another response of an adapter", func(k *talk, a *actor) {
			if !k.respond(a, Client, "1", `{"id":1,"result":"of an adapter"}`) {
				k.t.Error("it has a response")
			}
			k.drain()
		}, []string{`"of an adapter"`}},
		{"a response of a peer that never got it", func(k *talk, _ *actor) {
			k.send(Agent, `{"id":1,"result":"of the agent"}`)
		}, []string{`"id":1,`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, held := holder("a", requests)
			k := converseWith(t, conversation.Options{MaxBytes: bound}, Options{Adapters: []Adapter{a}})
			ended := 0
			k.conversation.Session("s")
			k.send(Client, `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`)
			if len(*held) != 1 {
				t.Fatal("it is not held")
			}
			h := (*held)[0]
			a.told = func(e conversation.Event) {
				if e.Kind == conversation.RequestEnded && e.Request == h.Request {
					ended++
				}
			}
			test.end(k, a)
			if h.Continue(nil) || h.Answer([]byte(`{"id":1,"result":"late"}`)) {
				t.Error("the adapter goes on with it")
			}
			k.drain()
			if got := k.got[Client]; len(got) != len(test.want) || ended != 1 {
				t.Errorf("the client gets %q; it ended %d times", got, ended)
			}
			for _, part := range test.want {
				if !slices.ContainsFunc(k.got[Client], func(line string) bool { return strings.Contains(line, part) }) {
					t.Errorf("the client gets %q, want one with %s", k.got[Client], part)
				}
			}
			k.gets(Agent)
			k.checked()
		})
	}
}

func TestAMessageWithoutRoomToHoldPasses(t *testing.T) {
	const bound = 100_000
	for _, test := range []struct {
		name  string
		size  int // of the message
		newer int // requests that came after the one that is answered
		holds func(*Message) bool
	}{
		{"a request over the bound", bound, 0, requests},
		{"a request that alone is just within the bound", bound - 300, 0, requests},
		{"a response over the bound", bound, 0, responses},
		{"a response, when its request is the one to be evicted", bound - 2000, 3, responses},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, held := holder("a", test.holds)
			k := converseWith(t, conversation.Options{MaxBytes: bound}, Options{Adapters: []Adapter{a}})
			pad := strings.Repeat("p", test.size-100)
			size := func(m string) string {
				if test.holds(&Message{Kind: Request}) == strings.Contains(m, "method") {
					return pad
				}
				return ""
			}
			k.send(Client, fmt.Sprintf(`{"id":1,"method":"x","params":%q}`, size("method")))
			for id := range test.newer {
				k.send(Client, fmt.Sprintf(`{"id":%d,"method":"x"}`, id+2))
			}
			k.send(Agent, fmt.Sprintf(`{"id":1,"result":%q}`, size("result")))
			k.drain()
			if len(*held) != 0 || len(k.got[Client]) != 1 || len(k.got[Agent]) != 1+test.newer {
				t.Errorf("%d are held, the client gets %.100q, the agent %.100q", len(*held), k.got[Client], k.got[Agent])
			}
			k.checked()
		})
	}
}

func TestOnlyPendingRequestsAndTheirResponsesAreHeld(t *testing.T) {
	for _, line := range []string{`{"method":"x"}`, `{"id":null,"method":"m"}`, `{"id":9,"result":{}}`} {
		a, held := holder("a", func(*Message) bool { return true })
		a.wants[0].Lines, a.wants[1].Lines = true, true
		k := converse(t, a)
		k.send(Agent, line)
		if k.gets(Client, line); len(*held) > 0 {
			t.Errorf("%s is held", line)
		}
	}
}

// For any wants of the adapters.
func TestACancelEndsTheHeldRequest(t *testing.T) {
	const cancel = `{"method":"$/cancel_request","params":{"requestId":1}}`
	for _, from := range []Side{Client, Agent} {
		for name, cancel := range map[string]string{"alone": cancel, "in a batch": "[" + cancel + "]"} {
			for _, holds := range []func(*Message) bool{requests, responses} {
				a, held := holder("a", holds)
				isRequest := holds(&Message{Kind: Request})
				if a.wants = []Want{{From: from.Other(), Responses: []string{"x"}}}; isRequest {
					a.wants = []Want{{From: from, Methods: []string{"x"}}}
					a.awaits = "x"
				}
				handles := a.handles
				a.handles = nil // initialize is given to all
				k := converse(t, a)
				k.send(Client, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)
				k.send(Agent, `{"id":0,"result":{"protocolVersion":1}}`)
				a.handles = handles
				k.got = map[Side][]string{}
				k.send(from, `{"id":1,"method":"x"}`)
				if !isRequest {
					k.gets(from.Other(), `{"id":1,"method":"x"}`)
					k.send(from.Other(), `{"id":1,"result":{}}`)
				}
				k.gets(from)
				k.send(from, cancel)
				k.gets(from.Other())
				if len(*held) != 1 || len(k.got[from]) != 1 || (*held)[0].Continue(nil) {
					t.Errorf("%s, %s, a request: %v: %d are held, it gets %q", from, name, isRequest, len(*held), k.got[from])
				}
				k.checked()
			}
		}
	}
}

func TestAHeldResponseToInitializeNegotiatesOnce(t *testing.T) {
	for _, holderFirst := range []bool{true, false} {
		a, held := holder("a", responses)
		negotiated, answering := 0, &recorder{name: "other"}
		other := &actor{name: "told", told: func(e conversation.Event) {
			if e.Kind == conversation.Negotiated {
				negotiated++
			}
		}}
		adapters := []Adapter{a, other, answering}
		if !holderFirst {
			adapters = []Adapter{other, answering, a}
		}
		k := converse(t, adapters...)
		k.send(Client, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)
		k.send(Agent, `{"id":0,"result":{"protocolVersion":1}}`)
		if len(*held) != 1 {
			t.Fatal("it is not held")
		}
		(*held)[0].Continue(nil)
		if k.drain(); negotiated != 1 {
			t.Errorf("the peers negotiate %d times", negotiated)
		}
	}
}

// Its direction has ended.
func TestARequestThatCannotBeSentAgainIsRefused(t *testing.T) {
	a, held := holder("a", responses)
	k := converse(t, a)
	k.send(Client, `{"id":1,"method":"x"}`)
	k.send(Agent, `{"id":1,"error":{"code":-32000,"message":"log in"}}`)
	k.from[Client].Close()
	if (*held)[0].Again([]byte(`{"id":1,"method":"x"}`)) {
		t.Error("it is sent")
	}
	k.drain()
	k.gets(Client, `{"id":1,"error":{"code":-32000,"message":"log in"}}`)
}

// Its direction has ended.
func TestAHeldRequestThatCannotContinueIsRefused(t *testing.T) {
	a, held := holder("a", requests)
	k := converse(t, a)
	k.send(Client, `{"id":1,"method":"x"}`)
	k.from[Client].Close()
	if (*held)[0].Continue(nil) {
		t.Error("it goes on")
	}
	if k.drain(); len(k.got[Client]) != 1 || k.isPending(Client, "1") {
		t.Errorf("the client gets %q", k.got[Client])
	}
	k.checked()
}

// The held request continues while a line is handled, and the cancel comes after that line.
func TestACancelDoesNotOvertakeItsRequest(t *testing.T) {
	const prompt = `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`
	for _, test := range []struct{ name, line, want string }{
		{"of the request, in a batch", `[{"method":"m"},{"method":"$/cancel_request","params":{"requestId":1}}]`, ""},
		{"of the session, in a batch", `[{"method":"m"},{"method":"session/cancel","params":{"sessionId":"s"}}]`, ""},
	} {
		a, held := holder("a", requests)
		hold := a.handles
		a.handles = func(m *Message) {
			if hold(m); m.Method == "m" {
				(*held)[0].Continue(nil) // as the other direction may at any time
			}
		}
		k := converse(t, a)
		k.send(Client, prompt)
		k.send(Client, test.line)
		k.gets(Agent, prompt, test.line)
	}
}

func TestMessagesHeldByASwitchedOffAdapterContinue(t *testing.T) {
	for _, test := range []struct {
		name  string
		holds func(*Message) bool
		sent  []string // what the agent gets
	}{
		{"a request", requests, []string{`{"id":1,"method":"x"}`, `{"method":"m"}`}},
		{"a response", responses, []string{`{"id":1,"method":"x"}`, `{"method":"m"}`}},
	} {
		a, held := holder("a", test.holds)
		hold := a.handles
		a.handles = func(m *Message) {
			if hold(m); m.Method == "m" {
				panic("a mistake")
			}
		}
		k := converse(t, a)
		k.send(Client, `{"id":1,"method":"x"}`)
		if test.name == "a response" {
			k.send(Agent, `{"id":1,"result":{}}`)
		}
		if k.gets(Client); len(*held) != 1 {
			t.Fatalf("%s: it is not held", test.name)
		}
		k.send(Client, `{"method":"m"}`)
		slices.Sort(k.got[Agent])
		k.gets(Agent, test.sent...)
		if test.name == "a request" {
			k.send(Agent, `{"id":1,"result":{}}`)
		}
		k.gets(Client, `{"id":1,"result":{}}`)
		k.checked()
	}
}

func TestAPanicInWantsContinuesHeldMessages(t *testing.T) {
	a, held := holder("a", requests)
	bad := &panickingActor{actor: a}
	k := converse(t, bad)
	k.send(Client, `{"id":1,"method":"x"}`)
	if k.gets(Agent); len(*held) != 1 {
		t.Fatal("it is not held")
	}
	bad.panics = true
	k.conversation.ChangeWants()
	k.drain()
	k.gets(Agent, `{"id":1,"method":"x"}`)
}

// A panickingActor is an actor that panics in Wants.
type panickingActor struct {
	*actor
	panics bool
}

func (f *panickingActor) Wants() []Want {
	if f.panics {
		panic("a mistake")
	}
	return f.actor.Wants()
}

func TestAPanicAfterAHoldDoesNotDoubleTheMessage(t *testing.T) {
	for _, test := range []struct {
		name string
		does func(m *Message)
	}{
		{"holds a request", func(m *Message) {
			if requests(m) {
				m.Hold(Unlimited)
				panic("a mistake")
			}
		}},
		{"holds a response", func(m *Message) {
			if responses(m) {
				m.Hold(Unlimited)
				panic("a mistake")
			}
		}},
		{"answers", func(m *Message) {
			if requests(m) {
				m.Answer([]byte(`{"id":1,"result":{}}`))
				panic("a mistake")
			}
		}},
	} {
		a := &actor{name: "a", wants: everything(), handles: test.does}
		other := &actor{name: "other", wants: everything()}
		k := converse(t, other, a)
		k.send(Client, `{"id":1,"method":"x"}`)
		if len(k.got[Agent]) > 0 {
			k.send(Agent, `{"id":1,"result":{}}`)
		}
		k.gets(Client, `{"id":1,"result":{}}`)
		if k.isPending(Client, "1") {
			t.Errorf("%s: the request is pending", test.name)
		}
		k.checked()
	}
}

// A response of acpshim replaces one that an adapter holds, so that a request whose response is
// held can end.
func TestAResponseReplacesAHeldOne(t *testing.T) {
	middle, held := holder("middle", responses)
	last := &actor{name: "last", wants: everything()}
	k := converse(t, middle, last)
	k.send(Client, `{"id":1,"method":"x"}`)
	k.gets(Agent, `{"id":1,"method":"x"}`)
	k.send(Agent, `{"id":1,"result":{}}`)
	k.gets(Client)
	if !k.respond(last, Client, "1", `{"id":1,"result":1}`) || k.respond(last, Client, "1", `{"id":1,"result":2}`) || (*held)[0].Continue(nil) {
		t.Error("the request gets no response, or two")
	}
	k.drain()
	k.gets(Client, `{"id":1,"result":1}`)
}
