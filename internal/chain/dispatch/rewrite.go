package dispatch

import (
	"bytes"
	"errors"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// Rewrite implements wire.Interceptor.
func (d *Direction) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	defer d.d.enter()()
	d.refresh()
	d.begin(dst)
	if d.dropped != nil {
		d.out.added, d.dropped = slices.Insert(d.out.added, 0, wire.Addition{By: d.dropped}), nil
	}
	d.lines++
	d.d.current = wire.Origin{From: d.from, Number: d.lines}
	d.allowance().begin(len(line))
	for d.deliverFirst() { // an adapter may have sent lines since Inspect
	}
	m := &Message{From: d.from, Line: line, d: d, Number: d.lines, Size: len(line), to: all(&d.out)}
	err := m.read()
	switch {
	case err == nil:
		d.take(m)
	case errors.Is(err, wire.ErrNotObject):
		d.batch(line)
	case !d.takeJunk(line):
		d.unread(m, err)
	}
	out, by = d.end()
	by.Number, d.d.current = d.lines, wire.Origin{}
	return out, by
}

// takeJunk reports whether a whole line is junk to be removed, and passes it to Junk.Take.
func (d *Direction) takeJunk(line []byte) bool {
	j := d.d.opts.Junk
	if d.from == Client || j == nil || !j.Moves() || !j.IsJunk(line) {
		return false
	}
	d.changed(wire.Cause{Name: "junk", Why: whyJunk})
	j.Take(line)
	return true
}

// batch passes the messages of an array to the adapters, and writes the result. It writes a line
// that is not JSON unchanged. The array stays one line, and is dropped if it becomes empty. Lines
// that adapters add before or after a message go before or after the array.
func (d *Direction) batch(line []byte) {
	elements, err := wire.Batch(line)
	switch {
	case err != nil && d.takeJunk(line):
		return
	case errors.Is(err, wire.ErrNotArray): // not JSON
		d.out.bytes = append(d.out.bytes, line...)
		return
	case err != nil:
		d.unread(&Message{From: d.from, Line: line, d: d, to: all(&d.out)}, err)
		return
	}
	with := make([][]byte, len(elements))
	var after output
	for i, span := range elements {
		element := line[span.Start:span.End]
		self := output{bytes: []byte{}}
		m := &Message{From: d.from, Line: element, inBatch: true, d: d, Number: d.lines, Size: len(line), to: target{&d.out, &self, &after}}
		if err := m.read(); err == nil {
			d.take(m)
		} else {
			d.unread(m, err)
		}
		if !bytes.Equal(self.bytes, element) {
			with[i] = self.bytes
		}
	}
	d.out.bytes = wire.SpliceElements(d.out.bytes, line, elements, with)
	d.out.join(after)
}

// take updates the conversation, passes the message to the adapters, and writes the result.
func (d *Direction) take(m *Message) {
	c := d.d.conversation
	switch {
	case m.Kind == Response && (d.takeOwn(m, 0) || d.takeLate(m.ID)):
		return
	case m.Kind == Response:
		if m.Request = c.Pending(d.from.Other(), m.ID); m.Request == nil {
			break
		}
		if d.isFirst(m.Request) {
			d.answer(m)
			d.passResponse(m, 0)
		}
		return
	case m.Kind == Request && d.of([]byte(m.Method)).noted:
		c.Ask(d.from, m.Method, m.Object)
		d.count(m)
	case m.Kind == Notification && isCancel(m.Method):
		if d.cancelHeld(m) {
			d.changed(wire.Cause{Name: Shim, Why: whyNotReceived})
			return
		}
		for d.deliverFirst() { // the cancelled request may have continued a moment ago
		}
		if d.from == Client && m.Method == acp.SessionCancel {
			c.Cancel(m.Session)
		} else if d.from == Client {
			c.CancelRequest(m.Params().Raw("requestId"))
		}
	}
	d.passAll(m, 0)
}

// answer updates the conversation by the response to m.Request.
func (d *Direction) answer(m *Message) {
	if m.IsAmbiguous {
		m.Request = d.d.conversation.AnswerUnread(d.from, wire.Head{ID: m.ID, Response: true})
	} else {
		m.Request = d.d.conversation.Answer(d.from, m.Object)
	}
}

// passResponse passes a response to the adapters from the i-th on. Its request ends, unless one of
// them holds the response.
func (d *Direction) passResponse(m *Message, i int) {
	outer := d.holdsResponse
	d.holdsResponse = false
	d.passAll(m, i)
	if !d.holdsResponse {
		d.d.conversation.End(m.Request)
	}
	d.holdsResponse = outer
}

func (d *Direction) passAll(m *Message, i int) {
	d.refresh()
	d.pass(m, i)
	if m.IsAmbiguous {
		d.report(wire.ErrAmbiguous)
		d.notify(m, d.table.all&^d.table.lines, wire.ErrAmbiguous)
	}
}

// isFirst reports whether a response of the receiver is the first one to a request.
func (d *Direction) isFirst(r *conversation.Request) bool {
	isFirst := d.d.takeResponse(r)
	if !isFirst {
		d.d.conversation.DropLate(r)
		d.changed(wire.Cause{Name: Shim, Why: whySecond})
	}
	return isFirst
}

// takeLate reports whether acpshim has already responded in place of a response's sender.
func (d *Direction) takeLate(rawID []byte) bool {
	if !d.isAnswered(rawID) {
		return false
	}
	d.d.conversation.TakeLate(d.from.Other(), rawID)
	d.changed(wire.Cause{Name: Shim, Why: whySecond})
	return true
}

// pass passes a message to the adapters from the i-th on, and writes the result to m.to.
func (d *Direction) pass(m *Message, i int) {
	for ; i < len(d.adapters); i++ {
		a := d.adapters[i]
		if m.progress != settled && !(d.correctors.has(i) && a.(Corrector).Corrects(d.from)) {
			d.settle(m)
		}
		if !m.isOwn && d.table.calls.isFirst(i) && !d.noteCall(m) {
			break
		}
		if m.isOwn && !d.translators.has(i) || !d.wants(i, m) {
			continue
		}
		if m.stale && m.read() != nil {
			break
		}
		before := m.Line
		m.at = i
		d.call(i, m, func(a Adapter) { a.Handle(m) })
		switch {
		case !m.isReplaced:
		case len(m.replacements) == 1:
			if m.Line, m.stale = m.replacements[0], true; m.inBatch {
				m.Line = bytes.TrimSpace(m.Line)
			}
			m.amend()
		default:
			d.replace(m, i+1)
			return
		}
		if m.isReplaced && !bytes.Equal(before, m.Line) {
			d.changed(m.causes(a).of(m.Line)...)
		}
		if after := m.after; len(after) > 0 {
			by := m.causes(a)
			held := m.heldAfter
			m.after, m.heldAfter = nil, nil
			d.pass(m, i+1)
			d.putLines(after, by, i+1, m.to.after, held...)
			return
		}
	}
	if m.progress != settled {
		d.settle(m)
	}
	m.to.self.bytes = append(m.to.self.bytes, m.Line...)
}

// settle updates the conversation after the Correctors have handled a message, and by the response
// to initialize.
func (d *Direction) settle(m *Message) {
	isAmended := m.progress == amended
	m.progress = settled
	isNegotiation := m.Kind == Response && m.Request != nil && m.Request.Method == acp.Initialize && !m.IsAmbiguous
	if !isAmended && !isNegotiation || m.stale && m.read() != nil {
		return
	}
	switch {
	case isNegotiation:
		d.d.conversation.Negotiate(m.Request, m.Result())
		d.refresh()
	case m.Kind == Request:
		d.d.conversation.Amend(d.from, m.Method, m.Object)
		d.count(m)
	}
}

// count notes the number of the line of a request.
func (d *Direction) count(m *Message) {
	if r := d.d.conversation.Pending(d.from, m.ID); r != nil {
		r.Line = m.Number
	}
}

// replace passes the replacements of a message to the adapters from the i-th on, and writes the
// result.
func (d *Direction) replace(m *Message, i int) {
	a := d.adapters[i-1]
	by := m.causes(a)
	d.changed(by.by...)
	after, held, first := m.after, m.heldAfter, true
	for _, line := range m.replacements {
		d.changed(by.of(line)...)
		var made, added output
		if m.inBatch {
			line = bytes.TrimSpace(line)
		}
		next := &Message{From: d.from, Line: line, inBatch: m.inBatch, isOwn: m.isOwn, d: d, Number: m.Number, Size: m.Size, progress: m.progress, Request: m.Request, to: m.to}
		next.to.self, next.to.after = &made, &added
		if next.read() != nil {
			made.bytes = line
		} else {
			next.amend()
			d.pass(next, i)
		}
		if len(made.bytes) > 0 {
			if !first && m.inBatch {
				m.to.self.bytes = append(m.to.self.bytes, ',')
			} else if !first {
				m.to.self.bytes = wire.EndLine(m.to.self.bytes)
			}
			first = false
			m.to.self.bytes = append(m.to.self.bytes, made.bytes...)
		}
		m.to.after.join(added) // after may be the same output as self
	}
	d.putLines(after, by, i, m.to.after, held...)
}

func (d *Direction) wants(i int, m *Message) bool {
	isAnswered := m.Kind == Response && m.Request != nil
	switch {
	case d.from == Client && m.Method == acp.Initialize && m.Kind == Request, d.from == Agent && isAnswered && m.Request.Method == acp.Initialize:
		return d.table.all.has(i) && (!m.IsAmbiguous || d.table.lines.has(i))
	case d.table.lines.has(i):
		// The request of a response is no longer pending.
		return m.inBatch || m.Kind == Response || d.lookOf(i, m.Line, true) != wire.Pass
	case m.IsAmbiguous, !d.table.some.has(i), m.stale && (d.isUnwanted(i, m.Line) || m.read() != nil):
		return false
	case m.Kind == Response:
		return isAnswered && d.table.answering(m.Request.Method).has(i)
	}
	return d.table.of(m.Method, m.Update).has(i)
}

// isUnwanted reports whether the head of a line that an adapter wrote shows that the i-th adapter
// does not want it, so that the line need not be parsed again.
func (d *Direction) isUnwanted(i int, line []byte) bool {
	h, reading := wire.PeekHead(line[:min(len(line), wire.HeadSize)], func(h wire.Head) bool {
		return h.Response || h.SessionUpdate != nil || h.Method != nil && string(h.Method) != acp.SessionUpdate
	})
	if reading != wire.Decided || h.Method == nil || h.Response {
		return false
	}
	return !d.table.of(string(h.Method), string(h.SessionUpdate)).has(i) || h.SessionUpdate != nil && d.careOf(i, h, nil) != Yes
}

// call calls a method of the i-th adapter with a message, and writes the lines that it added before
// it. The message stays unchanged if the adapter panics or makes too many bytes.
func (d *Direction) call(i int, m *Message, f func(Adapter)) {
	m.work = work{}
	d.allowance().charged = 0
	d.d.shows = nil
	defer func() {
		m.shows = d.d.shows
		if d.caught(i, recover()) || !d.takeMade(i, m) {
			m.work = work{isReplaced: m.isRemoved, isRemoved: m.isRemoved, by: m.by, why: m.why}
		}
		if before := m.before; len(before) > 0 {
			d.putLines(before, m.causes(d.adapters[i]), i+1, m.to.before, m.heldBefore...)
		}
	}()
	f(d.adapters[i])
}

// Flush implements wire.Interceptor.
func (d *Direction) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	defer d.d.enter()()
	d.refresh()
	d.begin(dst)
	d.beginOwn()
	m := &Message{From: d.from, d: d, to: all(&d.out)} // one for all flushers, because this runs often
	flush := func(a Adapter) { a.(Flusher).Flush(m, end) }
	for i := range d.flushers.each() {
		for d.table.all.has(i) && len(d.out.bytes) == len(dst) {
			d.call(i, m, flush)
			if len(m.after) == 0 {
				break
			}
			d.putLines(m.after, m.causes(d.adapters[i]), i+1, &d.out, m.heldAfter...)
		}
	}
	if end {
		d.endHolds()
		d.deliver()
	}
	return d.endMade()
}
