package dispatch

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// An outbox is what waits to go in a direction besides the lines of its side: responses in place of
// a peer, requests of acpshim's own, and what adapters make when they get no message. It is one
// queue, so what goes into it leaves in that order, and before any line of the side that comes
// later. What it takes in is handled and written, or the direction is over. Its methods may be
// called from any goroutine.
type outbox struct {
	some atomic.Bool // there are posts; read for each line, without the lock

	mu      sync.Mutex // protects the fields below
	posts   []post
	size    int           // bytes of their lines
	closed  chan struct{} // closed when the direction is over
	room    chan struct{} // closed when there is room again; nil if there is
	stalled bool          // somebody has waited for room in vain since there was some
}

// A post is lines on their way to the receiver.
type post struct {
	at      int // the index of the first adapter that is given them
	by      wire.Cause
	line    []byte                // with its end
	produce func() []byte         // for the adapter before that index, unless it is switched off; nil if there is a line
	of      *conversation.Request // that a response responds to, or a request is; nil if it is not known
	held    *Held                 // that goes on; nil if it is something else
	isOther bool                  // it goes on as another message, which is taken in as if it had come
}

// Bounds on the bytes of lines that wait. Over the first, no more lines of their receiver are read
// for as long as patience says, or until it reads: a peer that sends requests and reads no
// responses waits for itself. Over the second there is no end to that patience.
const (
	maxBacklog = 1 << 20
	maxStalled = 16 << 20
	patience   = 5 * time.Second
)

// put adds a post, and reports whether it will be handled.
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

// has reports whether there is a post of a request.
func (o *outbox) has(r *conversation.Request) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.posts, func(p post) bool { return p.of == r })
}

// release lets go of who waits for room. The lock is held.
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

// full returns what is closed when there is room again; nil if more may be made for the receiver.
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

// await waits until there is room, or patience has an end.
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

// close refuses what comes from now on, and drops what is there.
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

// Closed is closed when the direction of the lines of a side has ended.
func (d *Dispatcher) Closed(from Side) <-chan struct{} { return d.outboxes[from.Index()].closed }

// Make has an adapter make lines to the client when the agent's direction handles no line, for the
// adapters after it. It reports whether produce will be called: it is not after the direction has
// ended, nor if the adapter panics before. It never waits, and may be called from any goroutine.
func (d *Dispatcher) Make(by Adapter, why string, produce func() (lines []byte)) bool {
	return d.post(Agent, post{at: d.indexOf(Agent, by) + 1, produce: produce, by: wire.Cause{Name: by.Name(), Why: why}})
}

func (d *Dispatcher) post(from Side, p post) bool {
	if !d.outboxes[from.Index()].put(p) {
		return false
	}
	if d.opts.Wake != nil {
		d.opts.Wake(from.Other())
	}
	return true
}

// indexOf is the place of an adapter in the row that lines of a side meet.
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

// outbox is that of the direction's lines.
func (d *Direction) outbox() *outbox { return &d.d.outboxes[d.from.Index()] }

// Drain implements wire.Interceptor.
func (d *Direction) Drain(dst []byte) (out []byte, by wire.Change) {
	d.refresh()
	d.begin(dst)
	d.allowance().beginOwn()
	d.deliver()
	return d.endMade()
}

// AwaitReader implements wire.Interceptor.
func (d *Direction) AwaitReader() { d.d.outboxes[d.from.Other().Index()].await() }

// HasRoom implements wire.Interceptor.
func (d *Direction) HasRoom() bool { return d.d.outboxes[d.from.Other().Index()].full() == nil }

// Close implements wire.Interceptor.
func (d *Direction) Close() { d.outbox().close() }

// maxDelivered is about how many bytes are delivered at once.
const maxDelivered = 1 << 20

// deliver writes what waits in the outbox, as the adapters leave it.
func (d *Direction) deliver() {
	for len(d.out.bytes)-d.out.from < maxDelivered && d.deliverFirst() {
	}
}

// deliverFirst writes what waits first in the outbox, and reports whether there was something.
func (d *Direction) deliverFirst() bool {
	p, ok := d.outbox().take()
	lines, causes := p.line, []wire.Cause{p.by}
	if p.produce != nil && d.table.all.has(p.at-1) {
		lines = asked(d, p.at-1, func(Adapter) []byte { return p.produce() })
	}
	for line := range bytes.Lines(lines) {
		d.deliverLine(line, causes, p)
	}
	return ok
}

// deliverLine writes a line as the adapters from p.at on leave it. Requests of acpshim's own meet
// none.
func (d *Direction) deliverLine(line []byte, by []wire.Cause, p post) {
	h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Method != nil && h.ID != nil })
	if h.Method != nil && d.d.own(d.from.Other()).have(h.ID) {
		p.at = len(d.adapters)
	}
	if string(h.Method) == "session/update" || p.at == len(d.adapters) && !h.Response {
		d.putLines(line, by, p.at, &d.out)
		return
	}
	d.out.bytes = wire.EndLine(d.out.bytes)
	from, known, outer := len(d.out.bytes)-d.out.from, len(d.out.added), d.by
	d.by = slices.Clone(by)
	d.deliverMessage(&Message{From: d.from, Line: line, d: d, to: all(&d.out)}, p)
	d.out.added = append(d.out.added[:known], wire.Added{Span: wire.Span{Start: from, End: len(d.out.bytes) - d.out.from}, By: d.by})
	d.by = outer
}

// deliverMessage is deliverLine for what adapters are given as a message.
func (d *Direction) deliverMessage(m *Message, p post) {
	c := d.d.conversation
	switch {
	case m.read() != nil:
		m.to.self.bytes = append(m.to.self.bytes, m.Line...)
		return
	case m.Kind != Response:
		m.settled = true
		d.passAll(m, p.at)
		return
	case p.of == nil:
		d.passAll(m, p.at)
		return
	}
	c.Lock()
	if c.IsPending(p.of) { // else its id may be that of another one by now
		m.Request = p.of
	}
	c.Unlock()
	if p.held != nil {
		m.isTaken, m.settled = !p.isOther, !p.isOther && p.held.isSettled
	}
	if m.Request != nil {
		d.takeResponse(m, p.at)
	} else {
		d.passAll(m, p.at)
	}
}
