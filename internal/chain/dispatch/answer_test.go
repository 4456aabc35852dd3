package dispatch

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

const answer = `{"id":1,"result":"acpshim"}`

// answerer returns an actor that responds to each request, and counts how often its response was
// the first.
func answerer(name string) (a *actor, first *int) {
	first = new(int)
	return &actor{name: name, wants: everything(), handles: func(m *Message) {
		if requests(m) && m.Answer([]byte(answer)) {
			*first++
		}
	}}, first
}

// The first adapter that responds drops the request. The adapters between it and the sender get
// the response.
func TestARequestIsAnsweredOnce(t *testing.T) {
	for _, from := range []Side{Client, Agent} {
		for name, line := range map[string]string{"alone": `{"id":1,"method":"x"}`, "in a batch": `[{"id":1,"method":"x"},{"method":"y"}]`} {
			near, far := &actor{name: "near", wants: everything()}, &actor{name: "far", wants: everything()}
			a, isFirst := answerer("a")
			b, isSecond := answerer("b")
			adapters := []Adapter{near, a, b, far}
			if from == Client {
				adapters = []Adapter{far, b, a, near}
			}
			k := converse(t, adapters...)
			k.send(from, line)
			k.gets(from, answer)
			if name == "in a batch" {
				k.gets(from.Other(), `[{"method":"y"}]`)
			}
			k.gets(from.Other())
			if *isFirst != 1 || *isSecond != 0 || len(b.seen)+len(far.seen) > 0 || len(near.seen) != 2 || near.seen[1] != answer {
				t.Errorf("%s, %s: answered %d and %d times; the adapters are given %q, %q and %q", from, name, *isFirst, *isSecond, near.seen, b.seen, far.seen)
			}
			if k.isPending(from, "1") {
				t.Errorf("%s, %s: the request is pending", from, name)
			}
			k.checked()
		}
	}
}

// A request with a waiting response is pending until the adapters have handled the response.
func TestAWaitingResponseKeepsItsID(t *testing.T) {
	a, _ := answerer("a")
	k := converse(t, a)
	k.say(Client, `{"id":1,"method":"x"}`)
	a.handles = nil
	k.send(Client, `{"id":1,"method":"m"}`) // the id is used again before the response leaves
	k.gets(Client, answer)
	if !k.isPending(Client, "1") {
		t.Error("the response has ended a request that it does not answer")
	}
	k.send(Agent, `{"id":1,"result":{}}`)
	k.gets(Client, `{"id":1,"result":{}}`)
	k.checked()
}

// If an adapter and the peer respond to the same request, the first response counts.
func TestALateResponseIsDropped(t *testing.T) {
	long := strings.Repeat("t", wire.HeadSize)
	late := map[string]string{
		"clear":                            `{"id":1,"result":{}}`,
		"with its id at the end":           `{"result":{},"id":1}`,
		"with its id after the head":       `{"result":"` + long + `","id":1}`,
		"ambiguous":                        `{"id":1,"result":{},"result":{}}`,
		"ambiguous within":                 `{"id":1,"result":{"a":1,"a":2}}`,
		"an error":                         `{"id":1,"error":{"code":1,"message":""}}`,
		"without a result":                 `{"id":1}`,
		"in a batch":                       `[{"id":1,"result":{}}]`,
		"ambiguous, in a batch":            `[{"id":1,"result":{},"result":{}}]`,
		"without a result, in a batch":     `[{"id":1}]`,
		"long":                             `{"id":1,"result":"` + long + `"}`,
		"with an id that is spelled so":    `{"\u0069d":1,"result":{}}`,
		"with an id that is spelled 1.0":   `{"id":1.0,"result":{}}`,
		"ambiguous by its id":              `{"id":1,"id":1,"result":{}}`,
		"ambiguous, its id after the rest": `{"result":{},"result":{},"id":1}`,
	}
	for name, line := range late {
		for _, awaited := range []bool{true, false} { // an adapter wants the response
			for _, drained := range []bool{true, false} { // the response of acpshim has left
				t.Run(fmt.Sprintf("%s, awaited %v, drained %v", name, awaited, drained), func(t *testing.T) {
					a := &actor{name: "a", wants: everything()}
					if !awaited {
						a.wants, a.awaits = nil, "x"
					}
					k := converse(t, a)
					k.send(Client, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)
					k.send(Agent, `{"id":0,"result":{"protocolVersion":1}}`)
					k.got = map[Side][]string{}
					k.send(Client, `{"id":1,"method":"x"}`)
					if !k.respond(a, Client, "1", answer) || k.respond(a, Client, "1", answer) {
						t.Fatal("it is not answered once")
					}
					if drained {
						k.drain()
					}
					k.send(Agent, line)
					if got := strings.Join(k.got[Client], " "); got != answer && got != answer+" []" {
						t.Errorf("the client gets %.300s", got)
					}
					k.checked()
				})
			}
		}
	}
}

func TestAnIDMayBeUsedAgainAfterALateResponse(t *testing.T) {
	for _, method := range []string{"x", "nobody awaits it"} {
		a := &actor{name: "a", wants: everything()}
		answers := false
		a.handles = func(m *Message) {
			if m.Method == "m" && answers {
				r := a.dispatcher.conversation.Pending(Client, []byte("1"))
				a.Respond(r, []byte(answer), wire.Reason{})
			}
		}
		k := converse(t, a)
		k.send(Client, `{"id":1,"method":"x"}`)
		answers = true
		k.send(Agent, `[{"method":"m"},{"id":1,"result":"the peer's"}]`) // it comes before the response has left
		k.gets(Client, `[{"method":"m"}]`, answer)
		k.send(Client, fmt.Sprintf(`{"id":1,"method":%q}`, method))
		k.send(Agent, `{"id":1,"result":2}`)
		k.gets(Client, `{"id":1,"result":2}`)
		k.checked()
	}
}

// The batch has a message that makes an adapter respond, and an unclear response of the peer to
// the same request.
func TestAnUnclearResponseInABatchIsDroppedAfterAnother(t *testing.T) {
	for _, late := range []string{`{"id":1,"result":{}}`, `{"id":1,"result":{},"result":{}}`, `{"id":1}`, `{"id":1,"result":{"a":1,"a":2}}`} {
		a := &actor{name: "a", wants: everything()}
		a.handles = func(m *Message) {
			if m.Method == "m" {
				r := a.dispatcher.conversation.Pending(Client, []byte("1"))
				a.Respond(r, []byte(answer), wire.Reason{})
			}
		}
		k := converse(t, a)
		k.send(Client, `{"id":1,"method":"x"}`)
		k.send(Agent, `[{"method":"m"},`+late+`]`)
		k.gets(Client, `[{"method":"m"}]`, answer)
		k.checked()
	}
}

func TestALateResponseThatIsTooLongIsDropped(t *testing.T) {
	line := []byte(`{"id":1,"result":"` + strings.Repeat("t", wire.HeadSize))
	for _, test := range []struct {
		name  string
		calls func(k *talk, a *actor) (v wire.Verdict)
	}{
		{"after the response has left", func(k *talk, a *actor) wire.Verdict {
			k.respond(a, Client, "1", answer)
			k.drain()
			return k.from[Agent].Inspect(line, false)
		}},
		{"before the response has left", func(k *talk, a *actor) wire.Verdict {
			k.respond(a, Client, "1", answer)
			if v := k.from[Agent].Inspect(line, false); v != wire.DrainFirst {
				return v
			}
			k.drain()
			return k.from[Agent].Inspect(line, false)
		}},
	} {
		a := &actor{name: "a", wants: everything()}
		k := converse(t, a)
		k.send(Client, `{"id":1,"method":"x"}`)
		if v := test.calls(k, a); v != wire.Consume {
			t.Errorf("%s: it is %v, so that it passes for being too long", test.name, v)
		}
	}
}

func TestOfTwoResponsesOfAdaptersOneIsSent(t *testing.T) {
	a, held := holder("a", requests)
	k := converse(t, a)
	for id := range 200 {
		line := fmt.Sprintf(`{"id":%d,"method":"x"}`, id)
		k.send(Client, line)
		h := (*held)[len(*held)-1]
		response := fmt.Appendf(nil, `{"id":%d,"result":{}}`, id)
		r := h.Request
		var all sync.WaitGroup
		for _, f := range []func(){
			func() { a.Do(func() { h.Answer(response) }) },
			func() { a.Do(func() { h.Because(wire.Reason{Text: "it may"}).Continue(nil) }) },
			func() { a.Do(func() { a.Respond(r, response, wire.Reason{}) }) },
			func() { k.say(Client, fmt.Sprintf(`{"method":"$/cancel_request","params":{"requestId":%d}}`, id)) },
		} {
			all.Add(1)
			go func() { defer all.Done(); f() }()
		}
		all.Wait()
		k.drain()
		for _, sent := range k.got[Agent] {
			if sent == line {
				k.send(Agent, fmt.Sprintf(`{"id":%d,"result":"the peer's"}`, id))
			}
		}
		if len(k.got[Client]) != 1 || k.isPending(Client, fmt.Sprint(id)) {
			t.Fatalf("request %d: the agent gets %q, the client %q", id, k.got[Agent], k.got[Client])
		}
		k.got = map[Side][]string{}
		k.checked()
	}
}

func TestPostsLeaveBeforeTheNextLine(t *testing.T) {
	a, next := &actor{name: "a", wants: everything()}, &actor{name: "next", wants: everything()}
	k := converse(t, a, next)
	k.send(Client, `{"id":1,"method":"x"}`)
	k.gets(Agent, `{"id":1,"method":"x"}`)
	a.Pass(Agent, []byte(`{"method":"m"}`+"\n"), wire.Reason{})
	a.Send(Agent, []byte(`{"method":"m","params":"sent"}`+"\n"), wire.Reason{})
	a.Make(wire.Reason{}, func() []byte { return []byte(`{"method":"m","params":"made"}` + "\n") })
	k.respond(a, Client, "1", answer)
	k.say(Agent, `{"method":"nobody wants it"}`)
	k.gets(Client, `{"method":"m"}`, `{"method":"m","params":"sent"}`, `{"method":"m","params":"made"}`, answer, `{"method":"nobody wants it"}`)
	if got := strings.Join(next.seen[1:], " "); got != `{"method":"m"} {"method":"m","params":"made"} `+answer || len(a.seen) != 1 {
		t.Errorf("the next adapter is given %s, the one that made it %q", got, a.seen)
	}
}

func TestAHeldInitializeReachesAllLaterAdapters(t *testing.T) {
	last := &actor{name: "last"} // it wants nothing, but initialize is given to all
	a, held := holder("a", requests)
	k := converse(t, last, a)
	k.send(Client, `{"id":1,"method":"initialize","params":{}}`)
	(*held)[0].Continue(nil)
	k.drain()
	k.gets(Agent, `{"id":1,"method":"initialize","params":{}}`)
	if len(last.seen) != 1 {
		t.Errorf("the next adapter is given %q", last.seen)
	}
}

func TestNoAdapterGetsOwnRequests(t *testing.T) {
	for to, ways := range map[Side][]string{Client: {"Pass", "Send", "Make"}, Agent: {"Pass", "Send"}} {
		own := NewOwnRequests("own-")
		a, last := &actor{name: "a", wants: everything()}, &actor{name: "last", wants: everything()}
		adapters := []Adapter{a, last}
		if to == Agent {
			adapters = []Adapter{last, a}
		}
		k := converseWith(t, conversation.Options{}, Options{Adapters: adapters, Own: own, OwnToAgent: own})
		for _, way := range ways {
			taken := ""
			id := own.Begin("a", func(result, _ []byte) []byte { taken = string(result); return nil })
			line := []byte(fmt.Sprintf(`{"id":%q,"method":"x"}`, id) + "\n")
			switch way {
			case "Pass":
				a.Pass(to.Other(), line, wire.Reason{})
			case "Send":
				a.Send(to.Other(), line, wire.Reason{})
			case "Make":
				a.Make(wire.Reason{}, func() []byte { return line })
			}
			k.drain()
			k.gets(to, strings.TrimSpace(string(line)))
			k.send(to, fmt.Sprintf(`{"id":%q,"result":7}`, id))
			k.gets(to.Other())
			if taken != "7" || len(last.seen)+len(a.seen) > 0 || k.isPending(to.Other(), fmt.Sprintf("%q", id)) {
				t.Errorf("%s to the %s: %q is taken, the adapters are given %q", way, to, taken, last.seen)
			}
		}
	}
}

func TestMakeOfASwitchedOffAdapterIsNotCalled(t *testing.T) {
	a := &actor{name: "a", wants: everything(), handles: func(*Message) { panic("a mistake") }}
	k := converse(t, a)
	a.Pass(Agent, []byte(`{"method":"passed"}`+"\n"), wire.Reason{})
	a.Make(wire.Reason{}, func() []byte { t.Error("it is asked"); return nil })
	a.Pass(Client, []byte(`{"method":"passed"}`+"\n"), wire.Reason{})
	k.say(Client, `{"method":"m"}`)
	k.drain()
	k.gets(Client, `{"method":"passed"}`)
	k.gets(Agent, `{"method":"passed"}`, `{"method":"m"}`)
	if !a.Pass(Agent, []byte(`{"method":"later"}`+"\n"), wire.Reason{}) {
		t.Error("what it sends later is refused")
	}
	k.drain()
	k.gets(Client, `{"method":"later"}`)
}

// Another rule has changed the request before.
func TestAResponseNamesTheRuleThatGaveIt(t *testing.T) {
	a := &actor{name: "a", wants: everything(), handles: func(m *Message) {
		m.By(wire.Cause{Name: "changes"})
		m.By(wire.Cause{Name: "replies"})
		m.Answer([]byte(answer))
	}}
	k := converse(t, a)
	k.say(Client, `{"id":1,"method":"x"}`)
	_, by := k.from[Agent].Drain(nil)
	if got := fmt.Sprint(by.Names()); !strings.Contains(got, "replies") {
		t.Errorf("the response is by %s", got)
	}
}

// Accepted lines are written, and lines of their receiver wait.
func TestASenderThatDoesNotReadIsNotRead(t *testing.T) {
	a := &actor{name: "a", wants: everything()}
	k := converse(t, a)
	waits := func() chan struct{} {
		done := make(chan struct{})
		go func() { k.from[Client].AwaitReader(); close(done) }()
		return done
	}
	isDone := func(done chan struct{}) bool {
		select {
		case <-done:
			return true
		case <-time.After(50 * time.Millisecond):
			return false
		}
	}
	line := []byte(`{"method":"m","params":"` + strings.Repeat("p", 1000) + `"}` + "\n")
	n := 0
	for size := 0; size < maxBacklog; size += len(line) {
		if !isDoneNow(waits()) {
			t.Fatalf("lines wait for a receiver with %d bytes", size)
		}
		a.Pass(Agent, append([]byte(nil), line...), wire.Reason{})
		n++
	}
	waiting := waits()
	if isDone(waiting) {
		t.Error("nothing waits for a receiver that does not read")
	}
	k.drain()
	if !isDone(waiting) || len(k.got[Client]) != n {
		t.Errorf("of %d lines %d leave, and who waits goes on: %v", n, len(k.got[Client]), isDone(waiting))
	}
	k.got = map[Side][]string{}
	for range n + 1 {
		a.Pass(Agent, append([]byte(nil), line...), wire.Reason{})
	}
	waiting = waits()
	k.dispatcher.outboxes[Agent.Index()].close()
	if !isDone(waiting) || a.Pass(Agent, line, wire.Reason{}) || a.Send(Agent, line, wire.Reason{}) || a.Make(wire.Reason{}, func() []byte { return line }) {
		t.Error("after the end somebody waits, or something is taken in")
	}
	if k.drain(); len(k.got[Client]) > 0 {
		t.Error("after the end something leaves")
	}
	select {
	case <-k.dispatcher.Closed(Agent):
	default:
		t.Error("nobody is told of the end")
	}
}

// isDoneNow reports whether a channel is closed within a second.
func isDoneNow(done chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// Above the first limit, patience ends after some seconds, and the receiver counts as stalled
// until it reads. Above the second limit, patience does not end.
func TestPatience(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds")
	}
	t.Parallel()
	a := &actor{name: "a", wants: everything()}
	k := converse(t, a)
	var stalled []bool
	a.handles = func(m *Message) { stalled = append(stalled, m.IsStalled()) }
	a.Send(Agent, []byte(`{"method":"m","params":"`+strings.Repeat("p", maxBacklog)+`"}`+"\n"), wire.Reason{})
	k.say(Client, `{"method":"m"}`)
	began := time.Now()
	k.from[Client].AwaitReader()
	if took := time.Since(began); took < patience || took > 2*patience {
		t.Errorf("patience lasts %v", took)
	}
	k.say(Client, `{"method":"m"}`)
	k.from[Client].AwaitReader() // at once
	a.Send(Agent, []byte(`{"method":"m","params":"`+strings.Repeat("p", maxStalled)+`"}`+"\n"), wire.Reason{})
	done := make(chan struct{})
	go func() { k.from[Client].AwaitReader(); close(done) }()
	select {
	case <-done:
		t.Error("patience has an end over the second bound")
	case <-time.After(patience + time.Second):
	}
	k.drain()
	if !isDoneNow(done) {
		t.Error("it waits after the receiver has read")
	}
	if k.say(Client, `{"method":"m"}`); fmt.Sprint(stalled) != "[false true false]" {
		t.Errorf("stalled are %v", stalled)
	}
}

func TestOfResponsesOfAPeerAndAnAdapterOneIsSent(t *testing.T) {
	for _, line := range []string{`{"id":%d,"result":{}}`, `[{"id":%d,"result":{}}]`, `{"id":%d,"result":{},"result":{}}`, `{"id":%d}`} {
		a := &actor{name: "a", wants: everything()}
		k := converse(t, a)
		for id := range 500 {
			k.send(Client, fmt.Sprintf(`{"id":%d,"method":"x"}`, id))
			r := k.conversation.Pending(Client, fmt.Append(nil, id))
			done := make(chan struct{})
			go func() {
				a.Do(func() { a.Respond(r, fmt.Appendf(nil, `{"id":%d,"result":{}}`, id), wire.Reason{}) })
				close(done)
			}()
			k.say(Agent, fmt.Sprintf(line, id))
			<-done
			if k.drain(); len(k.got[Client]) != 1 {
				t.Fatalf("the client gets %q", k.got[Client])
			}
			k.got = map[Side][]string{}
		}
		k.checked()
	}
}

func TestNoAdapterRespondsAfterAnUnreadResponse(t *testing.T) {
	for _, line := range []string{`{"id":1,"result":{},"result":{}}`, `{"id":1}`, `[{"id":1}]`, `{"id":1,"result":{"a":1},"result":`} {
		a := &actor{name: "a", wants: everything()}
		isFirst := false
		a.unread = func(m *Message) {
			if m.Request == nil {
				return
			}
			isFirst = a.Respond(m.Request, []byte(answer), wire.Reason{})
		}
		k := converse(t, a)
		k.send(Client, `{"id":1,"method":"x"}`)
		k.send(Agent, line)
		if k.gets(Client, line); isFirst {
			t.Errorf("%s: an adapter responds, too", line)
		}
	}
}
