package dispatch

import (
	"bytes"
	"errors"
	"slices"

	"acpshim/internal/wire"
)

// Rewrite implements wire.Interceptor.
func (d *Direction) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	d.refresh()
	d.begin(dst)
	if d.dropped != nil {
		d.out.added, d.dropped = slices.Insert(d.out.added, 0, wire.Added{By: d.dropped}), nil
	}
	d.held++
	m := &Message{From: d.from, Line: line, d: d, Number: d.held, Size: len(line), to: all(&d.out)}
	err := m.read()
	switch {
	case err == nil:
		d.take(m)
	case errors.Is(err, wire.ErrNotObject):
		d.batch(line)
	case !d.takeJunk(line):
		d.unread(m, err)
	}
	return d.end()
}

// takeJunk reports whether a whole line is junk that is taken out, and gives it to who takes it.
func (d *Direction) takeJunk(line []byte) bool {
	j := d.d.opts.Junk
	if d.from == Client || j == nil || !j.Moves() || !j.IsJunk(line) {
		return false
	}
	d.changed(wire.Cause{Name: "junk", Why: "it is no message"})
	j.Take(line)
	return true
}

// batch writes what an array of messages becomes; or the line, if it is no JSON. The array
// stays one line, and is dropped if nothing is left in it. Lines that adapters put before and after
// its messages go before and after the array.
func (d *Direction) batch(line []byte) {
	elements, err := wire.Batch(line)
	switch {
	case errors.Is(err, wire.ErrNotArray): // no JSON
		if !d.takeJunk(line) {
			d.out.bytes = append(d.out.bytes, line...)
		}
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
		m := &Message{From: d.from, Line: element, inBatch: true, d: d, Number: d.held, Size: len(line), to: target{&d.out, &self, &after}}
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

// take updates the conversation by a message, and writes what the adapters make of it.
func (d *Direction) take(m *Message) {
	c := d.d.conversation
	switch {
	case m.Kind == Response && d.takeOwn(m):
		return
	case m.Kind == Response:
		if m.Request = c.Pending(d.from.Other(), m.ID); m.Request == nil {
			break
		}
		if m.IsAmbiguous {
			m.Request = c.AnswerUnread(d.from, wire.Head{ID: m.ID, Response: true})
			break
		}
		for i := range d.table.answering(m.Request.Method).each() {
			d.call(i, m, func(a Adapter) { a.Answering(m) })
		}
		m.Request = c.Answer(d.from, m.Object)
	case m.Kind == Request && d.of([]byte(m.Method)).noted:
		c.Ask(d.from, m.Method, m.Object)
	case d.from == Client && m.Kind == Notification && m.Method == "session/cancel":
		c.Cancel(m.Session)
	case d.from == Client && m.Kind == Notification && m.Method == "$/cancel_request":
		c.CancelRequest(m.Params().Raw("requestId"))
	}
	d.refresh()
	d.pass(m, 0)
	if m.IsAmbiguous {
		d.report(wire.ErrAmbiguous)
		d.notify(m, d.table.all&^d.table.lines, wire.ErrAmbiguous)
	}
	c.Handled(m.Request)
}

// pass hands a message to the adapters from the i-th on, and writes what they make of it to m.to.
func (d *Direction) pass(m *Message, i int) {
	for ; i < len(d.adapters); i++ {
		a := d.adapters[i]
		if !m.settled && !a.Corrects(d.from) {
			d.settle(m)
		}
		if !d.wants(i, m) {
			continue
		}
		if m.stale && m.read() != nil {
			break
		}
		before := m.Line
		d.call(i, m, func(a Adapter) { a.Handle(m) })
		switch {
		case !m.replaced:
		case len(m.replacements) == 1:
			m.Line, m.stale = m.replacements[0], true
			m.amended = m.amended || !m.settled
		default:
			d.replace(m, i+1)
			return
		}
		if m.replaced && !bytes.Equal(before, m.Line) {
			d.changed(m.causes(a)...)
		}
		if after := m.after; len(after) > 0 {
			by := m.causes(a)
			m.after = nil
			d.pass(m, i+1)
			d.putLines(after, by, i+1, m.to.after)
			return
		}
	}
	if !m.settled {
		d.settle(m)
	}
	m.to.self.bytes = append(m.to.self.bytes, m.Line...)
}

// settle is called when the adapters that correct have handled a message. It updates the
// conversation by what they changed, and by the response to initialize.
func (d *Direction) settle(m *Message) {
	m.settled = true
	isNegotiation := m.Kind == Response && m.Request != nil && m.Request.Method == initialize && !m.IsAmbiguous
	if !m.amended && !isNegotiation || m.stale && m.read() != nil {
		return
	}
	switch {
	case isNegotiation:
		d.d.conversation.Negotiate(m.Request, m.Result())
		d.refresh()
	case m.Kind == Request:
		d.d.conversation.Amend(d.from, m.Method, m.Object)
	}
}

// replace writes the several messages, or none, that the adapter before the i-th put in the place
// of one, as the adapters from the i-th on leave them.
func (d *Direction) replace(m *Message, i int) {
	a := d.adapters[i-1]
	by := m.causes(a)
	d.changed(by...)
	after, first := m.after, true
	for _, line := range m.replacements {
		var made, behind output
		if m.inBatch {
			line = bytes.TrimSpace(line)
		}
		next := &Message{From: d.from, Line: line, inBatch: m.inBatch, d: d, Number: m.Number, Size: m.Size, settled: m.settled, Request: m.Request, to: m.to}
		next.to.self, next.to.after = &made, &behind
		if next.read() != nil {
			made.bytes = line
		} else {
			next.amended = !next.settled
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
		m.to.after.join(behind) // it may follow the message in the same bytes
	}
	d.putLines(after, by, i, m.to.after)
}

// wants reports whether an adapter is to handle a message.
func (d *Direction) wants(i int, m *Message) bool {
	isAnswered := m.Kind == Response && m.Request != nil
	switch {
	case d.from == Client && m.Method == initialize && m.Kind == Request, d.from == Agent && isAnswered && m.Request.Method == initialize:
		return d.table.all.has(i) && (!m.IsAmbiguous || d.table.lines.has(i))
	case d.table.lines.has(i):
		// By now a response answers nothing that is pending.
		return m.inBatch || m.Kind == Response || d.lookOf(i, m.Line, true) != wire.Pass
	case m.IsAmbiguous, !d.table.some.has(i), m.stale && (d.isUnwanted(i, m.Line) || m.read() != nil):
		return false
	case m.Kind == Response:
		return isAnswered && d.table.answering(m.Request.Method).has(i)
	}
	return d.table.of(m.Method, m.Update).has(i)
}

// isUnwanted reports whether the head of a line that an adapter wrote is enough to say that the
// i-th adapter does not want it: then the line need not be parsed again.
func (d *Direction) isUnwanted(i int, line []byte) bool {
	h, reading := wire.PeekHead(line[:min(len(line), wire.HeadSize)], func(h wire.Head) bool {
		return h.Response || h.SessionUpdate != nil || h.Method != nil && string(h.Method) != "session/update"
	})
	return reading == wire.Decided && h.Method != nil && !h.Response && !d.table.of(string(h.Method), string(h.SessionUpdate)).has(i)
}

// call calls a method of the i-th adapter with a message, and writes what it put before it. The
// message stays as it was if the adapter panics.
func (d *Direction) call(i int, m *Message, f func(Adapter)) {
	m.replaced, m.replacements, m.before, m.after, m.by, m.why = false, nil, nil, nil, nil, ""
	defer func() {
		if d.caught(i, recover()) {
			m.replaced, m.before, m.after = false, nil, nil
		}
		if before := m.before; len(before) > 0 {
			d.putLines(before, m.causes(d.adapters[i]), i+1, m.to.before)
		}
	}()
	f(d.adapters[i])
}

// unread forwards a message that cannot be read, and tells the conversation and the adapters.
func (d *Direction) unread(m *Message, err error) {
	if err == ErrMalformed && d.takeOwn(m) {
		return
	}
	if !m.inBatch {
		d.report(err)
	}
	if d.takeOwnUnread(m) {
		return
	}
	m.to.self.bytes = append(m.to.self.bytes, m.Line...)
	d.takeUnread(m, m.Line[:min(len(m.Line), wire.HeadSize)], err)
}

func (d *Direction) report(err error) {
	if err != nil && err != ErrMalformed && d.d.opts.Events.Unread != nil {
		d.d.opts.Events.Unread(err)
	}
}

// takeUnread updates the conversation as far as the head of an unread message tells, and calls
// Unread of the adapters.
func (d *Direction) takeUnread(m *Message, head []byte, err error) {
	c := d.d.conversation
	h, reading := wire.PeekHead(head, d.tellsEnough)
	switch {
	case reading == wire.NotJSON, reading == wire.Array && err != nil: // of a broken array nothing is known
	case h.Response || err == nil && h.Method == nil && reading != wire.Decided: // or may be one
		m.Request = c.AnswerUnread(d.from, h)
	case err == ErrMalformed && m.ID != nil && m.Object.Get("method") == nil: // it has neither result nor error
		m.Request = c.AnswerUnread(d.from, wire.Head{ID: m.ID})
	case err == nil && h.ID != nil && d.of(h.Method).noted:
		c.AskByHead(d.from, h)
	}
	d.notify(m, d.table.all, err)
	c.Handled(m.Request)
}

// notify calls Unread of some adapters, and writes what they put after the message.
func (d *Direction) notify(m *Message, whom set, err error) {
	for i := range whom.each() {
		d.call(i, m, func(a Adapter) { a.Unread(m, err) })
		after := m.after
		if len(after) == 0 {
			continue
		}
		by := m.causes(d.adapters[i])
		if !m.inBatch {
			d.putLines(after, by, i+1, m.to.after)
			continue
		}
		d.changed(by...)
		for line := range bytes.Lines(after) { // within the array
			var made output
			next := &Message{From: d.from, Line: bytes.TrimSpace(line), inBatch: true, d: d, settled: true, stale: true, to: target{m.to.before, &made, m.to.after}}
			if d.pass(next, i+1); len(made.bytes) > 0 {
				m.to.self.bytes = append(append(m.to.self.bytes, ','), made.bytes...)
			}
		}
	}
}

// TooLong implements wire.Interceptor.
func (d *Direction) TooLong(head []byte) {
	d.refresh()
	d.takeUnread(&Message{From: d.from, d: d, to: all(&d.late)}, head, nil)
}

// Flush implements wire.Interceptor.
func (d *Direction) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	d.refresh()
	d.begin(dst)
	m := &Message{From: d.from, d: d, to: all(&d.out)} // one for all: this is done at each pause
	flush := func(a Adapter) { a.Flush(m, end) }
	for i := 0; i < len(d.adapters) && len(d.out.bytes) == len(dst); i++ {
		for d.table.all.has(i) && len(d.out.bytes) == len(dst) {
			d.call(i, m, flush)
			if len(m.after) == 0 {
				break
			}
			d.putLines(m.after, m.causes(d.adapters[i]), i+1, &d.out)
		}
	}
	return d.endMade()
}
