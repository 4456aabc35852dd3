package conversation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// bound has room for a few requests and sessions.
const bound = 10_000

// checked fails the test if the counts or sizes are wrong.
func checked(t *testing.T, c *Conversation) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if c.Size() != c.Recount() {
		t.Errorf("%d bytes are counted, there are %d", c.Size(), c.Recount())
	}
}

// The value of a request lives until all adapters have handled its response, or the request ends
// without one. Its weight counts until the request ends.
func TestTheSlotOfARequest(t *testing.T) {
	ask := func(c *Conversation) { c.Note([]byte("1"), Request{From: Agent, Method: "m", Session: "s"}) }
	response := wire.Head{Response: true, ID: []byte("1")}
	for _, test := range []struct {
		name      string
		end       func(t *testing.T, c *Conversation) *Request
		isHandled bool // adapters handle a response
	}{
		{"answered", func(t *testing.T, c *Conversation) *Request {
			return c.Answer(Client, parse(t, `{"id":1,"result":{}}`))
		}, true},
		{"refused", func(t *testing.T, c *Conversation) *Request { return c.Answer(Client, parse(t, `{"id":1,"error":{}}`)) }, true},
		{"answered, unread", func(_ *testing.T, c *Conversation) *Request { return c.AnswerUnread(Client, response) }, true},
		{"answered by its head", func(_ *testing.T, c *Conversation) *Request { c.Forget(Agent, []byte("1")); return nil }, false},
		{"its id used again", func(_ *testing.T, c *Conversation) *Request { ask(c); return nil }, false},
		{"amended", func(t *testing.T, c *Conversation) *Request {
			c.Amend(Agent, "n", parse(t, `{"id":1,"method":"n"}`))
			return nil
		}, false},
		{"evicted", func(_ *testing.T, c *Conversation) *Request { c.weigh(c.Session("other"), bound-2000); return nil }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{MaxBytes: bound})
			slot, other := NewSlot[*Request, string](c), NewSlot[*Request, string](c)
			var told []string
			c.Observe(func(e Event) {
				if e.Kind == RequestEnded {
					value, ok := slot.Get(e.Request)
					isKept := slot.Put(e.Request, "late", 1)
					told = append(told, fmt.Sprintln(value, ok, isKept))
				}
			})
			ask(c)
			r := c.Pending(Agent, []byte("1"))
			before := c.Size()
			if !slot.Put(r, "a", 1000) || !slot.Put(r, "b", 2000) || !other.Put(r, "x", 3000) {
				t.Error("a value is not kept")
			}
			if got := c.Size() - before; got != 5000+2*slotWeight {
				t.Errorf("the values count as %d bytes", got)
			}
			checked(t, c)
			answered := test.end(t, c)
			if value, ok := slot.Get(answered); ok != test.isHandled || (value == "b") != test.isHandled {
				t.Errorf("when it is handled, adapters read %q, %v", value, ok)
			}
			if test.isHandled && (len(told) > 0 || !slot.Put(r, "b", 2000) || c.Pending(Agent, []byte("1")) != r) {
				t.Errorf("it ended before its response was handled: observers read %q", told)
			}
			c.End(answered)
			c.End(answered)
			if !slices.Equal(told, []string{"b true false\n"}) {
				t.Errorf("when it ends, observers read %q", told)
			}
			for _, s := range []*Slot[*Request, string]{slot, other} {
				if value, ok := s.Get(r); ok {
					t.Errorf("then %q is left", value)
				}
			}
			if test.name != "evicted" {
				checked(t, c) // the other session is heavier than it is
			}
		})
	}
}

// A response without an id ends all requests to which it may belong, with their values.
func TestSlotsOfRequestsThatAreAnsweredTogether(t *testing.T) {
	c := New(Options{})
	slot := NewSlot[*Request, int](c)
	send(t, c, `{"id":1,"method":"session/load","params":{"sessionId":"s"}}`, `{"id":2,"method":"session/new","params":{}}`)
	requests := []*Request{c.Pending(Client, []byte("1")), c.Pending(Client, []byte("2"))}
	for i, r := range requests {
		slot.Put(r, i, 10)
	}
	c.End(c.AnswerUnread(Agent, wire.Head{}))
	for _, r := range requests {
		if value, ok := slot.Get(r); ok {
			t.Errorf("the value %d of %s is left", value, r.Method)
		}
	}
	checked(t, c)
}

// The value of a session lives and counts until the session is removed.
func TestTheSlotOfASession(t *testing.T) {
	for name, remove := range map[string]func(*Conversation, *Session){
		"removed": func(c *Conversation, s *Session) { c.Remove(s) },
		"evicted": func(c *Conversation, _ *Session) {
			for i := range 20 {
				c.Session(fmt.Sprint(i))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(Options{MaxBytes: bound})
			slot := NewSlot[*Session, []string](c)
			var told [][]string
			c.Observe(func(e Event) {
				if value, ok := slot.Get(e.Session); e.Kind == SessionRemoved && ok {
					told = append(told, value)
					slot.Delete(e.Session)
				}
			})
			s := c.Session("s")
			before := c.Size()
			for range 2 {
				if !slot.Put(s, []string{"a"}, 500) || c.Size() != before+500+slotWeight {
					t.Errorf("%d bytes are counted", c.Size()-before)
				}
			}
			checked(t, c)
			if remove(c, s); len(told) != 1 || told[0][0] != "a" {
				t.Errorf("observers read %q", told)
			}
			if _, ok := slot.Get(s); ok || slot.Put(s, nil, 0) {
				t.Error("a session that is gone has a value")
			}
			checked(t, c)
		})
	}
}

// Put reports whether the value is kept, also if something is evicted for it.
func TestPutSaysWhetherTheValueIsKept(t *testing.T) {
	for _, test := range []struct {
		name   string
		weight int
		isKept bool
		others int // requests that are left
	}{
		{"that fits", 100, true, 3},
		{"for which an older one goes", bound - 2000, true, 2},
		{"for which this one goes, too", bound - 1000, false, 1},
		{"over the bound", bound - slotWeight + 1, false, 3},
	} {
		c := New(Options{MaxBytes: bound})
		slot := NewSlot[*Request, int](c)
		for i := range 4 {
			c.Note(fmt.Append(nil, i), Request{From: Client, Method: "m"})
		}
		r := c.Pending(Client, []byte("2"))
		slot.Put(r, 1, 10)
		isKept := slot.Put(r, 2, test.weight)
		value, ok := slot.Get(r)
		all, _ := c.Waiting(Client)
		if isKept != test.isKept || ok != isKept || ok && value != 2 {
			t.Errorf("a value %s: kept is %v, it is %d, %v", test.name, isKept, value, ok)
		}
		if c.Pending(Client, []byte("2")) != nil {
			all--
		}
		if all != test.others {
			t.Errorf("a value %s: %d other requests are left, want %d", test.name, all, test.others)
		}
		checked(t, c)
	}
}

// A value can be taken or deleted once, and no longer counts. A nil owner has no values.
func TestValuesAreTakenOnce(t *testing.T) {
	c := New(Options{})
	slot := NewSlot[*Session, error](c)
	s := c.Session("s")
	size := c.Size()
	slot.Put(s, nil, 100)
	if value, ok := slot.Take(s); value != nil || !ok {
		t.Errorf("taken are %v, %v", value, ok)
	}
	if _, ok := slot.Take(s); ok || c.Size() != size {
		t.Errorf("it is taken twice, or counts %d bytes", c.Size()-size)
	}
	slot.Delete(s)
	slot.Delete(nil)
	if _, ok := slot.Get(nil); ok || slot.Put(nil, nil, 1) {
		t.Error("no session has a value")
	}
	checked(t, c)
}

// All yields all values in order, also if the loop changes them.
func TestAllValues(t *testing.T) {
	c := New(Options{})
	requests, sessions := NewSlot[*Request, string](c), NewSlot[*Session, string](c)
	for i, from := range []Side{Agent, Client, Agent, Agent, Client} {
		id := fmt.Append(nil, i)
		c.Note(id, Request{From: from, Method: "m"})
		if i != 2 {
			requests.Put(c.Pending(from, id), fmt.Sprint(i), 1)
		}
		sessions.Put(c.Session(string(id)), fmt.Sprint(i), 1)
	}
	var got []string
	for r, value := range requests.All() {
		got = append(got, value)
		requests.Delete(r)
		c.Forget(Agent, []byte("3"))
	}
	c.Session("0")
	for s, value := range sessions.All() {
		got = append(got, s.ID+"="+value)
		if value == "4" {
			break
		}
	}
	if got, want := strings.Join(got, " "), "1 4 0 1=1 2=2 3=3 4=4"; got != want {
		t.Errorf("all are %s, want %s", got, want)
	}
	checked(t, c)
}

// The weight of a request counts what is kept of its id.
func TestLongIDs(t *testing.T) {
	c := New(Options{})
	size := func(id string) int {
		before := c.Size()
		c.Note([]byte(`"`+id+`"`), Request{From: Agent, Method: "m"})
		checked(t, c)
		return c.Size() - before
	}
	short, long, longest := size("a"), size(strings.Repeat("a", 100)), size(strings.Repeat("a", 1<<20))
	if long != short+2*99 || longest > short+128 {
		t.Errorf("requests count as %d, %d and %d bytes", short, long, longest)
	}
}

// The counts and sizes stay right over any sequence of calls.
func TestCountsAfterRandomSequences(t *testing.T) {
	methods := []string{"session/new", "session/load", "session/fork", "session/prompt", "session/close", "m", "initialize"}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := New(Options{MaxBytes: 20_000})
		requests, sessions := NewSlot[*Request, int](c), NewSlot[*Session, int](c)
		var answered []*Request
		id := func() string { return fmt.Sprint(random.IntN(6)) }
		session := func() string { return string(rune('s' + random.IntN(3))) }
		for range 200 {
			side := []Side{Client, Agent}[random.IntN(2)]
			raw := id()
			r := c.Pending(side, []byte(raw))
			switch random.IntN(12) {
			case 0, 1, 2:
				method := methods[random.IntN(len(methods))]
				c.Ask(side, method, parse(t, fmt.Sprintf(`{"id":%s,"method":%q,"params":{"sessionId":%q}}`, raw, method, session())))
			case 3, 4:
				answered = append(answered, c.Answer(side.Other(), parse(t, fmt.Sprintf(`{"id":%s,%s}`, raw, []string{`"error":{}`, fmt.Sprintf(`"result":{"sessionId":%q}`, session())}[random.IntN(2)]))))
			case 5:
				answered = append(answered, c.AnswerUnread(side.Other(), wire.Head{Response: true, ID: [][]byte{nil, []byte(raw)}[random.IntN(2)]}))
			case 6, 7:
				if len(answered) > 0 {
					c.End(answered[0])
					answered = answered[1:]
				}
			case 8:
				if r != nil {
					c.Take(r, Respond)
					c.Take(r, Keep)
					c.Take(r, Repeat)
				}
			case 9:
				requests.Put(r, 1, random.IntN(8000))
			case 10:
				sessions.Put(c.Session(session()), 1, random.IntN(8000))
			case 11:
				c.Cancel(session())
				requests.Delete(r)
			}
			if checked(t, c); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		for i := range 6 {
			c.Forget(Client, fmt.Append(nil, i))
			c.Forget(Agent, fmt.Append(nil, i))
		}
		for _, s := range c.Sessions() {
			c.Remove(s)
		}
		if checked(t, c); c.Size() != 0 {
			t.Fatalf("seed %d: %d bytes are left of nothing", seed, c.Size())
		}
	}
}

// Only one caller may respond to a request. Then a response of the peer is late.
func TestSteps(t *testing.T) {
	for _, test := range []struct {
		name   string
		steps  func(c *Conversation, r *Request) bool
		isLate bool
	}{
		{"of a request that its peer has not got", func(c *Conversation, r *Request) bool {
			return c.Take(r, Respond) && !c.Take(r, Respond) && !c.RespondLate(r)
		}, false},
		{"of one that its peer has got", func(c *Conversation, r *Request) bool { return c.RespondLate(r) && !c.Take(r, Respond) }, true},
		{"after one that came to nothing", func(c *Conversation, r *Request) bool {
			return c.Take(r, Respond) && c.Take(r, Keep) && c.Take(r, Repeat) && c.RespondLate(r)
		}, true},
		{"of one that has ended", func(c *Conversation, r *Request) bool {
			c.Forget(Client, []byte("1"))
			return !c.Take(r, Respond) && !c.RespondLate(r)
		}, false},
	} {
		c := New(Options{})
		send(t, c, `{"id":1,"method":"m"}`)
		r := c.Pending(Client, []byte("1"))
		if !test.steps(c, r) {
			t.Errorf("a response %s: not as it should be", test.name)
		}
		if c.IsLate(Client, []byte("1")) {
			t.Errorf("a response %s: late before it has ended", test.name)
		}
		c.End(r)
		if c.IsLate(Client, []byte("1.0")) != test.isLate || c.IsLate(Agent, []byte("1")) || c.TakeLate(Client, []byte("1")) != test.isLate || c.TakeLate(Client, []byte("1")) {
			t.Errorf("a response %s: late is %v", test.name, !test.isLate)
		}
		checked(t, c)
	}
	c := New(Options{})
	send(t, c, `{"id":1,"method":"m"}`)
	r := c.Pending(Client, []byte("1"))
	c.RespondLate(r)
	c.End(r)
	if send(t, c, `{"id":1,"method":"m"}`); c.IsLate(Client, []byte("1")) {
		t.Error("the response to a new request is late")
	}
}

// A late "allow" does not approve the next permission request that has the same id.
func TestALateResponseIsNotForAnotherPermissionRequest(t *testing.T) {
	c := New(Options{})
	c.Note([]byte("1"), Request{From: Agent, Method: acp.SessionRequestPermission})
	r := c.Pending(Agent, []byte("1"))
	c.RespondLate(r)
	c.End(r)
	c.Note([]byte("1"), Request{From: Agent, Method: acp.SessionRequestPermission})
	if !c.IsLate(Agent, []byte("1")) || !c.TakeLate(Agent, []byte("1")) {
		t.Error("the first response is not late")
	}
	if c.IsLate(Agent, []byte("1")) || c.Pending(Agent, []byte("1")) == nil {
		t.Error("the second response is late")
	}
}
