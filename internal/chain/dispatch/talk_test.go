package dispatch

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// An actor is an adapter with functions of a test. It notes the messages that it gets.
type actor struct {
	Base
	name    string
	wants   []Want
	handles func(m *Message)
	unread  func(m *Message)
	told    func(e conversation.Event)
	awaits  string // the requests that it awaits
	seen    []string
}

func (a *actor) Name() string { return a.name }

func (a *actor) Wants() []Want { return a.wants }

func (a *actor) Awaits(_ Side, method string) bool { return a.awaits != "" && method == a.awaits }

func (a *actor) Look(Side, []byte, bool) wire.Verdict { return wire.Pass }

func (a *actor) Handle(m *Message) {
	a.seen = append(a.seen, strings.TrimSpace(string(m.Line)))
	if a.handles != nil {
		a.handles(m)
	}
}

func (a *actor) Unread(m *Message, _ error) {
	if a.unread != nil {
		a.unread(m)
	}
}

func (a *actor) Negotiated(r *conversation.Request) {
	a.Observe(conversation.Event{Kind: conversation.Negotiated, Request: r})
}

func (a *actor) Observe(e conversation.Event) {
	if a.told != nil {
		a.told(e)
	}
}

// everything returns wants for requests and notifications m and x, for prompts, and for responses
// to them, of both sides.
func everything() []Want {
	methods := []string{"m", "x", "session/prompt"}
	return []Want{{From: Client, Methods: methods, Responses: methods, Sessions: true}, {From: Agent, Methods: methods, Responses: methods}}
}

// holder returns an actor that holds the messages for which holds returns true, and its held
// messages in order.
func holder(name string, holds func(m *Message) bool) (a *actor, held *[]*Held) {
	held = &[]*Held{}
	a = &actor{name: name, wants: everything(), handles: func(m *Message) {
		if !holds(m) {
			return
		}
		if h := m.Hold(Unlimited); h != nil {
			*held = append(*held, h)
		}
	}}
	return a, held
}

func requests(m *Message) bool  { return m.Kind == Request }
func responses(m *Message) bool { return m.Kind == Response }

// A talk is a connection without processes.
type talk struct {
	t            testing.TB
	conversation *conversation.Conversation
	dispatcher   *Dispatcher
	from         map[Side]*Direction
	got          map[Side][]string // the lines that the side was sent
}

func converse(t testing.TB, adapters ...Adapter) *talk {
	t.Helper()
	return converseWith(t, conversation.Options{}, Options{Adapters: adapters})
}

func converseWith(t testing.TB, bounds conversation.Options, o Options) *talk {
	t.Helper()
	c := conversation.New(bounds)
	d := New(c, o)
	return &talk{t, c, d, map[Side]*Direction{Client: d.FromClient(), Agent: d.FromAgent()}, map[Side][]string{}}
}

func (k *talk) add(to Side, lines []byte) {
	for line := range strings.Lines(string(lines)) {
		k.got[to] = append(k.got[to], strings.TrimSpace(line))
	}
}

// say sends a line without draining the directions.
func (k *talk) say(from Side, line string) {
	out, _ := wire.Apply(k.from[from], nil, []byte(line+"\n"))
	k.add(from.Other(), out)
}

func (k *talk) send(from Side, line string) {
	k.say(from, line)
	k.drain()
}

// drain drains both directions until nothing is left.
func (k *talk) drain() {
	for more := true; more; {
		more = false
		for side, d := range k.from {
			lines := wire.DrainAll(d)
			k.add(side.Other(), lines)
			more = more || len(lines) > 0
		}
	}
}

// gets fails the test unless a side got these lines since the last call.
func (k *talk) gets(to Side, want ...string) {
	k.t.Helper()
	if got := k.got[to]; !slices.Equal(got, want) {
		k.t.Errorf("the %s gets %q, want %q", to, got, want)
	}
	k.got[to] = nil
}

// checked fails the test if the size of the state is wrong.
func (k *talk) checked() {
	k.t.Helper()
	if err := k.conversation.Check(); err != nil {
		k.t.Error(err)
	}
	if size, want := k.conversation.Size(), k.conversation.Recount(); size != want {
		k.t.Errorf("%d bytes are counted, there are %d", size, want)
	}
}

func (k *talk) isPending(from Side, id string) bool {
	return k.conversation.Pending(from, []byte(id)) != nil
}

// respond has an adapter respond to a request that its peer has got.
func (k *talk) respond(a *actor, from Side, id, response string) bool {
	r := k.conversation.Pending(from, []byte(id))
	return a.Respond(r, []byte(response), wire.Reason{})
}
