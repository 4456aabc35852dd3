package dispatch

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

const (
	asksX    = `{"id":1,"method":"x"}`
	refusesX = `{"id":1,"error":{"code":-32603,"message":"no"}}`
	againX   = `{"id":1,"method":"x","params":{}}`
)

// limited returns an actor that holds messages for a second.
func limited(holds func(m *Message) bool, then func(h *Held)) *actor {
	return &actor{name: "a", wants: everything(), handles: func(m *Message) {
		if holds(m) {
			if h := m.Hold(time.Second); h != nil {
				then(h)
			}
		}
	}}
}

// A hold ends at its limit, whatever the peers do, and a refusal is not lost if its request is sent
// again and has no second response.
func TestAHoldEndsAtItsLimit(t *testing.T) {
	ignore := func(*Held) {}
	again := func(h *Held) { h.Again([]byte(againX + "\n")) }
	for name, test := range map[string]struct {
		holds   func(m *Message) bool
		then    func(h *Held)
		early   []string // what the agent gets at once
		atLimit []string // what it gets at the limit
		late    string   // what the client gets at the limit
	}{
		"a request":                    {requests, ignore, nil, []string{asksX}, ""},
		"a response":                   {responses, ignore, []string{asksX}, nil, refusesX},
		"a request that is sent again": {responses, again, []string{asksX, againX}, nil, refusesX},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := limited(test.holds, test.then)
			k := converse(t, a)
			k.send(Client, asksX)
			if test.early != nil {
				k.send(Agent, refusesX)
			}
			t.Log(name)
			k.gets(Agent, test.early...)
			time.Sleep(time.Second - time.Millisecond)
			k.drain()
			k.gets(Client)
			k.gets(Agent)
			time.Sleep(time.Millisecond)
			synctest.Wait()
			k.drain()
			k.gets(Agent, test.atLimit...)
			if test.late != "" {
				k.gets(Client, test.late)
			}
			if len(test.early) > 1 {
				k.send(Agent, `{"id":1,"result":{}}`) // it is too late
				k.gets(Client)
			}
			k.checked()
		})
	}
}

// A second response ends the hold of the first one.
func TestASecondResponseReplacesTheHeldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := limited(responses, func(h *Held) { h.Again([]byte(againX + "\n")) })
		k := converse(t, a)
		k.send(Client, asksX)
		k.send(Agent, refusesX)
		k.gets(Agent, asksX, againX)
		a.handles = nil
		k.send(Agent, `{"id":1,"result":{}}`)
		k.gets(Client, `{"id":1,"result":{}}`)
		time.Sleep(time.Minute)
		k.drain()
		k.gets(Client)
		if k.isPending(Client, "1") || k.dispatcher.heldCount != 0 {
			t.Errorf("pending: %v, holds: %d", k.isPending(Client, "1"), k.dispatcher.heldCount)
		}
	})
}

// What is held of a side goes on when the side has ended, except for requests of the agent.
func TestHoldsEndWithTheirSender(t *testing.T) {
	for name, test := range map[string]struct {
		holds func(m *Message) bool
		from  Side // the side that ends
		lines []string
		want  string // what the other side gets at the end
	}{
		"a request of the client":  {requests, Client, []string{asksX}, asksX},
		"a response of the agent":  {responses, Agent, []string{refusesX}, refusesX},
		"a request of the agent":   {requests, Agent, []string{asksX}, ""},
		"a response of the client": {responses, Client, []string{refusesX}, refusesX},
	} {
		a, held := holder("a", test.holds)
		k := converse(t, a)
		if test.holds(&Message{Kind: Response}) {
			k.send(test.from.Other(), asksX)
		}
		for _, line := range test.lines {
			k.send(test.from, line)
		}
		k.got = map[Side][]string{}
		if len(*held) != 1 {
			t.Fatalf("%s: %d messages are held", name, len(*held))
		}
		out, _ := k.from[test.from].Flush(nil, true)
		k.add(test.from.Other(), out)
		if test.want == "" {
			k.gets(test.from.Other())
		} else {
			k.gets(test.from.Other(), test.want)
		}
		if k.dispatcher.heldCount != 0 || (*held)[0].Continue(nil) {
			t.Errorf("%s: it is still held", name)
		}
		k.checked()
	}
}

// An adapter ends a turn although another one holds its response.
func TestAResponseToWhatAnotherAdapterHolds(t *testing.T) {
	for name, holds := range map[string]func(*Message) bool{"a request": requests, "a response": responses} {
		a, _ := holder("a", holds)
		b := &actor{name: "b", wants: everything()}
		k := converse(t, a, b)
		k.send(Client, asksX)
		if name == "a response" {
			k.send(Agent, refusesX)
		}
		if !k.respond(b, Client, "1", `{"id":1,"result":{"by":"b"}}`) || k.respond(b, Client, "1", `{"id":1,"result":{}}`) {
			t.Errorf("%s: it is not the first response", name)
		}
		k.drain()
		k.gets(Client, `{"id":1,"result":{"by":"b"}}`)
	}
}

// Holds that end at the same time keep the order of their messages.
func TestHoldsEndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, limited(requests, func(*Held) {}))
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
			k.send(Client, want[i])
		}
		time.Sleep(time.Second)
		synctest.Wait()
		k.drain()
		k.gets(Agent, want...)
	})
}

// A settled request has no response, whatever is held of it, and no later one of its receiver
// passes.
func TestSettledRequestsHaveNoResponse(t *testing.T) {
	ignore := func(*Held) {}
	for name, test := range map[string]struct {
		holds    func(m *Message) bool
		then     func(h *Held)
		responds bool // the agent refuses the request before
		again    bool // it responds after
	}{
		"it waits at the agent":                      {func(*Message) bool { return false }, ignore, false, true},
		"the request is held":                        {requests, ignore, false, false},
		"its response is held":                       {responses, ignore, true, false},
		"its response is held, and it is sent again": {responses, func(h *Held) { h.Again([]byte(againX + "\n")) }, true, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			t.Log(name)
			a := limited(test.holds, test.then)
			k := converse(t, a)
			k.send(Client, asksX)
			if test.responds {
				k.send(Agent, refusesX)
			}
			k.dispatcher.Do(func() { a.Settle(k.conversation.Pending(Client, []byte("1"))) })
			if test.again {
				a.handles = func(*Message) {}
				k.send(Agent, `{"id":1,"result":{}}`)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			k.drain()
			k.gets(Client)
			if k.isPending(Client, "1") {
				t.Error("it is pending")
			}
			k.checked()
		})
	}
}

// If a response is on its way when its request is settled, the adapters still get it as one.
func TestASettledRequestKeepsItsResponse(t *testing.T) {
	a := &actor{name: "a", wants: everything(), handles: func(m *Message) {
		if m.Kind == Response && m.Request != nil {
			m.Drop()
		}
	}}
	last := &actor{name: "last", wants: everything(), handles: func(*Message) {}}
	k := converseWith(t, conversation.Options{}, Options{Adapters: []Adapter{last, a}})
	k.send(Client, asksX)
	r := k.conversation.Pending(Client, []byte("1"))
	k.dispatcher.Do(func() {
		last.Respond(r, []byte(`{"id":1,"result":{}}`), wire.Reason{})
		a.Settle(r)
	})
	k.drain()
	k.gets(Client) // it is dropped
	k.checked()
}
