package dispatch

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// An outbox is the queue of the lines in a direction that its side did not send: responses instead
// of a peer, requests of acpshim itself, and lines that adapters add without a message. They leave
// in order, and before any later line of the side. Everything in it is written, unless the
// direction ends. Any goroutine may call its methods.
type outbox struct {
	some atomic.Bool // there are posts; read for each line, without the lock

	mu      sync.Mutex // protects the fields below
	posts   []post
	size    int           // bytes of their lines
	closed  chan struct{} // closed when the direction has ended
	room    chan struct{} // closed when there is room again; nil if there is room now
	stalled bool          // patience has ended since there was room
}

// A post is an entry of an outbox: lines on their way to the receiver.
type post struct {
	at      int // the index of the first adapter that gets the lines
	by      wire.Cause
	from    wire.Origin           // the line that was handled, or that was held
	goesOn  bool                  // it was held
	line    []byte                // with its line end
	produce func() []byte         // instead of line; called unless the adapter before at is switched off
	of      *conversation.Request // the request, or that of the response; nil if it is unknown
	held    *Held                 // the held message that continues, or nil
	isOwn   bool                  // only a Translator gets the lines
	isOther bool                  // an adapter replaced the held message, so this one updates the conversation
}

// Limits of the bytes of waiting lines. Above maxBacklog, acpshim stops reading from their
// receiver until the receiver reads, or until patience ends. Above maxStalled, patience does not
// end. So a peer that sends requests but does not read responses only blocks itself.
const (
	maxBacklog = 1 << 20
	maxStalled = 16 << 20
	patience   = 5 * time.Second
)

// put adds a post. It returns false if the direction has ended.
func (o *outbox) put(p post) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if isClosed(o.closed) {
		return false
	}
	o.posts = append(o.posts, p)
	o.size += len(p.line)
	o.some.Store(true)
	if o.size > maxBacklog && o.room == nil {
		o.room = make(chan struct{})
	}
	return true
}

// take removes the first post.
func (o *outbox) take() (p post, ok bool) {
	if !o.some.Load() {
		return post{}, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.posts) == 0 {
		return post{}, false
	}
	p, o.posts[0] = o.posts[0], post{}
	o.posts = o.posts[1:]
	o.size -= len(p.line)
	if o.some.Store(len(o.posts) > 0); o.size <= maxBacklog {
		o.release()
	}
	return p, true
}

func (o *outbox) has(r *conversation.Request) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.posts, func(p post) bool { return p.of == r })
}

// release wakes the callers that wait for room.
func (o *outbox) release() {
	if o.room != nil {
		close(o.room)
		o.room, o.stalled = nil, false
	}
}

func (o *outbox) isStalled() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stalled
}

// full returns a channel that is closed when there is room again, or nil if there is room now.
func (o *outbox) full() <-chan struct{} {
	if !o.some.Load() {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stalled && o.size <= maxStalled {
		return nil
	}
	return o.room
}

// await waits until there is room, or until patience ends.
func (o *outbox) await() {
	for room := o.full(); room != nil; room = o.full() {
		select {
		case <-room:
		case <-time.After(patience):
			o.mu.Lock()
			o.stalled = o.room != nil
			o.mu.Unlock()
		}
	}
}

// close drops all posts and refuses new ones.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !isClosed(o.closed) {
		close(o.closed)
	}
	o.posts, o.size = nil, 0
	o.some.Store(false)
	o.release()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Closed returns a channel that is closed when the direction of a side's lines has ended.
func (d *Dispatcher) Closed(from Side) <-chan struct{} { return d.outboxes[from.Index()].closed }

// Make is [Port.Make] for an adapter. It never blocks. Any goroutine may call it.
func (d *Dispatcher) Make(by Adapter, why wire.Reason, produce func() (lines []byte)) bool {
	return d.post(Agent, post{at: d.indexOf(Agent, by) + 1, produce: produce, by: wire.Cause{Name: by.Name(), Why: why}})
}

func (d *Dispatcher) post(from Side, p post) bool {
	if !d.outboxes[from.Index()].put(p) {
		return false
	}
	if d.opts.Wake != nil {
		d.opts.Wake(from)
	}
	return true
}

func (d *Dispatcher) indexOf(from Side, a Adapter) int {
	for i, other := range d.opts.Adapters {
		if other == a {
			if from == Client {
				return len(d.opts.Adapters) - 1 - i
			}
			return i
		}
	}
	return -1
}

func (d *Direction) outbox() *outbox { return &d.d.outboxes[d.from.Index()] }

// Drain implements wire.Interceptor.
func (d *Direction) Drain(dst []byte) (out []byte, by wire.Change) {
	defer d.d.enter()()
	d.refresh()
	d.begin(dst)
	d.beginOwn()
	d.deliver()
	return d.endMade()
}

// AwaitReader implements wire.Interceptor.
func (d *Direction) AwaitReader() { d.d.outboxes[d.from.Other().Index()].await() }

// HasRoom implements wire.Interceptor.
func (d *Direction) HasRoom() bool { return d.d.outboxes[d.from.Other().Index()].full() == nil }

// Close implements wire.Interceptor.
func (d *Direction) Close() { d.outbox().close() }

// maxDelivered is the approximate number of bytes to deliver at once.
const maxDelivered = 1 << 20

// deliver passes the posts of the outbox to the adapters, and writes the result.
func (d *Direction) deliver() {
	for len(d.out.bytes)-d.out.from < maxDelivered && d.deliverFirst() {
	}
}

// deliverFirst writes the first post of the outbox. It returns false if the outbox is empty.
func (d *Direction) deliverFirst() bool {
	p, ok := d.outbox().take()
	lines, by := p.line, causes{by: []wire.Cause{p.by}}
	if p.produce != nil && d.table.all.has(p.at-1) {
		d.d.shows = nil
		lines = callSafely(d, p.at-1, func(Adapter) []byte { return p.produce() })
		by.shows = d.d.shows
	}
	for line := range bytes.Lines(lines) {
		d.deliverLine(line, by, p)
	}
	return ok
}

// deliverLine passes a line to the adapters from p.at on, and writes the result.
func (d *Direction) deliverLine(line []byte, by causes, p post) {
	h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil && h.ID != nil })
	isOwn := p.isOwn || h.Method != nil && d.d.own(d.from.Other()).have(h.ID)
	switch m := (&Message{From: d.from, Line: line, d: d, to: all(&d.out)}); {
	case isOwn:
		if m.read() == nil && m.Kind == Request {
			d.d.own(d.from.Other()).note(m)
		}
		if m.Method == acp.Initialize {
			p.at = len(d.adapters) // it says itself which version it wants
		}
		d.relate(p, func() { d.put(line, true, by, p.at, &d.out) })
		return
	case string(h.Method) == acp.SessionUpdate:
		d.relate(p, func() { d.putLines(line, by, p.at, &d.out) })
		return
	case h.Method == nil && d.d.own(d.from).have(h.ID) && m.read() == nil && d.takeOwn(m, p.at): // a Translator has responded
		return
	}
	d.out.bytes = wire.EndLine(d.out.bytes)
	from, known, outer := len(d.out.bytes)-d.out.from, len(d.out.added), d.by
	d.by = by.of(line)
	d.deliverMessage(&Message{From: d.from, Line: line, d: d, to: all(&d.out)}, p)
	added := wire.Addition{Span: wire.Span{Start: from, End: len(d.out.bytes) - d.out.from}, By: d.by, From: p.from, IsHeld: p.goesOn}
	if p.of != nil && d.from != p.of.From {
		added.For = wire.Origin{From: p.of.From, Number: p.of.Line}
	}
	d.out.added = append(d.out.added[:known], added)
	d.by = outer
}

// relate notes from which line those are that put writes.
func (d *Direction) relate(p post, put func()) {
	known := len(d.out.added)
	put()
	for i := range d.out.added[known:] {
		d.out.added[known+i].From, d.out.added[known+i].IsHeld = p.from, p.goesOn
	}
}

// deliverMessage is deliverLine for a line other than a session/update.
func (d *Direction) deliverMessage(m *Message, p post) {
	c := d.d.conversation
	switch {
	case m.read() != nil:
		m.to.self.bytes = append(m.to.self.bytes, m.Line...)
		return
	case m.Kind != Response:
		m.progress = settled
		d.passAll(m, p.at)
		return
	case p.of == nil:
		d.passAll(m, p.at)
		return
	}
	if c.IsPending(p.of) { // otherwise a newer request may have its id
		m.Request = p.of
	}
	switch isSame := p.held != nil && !p.isOther; {
	case m.Request == nil:
		d.passAll(m, p.at)
		return
	case isSame:
		m.progress = p.held.progress // it has updated the conversation before it was held
	default:
		d.answer(m)
	}
	d.passResponse(m, p.at)
}
