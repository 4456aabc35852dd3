package dispatch

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// Options of a Dispatcher. The zero value passes every line.
type Options struct {
	// Adapters in order from the agent to the client: lines of the agent reach the first one first,
	// lines of the client reach the last one first. At most MaxAdapters.
	Adapters []Adapter

	Own        *OwnRequests // to the client; may be nil
	OwnToAgent *OwnRequests // to the agent; may be nil
	Junk       Junk         // if it is nil, junk passes

	// Wake is called when lines of a side's direction are ready to be drained. Any goroutine may
	// call it, so it must not block. It may be nil.
	Wake func(from Side)

	Events Events
}

// Events help with debugging. Each may be nil. They are called while no adapter can run, so they
// must not block.
type Events struct {
	Unread   func(err error)                // a line, or a message in it, passes because it cannot be read
	Panicked func(reason any, stack []byte) // an adapter panicked and is switched off
}

// A Dispatcher passes the messages of one connection to its adapters. It calls them one at a time.
type Dispatcher struct {
	// mu is held while a method of a Direction or code in Do, Port.Do or Port.After runs: it
	// protects the conversation, the state of all adapters, and the fields below. Under it nothing
	// waits. The longest that it is held is the handling of one line, of at most HoldLimit bytes,
	// or the delivery of maxDelivered bytes.
	mu sync.Mutex

	conversation *conversation.Conversation
	opts         Options
	negotiators  set
	observers    set
	off          []bool // by adapter
	while        whileCounter
	tables       [2]atomic.Pointer[table] // by the index of the side
	outboxes     [2]outbox                // by the index of the sending side
	allowances   [2]allowance             // by the index of the sending side
	held         *conversation.Slot[*conversation.Request, *Held]
	heldCount    int         // the number of held messages
	due          due         // those of held that have a limit
	current      wire.Origin // the line that is handled
	begins       []func()    // see Port.Begin
	shows        *shownPlans // by the lines of the current call; nil if they show none
}

// New returns a Dispatcher for a new connection. It observes the conversation. It panics if there
// are more than MaxAdapters.
func New(c *conversation.Conversation, o Options) *Dispatcher {
	if n := len(o.Adapters); n > MaxAdapters {
		panic(fmt.Sprintf("dispatch: %d adapters, want at most %d", n, MaxAdapters))
	}
	d := &Dispatcher{conversation: c, opts: o, off: make([]bool, len(o.Adapters)), held: conversation.NewSlot[*conversation.Request, *Held](c)}
	for _, a := range o.Adapters {
		if a, ok := a.(interface{ attach(*Port) }); ok {
			a.attach(&Port{dispatcher: d, adapter: a.(Adapter)})
		}
	}
	for i := range d.outboxes {
		d.outboxes[i].closed, d.allowances[i].credit = make(chan struct{}), firstCredit
	}
	d.negotiators, d.observers = setOf[Negotiator](o.Adapters), setOf[Observer](o.Adapters)
	c.Observe(d.observe)
	d.rebuild()
	return d
}

// Do calls f while no adapter runs. Any goroutine may call it, except in a call of an adapter.
func (d *Dispatcher) Do(f func()) {
	defer d.enter()()
	f()
}

// enter takes mu. The returned function releases it, and then calls what adapters have to begin.
func (d *Dispatcher) enter() (leave func()) {
	d.mu.Lock()
	return func() {
		begins := d.begins
		d.begins = nil
		d.mu.Unlock()
		for _, begin := range begins {
			begin()
		}
	}
}

// FromClient returns the direction of the client's lines. It is called once.
func (d *Dispatcher) FromClient() *Direction { return d.direction(Client) }

// FromAgent returns the direction of the agent's lines. It is called once.
func (d *Dispatcher) FromAgent() *Direction { return d.direction(Agent) }

func (d *Dispatcher) direction(from Side) *Direction {
	adapters := slices.Clone(d.opts.Adapters)
	if from == Client {
		slices.Reverse(adapters)
	}
	dir := &Direction{
		d: d, from: from, adapters: adapters,
		flushers: setOf[Flusher](adapters), unreadHandlers: setOf[UnreadHandler](adapters), correctors: setOf[Corrector](adapters), translators: setOf[Translator](adapters), readers: setOf[LineReader](adapters),
	}
	dir.refresh()
	return dir
}

// observe passes a change to the adapters.
func (d *Dispatcher) observe(e conversation.Event) {
	if e.Kind == conversation.WantsChanged {
		d.rebuild()
		return
	}
	if e.Kind == conversation.RequestEnded {
		d.dropHeld(e.Request)
	} else if e.Kind == conversation.SessionRemoved {
		d.sessionEnded(e.Session)
	}
	receivers := d.observers
	if e.Kind == conversation.Negotiated {
		receivers = d.negotiators
	}
	for i := range receivers.each() {
		d.observeBy(i, e)
	}
	if e.Kind == conversation.PeersChanged || e.Kind == conversation.Negotiated || d.while.changes(e) {
		d.rebuild()
	}
}

// observeBy passes a change to the i-th adapter.
func (d *Dispatcher) observeBy(i int, e conversation.Event) {
	if d.off[i] {
		return
	}
	defer func() {
		if reason := recover(); reason != nil {
			d.switchOff(i, reason)
		}
	}()
	if a := d.opts.Adapters[i]; e.Kind == conversation.Negotiated {
		a.(Negotiator).Negotiated(e.Request)
	} else {
		a.(Observer).Observe(e)
	}
}

func (d *Dispatcher) switchOff(i int, reason any) {
	d.off[i] = true
	d.rebuild()
	d.releaseHeld(d.opts.Adapters[i])
	d.panicked(reason)
}

// panicked reports a panic. Call it in the deferred function that recovers, so that the stack is
// complete.
func (d *Dispatcher) panicked(reason any) {
	if d.opts.Events.Panicked != nil {
		d.opts.Events.Panicked(reason, debug.Stack())
	}
}

// rebuild asks the adapters what they want.
func (d *Dispatcher) rebuild() {
	client, agent := newTable(Client), newTable(Agent)
	d.while.named = map[string]bool{}
	for i, a := range d.opts.Adapters {
		if d.off[i] {
			continue
		}
		wants, ok := d.wantsOf(a)
		if !ok {
			d.off[i] = true
			d.releaseHeld(a)
			continue
		}
		wants = d.while.now(wants)
		client.add(len(d.opts.Adapters)-1-i, wants)
		agent.add(i, wants)
	}
	client.awaited, agent.awaited = agent.responses, client.responses
	client.while = d.while.named
	client.isKnown = d.conversation.Peers().Agent != nil
	d.tables[Client.Index()].Store(client)
	d.tables[Agent.Index()].Store(agent)
}

// wantsOf returns what an adapter wants; ok is false if it panicked.
func (d *Dispatcher) wantsOf(a Adapter) (wants []Want, ok bool) {
	defer func() {
		if reason := recover(); reason != nil {
			d.panicked(reason)
		}
	}()
	return a.Wants(), true
}
