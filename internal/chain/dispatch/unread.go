package dispatch

import (
	"bytes"

	"acpshim/internal/chain/wire"
)

// unread forwards a message that cannot be read, and informs the conversation and the adapters.
func (d *Direction) unread(m *Message, err error) {
	if err == ErrMalformed && d.takeOwn(m, 0) {
		return
	}
	if !m.inBatch {
		d.report(err)
	}
	if d.takeOwnUnread(m) || d.takeLateUnread(m, err) {
		return
	}
	m.to.self.bytes = append(m.to.self.bytes, m.Line...)
	d.takeUnread(m, m.Line[:min(len(m.Line), wire.HeadSize)], err)
}

// takeLateUnread is takeLate for a line that cannot be read.
func (d *Direction) takeLateUnread(m *Message, err error) bool {
	h, _ := wire.PeekHead(m.Line, func(h wire.Head) bool { return h.Method != nil || h.Response && h.ID != nil })
	if h.Method != nil || h.ID == nil {
		return false
	}
	if d.takeLate(h.ID) {
		return true
	}
	r := d.d.conversation.Pending(d.from.Other(), h.ID)
	return r != nil && (h.Response || err == ErrMalformed) && !d.isFirst(r)
}

func (d *Direction) report(err error) {
	if err != nil && err != ErrMalformed && d.d.opts.Events.Unread != nil {
		d.d.opts.Events.Unread(err)
	}
}

// takeUnread updates the conversation from the head of an unread message, and calls Unread of the
// adapters.
func (d *Direction) takeUnread(m *Message, head []byte, err error) {
	c := d.d.conversation
	h, reading := wire.PeekHead(head, d.tellsEnough)
	switch {
	case reading == wire.NotJSON, reading == wire.Array && err != nil:
	case h.Response || err == nil && h.Method == nil && reading != wire.Decided: // may be a response
		m.Request = c.AnswerUnread(d.from, h)
	case err == ErrMalformed && m.ID != nil && m.Object.Get("method") == nil: // neither result nor error
		m.Request = c.AnswerUnread(d.from, wire.Head{ID: m.ID})
	case err == nil && h.ID != nil && d.of(h.Method).noted:
		c.AskByHead(d.from, h)
	}
	d.notify(m, d.table.all, err)
	c.End(m.Request)
}

// notify calls Unread of some adapters, and writes the lines that they add after the message.
func (d *Direction) notify(m *Message, receivers set, err error) {
	d.loseCall(m)
	for i := range (receivers & d.unreadHandlers).each() {
		d.call(i, m, func(a Adapter) { a.(UnreadHandler).Unread(m, err) })
		after := m.after
		if len(after) == 0 {
			continue
		}
		by := m.causes(d.adapters[i])
		if !m.inBatch {
			d.putLines(after, by, i+1, m.to.after, m.heldAfter...)
			continue
		}
		d.changed(by.by...)
		for line := range bytes.Lines(after) { // within the array
			var made output
			next := &Message{From: d.from, Line: bytes.TrimSpace(line), inBatch: true, d: d, progress: settled, stale: true, to: target{m.to.before, &made, m.to.after}}
			if d.pass(next, i+1); len(made.bytes) > 0 {
				m.to.self.bytes = append(append(m.to.self.bytes, ','), made.bytes...)
			}
		}
	}
}

// TooLong implements wire.Interceptor.
func (d *Direction) TooLong(head []byte) {
	defer d.d.enter()()
	d.refresh()
	d.beginOwn()
	m := &Message{From: d.from, Line: head, d: d, to: all(&d.late)}
	if !d.takeOwnUnread(m) && !d.takeLateUnread(m, nil) {
		d.takeUnread(m, head, nil)
	}
}
