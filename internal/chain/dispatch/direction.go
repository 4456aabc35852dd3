package dispatch

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A Direction is the wire.Interceptor for the lines of one side. One goroutine at a time may use
// it.
type Direction struct {
	d        *Dispatcher
	from     Side
	adapters []Adapter // in the order in which they get lines of the side

	flushers, unreadHandlers, correctors, translators, readers set // of the adapters

	table   *table
	methods map[string]*method // the methods seen since table changed

	// passed has the beginnings of recent lines that passed, up to the kind of update. Peers stream
	// hundreds of lines with the same beginning.
	passed [4][]byte
	oldest int // the index in passed that is overwritten next

	lines         int64        // the number of lines that the pump held
	holdsResponse bool         // an adapter holds the current response
	by            []wire.Cause // what changed the current line
	out           output       // what is written for the current line
	adding        bool         // lines are added before or after a message

	// dropped has the causes of lines that adapters added without a message and then dropped.
	// Records get them with the next line.
	dropped []wire.Cause

	// late has the lines that Unread added for a line that was too long. They go before the next
	// line, because the long one was not complete then.
	late output
}

// A method names the adapters that want requests and notifications of one method.
type method struct {
	noted bool // requests are kept as pending
	want  set
}

const (
	maxMethods    = 1 << 10 // in Direction.methods
	maxMethodName = 1 << 8  // bytes
)

// refresh loads the current table. If it has changed, refresh resets methods and passed.
func (d *Direction) refresh() {
	if t := d.d.tables[d.from.Index()].Load(); t != d.table {
		d.table, d.methods = t, map[string]*method{}
		d.forget()
	}
}

func (d *Direction) forget() {
	for i := range d.passed {
		d.passed[i] = d.passed[i][:0]
	}
}

// Inspect implements wire.Interceptor.
func (d *Direction) Inspect(line []byte, whole bool) wire.Verdict {
	head := line[:min(len(line), wire.HeadSize)]
	if d.repeats(head) && d.table.lines == 0 {
		return wire.Pass // without the lock, because most lines of a stream pass here
	}
	d.d.mu.Lock() // without enter, which allocates: this runs for each line, and begins nothing
	defer d.d.mu.Unlock()
	d.refresh()
	switch {
	case d.outbox().some.Load():
		return wire.DrainFirst
	case len(d.late.bytes) > 0:
		return wire.Hold
	case d.repeats(head):
		return d.look(line, whole)
	}
	return d.inspect(line, head, whole)
}

// repeats reports whether a line begins like one that no adapter will ever need, and nothing goes
// before it. It takes no lock.
func (d *Direction) repeats(head []byte) bool {
	if d.table != d.d.tables[d.from.Index()].Load() || d.outbox().some.Load() || len(d.late.bytes) > 0 {
		return false
	}
	for _, passed := range d.passed {
		if len(passed) > 0 && bytes.HasPrefix(head, passed) {
			return true
		}
	}
	return false
}

func (d *Direction) inspect(line, head []byte, whole bool) wire.Verdict {
	h, reading := wire.PeekHead(head, d.tellsEnough)
	if v, ok := d.own(h, reading, head); ok {
		return v
	}
	switch {
	case h.Method == nil && h.ID != nil && (h.Response || reading == wire.Decided) && d.isAnswered(h.ID):
		return wire.Consume
	case isCancel(string(h.Method)) && d.d.heldCount > 0:
		return wire.Hold
	}
	if v, ok := d.junk(h, reading, head); ok {
		return v
	}
	v := d.verdict(h, reading, head, whole)
	if v != wire.Hold {
		v = stronger(v, d.look(line, whole))
	}
	if v == wire.Pass {
		d.note(h)
	}
	return v
}

// stronger combines verdicts: hold over more over pass.
func stronger(v, other wire.Verdict) wire.Verdict {
	if v == wire.Hold || other == wire.Pass {
		return v
	}
	return other
}

// look combines the verdicts of the adapters that look at each line.
func (d *Direction) look(line []byte, whole bool) (v wire.Verdict) {
	for i := range d.table.lines.each() {
		v = stronger(v, d.lookOf(i, line, whole))
	}
	return v
}

func (d *Direction) lookOf(i int, line []byte, whole bool) wire.Verdict {
	return callSafely(d, i, func(a Adapter) wire.Verdict { return a.(LineReader).Look(d.from, line, whole) })
}

// callSafely returns the result of a method of the i-th adapter, or the zero value if it panics.
func callSafely[T any](d *Direction, i int, method func(Adapter) T) T {
	defer func() { d.caught(i, recover()) }()
	return method(d.adapters[i])
}

// caught switches off the i-th adapter if reason, the result of recover, says that it panicked. It
// reports whether it did.
func (d *Direction) caught(i int, reason any) bool {
	if reason == nil {
		return false
	}
	d.d.switchOff(slices.Index(d.d.opts.Adapters, d.adapters[i]), reason)
	d.refresh()
	return true
}

// tellsEnough reports whether the head is enough for the verdict.
func (d *Direction) tellsEnough(h wire.Head) bool {
	t := d.table
	switch {
	case h.Response:
		return h.ID != nil || !d.isAwaited()
	case h.SessionUpdate != nil:
		of := t.heads[string(h.SessionUpdate)]
		if of.content && h.ContentType == nil || of.message && (h.MessageID == nil || h.SessionID == nil) || of.status && h.Status == nil {
			return false
		}
		return !t.callHeads || !isOfCall(h.SessionUpdate) || h.SessionID != nil && h.ToolCallID != nil
	case h.Method == nil:
		return false
	case string(h.Method) == acp.SessionUpdate:
		return len(t.updates) == 0
	}
	if !d.of(h.Method).noted {
		return true
	}
	return h.ID != nil && (h.SessionID != nil || !t.sessions || string(h.Method) != acp.SessionPrompt)
}

// lacksStatus reports whether the head of an update lacks nothing but the status.
func (d *Direction) lacksStatus(h wire.Head) bool {
	if h.SessionUpdate == nil || h.Status != nil {
		return false
	}
	h.Status = h.SessionUpdate
	return d.tellsEnough(h)
}

// isAwaited reports whether a request to the direction's side is pending, including acpshim's own.
func (d *Direction) isAwaited() bool {
	c := d.d.conversation
	all, _ := c.Waiting(d.from.Other())
	return all > 0 || c.HasLate(d.from.Other()) || d.d.own(d.from).sent()
}

// isAnswered reports whether acpshim has responded to the request of that id instead of the
// direction's side, which may never have received it.
func (d *Direction) isAnswered(rawID []byte) bool {
	c := d.d.conversation
	if c.IsLate(d.from.Other(), rawID) {
		return true
	}
	r := c.Pending(d.from.Other(), rawID)
	if r == nil {
		return false
	}
	return r.HasResponse()
}

func (d *Direction) of(name []byte) *method {
	k, ok := d.methods[string(name)]
	if !ok {
		k = &method{d.awaits(string(name)), d.table.of(string(name), "")}
		if len(name) > maxMethodName {
			return k
		}
		if len(d.methods) >= maxMethods {
			clear(d.methods)
		}
		d.methods[string(name)] = k
	}
	return k
}

func (d *Direction) awaits(method string) bool {
	t := d.table
	if d.from == Client { // it gets an error if the agent ends: see Dispatcher.End
		return true
	}
	if t.awaited[method] != 0 || t.mayHold[method] || t.mayHold["*"] {
		return true
	}
	for i := range (d.readers & t.all).each() {
		if callSafely(d, i, func(a Adapter) bool { return a.(LineReader).Awaits(d.from, method) }) {
			return true
		}
	}
	return false
}

// isIndifferent reports whether a line with too short a head may pass. That is so if no adapter
// wants a message or awaits a response. Of the client, only a response may pass, because its
// requests get an error if the agent ends.
func (d *Direction) isIndifferent(h wire.Head) bool {
	if d.d.heldCount > 0 || !d.table.isIdle() || len(d.table.responses) > 0 && d.isAwaited() || d.d.conversation.HasLate(d.from.Other()) {
		return false
	}
	if d.from == Client {
		return h.Response && d.table.isKnown && !d.table.sessions
	}
	all, _ := d.d.conversation.Waiting(Client)
	return all == 0
}

// verdict decides by the head of a line whether an adapter or the conversation needs it.
func (d *Direction) verdict(h wire.Head, reading wire.Reading, head []byte, whole bool) wire.Verdict {
	isPrompt := string(h.Method) == acp.SessionPrompt && h.ID != nil && d.from == Client && !h.Response
	switch {
	case reading == wire.NotJSON:
		return wire.Pass
	case reading == wire.Incomplete && isPrompt && len(head) >= wire.HeadSize:
		// A long prompt whose session id comes last passes as a prompt of an unknown session.
	case reading == wire.Incomplete && len(head) >= wire.HeadSize && d.lacksStatus(h):
		// A long update whose status comes late is one of unknown status.
	case reading != wire.Decided && d.isIndifferent(h) && (reading != wire.Incomplete || len(head) >= wire.HeadSize):
		return wire.Pass
	case reading == wire.Incomplete:
		return wire.More
	case reading != wire.Decided:
		return wire.Hold
	}
	switch {
	case h.Response:
		return d.verdictOnResponse(h)
	case string(h.Method) == acp.SessionUpdate || h.Method == nil && h.SessionUpdate != nil:
		return d.verdictOnUpdate(h, head, whole || len(head) == wire.HeadSize)
	case h.Method == nil && h.ID != nil && d.d.conversation.Pending(d.from.Other(), h.ID) != nil:
		return wire.Hold // a response without result and error
	}
	if d.from == Client && (string(h.Method) == acp.Initialize || d.table.sessions && (conversation.IsOfSessions(string(h.Method)) || isCancel(string(h.Method)))) ||
		d.table.calls.all && string(h.Method) == acp.SessionRequestPermission {
		return wire.Hold
	}
	return d.ask(d.of(h.Method).want, h, nil)
}

// isCancel reports whether a notification of that method may cancel a prompt.
func isCancel(method string) bool { return method == acp.SessionCancel || method == acp.CancelRequest }

func (d *Direction) verdictOnResponse(h wire.Head) wire.Verdict {
	r := d.d.conversation.Pending(d.from.Other(), h.ID)
	switch {
	case r == nil:
		return wire.Pass
	case d.d.heldCount > 0:
		return wire.Hold // its sender may not have received the request
	case r.Method == acp.Initialize || r.Asked == acp.Initialize || d.table.sessions && r.From == Client && conversation.IsOfSessions(r.Method):
		return wire.Hold
	}
	return d.ask(d.table.answering(r.Method), h, r)
}

// verdictOnUpdate is verdict for a session/update. It remembers the beginning of an update that no
// adapter will ever need. IsAll says that the head is complete.
func (d *Direction) verdictOnUpdate(h wire.Head, head []byte, isAll bool) (v wire.Verdict) {
	want := d.table.updates[string(h.SessionUpdate)] | d.table.every
	if h.Method == nil {
		want |= d.table.others // it may have another method
	}
	v, never := d.table.calls.verdict(h, head, isAll)
	if v == wire.Hold {
		return v
	}
	for i := range want.each() {
		if text := d.table.texts[textKey{i, string(h.SessionUpdate)}]; text != nil && !bytes.Contains(head, text) {
			never = false
			if !isAll {
				v = wire.More
			}
			continue
		}
		switch d.careOf(i, h, nil) {
		case Yes:
			return wire.Hold
		case No:
			never = false
		}
	}
	if never && h.ID == nil {
		d.passed[d.oldest] = append(d.passed[d.oldest][:0], head[:h.Size]...)
		d.oldest = (d.oldest + 1) % len(d.passed)
	}
	return v
}

// ask returns Hold if one of the adapters that want a message needs it.
func (d *Direction) ask(want set, h wire.Head, r *conversation.Request) wire.Verdict {
	for i := range want.each() {
		if d.careOf(i, h, r) == Yes {
			return wire.Hold
		}
	}
	return wire.Pass
}

func (d *Direction) careOf(i int, h wire.Head, r *conversation.Request) Care {
	return callSafely(d, i, func(a Adapter) Care { return a.Cares(d.from, h, r) })
}

// note updates the conversation by the head of a message that passes.
func (d *Direction) note(h wire.Head) {
	switch {
	case h.Response && h.ID != nil:
		if all, _ := d.d.conversation.Waiting(d.from.Other()); all > 0 {
			d.d.conversation.Forget(d.from.Other(), h.ID)
		}
	case h.ID != nil && h.Method != nil && d.of(h.Method).noted:
		d.d.conversation.AskByHead(d.from, h)
	}
}
