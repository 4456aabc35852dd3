package rule

import (
	"bytes"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// held are the messages that wait for the response that opens their session. Some clients hang if
// they get updates of a session before that.
type held struct {
	messages []heldMessage
	size     int // bytes of their lines
}

type heldMessage struct {
	session string
	rule    string // the name of the rule that holds it
	number  int64  // see dispatch.Message.Number
	line    []byte // with its line end
}

func (m heldMessage) cause() wire.Cause { return wire.Cause{Name: m.rule, Why: whyHeld} }

// Limits of held.
const (
	maxHeld      = 1 << 10
	maxHeldBytes = 1 << 20
)

// hold holds a message if its session is not open yet, and reports whether it does. If there is no
// room, it releases all held messages instead, which go before the message.
func (c *Chain) hold(m *message, number int64) (held bool, before []heldMessage) {
	if c.conversation.IsOpen(m.session) {
		return false, nil
	}
	h := &c.held
	if line := wire.EndLine(bytes.Clone(m.line)); len(h.messages) < maxHeld && h.size+len(line) <= maxHeldBytes {
		h.messages = append(h.messages, heldMessage{m.session, m.holder, number, line})
		h.size += len(line)
		return true, nil
	}
	before = c.release(true)
	if c.opts.Events.ReleasedEarly != nil {
		c.opts.Events.ReleasedEarly(len(before) + 1)
	}
	return false, before
}

// release removes and returns the held messages whose session is open, or all of them, in order.
func (c *Chain) release(all bool) (released []heldMessage) {
	h := &c.held
	kept := h.messages[:0]
	for _, m := range h.messages {
		if !all && !c.conversation.IsOpen(m.session) {
			kept = append(kept, m)
			continue
		}
		released = append(released, m)
		h.size -= len(m.line)
	}
	clear(h.messages[len(kept):])
	h.messages = kept
	c.releasable.Store(false)
	return released
}

// Unread implements dispatch.UnreadHandler: it releases messages after a response, even if the
// response cannot be read.
func (c *Chain) Unread(m *dispatch.Message, err error) {
	if err != nil && len(c.directions[m.From.Index()].selection().rules) > 0 && c.opts.Events.Unread != nil {
		c.opts.Events.Unread(err)
	}
	c.releaseAfter(m, false)
}

// Flush implements dispatch.Flusher: it releases all held messages at the end of the input, because
// no response will come.
func (c *Chain) Flush(m *dispatch.Message, end bool) {
	if end || c.releasable.Load() {
		c.releaseAfter(m, end)
	}
}

// releaseAfter adds released messages after a message of the agent.
func (c *Chain) releaseAfter(m *dispatch.Message, all bool) {
	if m.From == Agent {
		for _, h := range c.release(all) {
			m.AfterHeld(h.number, h.line)
			m.By(h.cause())
		}
	}
}
